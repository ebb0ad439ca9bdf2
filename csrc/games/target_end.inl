// Ends the region of target_avx2.inl or target_avx512.inl.
#if defined(__clang__)
#pragma clang attribute pop
#endif

// Ends what target_avx2.inl or target_avx512.inl began.
#if defined(__clang__)
#pragma clang attribute pop
#endif

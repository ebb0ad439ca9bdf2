// Ends the region of kernel_begin.inl.
#if defined(__clang__) && !defined(GGP_PORTABLE)
#pragma clang attribute pop
#endif

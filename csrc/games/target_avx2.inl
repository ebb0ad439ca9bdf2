// The following code is compiled for processors with AVX2, up to target_end.inl. Functions of headers must not be: the
// needed headers of the standard library are included here, and other headers must be included before.
#include <immintrin.h>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a function boundary of another file
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,bmi,bmi2,popcnt"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,bmi,bmi2,popcnt")
#endif

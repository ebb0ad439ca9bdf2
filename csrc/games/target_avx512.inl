// The following code is compiled for processors with AVX-512, up to target_end.inl. Functions of headers must not be:
// the needed headers of the standard library are included here, and other headers must be included before.
#include <immintrin.h>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a function boundary of another file
#pragma GCC diagnostic ignored "-Wuninitialized"  // false warnings in the intrinsics of GCC 12
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#if defined(__clang__)
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vpopcntdq,bmi,bmi2,popcnt"))), \
    apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx512vpopcntdq,bmi,bmi2,popcnt")
#endif

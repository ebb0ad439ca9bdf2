// The code from here to kernel_end.inl is compiled for processors with AVX2 if GGP_AVX2 is defined, with AVX-512 if
// GGP_AVX512 is defined. Functions of headers must not be compiled so. This file includes the needed headers of the
// standard library, and a kernel includes other headers before this file.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(GGP_AVX2) || defined(GGP_AVX512)
#include <immintrin.h>

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a function boundary of another file
#endif

#if defined(GGP_AVX2)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,bmi,bmi2,popcnt"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,bmi,bmi2,popcnt")
#endif
#elif defined(GGP_AVX512)
#pragma GCC diagnostic ignored "-Wuninitialized"  // false warnings in the intrinsics of GCC 12
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#if defined(__clang__)
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vpopcntdq,bmi,bmi2,popcnt"))), \
    apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx512vpopcntdq,bmi,bmi2,popcnt")
#endif
#endif

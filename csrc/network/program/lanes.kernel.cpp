#include <cstddef>
#include <cstdint>

#include "base/random.hpp"
#include "network/program/lane_kernels.hpp"

#if defined(GGP_PORTABLE) || defined(__x86_64__)
#pragma GCC diagnostic ignored "-Wpsabi"  // values never cross a function boundary of another file
#if !defined(GGP_PORTABLE)
#include <immintrin.h>
#endif

// Fewer instructions than in base/kernel_begin.inl, so lanes of 512 states run on more processors.
#if defined(GGP_AVX2) && defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt"))), apply_to = function)
#elif defined(GGP_AVX2)
#pragma GCC target("avx2,bmi,bmi2,popcnt,lzcnt")
#elif defined(GGP_AVX512) && defined(__clang__)
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,bmi,bmi2,popcnt,lzcnt"))), apply_to = function)
#elif defined(GGP_AVX512)
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,bmi,bmi2,popcnt,lzcnt")
#endif

namespace ggp::GGP_ISA {
#include "network/program/lane_kernel.inl"

#define GGP_TEXT(word) #word
#define GGP_TEXT_OF(macro) GGP_TEXT(macro)
constexpr const char* kName = GGP_TEXT_OF(GGP_ISA);
const LaneKernel kernels[4] = {kernel<1>(kName), kernel<2>(kName), kernel<4>(kName), kernel<8>(kName)};
}  // namespace ggp::GGP_ISA

#include "base/kernel_end.inl"
#endif

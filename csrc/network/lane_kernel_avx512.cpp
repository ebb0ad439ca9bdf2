#include <cstddef>
#include <cstdint>

#include "network/lane_kernels.hpp"
#include "random.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#pragma GCC diagnostic ignored "-Wpsabi"  // values never cross a function boundary of another file
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,bmi,bmi2,popcnt,lzcnt"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,bmi,bmi2,popcnt,lzcnt")
#endif
#define GGP_KERNEL_AVX2
#define GGP_KERNEL_AVX512

namespace ggp::avx512 {
#include "network/lane_kernel.inl"

const LaneKernel kernels[4] = {kernel<1>("avx512"), kernel<2>("avx512"), kernel<4>("avx512"), kernel<8>("avx512")};
}  // namespace ggp::avx512

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif

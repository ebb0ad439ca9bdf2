#include <cstddef>
#include <cstdint>

#include "network/lane_kernels.hpp"
#include "random.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#pragma GCC diagnostic ignored "-Wpsabi"  // values never cross a function boundary of another file
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt"))), apply_to = function)
#else
#pragma GCC target("avx2,bmi,bmi2,popcnt,lzcnt")
#endif
#define GGP_KERNEL_AVX2

namespace ggp::avx2 {
#include "network/lane_kernel.inl"

const LaneKernel kernels[4] = {kernel<1>("avx2"), kernel<2>("avx2"), kernel<4>("avx2"), kernel<8>("avx2")};
}  // namespace ggp::avx2

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif

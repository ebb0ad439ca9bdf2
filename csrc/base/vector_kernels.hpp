// The sets of vector instructions for which kernels exist that play games side by side, the widest one of this
// processor, and the selection of the kernel of a game.
#pragma once

#include "base/bits.hpp"

namespace ggp {

enum class Vectors { kNone, kAvx2, kAvx512 };

inline Vectors widest_vectors() {
#if defined(__x86_64__)
  if (!has_fast_bits()) return Vectors::kNone;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vpopcntdq"))
    return Vectors::kAvx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Vectors::kAvx2;
#endif
  return Vectors::kNone;
}

// Returns the kernel for these vectors; null if it does not exist. Called as kernel_for<Kernel>(vectors,
// GGP_VECTOR_KERNELS(name)).
template <class Kernel>
Kernel kernel_for(Vectors vectors, Kernel avx2, Kernel avx512) {
  return vectors == Vectors::kAvx512 ? avx512 : vectors == Vectors::kAvx2 ? avx2 : nullptr;
}

}  // namespace ggp

// Declares functions that the files *.kernel.cpp define for each instruction set. Call them only if the processor has the
// instruction set.
#define GGP_DECLARE_KERNELS(...) \
  namespace avx2 {          \
  __VA_ARGS__                    \
  }                              \
  namespace avx512 {        \
  __VA_ARGS__                    \
  }

// The functions of that name that were compiled for each instruction set, by the files *.kernel.cpp.
#if defined(__x86_64__)
#define GGP_VECTOR_KERNELS(name) ggp::avx2::name, ggp::avx512::name
#else
#define GGP_VECTOR_KERNELS(name) nullptr, nullptr
#endif

// The vectors for which there are kernels that play games side by side, and the widest that this processor has.
#pragma once

#include "games/bits.hpp"

namespace ggp {

enum class Vectors { kNone, kAvx2, kAvx512 };

inline Vectors widest_vectors() {
#if defined(__x86_64__)
  if (!has_fast_bits()) return Vectors::kNone;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vpopcntdq"))
    return Vectors::kAvx512;
  if (__builtin_cpu_supports("avx2")) return Vectors::kAvx2;
#endif
  return Vectors::kNone;
}

}  // namespace ggp

#include "games/go_captures.hpp"

#include "games/go_captures_kernels.hpp"

namespace ggp {

template <int kSize>
FindCaptures<kSize> find_captures() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    return avx512::find_captures;
  if (__builtin_cpu_supports("avx2")) return avx2::find_captures;
#endif
  return nullptr;
}

template FindCaptures<5> find_captures<5>();
template FindCaptures<9> find_captures<9>();
template FindCaptures<19> find_captures<19>();

}  // namespace ggp

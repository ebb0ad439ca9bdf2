#include "network/program/lane_kernel.hpp"

#include <string_view>

#include "network/program/lane_kernels.hpp"

namespace ggp {
namespace {

bool runs_here(std::string_view isa) {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("popcnt");
  if (isa == "avx2") return avx2;
  if (isa == "avx512")
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
#endif
  return isa == "portable";
}

}  // namespace

const LaneKernel* find_kernel(const char* isa, int lanes) {
  if (!runs_here(isa)) return nullptr;
  const LaneKernel* kernels = portable::kernels;
#if defined(__x86_64__)
  if (std::string_view(isa) == "avx2") kernels = avx2::kernels;
  if (std::string_view(isa) == "avx512") kernels = avx512::kernels;
#endif
  for (int i = 0; i < 4; ++i)
    if (kernels[i].words * 64 == lanes) return &kernels[i];
  return nullptr;
}

const char* best_isa() {
  for (const char* isa : {"avx512", "avx2"})
    if (runs_here(isa)) return isa;
  return "portable";
}

}  // namespace ggp

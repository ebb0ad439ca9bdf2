// The kernels of each instruction set, by words per value: 1, 2, 4, 8.
#pragma once

#include "network/program/lane_kernel.hpp"

namespace ggp {
namespace portable {
extern const LaneKernel kernels[4];
}
#if defined(__x86_64__)
namespace avx2 {
extern const LaneKernel kernels[4];
}
namespace avx512 {
extern const LaneKernel kernels[4];
}
#endif
}  // namespace ggp

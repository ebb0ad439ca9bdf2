#include <cstddef>
#include <cstdint>

#include "network/lane_kernels.hpp"
#include "random.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // values never cross a function boundary of another file

namespace ggp::portable {
#include "network/lane_kernel.inl"

const LaneKernel kernels[4] = {kernel<1>("portable"), kernel<2>("portable"), kernel<4>("portable"),
                               kernel<8>("portable")};
}  // namespace ggp::portable

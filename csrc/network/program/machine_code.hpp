// Lane programs as machine code: one function for each run of blocks. Values that are read soon stay in vector
// registers; only values that are read elsewhere or much later are stored in memory.
//
// The interpreter of lane_kernel.inl reads two operands and writes one result in memory for each gate. Here a tree of
// gates (gate_trees.hpp) is evaluated in registers; with AVX-512 two gates take one instruction (VPTERNLOG). Free
// registers keep values for later readers; the value whose next read is farthest away is replaced first (L. Belady, A
// study of replacement algorithms for a virtual-storage computer, 1966), which is exact, because all reads of straight
// code are known. Results equal the interpreter's, bit for bit.
#pragma once

#include <memory>

#include "network/program/lane_kernel.hpp"
#include "network/program/lane_program.hpp"

namespace ggp {

// The program in machine code for a kernel: its blocks have `code`, its values are renumbered, its runs and operands
// are empty. Null if this is not possible: for kernels narrower than a vector or without vectors, on computers that
// forbid executable memory, and for programs that need more than kMostCode bytes.
std::shared_ptr<const LaneProgram> in_machine_code(const std::shared_ptr<const LaneProgram>& program, const LaneKernel& kernel);

constexpr std::size_t kMostCode = std::size_t{256} << 20;

}  // namespace ggp

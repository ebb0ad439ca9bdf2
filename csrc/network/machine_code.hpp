// Lane programs as machine code: one function for each run of blocks, in which values that are read soon stay in vector
// registers, and only what is read elsewhere or much later has a place in memory.
//
// The interpreter of lane_kernel.inl reads two operands and writes one result in memory for each gate. Here a tree of gates
// (gate_trees.hpp) is evaluated in registers; with AVX-512 two gates take one instruction (VPTERNLOG). Registers that are
// free keep values for later readers, the one whose next reader is farthest away giving way first (L. Belady, A study of
// replacement algorithms for a virtual-storage computer, 1966), which is exact, as straight code knows its future.
// Results are those of the interpreter, bit for bit.
#pragma once

#include <memory>

#include "network/lane_kernel.hpp"
#include "network/lane_program.hpp"

namespace ggp {

// The program in machine code for a kernel: its blocks have `code`, its values are numbered anew, its runs and operands are
// empty. Null where there is none: for kernels narrower than a vector or without vectors, on machines that forbid
// executable memory, and for programs that would take more than kMostCode bytes.
std::shared_ptr<const LaneProgram> in_machine_code(const std::shared_ptr<const LaneProgram>& program, const LaneKernel& kernel);

constexpr std::size_t kMostCode = std::size_t{256} << 20;

}  // namespace ggp

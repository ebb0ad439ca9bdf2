// Lane programs as machine code: one function for each run of blocks. A value that is read soon stays in a vector
// register. Only a value that is read elsewhere or much later is stored in memory.
//
// For each gate, the interpreter of lane_kernel.inl reads two operands from memory and writes one result to memory.
// Machine code evaluates a tree of gates (gate_trees.hpp) in registers; with AVX-512, one instruction (VPTERNLOG)
// evaluates two gates. Free registers keep values for later readers. The value whose next read is farthest away is
// replaced first (L. Belady, A study of replacement algorithms for a virtual-storage computer, 1966). This is exact:
// all reads of straight code are known. Results equal the results of the interpreter bit for bit.
#pragma once

#include <memory>

#include "network/program/lane_kernel.hpp"
#include "network/program/lane_program.hpp"

namespace ggp {

// The program in machine code for a kernel: its blocks have `code`, its values are renumbered, its runs and operands
// are empty. Null for kernels narrower than a vector or without vectors, on computers that forbid executable memory,
// and for programs that need more than kMostCode bytes.
std::shared_ptr<const LaneProgram> in_machine_code(const std::shared_ptr<const LaneProgram>& program,
                                                   const LaneKernel& kernel);

constexpr std::size_t kMostCode = std::size_t{256} << 20;

}  // namespace ggp

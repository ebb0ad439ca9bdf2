// The inner loops of network evaluation. One source (lane_kernel.inl) is compiled once for each instruction set and
// number of lanes. All kernels give the same results bit for bit.
//
// A kernel works on raw memory. Value v of the program is the `words` words at values + v * words, aligned to the size
// of a value. Lane l is bit l % 64 of word l / 64.
#pragma once

#include <cstdint>

#include "base/rank_choice.hpp"
#include "network/program/lane_program.hpp"

namespace ggp {

// The values of a move: its legality (or another condition for choosing it), and the move itself.
struct MoveValues {
  std::uint32_t legal, move;
};

// The choice of moves of one role.
struct RoleChoice {
  const MoveValues* all;         // its moves by number
  std::uint32_t moves;           // number of moves
  std::uint32_t first_move;      // value of its first move
  const std::uint32_t* order;    // the moves that may be legal, in the order that defines the k-th legal move
  std::uint32_t listed;          // their number
  const LaneProgram::Win* wins;  // moves made without a choice in lanes that look ahead; the first of several
  std::uint32_t winning;
};

// The moves that are legal in some lane, in the order of their role. The list has space for kPadding more than all
// moves.
struct LiveMoves {
  MoveValues* moves;
  std::uint32_t count;
  static constexpr std::uint32_t kPadding = 7;
};

// Buffers for the choice of moves, sized by the simulator and aligned like values.
struct ChoiceScratch {
  std::uint64_t* random;      // state of each lane's stream: lane l at words * (l % 64) + l / 64
  std::uint64_t* transposed;  // 64 * words words for each 64 moves of the role with the most moves
  std::uint64_t* many;        // `words` words per role
  std::uint64_t* pass;        // `words` words per role
  std::uint64_t* single;      // `words` words per role: the lanes of single legal moves that are not made yet
  std::uint64_t* counts;      // planes of the numbers of legal moves: kMostPlanes * `words` words per role
  LiveMoves* live;            // by role; written by each choice
  static constexpr int kMostPlanes = 32;
};

struct LaneKernel {
  const char* isa;  // portable, avx2, avx512
  int words;        // lanes / 64

  void (*run)(const LaneProgram::Run* begin, const LaneProgram::Run* end, const std::uint32_t* operands,
              std::uint64_t* values);
  // Replaces loop variables by their definitions; returns whether any changed in any lane.
  bool (*iterate)(const LaneProgram::LoopVariable* begin, const LaneProgram::LoopVariable* end,
                  std::uint64_t* values);
  // Copies values (or their complements) from `values` to `target`, which may be `values` itself.
  void (*copy)(const LaneProgram::Copy* begin, const LaneProgram::Copy* end, bool complemented,
               const std::uint64_t* values, std::uint64_t* target);
  // Sets the moves of all lanes in the mask; the lanes have no moves yet. In each lane, a role makes the k-th legal
  // move in the order of the role, where k is uniform, or a move that wins.
  void (*choose)(const RoleChoice* roles, int count, const std::uint64_t* mask, const ChoiceScratch& scratch,
                 std::uint64_t* values);
  // As choose(), but k is drawn by rank in the orders of the roles, and the chosen moves are stored in masks.
  void (*choose_by_rank)(const RoleChoice* roles, int count, const std::uint64_t* mask, const RankedChoice& choice,
                         const ChoiceScratch& scratch, std::uint64_t* values);
  // The parts of choose() for choices of a caller. force() sets the move of each role that has a single legal move or a
  // move that wins. Each lay() writes the lanes with a choice to scratch.pass, one mask per role, and their legal moves
  // to scratch.transposed: word b of lane l is at (64 b + l % 64) * words + l / 64. lay() returns the number of blocks
  // b, or 0 when no lane is left.
  void (*force)(const RoleChoice* roles, int count, const std::uint64_t* mask, const ChoiceScratch& scratch,
                std::uint64_t* values);
  std::uint32_t (*lay)(const RoleChoice* roles, int count, const ChoiceScratch& scratch,
                       const std::uint64_t* values);
  // The rest of choose() after force(), in the lanes that remain in scratch.many.
  void (*draw)(int count, const ChoiceScratch& scratch, std::uint64_t* values);
  // Removes the lanes of a mask from consecutive values.
  void (*remove)(const std::uint64_t* mask, std::uint64_t* values, std::uint32_t count);
  // In consecutive values, copies the lanes of a mask from `from` to `to`.
  void (*merge)(const std::uint64_t* mask, const std::uint64_t* from, std::uint64_t* to, std::uint32_t count);
  // Clears moves, given by their values, in all lanes.
  void (*clear)(const std::uint32_t* begin, const std::uint32_t* end, std::uint64_t* values);
  // Clears the moves that the latest choice listed, of all roles.
  void (*clear_live)(int count, const ChoiceScratch& scratch, std::uint64_t* values);
  void (*count)(const OccurredCount& what);
  // Writes each bit of `count` words as a byte, 0 or 1: 64 * count bytes.
  void (*spread)(const std::uint64_t* lanes, int count, std::uint8_t* bytes);
};

// The kernel for an instruction set and a number of lanes; null if this computer or build does not have the kernel.
const LaneKernel* find_kernel(const char* isa, int lanes);

// The widest instruction set of this computer.
const char* best_isa();

}  // namespace ggp

// The gates of a lane program as trees for evaluation in registers.
//
// A gate that a single other one reads, and that nothing outside of its unit needs, is an inner node of the tree of that
// gate: it has no place in memory. What is left are the roots, in an order in which each stands behind what it reads, and
// where what is asked for together (the legal moves of a role, the next fluents) stands together. Operands are ordered so
// that a tree needs few registers (Sethi and Ullman, The generation of optimal code for arithmetic expressions, 1970):
// inner nodes first, those with the greatest need before the others, each combined with the result so far at once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "network/lane_program.hpp"

namespace ggp {

struct GateTrees {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  struct Operand {
    std::uint32_t value;
    bool complemented;
  };
  // A conjunction of operands, complemented where it is a disjunction of their complements.
  struct Gate {
    std::uint32_t value;
    std::uint32_t first, count;  // of its operands
    std::uint32_t unit;
    bool complemented;
    bool inner;    // in the tree of the one gate that reads it
    bool outside;  // read outside of its unit
    std::uint8_t need;  // registers
    std::uint8_t height;
  };
  // What is evaluated at one go: gates of blocks that follow each other, or those of a loop.
  struct Unit {
    std::vector<LaneProgram::LoopVariable> loop;
    std::vector<std::uint32_t> roots;  // gates
  };
  // The units of legal_blocks, ahead_blocks, goal_blocks and next_blocks of a program, in this order.
  struct Sections {
    std::uint32_t end[4];
  };

  // Trees that need so many registers at most, each of them more than 2. Nothing where a gate is read before it is
  // evaluated, which no compiled program does.
  static std::optional<GateTrees> of(const LaneProgram& program, int registers);

  std::uint32_t first_value = 0;       // of a gate: smaller values are inputs
  std::vector<Gate> gates;
  std::vector<std::uint32_t> gate_of;  // by value - first_value
  std::vector<Operand> operands;
  std::vector<Unit> units;
  Sections sections{};

  // The gate of a value that is evaluated in a unit, kNone of another.
  std::uint32_t local(std::uint32_t value, std::uint32_t unit) const {
    if (value < first_value) return kNone;
    const std::uint32_t gate = gate_of[value - first_value];
    return gate != kNone && gates[gate].unit == unit ? gate : kNone;
  }
};

}  // namespace ggp

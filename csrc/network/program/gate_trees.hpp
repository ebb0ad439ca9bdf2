// The gates of a lane program as trees for evaluation in registers.
//
// A gate is an inner node if only one other gate reads it and nothing outside its unit needs it. An inner node belongs
// to the tree of its reader and is not stored in memory. All other gates are roots. A root follows the gates that it
// reads. Gates that are needed together (the legal moves of a role, the next fluents) are adjacent. The order of
// operands makes a tree need few registers (Sethi and Ullman, The generation of optimal code for arithmetic
// expressions, 1970): inner nodes first, by descending need; each is combined with the result so far at once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "network/program/lane_program.hpp"

namespace ggp {

struct GateTrees {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  struct Operand {
    std::uint32_t value;
    bool complemented;
  };
  // A conjunction of operands; if complemented, a disjunction of the complements of the operands.
  struct Gate {
    std::uint32_t value;
    std::uint32_t first, count;  // range of its operands
    std::uint32_t unit;
    bool complemented;
    bool inner;    // inner node of the tree of the only gate that reads it
    bool outside;  // read outside its unit
    std::uint8_t need;  // number of registers
    std::uint8_t height;
  };
  // Gates that are evaluated together: the gates of consecutive blocks, or of a loop.
  struct Unit {
    std::vector<LaneProgram::LoopVariable> loop;
    std::vector<std::uint32_t> roots;  // gates
  };
  // The units of legal_blocks, ahead_blocks, goal_blocks, next_blocks and percept_blocks of a program, in this order.
  enum Section { kLegal, kAhead, kGoals, kNext, kPercepts, kSections };
  struct Sections {
    std::uint32_t end[kSections];
  };

  // Returns trees that need at most `registers` registers (more than 2). Returns nothing if a gate is read before it is
  // evaluated, which does not occur in compiled programs.
  static std::optional<GateTrees> of(const LaneProgram& program, int registers);

  std::uint32_t first_value = 0;       // the first value of a gate: smaller values are inputs
  std::vector<Gate> gates;
  std::vector<std::uint32_t> gate_of;  // by value - first_value
  std::vector<Operand> operands;
  std::vector<Unit> units;
  Sections sections{};

  // The gate of a value, kNone for inputs.
  std::uint32_t gate(std::uint32_t value) const { return value < first_value ? kNone : gate_of[value - first_value]; }
  // The gate of a value that is evaluated in a unit, kNone for other values.
  std::uint32_t local(std::uint32_t value, std::uint32_t unit) const {
    const std::uint32_t found = gate(value);
    return found != kNone && gates[found].unit == unit ? found : kNone;
  }
};

}  // namespace ggp

// Next values that machine code writes to the place of their fluent. These values need no copy at the end of the turn.
//
// A next value may replace the present value of its fluent under three conditions: no gate reads the present value
// later, no fluent is copied from it, and no other fluent has this next value. In games with percepts nothing is
// replaced: the gates of percepts read the present state after the next state is known.
#pragma once

#include <cstdint>
#include <vector>

#include "network/program/gate_trees.hpp"
#include "network/program/lane_program.hpp"

namespace ggp {

struct NextInPlace {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  static NextInPlace of(const LaneProgram& program, const GateTrees& trees);

  // By gate of the trees: the value of the fluent that the gate replaces, or kNone; and whether the next value of this
  // fluent is the complement of the gate.
  std::vector<std::uint32_t> fluent;
  std::vector<bool> complemented;
};

}  // namespace ggp

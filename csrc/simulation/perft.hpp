// perft: the number of move sequences of each length, the classical test of an implementation of rules.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "simulator.hpp"

namespace ggp {

struct PerftLevel {
  std::uint64_t leaves = 0;     // sequences of this many joint moves
  std::uint64_t terminals = 0;  // sequences of them that end in a terminal state
};

// A role that has no legal move after a number of turns, although the game is not over.
struct StuckRole {
  int role = -1;
  int turns = 0;
};

// Counts levels 1 .. depth below a state. If a role has no legal move in a state that is not terminal, throws
// std::runtime_error and writes the role to `stuck`, unless it is null. A set `stop` ends the count early.
std::vector<PerftLevel> perft(Simulator& simulator, const std::uint64_t* state, int depth,
                              const std::atomic<bool>& stop, StuckRole* stuck = nullptr);

}  // namespace ggp

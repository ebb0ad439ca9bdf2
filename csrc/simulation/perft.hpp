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

// Levels 1 .. depth below a state. Throws std::runtime_error if a role has no legal move in a state that is not
// terminal. A set `stop` ends the count early.
std::vector<PerftLevel> perft(Simulator& simulator, const std::uint64_t* state, int depth,
                              const std::atomic<bool>& stop);

}  // namespace ggp

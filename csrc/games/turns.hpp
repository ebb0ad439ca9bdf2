// The whole turns of a state of a rule sheet that makes a turn out of several moves of the same role.
//
// A turn goes on while the role that began it has more to do than to wait. The beginnings of turns are
// extended by one move at a time, as many states at once as there are lanes.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "simulator.hpp"

namespace ggp {

struct TurnList {
  int role = -1;                         // whose turn it is; -1 where the state is terminal
  std::vector<std::vector<int>> moves;   // of each turn, the moves of that role
  std::vector<std::uint64_t> states;     // state_words() of where each turn leads
  std::vector<bool> terminals;           // whether the game ends there
};

// `waits` holds for each role the number of the move with which it waits. A set `stop` ends the listing early. Throws
// std::runtime_error where a role that should move has no move, or several have more to do than to wait.
TurnList turns_of(Simulator& simulator, const std::uint64_t* state, const std::vector<int>& waits,
                  const std::atomic<bool>& stop);

}  // namespace ggp

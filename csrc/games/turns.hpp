// The complete turns in a state of a rule sheet that divides a turn into several moves of the same role.
//
// A turn continues while the role that began it has other moves than waiting. Incomplete turns are extended by one move
// at a time, as many states at once as there are lanes.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "simulator.hpp"

namespace ggp {

struct TurnList {
  int role = -1;                         // the role to move; -1 if the state is terminal
  std::vector<std::vector<int>> moves;   // for each turn, the moves of that role
  std::vector<std::uint64_t> states;     // for each turn, the state_words() words of the state after it
  std::vector<bool> terminals;           // for each turn, whether the game ends after it
};

// `waits` contains for each role the number of its waiting move. A set `stop` ends the listing early. Throws
// std::runtime_error if a role that should move has no move, or several roles have other moves than waiting.
TurnList turns_of(Simulator& simulator, const std::uint64_t* state, const std::vector<int>& waits,
                  const std::atomic<bool>& stop);

}  // namespace ggp

// Optional interface: prior knowledge of the moves of a state, for new nodes of a tree (search/selection/move_knowledge.hpp).
#pragma once

#include <cstdint>

#include "interfaces/optional_interface.hpp"

namespace ggp {

class MovePriors : public OptionalInterface<InterfaceId::kMovePriors> {
 public:
  // Writes two numbers for the i-th legal move of a role (order of legal()): values[i] is the expected reward of the
  // role, -1 .. 1; visits[i] is the number of visits that this expectation counts as, 0 if the move is unknown.
  // `locality`: whether the numbers depend on the distance between the move and the last move.
  // Returns the number of moves. Returns 0 and writes nothing if the state is unknown or the role is not to move. Valid
  // between evaluate() and the first move of a turn, for states that are not terminal. Both arrays have space for
  // moves(role) entries.
  virtual int move_priors(int lane, int role, bool locality, float* values, std::uint32_t* visits) = 0;
};

}  // namespace ggp

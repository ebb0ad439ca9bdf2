// Optional interface of simulators: the quality of a win, for rewards with a bonus (search/playout/reward.hpp).
#pragma once

#include "interfaces/optional_interface.hpp"

namespace ggp {

class Quality : public OptionalInterface<InterfaceId::kQuality> {
 public:
  // How clear the win of a terminal state is, 0 .. 1; 0 for a draw, NaN if the state is not terminal. Valid after
  // evaluate().
  virtual double quality(int lane) = 0;
  // As quality(), for a given winner. The state need not be terminal: an evaluation can name the winner of a state.
  // Valid between evaluate() and the first move of a turn.
  virtual double quality_for(int lane, int winner) = 0;
};

}  // namespace ggp

// Optional interface of simulators: the quality of a win, for rewards with a bonus (search/playout/reward.hpp).
#pragma once

#include "interfaces/optional_interface.hpp"

namespace ggp {

class Quality : public OptionalInterface<InterfaceId::kQuality> {
 public:
  // How clear the win of a terminal state is, 0 .. 1; NaN if the state is not terminal. Valid after evaluate().
  virtual double quality(int lane) = 0;
};

}  // namespace ggp

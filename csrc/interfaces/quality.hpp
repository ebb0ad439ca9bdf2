// Optional interface of simulators: the quality of a win, for rewards with a bonus (search/playout/reward.hpp).
#pragma once

#include "interfaces/optional_interface.hpp"

namespace ggp {

class Quality {
 public:
  static constexpr InterfaceId kId = InterfaceId::kQuality;

  // How clear the win of a terminal state is, 0 .. 1; NaN if the state is not terminal. Valid after evaluate().
  virtual double quality(int lane) = 0;

 protected:
  ~Quality() = default;
};

}  // namespace ggp

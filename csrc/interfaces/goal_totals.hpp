// Optional interface of simulators: sums of goals over many terminal lanes, faster than goal() for each lane. The
// simulator may keep terminal states and evaluate their goals together.
#pragma once

#include <cstdint>

#include "interfaces/optional_interface.hpp"

namespace ggp {

class GoalTotals : public OptionalInterface<InterfaceId::kGoalTotals> {
 public:
  // Adds the goals of the terminal states in the lanes of a mask to the totals. Valid between evaluate() and the first
  // choice of a turn.
  virtual void add_goals(const std::uint64_t* mask) = 0;
  // Adds the totals to sums[role] and sets the totals to 0. The goal of a state is the highest value that holds, or 0.
  virtual void take_goals(std::uint64_t* sums) = 0;
};

}  // namespace ggp

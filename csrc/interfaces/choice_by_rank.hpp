// Optional interface of simulators: choice of moves by rank, for vectors of lanes. The chosen moves are stored as
// masks, not as lists.
#pragma once

#include <cstdint>

#include "base/rank_choice.hpp"
#include "interfaces/optional_interface.hpp"

namespace ggp {

class ChoiceByRank : public OptionalInterface<InterfaceId::kChoiceByRank> {
 public:
  // Chooses moves at random, as Simulator::choose_at_random() does. Draws a rank for each role and chooses the legal
  // move with this rank in the order of moves of the role.
  virtual void choose_by_rank(const std::uint64_t* mask, const RankedChoice& choice) = 0;
  // Counts the moves in the masks of earlier choices. May be called at any time. Does not change the lanes.
  virtual void count_occurred(const OccurredCount& what) const = 0;
};

}  // namespace ggp

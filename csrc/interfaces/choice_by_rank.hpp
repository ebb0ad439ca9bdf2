// Optional interface of simulators: moves chosen by rank in vectors of lanes, with masks of chosen moves instead of
// lists.
#pragma once

#include <cstdint>

#include "base/rank_choice.hpp"
#include "interfaces/optional_interface.hpp"

namespace ggp {

class ChoiceByRank {
 public:
  static constexpr InterfaceId kId = InterfaceId::kChoiceByRank;

  // Does the same as Simulator::choose_at_random(), but draws a rank for each role and takes the legal move of that
  // rank in the order of the role.
  virtual void choose_by_rank(const std::uint64_t* mask, const RankedChoice& choice) = 0;
  // Counts the moves in the masks of earlier choices. Does not change the lanes, and may be called at any time.
  virtual void count_occurred(const OccurredCount& what) const = 0;

 protected:
  ~ChoiceByRank() = default;
};

}  // namespace ggp

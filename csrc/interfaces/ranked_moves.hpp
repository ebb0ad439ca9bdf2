// Optional interface of simulators: the best legal move by given values, found without a list of the legal moves. Only
// simulators whose policy forces no moves have it.
#pragma once

#include <cstdint>
#include <memory>

#include "interfaces/optional_interface.hpp"

namespace ggp {

// All moves of each role in the order of their values, in a form that the simulator chooses. The caller keeps the
// values, none of which is NaN. One thread at a time may use a ranking.
class MoveRanking {
 public:
  virtual ~MoveRanking() = default;
  // Any value may have changed.
  virtual void refresh() = 0;
  // The value of one move has changed.
  virtual void changed(int role, int move) = 0;
};

class RankedMoves {
 public:
  static constexpr InterfaceId kId = InterfaceId::kRankedMoves;

  // Ranks all moves by values[role][move]. The values must outlive the ranking. Clones of the simulator may use the
  // ranking, too.
  virtual std::unique_ptr<MoveRanking> rank_moves(const float* const* values) const = 0;
  // Returns the legal move with the highest value of the role to move, in a lane that is not terminal. If several moves
  // have this value, each has the same probability, by the lower half of `random`. The move is not set in the lane.
  virtual int best_move(int lane, const MoveRanking& ranking, std::uint64_t random) = 0;
  // The same among the legal moves from which the policy of the game draws this move last, such as the moves of one
  // piece.
  virtual int best_move_with(int lane, const MoveRanking& ranking, int move, std::uint64_t random) = 0;

 protected:
  ~RankedMoves() = default;
};

}  // namespace ggp

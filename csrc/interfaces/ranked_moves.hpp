// Optional interface of simulators: the legal move with the highest of given values, found without a list of the legal
// moves. Only simulators whose policy forces no moves have this interface.
#pragma once

#include <cstdint>
#include <memory>

#include "interfaces/optional_interface.hpp"

namespace ggp {

// All moves of each role in the order of their values. Each simulator has its own form of a ranking. The caller keeps
// the values. No value is NaN. One thread at a time may use a ranking.
class MoveRanking {
 public:
  virtual ~MoveRanking() = default;
  // Updates the ranking after any change of values.
  virtual void refresh() = 0;
  // Updates the ranking after a change of the value of one move.
  virtual void changed(int role, int move) = 0;
};

class RankedMoves : public OptionalInterface<InterfaceId::kRankedMoves> {
 public:
  // Ranks all moves by values[role][move]. The values must outlive the ranking. Clones of the simulator may use the
  // ranking, too.
  virtual std::unique_ptr<MoveRanking> rank_moves(const float* const* values) const = 0;
  // Returns the legal move with the highest value for the role to move, in a lane that is not terminal. If several
  // moves have this value, the lower half of `random` selects one with equal probabilities. The lane does not change.
  virtual int best_move(int lane, const MoveRanking& ranking, std::uint64_t random) = 0;
  // As best_move(), but only among the legal moves from which the policy of the game draws `move` in its last step,
  // such as the moves of one piece.
  virtual int best_move_with(int lane, const MoveRanking& ranking, int move, std::uint64_t random) = 0;
};

}  // namespace ggp

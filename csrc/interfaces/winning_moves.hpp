// Optional interface of simulators: moves that win at once, and play-outs that look one move ahead for them.
#pragma once

#include <cstdint>

#include "interfaces/optional_interface.hpp"

namespace ggp {

class WinningMoves {
 public:
  static constexpr InterfaceId kId = InterfaceId::kWinningMoves;

  // Writes the legal moves of a role that are known to end the game with goal 100 for the role, for all moves of the
  // other roles, in ascending order, and returns their number. `out` has space for moves(role).
  virtual int winning(int lane, int role, int* out) = 0;
  // Sets for the lanes of the mask whether choose_at_random(), choose_with() and ChoiceByRank look one move ahead, as
  // far as the simulator can: they take the first of winning() without a draw or a call of the chooser, and leave out
  // moves that let another role win at once while there are other moves. A new simulator does not look ahead.
  virtual void look_ahead(const std::uint64_t* mask, bool ahead) = 0;

 protected:
  ~WinningMoves() = default;
};

}  // namespace ggp

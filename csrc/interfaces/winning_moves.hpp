// Optional interface of simulators: moves that win at once, and play-outs that look one move ahead for them.
#pragma once

#include <cstdint>

#include "interfaces/optional_interface.hpp"

namespace ggp {

class WinningMoves : public OptionalInterface<InterfaceId::kWinningMoves> {
 public:
  // Writes known winning moves of a role in ascending order and returns their number. A winning move is legal and ends
  // the game with goal 100 for the role, for all moves of the other roles. `out` has space for moves(role) numbers.
  virtual int winning(int lane, int role, int* out) = 0;
  // Sets for the lanes of the mask whether choose_at_random(), choose_with() and ChoiceByRank look one move ahead, as
  // far as the simulator can. With look-ahead, they choose the first move of winning() without a draw or a call of the
  // chooser. They leave out moves that let another role win at once, if other moves remain. A new simulator does not
  // look ahead.
  virtual void look_ahead(const std::uint64_t* mask, bool ahead) = 0;
};

}  // namespace ggp

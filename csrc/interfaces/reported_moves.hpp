// Optional interface of simulators: the simulator reports the moves that it draws. In each state of a game with this
// interface, at most one role has several legal moves.
#pragma once

#include <cstdint>

#include "interfaces/game_policy.hpp"
#include "interfaces/optional_interface.hpp"

namespace ggp {

// The drawn move of the role to move. If the role has only one legal move, nothing is drawn: role and move are -1. A
// simulator that draws in this case, too, may report the move.
struct ReportedMove {
  int role;
  int move;
};

class ReportedMoves : public OptionalInterface<InterfaceId::kReportedMoves> {
 public:
  // The role to move in a lane that is not terminal.
  virtual int mover(int lane) const = 0;
  // Chooses moves as Simulator::choose_at_random(), GamePolicy::choose_by_policy() or choose_by_light_policy(), and
  // writes reported[l] for every lane l of the mask. A game without a policy accepts MoveDraw::kUniform only.
  virtual void choose_and_report(const std::uint64_t* mask, MoveDraw by, ReportedMove* reported) = 0;
  // Sets the move reported[l] in every lane l of the mask, as Simulator::choose() does.
  virtual void choose_reported(const std::uint64_t* mask, const ReportedMove* reported) = 0;
};

}  // namespace ggp

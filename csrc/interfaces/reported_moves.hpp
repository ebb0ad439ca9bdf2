// Optional interface of simulators: the moves that the simulator draws are reported to the caller. In each state of
// such a game one role at most has several legal moves.
#pragma once

#include <cstdint>

#include "interfaces/game_policy.hpp"
#include "interfaces/optional_interface.hpp"

namespace ggp {

// The move of the role to move. Role and move are -1 if the move was not drawn because it was the only legal one; a
// simulator that draws in that case, too, may report the move.
struct ReportedMove {
  int role;
  int move;
};

class ReportedMoves {
 public:
  static constexpr InterfaceId kId = InterfaceId::kReportedMoves;

  // The role to move in a lane that is not terminal.
  virtual int mover(int lane) const = 0;
  // Does the same as Simulator::choose_at_random(), GamePolicy::choose_by_policy() or choose_by_light_policy(), and
  // writes reported[l] for every lane l of the mask. A game without a policy draws uniformly only.
  virtual void choose_and_report(const std::uint64_t* mask, MoveDraw by, ReportedMove* reported) = 0;
  // Sets the move reported[l] in every lane l of the mask, as Simulator::choose() does.
  virtual void choose_reported(const std::uint64_t* mask, const ReportedMove* reported) = 0;

 protected:
  ~ReportedMoves() = default;
};

}  // namespace ggp

// Selection by probabilities of moves that an evaluation has learned (PUCT: Rosin, AMAI 2011; Silver et al., "A general
// reinforcement learning algorithm that masters chess, shogi, and Go through self-play", Science 2018).
//
//     Q(a) + c P(a) sqrt(1 + N + O) / (1 + n(a) + o(a)),     c = C + ln((1 + N + B) / B)
//
// P(a)     the probability of the move, in the table of the node (Tree::probabilities())
// C, B     exploration constant, and the number of visits from which exploration grows (selection.puct.base)
// Q(a)     mean reward of the role over the observed visits of a. Without an observed visit, an estimate of the first
//          visit: V - F sqrt(the sum of P over the tried moves)
// V        mean of the role in the node, in which the evaluation of the node counts as one visit
// F        first-play reduction (selection.puct.first_play; as in Leela Chess Zero); 0 at the root, so that even a short
//          search compares many moves there (as in KataGo)
// N, O, n, o   as in selection.hpp: simulations in flight count in the exploration term only
//
// No move must be tried first. Ties go to the action tried first, then to the untried move that is listed first.
// Actions that are closed by proofs are skipped. UCT selects in nodes without probabilities, and in nodes in which
// several roles choose.
//
// A new node is created at the first visit of its edge. If playout.early_termination.plies is 0, the evaluation of its
// state is backed up, not a play-out. Simulations walk through forced states, up to a depth of 1,024 plies: only states
// with a choice are evaluated.
#pragma once

#include "search/selection/selection.hpp"

namespace ggp {

class Puct final : public Selection {
 public:
  explicit Puct(const SelectionConfig& config)
      : exploration_(static_cast<float>(config.exploration)),
        first_play_(static_cast<float>(config.puct.first_play)),
        base_(static_cast<float>(config.puct.base)),
        without_probabilities_(config.exploration) {}
  std::uint32_t select(const Node& node, const Choice& choice, const Action* actions, const KnownMoves& known,
                       std::uint64_t& random) const override;

 private:
  const float exploration_;
  const float first_play_;
  const float base_;
  const UctSelection without_probabilities_;
};

}  // namespace ggp

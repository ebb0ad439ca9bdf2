// Play-outs by an evaluation: epsilon-greedy, "ege" in the paper of heuristic.hpp (Sturtevant, ICGA Journal 2008;
// Nijssen and Winands, ACG 2011).
//
// Each ply is a uniform legal move with probability epsilon. Otherwise the move is played whose successor has the
// highest evaluation for the role that moves; ties are broken uniformly. A successor that ends the game counts by its
// goal, so a move that wins at once is chosen. If several roles choose at once, or the simulator does not evaluate
// successors, moves are uniform.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "interfaces/evaluations.hpp"
#include "search/playout/playout.hpp"

namespace ggp {

class EvaluationPlayout final : public PlayoutPolicy {
 public:
  // `evaluations` is an interface of the simulator, and `evaluation` a number of one of them.
  EvaluationPlayout(const PlayoutConfig& config, Evaluations& evaluations, int evaluation, const Simulator& simulator);

  void begin(int lane, std::uint64_t seed) override;
  void choose(Lanes& lanes, const std::uint64_t* mask) override;

 private:
  bool choose_best(Simulator& simulator, int lane);

  const std::uint64_t epsilon_;  // epsilon * 2^32
  Evaluations& evaluations_;
  const int evaluation_;
  std::vector<std::uint64_t> random_;  // by lane
  LaneMask at_random_;
  // Scratch: the legal moves of a role and the values of their successors.
  std::vector<int> legal_;
  std::vector<float> values_;
};

// The policy of a checked configuration. Throws std::invalid_argument if the game does not have the configured
// evaluation, or if the selection needs a record of the play-outs.
std::unique_ptr<PlayoutPolicy> make_evaluation_playout(const Config& config, Simulator& simulator);

}  // namespace ggp

// Play-outs by an evaluation: epsilon-greedy, "ege" in the paper of heuristic.hpp (Sturtevant, ICGA Journal 2008;
// Nijssen and Winands, ACG 2011).
//
// Each ply is, with probability epsilon, any legal move, and else the one whose successor is worth most to the role
// that moves by the evaluation, one of several alike drawn evenly. A successor that ends the game counts by its goal,
// so a win at once is taken. Where several roles choose at once, or the simulator does not look at successors, any move
// is.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "interfaces/evaluations.hpp"
#include "search/playout.hpp"

namespace ggp {

class EvaluationPlayout final : public PlayoutPolicy {
 public:
  // `evaluations` is an interface of the simulator, and `evaluation` a number of one of them.
  EvaluationPlayout(const PlayoutConfig& config, Evaluations& evaluations, int evaluation, const Simulator& simulator);

  void begin(int lane, std::uint64_t seed) override;
  void choose(Lanes& lanes, const std::uint64_t* mask) override;

 private:
  bool choose_best(Simulator& simulator, int lane);

  const std::uint64_t epsilon_;  // * 2^32
  Evaluations& evaluations_;
  const int evaluation_;
  std::vector<std::uint64_t> random_;  // by lane
  LaneMask at_random_;
  // Scratch: the legal moves of a role and what is behind them.
  std::vector<int> legal_;
  std::vector<float> values_;
};

// The policy of a checked configuration. Throws std::invalid_argument where the evaluation that it names is
// not one of the game, or where the selection needs a record.
std::unique_ptr<PlayoutPolicy> make_evaluation_playout(const Config& config, Simulator& simulator);

}  // namespace ggp

#include "hidden/equilibrium.hpp"

#include <algorithm>
#include <chrono>


namespace ggp {

using Clock = std::chrono::steady_clock;

Equilibrium::Equilibrium(const SequenceForm& form) : form_(form), cfr_(form) {
  assess();
  for (int player = 0; player < 2; ++player) find_values(player);
}

void Equilibrium::run(const EquilibriumLimits& limits) {
  constexpr std::chrono::milliseconds kBetweenQuestions(100);
  const Clock::time_point start = Clock::now();
  Clock::time_point next_question = start + kBetweenQuestions;
  // The best responses cost as much as an iteration.
  std::uint64_t next_look = cfr_.iterations() + 1;
  while (cfr_.iterations() < limits.iterations && state_.exploitability > limits.exploitability) {
    const Clock::time_point now = Clock::now();
    if (std::chrono::duration<double>(now - start).count() >= limits.seconds) break;
    if (limits.interrupted != nullptr && now >= next_question) {
      assess();
      if (limits.interrupted(limits.context)) break;
      next_question = Clock::now() + kBetweenQuestions;
    }
    cfr_.iterate();
    if (cfr_.iterations() < next_look) continue;
    assess();
    next_look = cfr_.iterations() + std::max<std::uint64_t>(1, cfr_.iterations() / 8);
  }
  assess();
  for (int player = 0; player < 2; ++player) find_values(player);
}

void Equilibrium::assess() {
  state_.iterations = cfr_.iterations();
  state_.high = best_response(form_, 0, cfr_.mean(1), scratch_);
  state_.low = form_.sum() - best_response(form_, 1, cfr_.mean(0), scratch_);
  state_.value = expected_goal(form_, cfr_.mean(0), cfr_.mean(1), scratch_);
  state_.exploitability = std::max(0.0, (state_.high - state_.low) / 2);
}

void Equilibrium::find_values(int player) {
  const std::vector<double>& plan = cfr_.mean(player);
  const std::vector<DecisionPoint>& points = form_.tree(player).points;
  form_.goals(player, cfr_.mean(1 - player), values_[player]);
  form_.reaches(player, cfr_.mean(1 - player), reaches_[player]);
  for (std::vector<double>* each : {&values_[player], &reaches_[player]})
    for (auto point = points.rbegin(); point != points.rend(); ++point)
      for (std::uint32_t move = point->first; move < point->first + point->count; ++move)
        (*each)[point->parent] += plan[move] / plan[point->parent] * (*each)[move];
}

std::vector<MixedMove> Equilibrium::strategy(int player, std::uint32_t number) const {
  const DecisionTree& tree = form_.tree(player);
  const DecisionPoint& point = tree.points[number];
  const std::vector<double>& plan = cfr_.mean(player);
  std::vector<MixedMove> moves;
  for (std::uint32_t move = point.first; move < point.first + point.count; ++move)
    moves.push_back({tree.moves[move], plan[move] / plan[point.parent], values_[player][move] / reaches_[player][move]});
  return moves;
}

}  // namespace ggp

#include "hidden/cfr_plus.hpp"

#include <algorithm>

namespace ggp {
namespace {

constexpr double kTremble = 1e-7;

}  // namespace

CfrPlus::CfrPlus(const SequenceForm& form) : form_(form) {
  std::size_t most = 0;
  for (int player = 0; player < 2; ++player) {
    const DecisionTree& tree = form.tree(player);
    Side& side = sides_[player];
    const std::size_t count = tree.sequences();
    most = std::max(most, count);
    side.regrets.assign(count, 0);
    side.strategy.assign(count, 1);
    side.plan.assign(count, 1);
    for (const DecisionPoint& point : tree.points)
      std::fill_n(side.strategy.begin() + point.first, point.count, 1.0 / point.count);
    follow(player);
    side.mean = side.plan;
  }
  goals_.reserve(most);
}

void CfrPlus::iterate() {
  const auto t = static_cast<double>(++iterations_);
  const double share = 6 * t / ((t + 1) * (2 * t + 1));  // t^2 / (1 + 4 + ... + t^2)
  for (int player = 0; player < 2; ++player) {
    learn(player);
    follow(player);
    Side& side = sides_[player];
    for (std::size_t each = 0; each < side.mean.size(); ++each)
      side.mean[each] += share * (side.plan[each] - side.mean[each]);
  }
}

// Updates the regrets and the strategy of a player.
void CfrPlus::learn(int player) {
  form_.goals(player, sides_[1 - player].plan, goals_);
  const std::vector<DecisionPoint>& points = form_.tree(player).points;
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    const std::uint32_t count = point->count;
    double* strategy = &sides_[player].strategy[point->first];
    double* regrets = &sides_[player].regrets[point->first];
    const double* goals = &goals_[point->first];
    double value = 0, mean = 0, sum = 0;
    for (std::uint32_t move = 0; move < count; ++move) {
      value += strategy[move] * goals[move];
      mean += goals[move];
    }
    for (std::uint32_t move = 0; move < count; ++move) {
      const double regret = goals[move] - value;
      regrets[move] = std::max(0.0, regrets[move] + regret);
      strategy[move] = std::max(0.0, regrets[move] + regret);
      sum += strategy[move];
    }
    for (std::uint32_t move = 0; move < count; ++move) strategy[move] = sum > 0 ? strategy[move] / sum : 1.0 / count;
    goals_[point->parent] += (1 - kTremble) * value + kTremble * mean / count;
  }
}

// Computes the plan of a player from its strategy.
void CfrPlus::follow(int player) {
  Side& side = sides_[player];
  for (const DecisionPoint& point : form_.tree(player).points)
    for (std::uint32_t move = point.first; move < point.first + point.count; ++move)
      side.plan[move] = side.plan[point.parent] * ((1 - kTremble) * side.strategy[move] + kTremble / point.count);
}

}  // namespace ggp

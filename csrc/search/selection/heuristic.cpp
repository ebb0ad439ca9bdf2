#include "search/selection/heuristic.hpp"

#include <algorithm>

#include "search/playout/reward.hpp"

namespace ggp {

namespace {

// The values of a move: v0 for the role that chooses, then v by role.
constexpr int kOwn = 0, kByRole = 1;

void clamp(float& value, Bounds bounds) {
  value = std::clamp(value, static_cast<float>(reward_of_goal(bounds.pessimistic)),
                     static_cast<float>(reward_of_goal(bounds.optimistic)));
}

}  // namespace

Heuristic::Heuristic(Tree& tree, const SelectionConfig& config)
    : tree_(tree),
      alpha_(static_cast<float>(config.implicit_minimax.alpha)),
      term_(config.implicit_minimax.term),
      before_(tree.roles()) {}

// The values of the action of a step; null if its node has none.
float* Heuristic::values_of(const std::uint32_t* step) const {
  float* values = tree_.values(step[0]);
  if (values == nullptr) return nullptr;
  return values + (tree_.node(step[0]).choices()[0].count - 1 - step[1]) * tree_.values_of_move();
}

void Heuristic::end(const Path& path, const int* goals) {
  float* to = values_of(path.last());
  if (to == nullptr) return;
  for (int role = 0; role < tree_.roles(); ++role) {
    to[kByRole + role] = static_cast<float>(reward_of_goal(std::max(0, goals[role])));
  }
  if (std::isnan(to[kOwn])) to[kOwn] = to[kByRole + tree_.node(path.last()[0]).mover];
}

// The values by role of the legal move that is best for the mover of a node; null if none is known.
const float* Heuristic::best_of(Index index) const {
  const float* values = tree_.values(index);
  if (values == nullptr) return nullptr;
  const Node& node = tree_.node(index);
  const std::uint32_t stride = tree_.values_of_move();
  const float* best = nullptr;
  for (std::uint32_t i = 0; i < node.choices()[0].count; ++i) {
    const float* of_move = values + i * stride + kByRole;
    if (std::isnan(of_move[node.mover])) continue;
    if (best == nullptr || of_move[node.mover] > best[node.mover]) best = of_move;
  }
  return best;
}

// Limits the values of an action by the proven bounds of the mover's goal.
void Heuristic::keep_within_bounds(const Node& node, const Action& action, float* values) const {
  if (!node.narrowed || std::isnan(values[node.mover])) return;
  const float before = values[node.mover];
  clamp(values[node.mover], action.bounds);
  if (values[node.mover] == before) return;
  if (tree_.roles() == 2 && tree_.constant_sum()) values[1 - node.mover] = -values[node.mover];
}

void Heuristic::learn(const Path& path) {
  for (std::size_t number = path.depth(); number-- > 0;) {
    const std::uint32_t* step = path.step(number);
    float* values = values_of(step);
    if (values == nullptr) continue;
    const Node& node = tree_.node(step[0]);
    const Action action = tree_.actions(node.choices()[0])[step[1]];
    float* by_role = values + kByRole;
    std::copy_n(by_role, tree_.roles(), before_.begin());
    const float* best = action.child != kNone && is_node(action.child) ? best_of(action.child) : nullptr;
    if (best != nullptr) std::copy_n(best, tree_.roles(), by_role);
    keep_within_bounds(node, action, by_role);
    // The last action may have got its values before. If nodes are shared, another path may have changed values further
    // up.
    const bool is_last = number + 1 == path.depth();
    if (!is_last && !tree_.shares() && std::equal(before_.begin(), before_.end(), by_role)) return;
  }
}

}  // namespace ggp

#include "search/heuristic.hpp"

#include <algorithm>

#include "search/reward.hpp"

namespace ggp {

namespace {

// The values of an action: v0 for the role that chooses, then v by role.
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
      best_(tree.roles()) {}

// The values of the action of a step; null in a simultaneous node.
float* Heuristic::values_of(const std::uint32_t* step) {
  const Node& node = tree_.node(step[0]);
  if (node.mover == kSimultaneous) return nullptr;
  return tree_.values(node.choices()[0]) + step[1] * tree_.values_of_action();
}

void Heuristic::begin(const Path& path, const float* values) {
  if (path.depth() == 0) return;
  float* to = values_of(path.last());
  if (to == nullptr || !std::isnan(to[kOwn])) return;
  to[kOwn] = values[tree_.node(path.last()[0]).mover];
  std::copy_n(values, tree_.roles(), to + kByRole);
  learn(path);
}

void Heuristic::end(const Path& path, const int* goals) {
  float* to = values_of(path.last());
  if (to == nullptr) return;
  for (int role = 0; role < tree_.roles(); ++role) {
    to[kByRole + role] = static_cast<float>(reward_of_goal(std::max(0, goals[role])));
  }
  if (std::isnan(to[kOwn])) to[kOwn] = to[kByRole + tree_.node(path.last()[0]).mover];
}

// Limits the values of an action by the proven bounds of the mover's goal.
bool Heuristic::keep_within_bounds(const Node& node, const Action& action, float* values) const {
  if (!node.narrowed || std::isnan(values[node.mover])) return false;
  const float before = values[node.mover];
  clamp(values[node.mover], action.bounds);
  if (values[node.mover] == before) return false;
  if (tree_.roles() == 2 && tree_.constant_sum()) values[1 - node.mover] = -values[node.mover];
  return true;
}

void Heuristic::learn(const Path& path) {
  const int roles = tree_.roles();
  for (std::size_t number = path.depth(); number-- > 0;) {
    const std::uint32_t* step = path.step(number);
    const Node& node = tree_.node(step[0]);
    if (node.mover == kSimultaneous) continue;
    const Choice& choice = node.choices()[0];
    float* values = tree_.values(choice);
    const std::uint32_t stride = tree_.values_of_action();
    keep_within_bounds(node, tree_.actions(choice)[step[1]], values + step[1] * stride + kByRole);
    if (number == 0) return;
    const float* best = nullptr;
    for (std::uint32_t i = 0; i < choice.tried; ++i) {
      const float* of_action = values + i * stride + kByRole;
      if (std::isnan(of_action[node.mover])) continue;
      if (best == nullptr || of_action[node.mover] > best[node.mover]) best = of_action;
    }
    float* above = values_of(path.step(number - 1));
    if (best == nullptr || above == nullptr) continue;
    // If nodes are shared, another path may have changed values further up.
    if (std::equal(best, best + roles, above + kByRole) && !tree_.shares()) return;
    std::copy_n(best, roles, above + kByRole);
  }
}

}  // namespace ggp

#include "search/proof/solver.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace ggp {

namespace {

constexpr std::uint16_t kMostPlies = std::numeric_limits<std::uint16_t>::max();

// Intersects bounds with other valid bounds; returns whether that changed them.
bool narrow(Bounds& bounds, Bounds found) {
  const Bounds both{std::max(bounds.pessimistic, found.pessimistic), std::min(bounds.optimistic, found.optimistic)};
  if (both == bounds) return false;
  bounds = both;
  return true;
}

Bounds complement(Bounds bounds) {
  return {static_cast<std::uint8_t>(100 - bounds.optimistic), static_cast<std::uint8_t>(100 - bounds.pessimistic)};
}

// The bounds of a role that chooses among several outcomes, and of a role that does not choose.
struct Range {
  Bounds chosen{0, 0};
  Bounds given{100, 0};

  void add(Bounds bounds) {
    chosen.pessimistic = std::max(chosen.pessimistic, bounds.pessimistic);
    chosen.optimistic = std::max(chosen.optimistic, bounds.optimistic);
    given.pessimistic = std::min(given.pessimistic, bounds.pessimistic);
    given.optimistic = chosen.optimistic;
  }
};

}  // namespace

std::uint16_t plies_behind(const Tree& tree, Index child, int goal) {
  if (is_node(child)) return tree.node(child).plies;
  return child == kNone && goal > 50 ? kMostPlies : 0;
}

void Solver::see_end(const int* goals) {
  if (!forced_sum() || std::max(0, goals[0]) + std::max(0, goals[1]) == 100) return;
  tree_.set_constant_sum(false);
  if (enabled_) start_over();
}

void Solver::learn(const Path& path) {
  if (!enabled_) return;
  for (std::size_t number = path.depth(); number-- > 0;) {
    if (!update(path.step(number))) return;
  }
}

bool Solver::bound_root_action(std::uint32_t place, Bounds bounds) {
  Node& root = tree_.node(tree_.root());
  if (!narrow(tree_.make_full(tree_.root(), root.mover)[place].bounds, bounds)) return false;
  update_mover(root);
  return true;
}

// Only edges of a simultaneous node contain more information: the action that proves a bound.
void Solver::learn_at_root() {
  if (enabled_ && is_node(tree_.root()) && tree_.node(tree_.root()).mover == kSimultaneous) {
    update_simultaneous(tree_.root());
  }
}

bool Solver::root_is_settled() const {
  if (!is_node(tree_.root())) return true;
  const Node& root = tree_.node(tree_.root());
  for (int role = 0; role < tree_.roles(); ++role) {
    if (root.chooses(role) && !(root.bounds(role).settled() && knows_sure_move(root.choice(role)))) return false;
  }
  return true;
}

// Whether an action guarantees the bound of the choice.
bool Solver::knows_sure_move(const Choice& choice) const {
  const Actions actions = tree_.actions(choice);
  for (std::uint32_t i = 0; i < choice.tried; ++i) {
    if (actions[i].bounds.pessimistic >= choice.bounds.pessimistic) return true;
  }
  return false;
}

// Updates the bounds of the node of a step from its child; returns false if nothing changed.
bool Solver::update(const std::uint32_t* step) {
  Node& node = tree_.node(step[0]);
  if (node.mover == kSimultaneous) return update_simultaneous(step[0]);
  const Choice& choice = node.choices()[0];
  if (!choice.full) return false;
  Action& action = tree_.actions(choice).all()[step[1]];
  narrow(action.bounds, bounds_behind(node, action.child, node.mover));
  return update_mover(node);
}

// The bounds of the goal of a role that an edge from a node to this child proves.
Bounds Solver::bounds_behind(const Node& node, Index child, int role) const {
  if (child == kNone) return kUnknown;
  Bounds found;
  if (is_node(child)) {
    found = tree_.node(child).bounds(role);
  } else {
    const auto goal = static_cast<std::uint8_t>(std::max(0, tree_.goals(child)[role]));
    found = {goal, goal};
  }
  if (node.hides_moves_from(role)) found.pessimistic = 0;
  return found;
}

// For a node with full actions: single-visit actions store no bounds, and their node has untried moves.
bool Solver::update_mover(Node& node) {
  Choice& choice = node.choices()[0];
  const Action* actions = tree_.actions(choice).all();
  const bool complete = choice.is_complete();
  Range range;
  for (std::uint32_t i = 0; i < choice.tried; ++i) {
    range.add(actions[i].bounds);
    node.narrowed |= actions[i].bounds.settled();
  }
  if (!complete) range.chosen.optimistic = 100;
  bool changed = narrow(choice.bounds, range.chosen);
  node.narrowed |= choice.bounds != kUnknown;
  for (int role = 0; role < tree_.roles(); ++role) {
    if (role == node.mover) continue;
    if (forced_sum()) {
      narrow(node.bystander(role).bounds, complement(choice.bounds));
    } else if (complete) {
      Range others;
      for (std::uint32_t i = 0; i < choice.tried; ++i) others.add(bounds_behind(node, actions[i].child, role));
      changed |= narrow(node.bystander(role).bounds, others.given);
    }
  }
  if (changed) node.plies = plies_to_end(node);
  return changed;
}

// By the mover's best actions if its goal is proven, by the longest line otherwise.
std::uint16_t Solver::plies_to_end(const Node& node) const {
  const Choice& choice = node.choices()[0];
  const bool settled = choice.bounds.settled();
  const int goal = settled ? choice.bounds.pessimistic : 0;
  std::uint16_t shortest = kMostPlies, longest = 0;
  for (std::uint32_t i = 0; i < choice.tried; ++i) {
    const Action action = tree_.actions(choice)[i];
    if (settled && !(action.bounds == choice.bounds)) continue;
    const std::uint16_t plies = std::min<int>(plies_behind(tree_, action.child, goal) + 1, kMostPlies);
    shortest = std::min(shortest, plies);
    longest = std::max(longest, plies);
  }
  return goal > 50 ? shortest : longest;
}

bool Solver::update_simultaneous(Index index) {
  Node& node = tree_.node(index);
  const int roles = tree_.roles();
  const JointTable* table = tree_.joints(node);
  std::uint64_t all = 1;
  std::uint64_t fewest = kMostJoints;  // number of joint actions that contain an action
  for (int role = 0; role < roles; ++role) {
    if (__builtin_mul_overflow(all, std::uint64_t{node.choices()[role].count}, &all) || all > kMostJoints) return false;
  }
  for (int role = 0; role < roles; ++role) fewest = std::min(fewest, all / node.choices()[role].count);
  if (table == nullptr || table->used < fewest) return false;

  bool changed = false;
  std::uint64_t behind = all;  // the weight of a role's digit in the code
  std::array<Range, kMostJoints> of_action;
  std::array<std::uint64_t, kMostJoints> joints_of;
  for (int role = 0; role < roles; ++role) {
    Choice& choice = node.choices()[role];
    behind /= choice.count;
    std::fill_n(of_action.begin(), choice.count, Range{});
    std::fill_n(joints_of.begin(), choice.count, 0);
    for (std::uint32_t i = 0; i < table->capacity; ++i) {
      const JointAction& joint = table->entries()[i];
      if (joint.child == kVacant) continue;
      const std::uint64_t place = joint.code / behind % choice.count;
      of_action[place].add(bounds_behind(node, joint.child, role));
      ++joints_of[place];
    }
    Range range;
    for (std::uint32_t place = 0; place < choice.count; ++place) {
      const bool complete = joints_of[place] == all / choice.count;
      const Bounds found = complete ? of_action[place].given : kUnknown;
      range.add(found);
      if (choice.full && place < choice.tried) narrow(tree_.actions(choice).all()[place].bounds, found);
    }
    changed |= narrow(choice.bounds, range.chosen);
    // Single-visit actions store no bounds; at the root the move of a proof must be known.
    if (index == tree_.root() && range.chosen.pessimistic > 0 && !choice.full && choice.count > 1) {
      tree_.make_full(index, role);
      return update_simultaneous(index) || changed;
    }
  }
  if (forced_sum()) {
    for (int role = 0; role < roles; ++role) {
      const std::uint8_t most = 100 - node.choices()[1 - role].bounds.pessimistic;
      changed |= narrow(node.choices()[role].bounds, {0, most});
    }
  }
  for (int role = 0; role < roles; ++role) node.narrowed |= node.choices()[role].bounds != kUnknown;
  return changed;
}

// Clears all bounds and computes them again, children before parents.
void Solver::start_over() {
  std::vector<Index> nodes;
  const auto forget = [this](Choice& choice) {
    choice.bounds = kUnknown;
    for (std::uint32_t i = 0; choice.full && i < choice.tried; ++i) tree_.actions(choice).all()[i].bounds = kUnknown;
  };
  tree_.for_each_node([&](Index index) {
    nodes.push_back(index);
    Node& node = tree_.node(index);
    node.narrowed = false;
    node.plies = 0;
    for (int role = 0; role < tree_.roles(); ++role) {
      if (node.has_choice(role)) {
        forget(node.choice(role));
      } else {
        node.bystander(role).bounds = kUnknown;
      }
    }
  });
  for (auto at = nodes.rbegin(); at != nodes.rend(); ++at) {
    Node& node = tree_.node(*at);
    if (node.mover == kSimultaneous) {
      update_simultaneous(*at);
      continue;
    }
    const Choice& choice = node.choices()[0];
    if (!choice.full) continue;
    for (std::uint32_t i = 0; i < choice.tried; ++i) {
      Action& action = tree_.actions(choice).all()[i];
      narrow(action.bounds, bounds_behind(node, action.child, node.mover));
    }
    update_mover(node);
  }
}

}  // namespace ggp

#include "search/statistics.hpp"

#include <algorithm>

namespace ggp {

namespace {

bool is_better(const MoveStatistics& a, const MoveStatistics& b) {
  if (a.visits != b.visits) return a.visits > b.visits;
  if (a.mean != b.mean) return a.mean > b.mean;
  return a.move < b.move;
}

MoveStatistics of(const Action& action) {
  double mean = action.visits > 0 ? action.reward / action.visits : 0.0;
  return {static_cast<int>(action.move), action.visits, mean};
}

RoleStatistics read_role(const Tree& tree, const Node& node, const Choice& choice) {
  RoleStatistics role;
  if (node.visits > 0) role.mean = choice.reward / node.visits;
  if (choice.count == 1) {
    role.moves.push_back({static_cast<int>(choice.moves), node.visits, role.mean});
    return role;
  }
  role.moves.reserve(choice.count);
  for (std::uint32_t i = 0; i < choice.tried; ++i) role.moves.push_back(of(tree.actions(choice)[i]));
  for (std::uint32_t i = choice.tried; i < choice.count; ++i) {
    role.moves.push_back({static_cast<int>(tree.untried(choice, i)), 0, 0.0});
  }
  std::sort(role.moves.begin(), role.moves.end(), is_better);
  return role;
}

// The best move of a role that was visited; -1 where none was.
int best_move(const Tree& tree, const Choice& choice) {
  if (choice.count == 1) return static_cast<int>(choice.moves);
  MoveStatistics best{-1, 0, 0.0};
  for (std::uint32_t i = 0; i < choice.tried; ++i) {
    MoveStatistics move = of(tree.actions(choice)[i]);
    if (move.visits > 0 && (best.move < 0 || is_better(move, best))) best = move;
  }
  return best.move;
}

}  // namespace

Statistics read_statistics(const Tree& tree) {
  Statistics found;
  found.nodes = tree.nodes();
  found.bytes = tree.bytes();
  found.roles.resize(tree.roles());
  if (is_terminal(tree.root())) {
    found.terminal = true;
    for (int role = 0; role < tree.roles(); ++role) {
      found.roles[role].mean = std::max(0, tree.goals(tree.root())[role]) / 50.0 - 1.0;
    }
    return found;
  }
  const Node& root = tree.node(tree.root());
  found.visits = root.visits;
  for (int role = 0; role < tree.roles(); ++role) {
    found.roles[role] = read_role(tree, root, root.choices()[role]);
  }
  Index at = tree.root();
  while (at != kNone && is_node(at) && static_cast<int>(found.principal_variation.size()) < kLongestVariation) {
    const Node& node = tree.node(at);
    std::vector<int> moves(tree.roles());
    for (int role = 0; role < tree.roles(); ++role) moves[role] = best_move(tree, node.choices()[role]);
    if (node.visits == 0 || std::count(moves.begin(), moves.end(), -1) > 0) break;
    at = tree.child(at, moves.data());
    found.principal_variation.push_back(std::move(moves));
  }
  return found;
}

}  // namespace ggp

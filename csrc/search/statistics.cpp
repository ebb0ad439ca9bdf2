#include "search/statistics.hpp"

#include <algorithm>

#include "search/reward.hpp"
#include "search/solver.hpp"

namespace ggp {

namespace {

// A move and what decides its place among the others.
struct Candidate {
  MoveStatistics of;
  int plies;  // to the end, where it is settled

  bool visited() const { return of.visits > 0; }
};

// Moves that may still be better than what is sure come first, then those that are sure of it, then the rest.
enum Rank { kOpen, kSure, kWorse };

Rank rank_of(Bounds move, Bounds role) {
  if (move.settled() && move.pessimistic == role.pessimistic) return kSure;
  return move.optimistic > role.pessimistic ? kOpen : kWorse;
}

class Order {
 public:
  explicit Order(Bounds role) : role_(role) {}

  bool operator()(const Candidate& a, const Candidate& b) const {
    const Rank rank_a = rank_of(a.of.bounds, role_), rank_b = rank_of(b.of.bounds, role_);
    if (rank_a != rank_b) return rank_a < rank_b;
    if (rank_a == kSure && a.plies != b.plies) return (a.plies < b.plies) == (role_.pessimistic > 50);
    if (a.of.visits != b.of.visits) return a.of.visits > b.of.visits;
    if (a.of.mean != b.of.mean) return a.of.mean > b.of.mean;
    return a.of.move < b.of.move;
  }

 private:
  Bounds role_;
};

// Orders the moves of a role, best first.
void sort(std::vector<Candidate>& moves, Bounds role) {
  std::sort(moves.begin(), moves.end(), Order(role));
  const auto sure = std::find_if(moves.begin(), moves.end(), [role](const Candidate& move) {
    return rank_of(move.of.bounds, role) != kOpen;
  });
  if (sure == moves.begin() || sure == moves.end() || rank_of(sure->of.bounds, role) != kSure) return;
  if (moves.front().visited() && moves.front().of.mean >= reward_of_goal(role.pessimistic)) return;
  std::rotate(moves.begin(), sure, std::find_if(sure, moves.end(), [role](const Candidate& move) {
    return rank_of(move.of.bounds, role) == kWorse;
  }));
}

// The moves of a role in a node that were tried, and with `all` the others too, best first.
std::vector<Candidate> candidates(const Tree& tree, const Node& node, int role, bool all) {
  const Bounds bounds = node.bounds(role);
  if (!node.has_choice(role) || node.choice(role).count == 1) {
    return {{{tree.only_move(node, role), node.visits, node.mean(role), bounds}, 0}};
  }
  const Choice& choice = node.choice(role);
  std::vector<Candidate> moves;
  moves.reserve(all ? choice.count : choice.tried);
  for (std::uint32_t i = 0; i < choice.tried; ++i) {
    const Action& action = tree.actions(choice)[i];
    const int plies = node.mover == kSimultaneous ? 0 : plies_behind(tree, action.child, action.bounds.pessimistic);
    moves.push_back({{static_cast<int>(action.move), action.visits, action.mean, action.bounds}, plies});
  }
  for (std::uint32_t i = 0; all && i < choice.count - choice.tried; ++i) {
    moves.push_back({{static_cast<int>(tree.untried(choice, i)), 0, 0.0, kUnknown}, 0});
  }
  sort(moves, bounds);
  return moves;
}

// The best move of a role; -1 where none was visited.
int best_move(const Tree& tree, const Node& node, int role) {
  const std::vector<Candidate> moves = candidates(tree, node, role, false);
  return moves.empty() || !moves.front().visited() ? -1 : moves.front().of.move;
}

RoleStatistics read_role(const Tree& tree, const Node& node, int role) {
  RoleStatistics found;
  found.mean = node.mean(role);
  found.bounds = node.bounds(role);
  for (const Candidate& move : candidates(tree, node, role, true)) found.moves.push_back(move.of);
  return found;
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
      const int goal = std::max(0, tree.goals(tree.root())[role]);
      found.roles[role].mean = reward_of_goal(goal);
      found.roles[role].bounds = {static_cast<std::uint8_t>(goal), static_cast<std::uint8_t>(goal)};
    }
    return found;
  }
  const Node& root = tree.node(tree.root());
  found.visits = root.visits;
  for (int role = 0; role < tree.roles(); ++role) {
    found.roles[role] = read_role(tree, root, role);
  }
  Index at = tree.root();
  while (at != kNone && is_node(at) && static_cast<int>(found.principal_variation.size()) < kLongestVariation) {
    const Node& node = tree.node(at);
    std::vector<int> moves(tree.roles());
    for (int role = 0; role < tree.roles(); ++role) moves[role] = best_move(tree, node, role);
    if (node.visits == 0 || std::count(moves.begin(), moves.end(), -1) > 0) break;
    at = tree.child(at, moves.data());
    found.principal_variation.push_back(std::move(moves));
  }
  return found;
}

}  // namespace ggp

#include "search/driver/statistics.hpp"

#include <algorithm>
#include <optional>

#include "search/playout/reward.hpp"
#include "search/proof/solver.hpp"

namespace ggp {

namespace {

// Moves that may exceed the guaranteed goal of the role come first, then moves that guarantee it, then the rest.
enum Rank { kOpen, kSure, kWorse };

Rank rank_of(Bounds move, Bounds role) {
  // If several roles choose at once, a move may reach more than the proven goal but guarantee less.
  if (role.settled()) return move.pessimistic >= role.pessimistic ? kSure : kWorse;
  if (move.settled() && move.pessimistic == role.pessimistic) return kSure;
  return move.optimistic > role.pessimistic ? kOpen : kWorse;
}

class Order {
 public:
  Order(Bounds role, FinalMove final_move) : role_(role), by_score_(final_move == FinalMove::kScore) {}

  bool operator()(const MoveStatistics& a, const MoveStatistics& b) const {
    const Rank rank_a = rank_of(a.bounds, role_), rank_b = rank_of(b.bounds, role_);
    if (rank_a != rank_b) return rank_a < rank_b;
    if (rank_a == kSure && a.plies != b.plies) return (a.plies < b.plies) == (role_.pessimistic > 50);
    if (by_score_ && a.visits > 0 && b.visits > 0 && a.mean != b.mean) return a.mean > b.mean;
    if (a.visits != b.visits) return a.visits > b.visits;
    if (a.mean != b.mean) return a.mean > b.mean;
    return a.move < b.move;
  }

 private:
  Bounds role_;
  bool by_score_;
};

// Whether the first closed move comes before the first open move: the closed move guarantees the proven goal of the
// role, and the open move promises less.
bool leads(const MoveStatistics& move, const MoveStatistics& open, Bounds role) {
  if (rank_of(move.bounds, role) != kSure) return false;
  return open.visits == 0 || open.mean < reward_of_goal(role.pessimistic);
}

// Orders the moves of a role, best first.
void sort(std::vector<MoveStatistics>& moves, Bounds role, FinalMove final_move) {
  std::sort(moves.begin(), moves.end(), Order(role, final_move));
  const auto sure = std::find_if(moves.begin(), moves.end(), [role](const MoveStatistics& move) {
    return rank_of(move.bounds, role) != kOpen;
  });
  if (sure == moves.begin() || sure == moves.end() || !leads(*sure, moves.front(), role)) return;
  std::rotate(moves.begin(), sure, std::find_if(sure, moves.end(), [role](const MoveStatistics& move) {
    return rank_of(move.bounds, role) == kWorse;
  }));
}

// The move of an action of a choice, whose moves are listed.
MoveStatistics tried_move(const Tree& tree, const Node& node, const Choice& choice, const std::uint32_t* listed,
                          std::uint32_t place) {
  const Action action = tree.actions(choice)[place];
  const int plies = node.mover == kSimultaneous ? 0 : plies_behind(tree, action.child, action.bounds.pessimistic);
  return {static_cast<int>(listed[choice.count - 1 - place]), action.visits, action.mean, action.bounds, plies};
}

// The moves of a role in a node, best first.
std::vector<MoveStatistics> candidates(const Tree& tree, const Node& node, int role, FinalMove final_move,
                                       const Probabilities* probabilities = nullptr) {
  const Bounds bounds = node.bounds(role);
  if (!node.has_choice(role) || node.choice(role).count == 1) {
    return {{tree.only_move(node, role), node.visits, node.mean(role), bounds, 0}};
  }
  const Choice& choice = node.choice(role);
  std::vector<MoveStatistics> moves;
  moves.reserve(choice.count);
  std::vector<std::uint32_t> room;
  const std::uint32_t* listed = tree.list_moves(choice, room);
  for (std::uint32_t i = 0; i < choice.tried; ++i) moves.push_back(tried_move(tree, node, choice, listed, i));
  for (std::uint32_t i = 0; i < choice.count - choice.tried; ++i) {
    moves.push_back({static_cast<int>(listed[i]), 0, 0.0, kUnknown, 0});
  }
  for (std::uint32_t i = 0; probabilities != nullptr && i < moves.size(); ++i) {
    const std::uint32_t place = i < choice.tried ? choice.count - 1 - i : i - choice.tried;
    moves[i].probability = probabilities->of_moves()[place];
  }
  sort(moves, bounds, final_move);
  return moves;
}

// The best move of a role, the first of candidates(); -1 if no move was visited.
int best_move(const Tree& tree, const Node& node, int role, FinalMove final_move) {
  if (!node.has_choice(role) || node.choice(role).count == 1) {
    return node.visits == 0 ? -1 : tree.only_move(node, role);
  }
  const Choice& choice = node.choice(role);
  const Bounds bounds = node.bounds(role);
  const Order comes_first(bounds, final_move);
  std::vector<std::uint32_t> room;
  const std::uint32_t* listed = tree.list_moves(choice, room);
  std::optional<MoveStatistics> best, best_closed;
  for (std::uint32_t i = 0; i < choice.tried; ++i) {
    const MoveStatistics move = tried_move(tree, node, choice, listed, i);
    if (!best || comes_first(move, *best)) best = move;
    if (rank_of(move.bounds, bounds) == kOpen) continue;
    if (!best_closed || comes_first(move, *best_closed)) best_closed = move;
  }
  if (best && best_closed && rank_of(best->bounds, bounds) == kOpen && leads(*best_closed, *best, bounds))
    best = best_closed;
  return !best || best->visits == 0 ? -1 : best->move;
}

// Writes the best moves of all roles; returns false if a role has no visited move.
bool read_best(const Tree& tree, const Node& node, FinalMove final_move, std::vector<int>& moves) {
  moves.clear();
  for (int role = 0; role < tree.roles(); ++role) moves.push_back(best_move(tree, node, role, final_move));
  return std::count(moves.begin(), moves.end(), -1) == 0;
}

// Adds the expected replies to the best moves of the mover, which are sorted.
void add_replies(const Tree& tree, const Node& node, std::vector<MoveStatistics>& moves, FinalMove final_move) {
  const Choice& choice = node.choice(node.mover);
  for (std::uint32_t i = 0; i < choice.tried; ++i) {
    const Action action = tree.actions(choice)[i];
    // A child without a visit may be an unfinished node of a search that was stopped.
    if (action.visits == 0 || action.child == kNone || !is_node(action.child)) continue;
    const Node& next = tree.node(action.child);
    if (next.mover == kSimultaneous) continue;
    const auto end = moves.begin() + std::min(moves.size(), kMostReplies);
    const auto move = static_cast<int>(tree.move(choice, i));
    const auto found =
        std::find_if(moves.begin(), end, [move](const MoveStatistics& each) { return each.move == move; });
    if (found == end) continue;
    const int reply = best_move(tree, next, next.mover, final_move);
    if (reply >= 0) found->replying = next.mover, found->reply = reply;
  }
}

double reward_at(const Tree& tree, Index terminal, int role) {
  return reward_of_goal(std::max(0, tree.goals(terminal)[role]));
}

// The expected reward of a role at a node: the mean of the visits. A mover with a proven goal does not play all visited
// moves, so the function follows the best moves to a node without a proof, or to the end.
double expected_reward(const Tree& tree, Index at, int role, FinalMove final_move) {
  std::vector<int> moves;
  for (;;) {
    const Node& node = tree.node(at);
    if (node.mover == kSimultaneous || !node.bounds(node.mover).settled()) return node.mean(role);
    const bool known = read_best(tree, node, final_move, moves);
    const Index child = known ? tree.child(at, moves.data()) : kNone;
    if (child != kNone && is_terminal(child)) return reward_at(tree, child, role);
    if (child == kNone || tree.node(child).visits == 0) return node.mean(role);
    at = child;
  }
}

RoleStatistics read_role(const Tree& tree, Index root, int role, FinalMove final_move, bool replies) {
  const Node& node = tree.node(root);
  RoleStatistics found;
  found.mean = expected_reward(tree, root, role, final_move);
  found.bounds = node.bounds(role);
  found.moves = candidates(tree, node, role, final_move, role == node.mover ? tree.probabilities(root) : nullptr);
  if (replies && role == node.mover && found.moves.size() > 1) add_replies(tree, node, found.moves, final_move);
  return found;
}

void intersect(Bounds& bounds, Bounds other) {
  bounds.pessimistic = std::max(bounds.pessimistic, other.pessimistic);
  bounds.optimistic = std::min(bounds.optimistic, other.optimistic);
}

// Merges the statistics of a move from another search.
void merge_into(MoveStatistics& move, const MoveStatistics& other) {
  const std::uint64_t visits = move.visits + other.visits;
  if (move.reply < 0 || (other.reply >= 0 && other.visits > move.visits)) {
    move.replying = other.replying;
    move.reply = other.reply;
  }
  if (visits > 0) move.mean = (move.mean * move.visits + other.mean * other.visits) / visits;
  move.visits = visits;
  if (other.bounds.settled()) {
    const bool quicker = (other.plies < move.plies) == (other.bounds.pessimistic > 50);
    if (!move.bounds.settled() || quicker) move.plies = other.plies;
  }
  intersect(move.bounds, other.bounds);
}

}  // namespace

Statistics read_statistics(const Tree& tree, Index from, FinalMove final_move, bool lines) {
  Statistics found;
  found.final_move = final_move;
  found.nodes = tree.nodes();
  found.bytes = tree.bytes();
  found.roles.resize(tree.roles());
  if (is_terminal(from)) {
    found.terminal = true;
    for (int role = 0; role < tree.roles(); ++role) {
      const int goal = std::max(0, tree.goals(from)[role]);
      found.roles[role].mean = reward_of_goal(goal);
      found.roles[role].bounds = {static_cast<std::uint8_t>(goal), static_cast<std::uint8_t>(goal)};
    }
    return found;
  }
  const Node& root = tree.node(from);
  found.visits = root.visits;
  for (int role = 0; role < tree.roles(); ++role) {
    found.roles[role] = read_role(tree, from, role, final_move, lines);
  }
  Index at = lines ? from : kNone;
  while (at != kNone && is_node(at) && static_cast<int>(found.principal_variation.size()) < kLongestVariation) {
    const Node& node = tree.node(at);
    std::vector<int> moves;
    if (!read_best(tree, node, final_move, moves) || node.visits == 0) break;
    at = tree.child(at, moves.data());
    found.principal_variation.push_back(std::move(moves));
  }
  return found;
}

Statistics merge(const std::vector<Statistics>& parts) {
  Statistics all = parts.front();
  for (auto part = parts.begin() + 1; part != parts.end(); ++part) {
    const Statistics& other = *part;
    for (std::size_t role = 0; role < all.roles.size(); ++role) {
      RoleStatistics& known = all.roles[role];
      const RoleStatistics& more = other.roles[role];
      const std::uint64_t visits = all.visits + other.visits;
      if (visits > 0) known.mean = (known.mean * all.visits + more.mean * other.visits) / visits;
      intersect(known.bounds, more.bounds);
      for (MoveStatistics& move : known.moves) {
        const auto same = std::find_if(more.moves.begin(), more.moves.end(),
                                       [&move](const MoveStatistics& one) { return one.move == move.move; });
        if (same != more.moves.end()) merge_into(move, *same);
      }
    }
    all.visits += other.visits;
    all.simulations += other.simulations;
    all.nodes += other.nodes;
    all.bytes += other.bytes;
    all.max_depth = std::max(all.max_depth, other.max_depth);
    all.seconds = std::max(all.seconds, other.seconds);
    all.minimax_states += other.minimax_states;
    all.minimax_seconds += other.minimax_seconds;
  }
  std::vector<int> best;
  for (RoleStatistics& role : all.roles) {
    sort(role.moves, role.bounds, all.final_move);
    if (!role.moves.empty()) best.push_back(role.moves.front().move);
  }
  // The line of a search that agrees on the first move.
  all.principal_variation.clear();
  for (const Statistics& part : parts) {
    const auto& line = part.principal_variation;
    if (!line.empty() && line.front() == best && line.size() > all.principal_variation.size()) {
      all.principal_variation = line;
    }
  }
  if (all.principal_variation.empty() && all.visits > 0) all.principal_variation.push_back(best);
  return all;
}

KnownNodes known_nodes(const Tree& tree, std::uint32_t least_visits) {
  KnownNodes found;
  tree.for_each_node([&](Index index) {
    const Node& node = tree.node(index);
    if (index == tree.root() || node.visits == 0 || node.visits < least_visits) return;
    const std::vector<std::uint64_t> state = tree.state(index);
    found.states.insert(found.states.end(), state.begin(), state.end());
    for (int role = 0; role < tree.roles(); ++role) {
      const Bounds bounds = node.bounds(role);
      const auto least = static_cast<float>(reward_of_goal(bounds.pessimistic));
      const auto most = static_cast<float>(reward_of_goal(bounds.optimistic));
      found.rewards.push_back(std::clamp(node.mean(role), least, most));
    }
    found.visits.push_back(node.visits);
  });
  return found;
}

}  // namespace ggp

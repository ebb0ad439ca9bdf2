// The root of a searcher: its tree, the moves of the match, and the evaluation of a position.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/random.hpp"
#include "search/driver/searcher.hpp"

namespace ggp {

// Evaluates a state in lane 0 of the scout. The caller must then choose a joint move and call step(), or only step().
void Searcher::probe(const std::uint64_t* state) {
  scout_.close_turn();
  scout_.load_unknown(0, state);
  scout_.evaluate();
}

// Creates a root from a state: a terminal outcome if the state is terminal or a role has no move.
Index Searcher::make_root(Tree& tree, const std::vector<std::uint64_t>& state) {
  probe(state.data());
  const bool terminal = scout_.simulator().terminal()[0] & 1;
  const bool playable = !terminal && scout_states_.read_legal(0);
  const int* goals = playable ? nullptr : scout_states_.read_goals(0);
  if (playable) scout_states_.read_first_lane();
  scout_.step();
  if (!playable) return tree.terminal(goals);
  const Index root = tree.add_node(scout_states_.legal(), state.data(), true);
  scout_states_.give(tree, root, true);
  return root;
}

// Replaces a node that lists only a winning move by a node of the same state with all legal moves, as the root.
void Searcher::make_full_root(Tree& tree, const Tree& from, Index won, const std::vector<std::uint64_t>& state) {
  tree.set_root(make_root(tree, state));
  tree.take_over_win(from, won);
}

void Searcher::begin_at(std::vector<std::uint64_t> state, bool match_begins) {
  root_state_ = std::move(state);
  simulations_.change_root(match_begins);
  components_.reward->change_root(role_at_root());
  earlier_ = 0;
}

// Publishes a new root without a run.
void Searcher::publish_root() {
  start_ = Clock::now();
  publish();
}

// Replaces the tree by an empty one whose root is a state.
void Searcher::start_tree(const std::vector<std::uint64_t>& state) {
  Tree tree = components_.fresh_tree();
  tree.set_root(make_root(tree, state));
  tree_ = std::move(tree);
}

void Searcher::set_root(const std::uint64_t* state) {
  const Use use(used_);
  std::vector<std::uint64_t> copy(state, state + root_state_.size());
  start_tree(copy);
  components_.traversal.seed(stream_seed(components_.config.seed, ~std::uint64_t{0}));
  components_.reward->reset();
  begin_at(std::move(copy), true);
  components_.notify(&SimulationObserver::reset);
  publish_root();
}

// The state after a legal joint move at the root.
std::vector<std::uint64_t> Searcher::state_behind(const std::vector<int>& moves) {
  probe(root_state_.data());
  for (int role = 0; role < roles_; ++role) scout_.simulator().choose(0, role, moves[role]);
  scout_.step();
  std::vector<std::uint64_t> state(root_state_.size());
  scout_.ask_store(0, state.data());
  scout_.store();
  return state;
}

void Searcher::advance(const std::vector<int>& moves) {
  const Use use(used_);
  if (static_cast<int>(moves.size()) != roles_) {
    throw std::invalid_argument("a joint move has " + std::to_string(roles_) + " moves, one per role, not " +
                                std::to_string(moves.size()));
  }
  if (is_terminal(tree_.root())) throw std::invalid_argument("the game is over: no move can be played");
  const Node& root = tree_.node(tree_.root());
  std::vector<RoleMove> choices;
  std::vector<std::uint32_t> room;
  for (int role = 0; role < roles_; ++role) {
    const bool chooses = root.has_choice(role) && root.choice(role).count > 1;
    bool legal = !chooses && tree_.only_move(root, role) == moves[role];
    if (chooses) {
      const std::uint32_t* const listed = tree_.list_moves(root.choice(role), room);
      const std::uint32_t* const end = listed + root.choice(role).count;
      legal = std::find(listed, end, static_cast<std::uint32_t>(moves[role])) != end;
      choices.push_back({role, moves[role]});
    }
    if (!legal)
      throw std::invalid_argument("move " + std::to_string(moves[role]) + " of role " + std::to_string(role) +
                                  " is not legal at the root");
  }
  const Index child = tree_.child(tree_.root(), moves.data());
  const bool lists_all = child != kNone && is_node(child) && tree_.node(child).winner == kNoWinner;
  std::vector<std::uint64_t> state = lists_all ? tree_.state(child) : state_behind(moves);

  const std::vector<std::uint64_t> before = root_state_;
  if (!components_.config.tree.reuse) {
    start_tree(state);
  } else if (child == kNone) {
    tree_.set_root(make_root(tree_, state));
  } else if (is_terminal(child) || lists_all) {
    tree_.advance_root(moves.data());
  } else {
    make_full_root(tree_, tree_, child, state);
  }
  components_.solver.learn_at_root();
  begin_at(std::move(state), false);
  components_.notify(&SimulationObserver::advance, RootMove{before.data(), moves, choices});
  publish_root();
}

std::size_t Searcher::root_probabilities() const {
  const Use use(used_);
  const Index root = tree_.root();
  const Probabilities* const table = is_node(root) ? tree_.probabilities(root) : nullptr;
  return table == nullptr ? 0 : table->count;
}

void Searcher::mix_root_probabilities(const std::vector<float>& others, float weight) {
  if (others.size() != root_probabilities()) throw std::invalid_argument("the root has another number of probabilities");
  if (others.empty()) return;
  const Use use(used_);
  tree_.mix_probabilities(tree_.root(), others.data(), weight);
}

Statistics Searcher::statistics_behind(const std::vector<std::vector<int>>& path, const std::uint64_t* state) {
  const Use use(used_);
  Index node = tree_.root();
  for (const std::vector<int>& moves : path)
    node = node != kNone && is_node(node) ? tree_.child(node, moves.data()) : kNone;
  const bool known = node != kNone && is_node(node);
  const bool won = known && tree_.node(node).winner != kNoWinner;
  if (known && !won) return read_statistics(tree_, node, components_.config.final_move);
  Tree tree = components_.fresh_tree();
  const std::vector<std::uint64_t> copy(state, state + root_state_.size());
  if (won) {
    make_full_root(tree, tree_, node, copy);
  } else {
    tree.set_root(make_root(tree, copy));
  }
  return read_statistics(tree, tree.root(), components_.config.final_move);
}

// The role that chooses at the root, the first if several do; 0 if the root is terminal.
int Searcher::role_at_root() const {
  if (is_terminal(tree_.root())) return 0;
  const Node& root = tree_.node(tree_.root());
  int role = 0;
  while (role < roles_ - 1 && !root.chooses(role)) ++role;
  return role;
}

Searcher::Line Searcher::best_line(double seconds) {
  const Use use(used_);
  if (components_.best_line == nullptr) return {-1, {}};
  const std::vector<int>& moves = components_.best_line->moves(root_state_.data(), seconds);
  return {moves.empty() ? -1 : components_.best_line->goal(), moves};
}

std::uint64_t Searcher::tree_hash() const {
  const Use use(used_);
  return tree_.hash();
}

}  // namespace ggp

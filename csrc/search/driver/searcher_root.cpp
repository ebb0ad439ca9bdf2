// The root of a searcher: its tree, the moves of the match, and what is read of a position.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/random.hpp"
#include "search/driver/searcher.hpp"
#include "search/driver/searcher_use.hpp"

namespace ggp {

// Evaluates a state in lane 0 of the scout. The caller must then choose a joint move and call step(), or only step().
void Searcher::probe(const std::uint64_t* state) {
  scout_.close_turn();
  scout_.load_unknown(0, state);
  scout_.evaluate();
}

Tree Searcher::fresh_tree() const {
  std::size_t amaf_moves = 0;
  if (config_.selection.grave.enabled) {
    for (int count : moves_by_role(simulator_)) amaf_moves += static_cast<std::size_t>(count);
  }
  return Tree(roles_, simulator_.state_words(), widest_role(simulator_), config_.memory_bytes,
              config_.tree.transpositions, amaf_moves, uses_heuristic(config_.selection),
              uses_puct(config_.selection)     ? MoveTables::kProbabilities
              : uses_priors(config_.selection) ? MoveTables::kPriors
                                               : MoveTables::kNone,
              simulator_.optional_interface<StoredLegality>());
}

// Creates a root from a state: a terminal outcome if the state is terminal or a role has no move.
Index Searcher::make_root(Tree& tree, const std::vector<std::uint64_t>& state) {
  probe(state.data());
  const bool terminal = scout_.simulator().terminal()[0] & 1;
  const bool playable = !terminal && read_legal(scout_.simulator(), 0);
  if (!playable) read_goals(scout_.simulator(), 0);
  if (playable && scout_knowledge_ != nullptr) scout_knowledge_->read(legal_, 0, scout_knowledge_->evaluate_first_lane());
  scout_.step();
  if (!playable) return tree.terminal(goals_.data());
  const Index root = tree.add_node(legal_, state.data(), true);
  if (scout_knowledge_ != nullptr) scout_knowledge_->give(tree, root, true);
  return root;
}

// Replaces a node that lists only a winning move by a node of the same state with all legal moves, as the root.
void Searcher::make_full_root(Tree& tree, const Tree& from, Index won, const std::vector<std::uint64_t>& state) {
  tree.set_root(make_root(tree, state));
  tree.take_over_win(from, won);
}

void Searcher::begin_at(std::vector<std::uint64_t> state) {
  root_state_ = std::move(state);
  recycler_.reset();
  consider_at_ = tree_.shares() ? 0 : config_.tree.transpositions_from;
  reward_->change_root(role_at_root());
  started_ = completed_ = earlier_ = max_depth_ = 0;
}

// Replaces the tree by an empty one whose root is a state.
void Searcher::start_tree(const std::vector<std::uint64_t>& state) {
  Tree tree = fresh_tree();
  tree.set_root(make_root(tree, state));
  tree_ = std::move(tree);
}

void Searcher::set_root(const std::uint64_t* state) {
  const Use use(used_);
  std::vector<std::uint64_t> copy(state, state + simulator_.state_words());
  start_tree(copy);
  traversal_.seed(stream_seed(config_.seed, ~std::uint64_t{0}));
  reward_->reset();
  numbered_ = 0;
  begin_at(std::move(copy));
  notify(&SimulationObserver::reset);
  start_ = Clock::now();
  publish();
}

void Searcher::advance(const std::vector<int>& moves) {
  const Use use(used_);
  if (static_cast<int>(moves.size()) != roles_) {
    throw std::invalid_argument("a joint move has " + std::to_string(roles_) + " moves, one per role, not " +
                                std::to_string(moves.size()));
  }
  if (is_terminal(tree_.root())) throw std::invalid_argument("the game is over: no move can be played");
  probe(root_state_.data());
  std::vector<RoleMove> choices;
  for (int role = 0; role < roles_; ++role) {
    const int* end = moves_.data() + scout_.simulator().legal(0, role, moves_.data());
    if (std::find<const int*>(moves_.data(), end, moves[role]) == end) {
      scout_.step();
      throw std::invalid_argument("move " + std::to_string(moves[role]) + " of role " + std::to_string(role) +
                                  " is not legal at the root");
    }
    if (end - moves_.data() > 1) choices.push_back({role, moves[role]});
  }
  for (int role = 0; role < roles_; ++role) scout_.simulator().choose(0, role, moves[role]);
  scout_.step();
  std::vector<std::uint64_t> state(root_state_.size());
  scout_.ask_store(0, state.data());
  scout_.store();

  const std::vector<std::uint64_t> before = root_state_;
  const Index child = tree_.child(tree_.root(), moves.data());
  if (!config_.tree.reuse) {
    start_tree(state);
  } else if (child == kNone) {
    tree_.set_root(make_root(tree_, state));
  } else if (is_node(child) && tree_.node(child).winner != kNoWinner) {
    make_full_root(tree_, tree_, child, state);
  } else {
    tree_.advance_root(moves.data());
  }
  solver_.learn_at_root();
  begin_at(std::move(state));
  notify(&SimulationObserver::advance, RootMove{before.data(), moves, choices});
  start_ = Clock::now();
  publish();
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
  if (known && !won) return read_statistics(tree_, node, config_.final_move);
  Tree tree = fresh_tree();
  const std::vector<std::uint64_t> copy(state, state + simulator_.state_words());
  if (won) {
    make_full_root(tree, tree_, node, copy);
  } else {
    tree.set_root(make_root(tree, copy));
  }
  return read_statistics(tree, tree.root(), config_.final_move);
}

// Reads the legal moves of a lane; returns false if a role has none, which ends the game there.
bool Searcher::read_legal(Simulator& simulator, int lane) {
  legal_.moves.clear();
  legal_.begin.assign(1, 0);
  legal_.winner = kNoWinner;
  for (int role = 0; role < roles_; ++role) {
    const int count = simulator.legal(lane, role, moves_.data());
    if (count == 0) return false;
    legal_.moves.insert(legal_.moves.end(), moves_.begin(), moves_.begin() + count);
    legal_.begin.push_back(legal_.moves.size());
  }
  return true;
}

void Searcher::read_goals(Simulator& simulator, int lane) {
  for (int role = 0; role < roles_; ++role) goals_[role] = simulator.goal(lane, role);
}

bool Searcher::has_choice(Index index) const {
  if (is_terminal(index)) return false;
  const Node& node = tree_.node(index);
  return node.mover == kSimultaneous || node.choices()[0].count > 1;
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
  if (best_line_ == nullptr) return {-1, {}};
  const std::vector<int>& moves = best_line_->moves(root_state_.data(), seconds);
  return {moves.empty() ? -1 : best_line_->goal(), moves};
}

std::uint64_t Searcher::tree_hash() const {
  const Use use(used_);
  return tree_.hash();
}

}  // namespace ggp

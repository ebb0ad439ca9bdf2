#include "search/searcher.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "random.hpp"

namespace ggp {

namespace {

// Descents that may end inside the tree in one round, so that clocks are read in time.
constexpr int kMostEndedInTree = 4096;
// What the recycler may look at in one round.
constexpr std::size_t kLooksPerLane = 32;
// Rounds between two looks for play-outs that are too long.
constexpr std::uint64_t kCutEvery = 1024;
constexpr std::chrono::milliseconds kPublishEvery{100};
// Simulations that are expected where no limit tells.
constexpr double kExpectedWithoutLimit = 20'000;

std::uint64_t bit(int lane) { return std::uint64_t{1} << (lane & 63); }
bool has(const std::vector<std::uint64_t>& mask, int lane) { return mask[lane >> 6] & bit(lane); }
void add(std::vector<std::uint64_t>& mask, int lane) { mask[lane >> 6] |= bit(lane); }
void remove(std::vector<std::uint64_t>& mask, int lane) { mask[lane >> 6] &= ~bit(lane); }
bool any(const std::vector<std::uint64_t>& mask) {
  return std::any_of(mask.begin(), mask.end(), [](std::uint64_t word) { return word != 0; });
}

// Calls action(lane) for the lanes of one word of a mask, ascending.
template <class Action>
void for_each_lane(int group, std::uint64_t lanes, Action action) {
  for (; lanes != 0; lanes &= lanes - 1) action(group * 64 + __builtin_ctzll(lanes));
}

int widest_role(const Simulator& simulator) {
  int widest = 1;
  for (int role = 0; role < simulator.roles(); ++role) widest = std::max(widest, simulator.moves(role));
  return widest;
}

// The part of a search that is done, 0..1, by the limit that is nearest.
double share_done(const Limits& limits, std::uint64_t simulations, double seconds) {
  const Limits none;
  if (limits.simulations == none.simulations && limits.seconds == none.seconds)
    return static_cast<double>(simulations) / kExpectedWithoutLimit;
  return std::max(static_cast<double>(simulations) / static_cast<double>(limits.simulations), seconds / limits.seconds);
}

std::uint64_t stream_seed(std::uint64_t seed, std::uint64_t number) {
  return mix64(mix64(seed) + number * 0x9E3779B97F4A7C15ull);
}

}  // namespace

class Searcher::Use {
 public:
  explicit Use(std::atomic<bool>& used) : used_(used) {
    if (used_.exchange(true)) throw std::logic_error("the search is running: stop it first");
  }
  ~Use() { used_.store(false); }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  std::atomic<bool>& used_;
};

Searcher::Searcher(Simulator& simulator, const Config& config)
    : simulator_(simulator),
      config_(checked(config, simulator.lanes())),
      roles_(simulator.roles()),
      groups_(simulator.groups()),
      selection_(make_selection(config_)),
      playout_(make_playout_policy(config_)),
      reward_(make_reward(config_)),
      tree_(roles_, simulator.state_words(), widest_role(simulator), config_.memory_bytes),
      traversal_(tree_, *selection_),
      solver_(tree_, config_.solver.enabled),
      recycler_(tree_, config_.memory_bytes),
      root_state_(simulator.state_words()),
      workers_(config_.in_flight),
      idle_(groups_),
      walking_(groups_),
      arriving_(groups_),
      playing_(groups_),
      storing_(groups_),
      loading_(groups_),
      store_to_(simulator.lanes()),
      load_from_(simulator.lanes()),
      load_node_(simulator.lanes(), kNone),
      moves_(std::max(roles_, widest_role(simulator))),
      goals_(roles_),
      rewards_(roles_) {
  set_root(simulator.initial());
}

// ---- turns of the simulator

void Searcher::evaluate() {
  simulator_.evaluate();
  evaluated_ = true;
}

void Searcher::step() {
  simulator_.step();
  evaluated_ = false;
}

// Ends a turn that an exception or a proof has left open: lanes can be loaded only between turns.
void Searcher::close_turn() {
  if (evaluated_) step();
}

// ---- the root

// Makes the answers about a state valid in lane 0. Some joint move has to follow, or step() alone.
void Searcher::probe(const std::uint64_t* state) {
  close_turn();
  add(loading_, 0);
  load_from_[0] = state;
  simulator_.load(loading_.data(), load_from_.data());
  remove(loading_, 0);
  evaluate();
}

Tree Searcher::fresh_tree() const {
  return Tree(roles_, simulator_.state_words(), widest_role(simulator_), config_.memory_bytes);
}

// Makes the root from the state that was evaluated in lane 0: a terminal one where the rules say so or a
// role has no move.
Index Searcher::make_root(Tree& tree, const std::vector<std::uint64_t>& state) {
  const bool terminal = simulator_.terminal()[0] & 1;
  if (!terminal && read_legal(0)) {
    const Index root = tree.add_node(legal_, true);
    std::copy(state.begin(), state.end(), tree.state(root));
    return root;
  }
  read_goals(0);
  return tree.terminal(goals_.data());
}

void Searcher::begin_at(Tree tree, std::vector<std::uint64_t> state) {
  tree_ = std::move(tree);
  root_state_ = std::move(state);
  recycler_.reset();
  reward_->reset();
  started_ = completed_ = max_depth_ = 0;
  publish(Clock::now());
}

void Searcher::set_root(const std::uint64_t* state) {
  const Use use(used_);
  std::vector<std::uint64_t> copy(state, state + simulator_.state_words());
  Tree tree = fresh_tree();
  probe(copy.data());
  tree.set_root(make_root(tree, copy));
  step();
  traversal_.seed(stream_seed(config_.seed, ~std::uint64_t{0}));
  numbered_ = 0;
  begin_at(std::move(tree), std::move(copy));
}

void Searcher::advance(const std::vector<int>& moves) {
  const Use use(used_);
  if (static_cast<int>(moves.size()) != roles_) {
    throw std::invalid_argument("a joint move has " + std::to_string(roles_) + " moves, one per role, not " +
                                std::to_string(moves.size()));
  }
  if (is_terminal(tree_.root())) throw std::invalid_argument("the game is over: no move can be played");
  probe(root_state_.data());
  for (int role = 0; role < roles_; ++role) {
    const int* end = moves_.data() + simulator_.legal(0, role, moves_.data());
    if (std::find<const int*>(moves_.data(), end, moves[role]) == end) {
      step();
      throw std::invalid_argument("move " + std::to_string(moves[role]) + " of role " + std::to_string(role) +
                                  " is not legal at the root");
    }
  }
  for (int role = 0; role < roles_; ++role) simulator_.choose(0, role, moves[role]);
  step();
  std::vector<std::uint64_t> state(root_state_.size());
  add(storing_, 0);
  store_to_[0] = state.data();
  simulator_.store(storing_.data(), store_to_.data());
  remove(storing_, 0);

  const Index child = tree_.child(tree_.root(), moves.data());
  if (child != kNone && is_node(child)) return begin_at(tree_.extract(child), std::move(state));
  Tree tree = fresh_tree();
  if (child == kNone) {
    evaluate();
    tree.set_root(make_root(tree, state));
    step();
  } else {
    tree.set_root(tree.terminal(tree_.goals(child)));
  }
  begin_at(std::move(tree), std::move(state));
}

// Reads the legal moves of a lane; false where a role has none, which ends the game there.
bool Searcher::read_legal(int lane) {
  legal_.moves.clear();
  legal_.begin.assign(1, 0);
  for (int role = 0; role < roles_; ++role) {
    const int count = simulator_.legal(lane, role, moves_.data());
    if (count == 0) return false;
    legal_.moves.insert(legal_.moves.end(), moves_.begin(), moves_.begin() + count);
    legal_.begin.push_back(legal_.moves.size());
  }
  return true;
}

void Searcher::read_goals(int lane) {
  for (int role = 0; role < roles_; ++role) goals_[role] = simulator_.goal(lane, role);
}

bool Searcher::has_choice() const {
  if (is_terminal(tree_.root())) return false;
  const Node& root = tree_.node(tree_.root());
  return root.mover == kSimultaneous || root.choices()[0].count > 1;
}

std::uint64_t Searcher::tree_hash() const {
  const Use use(used_);
  return tree_.hash();
}

// ---- a run

Statistics Searcher::run(const Limits& limits) {
  const Use use(used_);
  stop_.store(false, std::memory_order_relaxed);
  const Clock::time_point start = Clock::now();
  started_ = completed_ = max_depth_ = 0;
  if (has_choice()) {
    try {
      search(limits, start);
    } catch (...) {
      give_up();
      throw;
    }
    give_up();
  }
  publish(start);
  return statistics();
}

void Searcher::search(const Limits& limits, Clock::time_point start) {
  close_turn();
  limit_ = limits.simulations;
  round_ = 0;
  for (int lane = 0; lane < config_.in_flight; ++lane) add(idle_, lane);
  Clock::time_point publish_at = start + kPublishEvery;
  settled_ = solver_.root_is_settled();
  while (completed_ < limit_ && !settled_ && !stop_.load(std::memory_order_relaxed)) {
    const Clock::time_point now = Clock::now();
    const double elapsed = std::chrono::duration<double>(now - start).count();
    if (elapsed >= limits.seconds) break;
    reward_->progress(share_done(limits, completed_, elapsed), completed_);
    if (now >= publish_at) {
      publish(start);
      publish_at = now + kPublishEvery;
      if (is_settled(limits, elapsed)) break;
      if (limits.interrupted != nullptr && limits.interrupted(limits.context)) break;
    }
    round();
  }
}

bool Searcher::is_settled(const Limits& limits, double elapsed) const {
  if (limits.settled_role < 0) return false;
  double left = static_cast<double>(limit_ - completed_);
  if (std::isfinite(limits.seconds))
    left = std::min(left, static_cast<double>(completed_) / elapsed * (limits.seconds - elapsed));
  const Choice& choice = tree_.node(tree_.root()).choices()[limits.settled_role];
  if (choice.tried < choice.count) return false;
  std::uint32_t most = 0, second = 0;
  for (const Action *action = tree_.actions(choice), *end = action + choice.tried; action != end; ++action) {
    if (action->visits > most) {
      second = most;
      most = action->visits;
    } else {
      second = std::max(second, action->visits);
    }
  }
  return static_cast<double>(most - second) > left;
}

void Searcher::round() {
  ended_in_tree_ = 0;
  recycler_.make_room(kLooksPerLane * config_.in_flight);
  const bool active = any(walking_) || any(arriving_) || any(playing_);
  if (active) {
    evaluate();
    collect_ended();
    if (settled_) return;
    if (round_ % kCutEvery == 0) cut_long_playouts();
  }
  start_and_arrive();
  if (active) move_lanes();
  if (any(loading_)) {
    for (int group = 0; group < groups_; ++group) {
      for_each_lane(group, loading_[group], [this](int lane) {
        load_from_[lane] = tree_.state(load_node_[lane]);
        add(workers_[lane].walked < workers_[lane].path.words.size() ? walking_ : arriving_, lane);
      });
    }
    simulator_.load(loading_.data(), load_from_.data());
    std::fill(loading_.begin(), loading_.end(), 0);
  }
  ++round_;
}

// Backs up the lanes that stand in terminal states. Lanes on their way to the edge never do.
void Searcher::collect_ended() {
  const std::uint64_t* terminal = simulator_.terminal();
  for (int group = 0; group < groups_; ++group) {
    for_each_lane(group, terminal[group] & (playing_[group] | arriving_[group]), [this](int lane) {
      Worker& worker = workers_[lane];
      read_goals(lane);
      std::uint32_t playout_plies = 0;
      if (has(arriving_, lane)) {
        learn_end(worker.path);
      } else {
        playout_plies = static_cast<std::uint32_t>(round_ - worker.playout_from);
        solver_.see_end(goals_.data());
      }
      finish(lane, goals_.data(), playout_plies, simulator_.quality(lane));
    });
  }
}

// Notes that the game ends behind the last step of a path, with the goals that were read.
void Searcher::learn_end(const Path& path) {
  traversal_.set_child(path, tree_.terminal(goals_.data()));
  solver_.see_end(goals_.data());
  solver_.learn(path);
  settled_ = solver_.root_is_settled();
}

void Searcher::cut_long_playouts() {
  for (int group = 0; group < groups_; ++group) {
    for_each_lane(group, playing_[group], [this](int lane) {
      const std::uint64_t plies = round_ - workers_[lane].playout_from;
      if (plies < config_.playout.limit) return;
      read_goals(lane);
      finish(lane, goals_.data(), static_cast<std::uint32_t>(plies), simulator_.quality(lane));
    });
  }
}

void Searcher::start_and_arrive() {
  for (int group = 0; group < groups_; ++group) {
    for_each_lane(group, idle_[group] | arriving_[group], [this](int lane) {
      if (has(arriving_, lane)) arrive(lane);
      if (has(idle_, lane)) start(lane);
    });
  }
}

// Goes on with a lane that stands behind the last step of its path.
void Searcher::arrive(int lane) {
  Worker& worker = workers_[lane];
  if (!worker.expand) return play_out(lane);
  Index child = traversal_.child(worker.path);
  if (child == kNone) {
    child = expand(lane);
    if (child == kNone) return play_out(lane);
    if (is_node(child)) traversal_.set_child(worker.path, child);
  }
  if (is_terminal(child)) return finish(lane, tree_.goals(child), 0);
  remove(arriving_, lane);
  add(walking_, lane);
  settle(lane, traversal_.descend(worker.path, child));
}

// Begins simulations in an idle lane until one needs the lane.
void Searcher::start(int lane) {
  Worker& worker = workers_[lane];
  while (started_ < limit_ && ended_in_tree_ < kMostEndedInTree && !settled_) {
    ++started_;
    worker.path.clear();
    remove(idle_, lane);
    add(loading_, lane);
    const std::uint64_t number = numbered_++;
    const Edge edge = traversal_.descend(worker.path, tree_.root());
    worker.walked = worker.path.deepest_at;
    load_node_[lane] = worker.path.deepest;
    settle(lane, edge);
    if (!has(idle_, lane)) return simulator_.seed(lane, stream_seed(config_.seed, number));
    ++ended_in_tree_;
  }
}

// Takes over the path that a descent has left to a lane, walking or about to be loaded.
void Searcher::settle(int lane, Edge edge) {
  Worker& worker = workers_[lane];
  if (edge == Edge::kTerminal) return finish(lane, tree_.goals(traversal_.child(worker.path)), 0);
  worker.expand = edge == Edge::kExpand;
  if (has(walking_, lane) && worker.walked == worker.path.words.size()) play_out(lane);
}

void Searcher::play_out(int lane) {
  remove(arriving_, lane);
  remove(walking_, lane);
  add(playing_, lane);
  workers_[lane].playout_from = round_;
}

// Makes the node of the state in a lane, or learns its outcome where a role has no move; kNone where it finds no memory.
Index Searcher::expand(int lane) {
  if (!read_legal(lane)) {
    read_goals(lane);
    learn_end(workers_[lane].path);
    return tree_.terminal(goals_.data());
  }
  const Index index = tree_.add_node(legal_);
  if (index == kNone) return kNone;
  store_to_[lane] = tree_.state(index);
  add(storing_, lane);
  return index;
}

// Backs a simulation up; its lane is idle from here on. Outcomes in the tree are kept without their quality.
void Searcher::finish(int lane, const int* goals, std::uint32_t playout_plies, double quality) {
  const Path& path = workers_[lane].path;
  reward_->map({goals, path.depth(), playout_plies, quality}, roles_, rewards_.data());
  traversal_.backup(path, rewards_.data());
  max_depth_ = std::max(max_depth_, path.depth());
  ++completed_;
  remove(arriving_, lane);
  remove(walking_, lane);
  remove(playing_, lane);
  remove(loading_, lane);
  add(idle_, lane);
}

void Searcher::move_lanes() {
  if (any(storing_)) {
    simulator_.store(storing_.data(), store_to_.data());
    std::fill(storing_.begin(), storing_.end(), 0);
  }
  for (int group = 0; group < groups_; ++group) {
    for_each_lane(group, walking_[group], [this](int lane) {
      Worker& worker = workers_[lane];
      worker.walked = traversal_.joint_move(worker.path, worker.walked, moves_.data());
      for (int role = 0; role < roles_; ++role) simulator_.choose(lane, role, moves_[role]);
      if (worker.walked == worker.path.words.size()) {
        remove(walking_, lane);
        add(arriving_, lane);
      }
    });
  }
  if (any(playing_)) playout_->choose(simulator_, playing_.data());
  step();
}

// Takes back the simulations that are under way. Nodes made in a round that failed still get their states.
void Searcher::give_up() {
  if (any(storing_)) simulator_.store(storing_.data(), store_to_.data());
  for (int group = 0; group < groups_; ++group) {
    for_each_lane(group, walking_[group] | arriving_[group] | playing_[group] | loading_[group],
                  [this](int lane) { traversal_.withdraw(workers_[lane].path); });
  }
  for (Mask* mask : {&idle_, &walking_, &arriving_, &playing_, &storing_, &loading_}) {
    std::fill(mask->begin(), mask->end(), 0);
  }
  close_turn();
}

void Searcher::publish(Clock::time_point start) {
  Statistics found = read_statistics(tree_);
  found.simulations = completed_;
  found.max_depth = max_depth_;
  found.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const std::lock_guard<std::mutex> lock(mutex_);
  published_ = std::move(found);
}

Statistics Searcher::statistics() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return published_;
}

}  // namespace ggp

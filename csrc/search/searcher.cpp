#include "search/searcher.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "random.hpp"
#include "search/game_playout.hpp"
#include "thread_clock.hpp"

namespace ggp {

namespace {

// Descents that may end inside the tree in one round, so that clocks are read in time.
constexpr int kMostEndedInTree = 4096;
// What the recycler may look at in one round.
constexpr std::size_t kLooksPerLane = 32;
// Rounds between two looks for play-outs that are too long or stuck.
constexpr std::uint64_t kCutEvery = 1024;
constexpr std::chrono::milliseconds kPublishEvery{100};
constexpr const char* kInUse = "the search is running: stop it first";
// Simulations that are expected where no limit tells.
constexpr double kExpectedWithoutLimit = 20'000;

int widest_role(const Simulator& simulator) {
  int widest = 1;
  for (int role = 0; role < simulator.roles(); ++role) widest = std::max(widest, simulator.moves(role));
  return widest;
}

// The part of a limit that is used up, 0..1.
double share(double used, double limit) { return used < limit ? used / limit : 1.0; }

std::uint64_t stream_seed(std::uint64_t seed, std::uint64_t number) {
  return mix64(mix64(seed) + number * 0x9E3779B97F4A7C15ull);
}

}  // namespace

class Searcher::Use {
 public:
  explicit Use(std::atomic<bool>& used) : used_(used) {
    if (used_.exchange(true)) throw std::logic_error(kInUse);
  }
  Use(std::atomic<bool>& used, std::adopt_lock_t) : used_(used) {}
  ~Use() { used_.store(false); }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  std::atomic<bool>& used_;
};

Searcher::Searcher(Simulator& simulator, const Config& config)
    : Searcher(std::make_unique<Lanes>(simulator), nullptr, nullptr, config) {}

Searcher::Searcher(Lanes& lanes, Lanes& scout, const Config& config)
    : Searcher(nullptr, &lanes, &scout, config) {}

Searcher::Searcher(std::unique_ptr<Lanes> own, Lanes* shared, Lanes* scout, const Config& config)
    : own_(std::move(own)),
      lanes_(own_ ? *own_ : *shared),
      scout_(own_ ? *own_ : *scout),
      simulator_(lanes_.simulator()),
      config_(checked(config, simulator_.lanes())),
      roles_(simulator_.roles()),
      selection_(make_selection(config_)),
      playout_(make_playout(config_, simulator_)),
      learner_(playout_->learner()),
      reward_(make_reward(config_)),
      tree_(fresh_tree()),
      amaf_(config_.selection.grave.enabled
                ? std::make_unique<Amaf>(tree_, config_.selection.grave, moves_by_role(simulator_))
                : nullptr),
      traversal_(tree_, *selection_),
      solver_(tree_, config_.solver.enabled),
      recycler_(tree_, config_.memory_bytes),
      root_state_(simulator_.state_words()),
      workers_(config_.in_flight > 0 ? config_.in_flight : simulator_.lanes()),
      in_flight_(most_in_flight()),
      idle_(simulator_.groups()),
      loading_(simulator_.groups()),
      walking_(simulator_.groups()),
      arriving_(simulator_.groups()),
      playing_(simulator_.groups()),
      at_edge_(workers_.size() * simulator_.state_words()),
      moves_(std::max(roles_, widest_role(simulator_))),
      goals_(roles_),
      rewards_(roles_) {
  traversal_.set_order(learner_);
  traversal_.set_amaf(amaf_.get());
  set_root(simulator_.initial());
}

// ---- the root

// Makes the answers about a state valid in lane 0 of the scout. Some joint move has to follow, or step() alone.
void Searcher::probe(const std::uint64_t* state) {
  scout_.close_turn();
  scout_.ask_load(0, state);
  scout_.load();
  scout_.evaluate();
}

Tree Searcher::fresh_tree() const {
  std::size_t amaf_moves = 0;
  if (config_.selection.grave.enabled) {
    for (int count : moves_by_role(simulator_)) amaf_moves += static_cast<std::size_t>(count);
  }
  return Tree(roles_, simulator_.state_words(), widest_role(simulator_), config_.memory_bytes,
              config_.tree.transpositions, amaf_moves);
}

// Makes the root from the state that was evaluated by the scout: a terminal one where the rules say so or a
// role has no move.
Index Searcher::make_root(Tree& tree, const std::vector<std::uint64_t>& state) {
  const bool terminal = scout_.simulator().terminal()[0] & 1;
  if (!terminal && read_legal(scout_.simulator(), 0)) {
    const Index root = tree.add_node(legal_, true);
    std::copy(state.begin(), state.end(), tree.state(root));
    return root;
  }
  read_goals(scout_.simulator(), 0);
  return tree.terminal(goals_.data());
}

void Searcher::begin_at(Tree tree, std::vector<std::uint64_t> state) {
  tree_ = std::move(tree);
  root_state_ = std::move(state);
  recycler_.reset();
  reward_->reset();
  started_ = completed_ = max_depth_ = 0;
  start_ = Clock::now();
  publish();
}

void Searcher::set_root(const std::uint64_t* state) {
  const Use use(used_);
  std::vector<std::uint64_t> copy(state, state + simulator_.state_words());
  Tree tree = fresh_tree();
  probe(copy.data());
  tree.set_root(make_root(tree, copy));
  scout_.step();
  traversal_.seed(stream_seed(config_.seed, ~std::uint64_t{0}));
  if (learner_ != nullptr) learner_->reset();
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

  const Index child = tree_.child(tree_.root(), moves.data());
  const bool node = child != kNone && is_node(child);
  if (node) {
    begin_at(tree_.extract(child), std::move(state));
  } else {
    Tree tree = fresh_tree();
    if (child == kNone) {
      scout_.evaluate();
      tree.set_root(make_root(tree, state));
      scout_.step();
    } else {
      tree.set_root(tree.terminal(tree_.goals(child)));
    }
    begin_at(std::move(tree), std::move(state));
  }
  if (learner_ != nullptr) learner_->played(choices);
}

// Reads the legal moves of a lane; false where a role has none, which ends the game there.
bool Searcher::read_legal(Simulator& simulator, int lane) {
  legal_.moves.clear();
  legal_.begin.assign(1, 0);
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
  begin(limits, 0);
  try {
    search(limits);
  } catch (...) {
    abandon();
    throw;
  }
  return end();
}

void Searcher::begin(const Limits& limits, int first_lane) {
  if (first_lane < 0 || first_lane > simulator_.lanes() - most_in_flight()) {
    throw std::invalid_argument("there are no " + std::to_string(most_in_flight()) + " lanes from " +
                                std::to_string(first_lane) + " on");
  }
  if (used_.exchange(true)) throw std::logic_error(kInUse);
  stop_.store(false, std::memory_order_relaxed);
  start_ = Clock::now();
  started_ = completed_ = max_depth_ = round_ = 0;
  limit_ = has_choice() ? limits.simulations : 0;
  expected_ = static_cast<double>(limits.simulations);
  time_share_ = 0;
  const Limits none;
  if (limits.simulations == none.simulations && limits.seconds == none.seconds &&
      limits.cpu_seconds == none.cpu_seconds) {
    expected_ = kExpectedWithoutLimit;
  }
  first_lane_ = first_lane;
  first_group_ = first_lane / 64;
  end_group_ = (first_lane + most_in_flight() + 63) / 64;
  in_flight_ = config_.in_flight > 0 ? config_.in_flight : first_in_flight(limits);
  LaneMask lanes(simulator_.groups());
  for (int lane = first_lane_; lane < first_lane_ + most_in_flight(); ++lane) add_lane(lanes, lane);
  simulator_.look_ahead(lanes.data(), config_.playout.decisive);
  for (int lane = first_lane_; lane < first_lane_ + in_flight_; ++lane) add_lane(idle_, lane);
  settled_ = solver_.root_is_settled();
}

int Searcher::first_in_flight(const Limits& limits) const {
  const Limits none;
  if (limits.simulations != none.simulations) return in_flight_for(expected_, most_in_flight());
  const double time = std::min(limits.seconds, limits.cpu_seconds);
  if (time == none.seconds) return most_in_flight();
  return speed_ > 0 ? in_flight_for(speed_ * time, most_in_flight()) : std::min(kUnknownInFlight, most_in_flight());
}

// Lets more lanes work where the run turns out to be longer than they are good for.
void Searcher::widen() {
  if (config_.in_flight > 0 || time_share_ < kKnownAfter) return;
  const double promised = static_cast<double>(completed_) / time_share_;
  const int wanted = in_flight_for(std::min(promised, static_cast<double>(limit_)), most_in_flight());
  for (; in_flight_ < wanted; ++in_flight_) add_lane(idle_, first_lane_ + in_flight_);
}

Statistics Searcher::end() {
  const Use use(used_, std::adopt_lock);
  give_up();
  publish();
  return statistics();
}

void Searcher::abandon() {
  const Use use(used_, std::adopt_lock);
  lanes_.forget_stores();
  give_up();
}

// The run of a searcher alone.
void Searcher::search(const Limits& limits) {
  lanes_.close_turn();
  const bool counts_cpu = limits.cpu_seconds < std::numeric_limits<double>::infinity();
  const double cpu_start = counts_cpu ? thread_cpu_seconds() : 0.0;
  Clock::time_point publish_at = start_ + kPublishEvery;
  while (!done()) {
    const Clock::time_point now = Clock::now();
    time_share_ = std::max(share(std::chrono::duration<double>(now - start_).count(), limits.seconds),
                           counts_cpu ? share(thread_cpu_seconds() - cpu_start, limits.cpu_seconds) : 0.0);
    if (time_share_ >= 1) break;
    widen();
    if (now >= publish_at) {
      publish();
      publish_at = now + kPublishEvery;
      if (limits.settled_role >= 0 && is_settled(limits.settled_role)) break;
      if (limits.interrupted != nullptr && limits.interrupted(limits.context)) break;
    }
    round();
  }
  if (time_share_ > 0) {
    speed_ = static_cast<double>(completed_) / (time_share_ * std::min(limits.seconds, limits.cpu_seconds));
  }
}

// Tells whether the best move of a role stays the best if the run goes on at the present speed to its end.
bool Searcher::is_settled(int role) const {
  double left = static_cast<double>(limit_ - completed_);
  if (time_share_ > 0) left = std::min(left, static_cast<double>(completed_) * (1 / time_share_ - 1));
  const Node& root = tree_.node(tree_.root());
  if (!root.chooses(role)) return false;
  const Choice& choice = root.choice(role);
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
  lanes_.evaluate();
  ask();
  lanes_.store();
  read();
  choose();
  lanes_.step();
  reload();
  lanes_.load();
}

// Asks for the states of the lanes that may make a node. What gives way in this round has done so before.
void Searcher::ask() {
  recycler_.make_room(kLooksPerLane * in_flight_);
  const std::uint64_t* terminal = simulator_.terminal();
  for (int group = first_group_; group < end_group_; ++group) {
    for_each_lane(group, arriving_[group] & ~terminal[group], [this](int lane) {
      Worker& worker = this->worker(lane);
      if (worker.expand && traversal_.child(worker.path) == kNone) lanes_.ask_store(lane, state_at_edge(lane));
    });
  }
}

void Searcher::read() {
  ended_in_tree_ = 0;
  reward_->progress(std::max(static_cast<double>(completed_) / expected_, time_share_), completed_);
  collect_ended();
  if (settled_) return;
  if (round_ % kCutEvery == 0) cut_long_playouts();
  start_and_arrive();
}

void Searcher::choose() {
  for (int group = first_group_; group < end_group_; ++group) {
    for_each_lane(group, walking_[group], [this](int lane) {
      Worker& worker = this->worker(lane);
      worker.walked = traversal_.joint_move(worker.path, worker.walked, moves_.data());
      for (int role = 0; role < roles_; ++role) simulator_.choose(lane, role, moves_[role]);
      if (worker.walked == worker.path.words.size()) {
        remove_lane(walking_, lane);
        add_lane(arriving_, lane);
      }
    });
  }
  if (any_lane(playing_)) playout_->choose(lanes_, playing_.data());
}

// Asks for the states of new simulations.
void Searcher::reload() {
  for (int group = first_group_; group < end_group_; ++group) {
    for_each_lane(group, loading_[group], [this](int lane) {
      const Path& path = worker(lane).path;
      lanes_.ask_load(lane, tree_.state(path.deepest));
      add_lane(worker(lane).walked < path.words.size() ? walking_ : arriving_, lane);
    });
    loading_[group] = 0;
  }
  ++round_;
}

// Backs up the lanes that stand in terminal states. Lanes on their way to the edge never do.
void Searcher::collect_ended() {
  const std::uint64_t* terminal = simulator_.terminal();
  for (int group = first_group_; group < end_group_; ++group) {
    for_each_lane(group, terminal[group] & (playing_[group] | arriving_[group]), [this](int lane) {
      Worker& worker = this->worker(lane);
      read_goals(simulator_, lane);
      std::uint32_t playout_plies = 0;
      if (has_lane(arriving_, lane)) {
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
  learn(path);
}

// Draws the conclusions from what is proven behind the last step of a path.
void Searcher::learn(const Path& path) {
  solver_.learn(path);
  settled_ = solver_.root_is_settled();
}

// A play-out is stuck where a role has no move in a state that is not terminal: nothing ends it by itself.
bool Searcher::is_stuck(int lane) {
  for (int role = 0; role < roles_; ++role) {
    if (simulator_.legal_count(lane, role) == 0) return true;
  }
  return false;
}

void Searcher::cut_long_playouts() {
  for (int group = first_group_; group < end_group_; ++group) {
    for_each_lane(group, playing_[group], [this](int lane) {
      const std::uint64_t plies = round_ - worker(lane).playout_from;
      if (plies < config_.playout.limit && (plies < kCutEvery || !is_stuck(lane))) return;
      read_goals(simulator_, lane);
      finish(lane, goals_.data(), static_cast<std::uint32_t>(plies), simulator_.quality(lane));
    });
  }
}

void Searcher::start_and_arrive() {
  for (int group = first_group_; group < end_group_; ++group) {
    for_each_lane(group, idle_[group] | arriving_[group], [this](int lane) {
      if (has_lane(arriving_, lane)) arrive(lane);
      if (has_lane(idle_, lane)) start(lane);
    });
  }
}

// Goes on with a lane that stands behind the last step of its path.
void Searcher::arrive(int lane) {
  Worker& worker = this->worker(lane);
  if (!worker.expand) return play_out(lane);
  Index child = traversal_.child(worker.path);
  if (child == kNone) {
    child = expand(lane);
    if (child == kNone) return play_out(lane);
    if (is_node(child)) {
      traversal_.set_child(worker.path, child);
      if (tree_.node(child).narrowed) learn(worker.path);
    }
  }
  if (is_terminal(child)) return finish(lane, tree_.goals(child), 0);
  remove_lane(arriving_, lane);
  add_lane(walking_, lane);
  settle(lane, descend(worker.path, child));
}

// Begins simulations in an idle lane until one needs the lane.
void Searcher::start(int lane) {
  Worker& worker = this->worker(lane);
  while (started_ < limit_ && ended_in_tree_ < kMostEndedInTree && !settled_) {
    ++started_;
    worker.path.clear();
    remove_lane(idle_, lane);
    add_lane(loading_, lane);
    worker.seed = stream_seed(config_.seed, numbered_++);
    const Edge edge = descend(worker.path, tree_.root());
    worker.walked = worker.path.deepest_at;
    settle(lane, edge);
    if (!has_lane(idle_, lane)) return simulator_.seed(lane, worker.seed);
    ++ended_in_tree_;
  }
}

// Adds steps to a path from a node on, and learns on the way what others have proven.
Edge Searcher::descend(Path& path, Index node) {
  Edge edge = traversal_.descend(path, node);
  while (edge == Edge::kNews) {
    learn(path);
    edge = traversal_.descend(path, traversal_.child(path));
  }
  return edge;
}

// Takes over the path that a descent has left to a lane, walking or about to be loaded.
void Searcher::settle(int lane, Edge edge) {
  Worker& worker = this->worker(lane);
  if (edge == Edge::kTerminal) return finish(lane, tree_.goals(traversal_.child(worker.path)), 0);
  worker.expand = edge == Edge::kExpand;
  if (has_lane(walking_, lane) && worker.walked == worker.path.words.size()) play_out(lane);
}

void Searcher::play_out(int lane) {
  remove_lane(arriving_, lane);
  remove_lane(walking_, lane);
  add_lane(playing_, lane);
  worker(lane).playout_from = round_;
  if (learner_ != nullptr) tell_learner(lane);
}

// The choices of a path that goes no further.
void Searcher::tell_learner(int lane) {
  learner_->begin(lane, mix64(worker(lane).seed));
  traversal_.for_each_choice(worker(lane).path,
                             [&](RoleMove choice, bool same_ply) { learner_->add(lane, choice, same_ply); });
}

// Finds or makes the node of the state in a lane, or learns its outcome where a role has no move; kNone where it
// finds no memory.
Index Searcher::expand(int lane) {
  const Node& from = tree_.node(worker(lane).path.last()[0]);
  const Index known = tree_.known(from, state_at_edge(lane));
  if (known != kNone) return tree_.add_parent(known) ? known : kNone;
  if (!read_legal(simulator_, lane)) {
    read_goals(simulator_, lane);
    learn_end(worker(lane).path);
    return tree_.terminal(goals_.data());
  }
  if (config_.playout.decisive) keep_win(lane);
  return tree_.add_child(from, legal_, state_at_edge(lane));
}

// Where a role wins at once by a move, nothing else is worth a look.
void Searcher::keep_win(int lane) {
  for (int role = 0; role < roles_; ++role) {
    const std::size_t begin = legal_.begin[role], end = legal_.begin[role + 1];
    if (end - begin == 1 || simulator_.winning(lane, role, moves_.data()) == 0) continue;
    legal_.moves[begin] = moves_[0];
    legal_.moves.erase(legal_.moves.begin() + begin + 1, legal_.moves.begin() + end);
    for (int next = role + 1; next <= roles_; ++next) legal_.begin[next] -= end - begin - 1;
  }
}

// Backs a simulation up; its lane is idle from here on. Outcomes in the tree are kept without their quality.
void Searcher::finish(int lane, const int* goals, std::uint32_t playout_plies, double quality) {
  const Path& path = worker(lane).path;
  reward_->map({goals, path.depth(), playout_plies, quality}, roles_, rewards_.data());
  if (learner_ != nullptr) {
    if (!has_lane(playing_, lane)) tell_learner(lane);
    learner_->learn(lane, rewards_.data());
    if (amaf_ != nullptr) amaf_->learn(path, learner_->choices(lane), rewards_.data());
  }
  traversal_.backup(path, rewards_.data());
  max_depth_ = std::max(max_depth_, path.depth());
  ++completed_;
  remove_lane(arriving_, lane);
  remove_lane(walking_, lane);
  remove_lane(playing_, lane);
  remove_lane(loading_, lane);
  add_lane(idle_, lane);
}

// Takes back the simulations that are under way.
void Searcher::give_up() {
  for (int group = first_group_; group < end_group_; ++group) {
    for_each_lane(group, walking_[group] | arriving_[group] | playing_[group] | loading_[group],
                  [this](int lane) { traversal_.withdraw(worker(lane).path); });
  }
  for (LaneMask* mask : {&idle_, &loading_, &walking_, &arriving_, &playing_}) remove_lanes(*mask);
}

void Searcher::publish() {
  Statistics found = read_statistics(tree_);
  found.simulations = completed_;
  found.max_depth = max_depth_;
  found.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const std::lock_guard<std::mutex> lock(mutex_);
  published_ = std::move(found);
}

Statistics Searcher::statistics() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return published_;
}

}  // namespace ggp

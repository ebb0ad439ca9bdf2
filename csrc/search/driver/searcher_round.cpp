// The round of a searcher; searcher.hpp describes its order.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/random.hpp"
#include "search/driver/searcher.hpp"

namespace ggp {

namespace {

// Limit of the descents that end inside the tree in one round, so that clocks are read in time.
constexpr int kMostEndedInTree = 4096;
// Number of children that the recycler may examine in one round.
constexpr std::size_t kLooksPerLane = 32;
// Nodes of an earlier root that are freed in one round: more than a round can create, so that their number falls.
constexpr std::size_t kFreedPerLane = 2;
// Nodes are shared if at least this part of them has the state of another node. The last check is at kLastLook times
// the number of nodes of the first.
constexpr double kSharedPart = 0.05;
constexpr std::size_t kLastLook = 8;
// Rounds between two checks for play-outs that are too long or stuck.
constexpr std::uint64_t kCutEvery = 1024;
// The depth in plies from which a simulation with learned probabilities also ends at a forced state.
constexpr std::uint32_t kLongestForced = 1024;

}  // namespace

void Searcher::round() {
  lanes_.evaluate();
  ask();
  lanes_.answer();
  read();
  choose();
  lanes_.step();
  reload();
  lanes_.load();
}

// Shares nodes from now on if that pays, or considers it again when the tree is twice as large. Simulations in flight
// start again.
void Searcher::consider_sharing() {
  const std::size_t last = kLastLook * config_.tree.transpositions_from;
  const bool too_large = tree_.nodes() > 2 * last;  // kept from an earlier root: a check would take too long
  consider_at_ = consider_at_ >= last || too_large ? 0 : 2 * consider_at_;
  if (too_large || tree_.repeated() < kSharedPart) return;
  consider_at_ = 0;
  give_up();
  started_ = completed_;
  for (int lane = first_lane_; lane < first_lane_ + in_flight_; ++lane) add_lane(idle_, lane);
  tree_.share();
  recycler_.reset();
}

// Requests the states of lanes that may create a node, and values. The recycler has finished its work of this round
// before.
void Searcher::ask() {
  tree_.free_discarded(kFreedPerLane * in_flight_);
  if (consider_at_ > 0 && tree_.nodes() >= consider_at_ && !tree_.has_discarded()) consider_sharing();
  recycler_.make_room(kLooksPerLane * in_flight_);
  const std::uint64_t* terminal = simulator_.terminal();
  for (int group = first_group_; group < end_group_; ++group) {
    may_expand_[group] = 0;
    for_each_lane(group, arriving_[group] & ~terminal[group], [this](int lane) {
      Worker& worker = this->worker(lane);
      if (!worker.expand || traversal_.child(worker.path) != kNone) return;
      add_lane(may_expand_, lane);
      lanes_.ask_store(lane, state_at_edge(lane));
    });
  }
  if (evaluation_ >= 0) ask_values();
}

void Searcher::read() {
  ended_in_tree_ = 0;
  reward_->progress(std::max(static_cast<double>(completed_) / expected_, time_share_), completed_);
  // The nodes of the stored states are looked up later, when their memory has arrived in the cache.
  if (tree_.shares()) tag_stored_states();
  collect_ended();
  look_for_sudden_death(false);
  if (settled_) return;
  if (evaluation_ >= 0) end_early();
  if (round_ % kCutEvery == 0) cut_long_playouts();
  if (tree_.shares()) expect_known_nodes();
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

// Requests to load the states of new simulations whose phase has come.
void Searcher::reload() {
  for (int group = first_group_; group < end_group_; ++group) {
    for_each_lane(group, loading_[group], [this](int lane) {
      Worker& worker = this->worker(lane);
      const Path& path = worker.path;
      if (worker.waits && !lanes_.may_load(worker.phase)) return;
      const std::uint64_t* state = tree_.state(path.deepest, state_at_edge(lane));
      worker.phase = lanes_.phase_of(state);
      worker.waits = !lanes_.may_load(worker.phase);
      if (worker.waits) return;
      lanes_.ask_load(lane, state);
      remove_lane(loading_, lane);
      add_lane(worker.walked < path.words.size() ? walking_ : arriving_, lane);
    });
  }
  ++round_;
}

void Searcher::tag_stored_states() {
  for (int group = first_group_; group < end_group_; ++group) {
    for_each_lane(group, may_expand_[group], [this](int lane) {
      Worker& worker = this->worker(lane);
      worker.tag = tree_.tag_behind(tree_.node(worker.path.last()[0]), state_at_edge(lane));
      tree_.expect_slot(worker.tag);
    });
  }
}

void Searcher::expect_known_nodes() {
  for (int group = first_group_; group < end_group_; ++group)
    for_each_lane(group, may_expand_[group], [this](int lane) { tree_.expect_known(worker(lane).tag); });
}

// Backs up the lanes in terminal states. Lanes on their way to the edge are never in one.
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
      finish(lane, goals_.data(), true, playout_plies, quality(lane));
    });
  }
}

// Learns that the game ends after the last step of a path, with the goals that were read.
void Searcher::learn_end(const Path& path) {
  traversal_.set_child(path, tree_.terminal(goals_.data()));
  solver_.see_end(goals_.data());
  notify(&SimulationObserver::end, path, goals_.data());
  learn(path);
}

// Propagates proofs from the node after the last step of a path.
void Searcher::learn(const Path& path) {
  solver_.learn(path);
  notify(&SimulationObserver::learn, path);
  settled_ = solver_.root_is_settled();
}

// A play-out is stuck if a role has no move in a state that is not terminal: it cannot end by itself.
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
      finish(lane, goals_.data(), false, static_cast<std::uint32_t>(plies), quality(lane));
    });
  }
}

// Requests the values of new nodes, for PUCT, and of states of play-outs that may end by the evaluation.
void Searcher::ask_values() {
  const bool at_edge = puct_ || config_.playout.early_termination.plies == 0;
  const bool early = ends_early(config_.playout.early_termination);
  const std::uint64_t* terminal = simulator_.terminal();
  remove_lanes(to_evaluate_);
  for (int group = first_group_; group < end_group_; ++group) {
    if (at_edge) to_evaluate_[group] = arriving_[group] & ~terminal[group];
    if (!early) continue;
    for_each_lane(group, playing_[group], [this](int lane) {
      if (may_end_early(round_ - worker(lane).playout_from)) add_lane(to_evaluate_, lane);
    });
  }
  if (any_lane(to_evaluate_)) lanes_.ask_values(evaluation_, to_evaluate_.data());
}

bool Searcher::may_end_early(std::uint64_t plies) const {
  const EarlyTerminationConfig& early = config_.playout.early_termination;
  return plies >= early.plies || (early.threshold > 0 && plies % early.every == 0);
}

void Searcher::end_early() {
  if (!ends_early(config_.playout.early_termination)) return;
  for (int group = first_group_; group < end_group_; ++group) {
    for_each_lane(group, playing_[group] & to_evaluate_[group], [this](int lane) { end_early(lane); });
  }
}

// Ends a play-out whose state was evaluated, by the configuration. Fixed early termination, pd x, uses the evaluation
// as the reward after x plies. Dynamic early termination, det x, ends it as soon as the evaluation of a role is at
// least x or at most -x; the reward of a role is 1 if its evaluation is at least x, -1 if it is at most -x, and else 0
// (the paper of heuristic.hpp, section on Breakthrough; Lorentz, CG 2008; Winands, Björnsson and Saito, CG 2008).
// Rewards get no bonus. Returns false if the play-out continues.
bool Searcher::end_early(int lane) {
  const EarlyTerminationConfig& early = config_.playout.early_termination;
  const float* values = lanes_.values(lane);
  bool decided = false;
  for (int role = 0; role < roles_; ++role) {
    if (std::isnan(values[role])) return false;
    decided |= early.threshold > 0 && std::abs(values[role]) >= early.threshold;
  }
  if (!decided && round_ - worker(lane).playout_from < early.plies) return false;
  for (int role = 0; role < roles_; ++role) {
    const double value = values[role];
    rewards_[role] = !decided ? value : value >= early.threshold ? 1 : value <= -early.threshold ? -1 : 0;
  }
  back_up(lane, nullptr, false, 0);
  return true;
}

void Searcher::start_and_arrive() {
  for (int group = first_group_; group < end_group_; ++group) {
    for_each_lane(group, idle_[group] | arriving_[group], [this](int lane) {
      if (has_lane(arriving_, lane)) arrive(lane);
      if (has_lane(idle_, lane)) start(lane);
    });
  }
}

// Continues a lane that has reached the state after the last step of its path.
void Searcher::arrive(int lane) {
  Worker& worker = this->worker(lane);
  if (!worker.expand) return play_out(lane);
  Index child = traversal_.child(worker.path);
  if (child == kNone) {
    child = expand(lane);
    if (child == kNone) return play_out(lane);
    if (is_node(child)) {
      traversal_.set_child(worker.path, child);
      if (tree_.node(child).narrowed) {
        learn(worker.path);
      } else {
        notify(&SimulationObserver::learn, worker.path);
      }
      if (puct_ && ends_at_new_node(child, worker.path)) {
        if (config_.playout.early_termination.plies == 0 && end_early(lane)) return;
        return play_out(lane);
      }
    }
  }
  if (is_terminal(child)) return finish(lane, tree_.goals(child), true);
  remove_lane(arriving_, lane);
  add_lane(walking_, lane);
  settle(lane, descend(worker.path, child));
}

// Whether the tree part of a simulation that has created this node, or found it in another part of the tree, ends there.
// Forced states are walked through, but not without a limit: a game may repeat one for ever.
bool Searcher::ends_at_new_node(Index index, const Path& path) const {
  const Node& node = tree_.node(index);
  return node.visits + node.unobserved == 0 && (has_choice(index) || path.depth() >= kLongestForced);
}

// Begins simulations in an idle lane until one needs the lane.
void Searcher::start(int lane) {
  Worker& worker = this->worker(lane);
  while (started_ < limit_ && ended_in_tree_ < kMostEndedInTree && !settled_) {
    ++started_;
    worker.path.clear();
    remove_lane(idle_, lane);
    add_lane(loading_, lane);
    worker.waits = false;
    worker.seed = stream_seed(config_.seed, numbered_++);
    const Edge edge = descend(worker.path, tree_.root());
    worker.walked = worker.path.deepest_at;
    settle(lane, edge);
    if (!has_lane(idle_, lane)) return simulator_.seed(lane, worker.seed);
    ++ended_in_tree_;
  }
}

// Adds steps to a path from a node on, and on the way learns proofs of other simulations.
Edge Searcher::descend(Path& path, Index node) {
  Edge edge = traversal_.descend(path, node);
  while (edge == Edge::kNews) {
    learn(path);
    edge = traversal_.descend(path, traversal_.child(path));
  }
  return edge;
}

// Continues with the path of a lane after a descent; the lane walks or will be loaded.
void Searcher::settle(int lane, Edge edge) {
  Worker& worker = this->worker(lane);
  if (edge == Edge::kTerminal) return finish(lane, tree_.goals(traversal_.child(worker.path)), true);
  worker.expand = edge == Edge::kExpand || (puct_ && edge == Edge::kFirstVisit);
  if (has_lane(walking_, lane) && worker.walked == worker.path.words.size()) play_out(lane);
}

void Searcher::play_out(int lane) {
  remove_lane(arriving_, lane);
  remove_lane(walking_, lane);
  add_lane(playing_, lane);
  worker(lane).playout_from = round_;
  playout_->begin(lane, worker(lane).seed);
  notify(&SimulationObserver::begin_playout, lane, worker(lane).seed, worker(lane).path);
  if (config_.playout.early_termination.plies == 0) end_early(lane);
}

// Finds or creates the node of the state in a lane, or learns its outcome if a role has no move; kNone if memory is
// refused.
Index Searcher::expand(int lane) {
  const Node& from = tree_.node(worker(lane).path.last()[0]);
  const std::uint32_t tag = worker(lane).tag;
  const Index known = tree_.known(from, state_at_edge(lane), tag);
  if (known != kNone) return tree_.add_parent(known) ? known : kNone;
  if (!read_legal(simulator_, lane)) {
    read_goals(simulator_, lane);
    learn_end(worker(lane).path);
    return tree_.terminal(goals_.data());
  }
  if (config_.playout.decisive && winning_moves_ != nullptr) keep_win(lane);
  if (knowledge_ != nullptr) knowledge_->read(legal_, lane, puct_ ? lanes_.values(lane) : nullptr);
  const Index made = tree_.add_child(from, legal_, state_at_edge(lane), tag);
  if (made != kNone && knowledge_ != nullptr) knowledge_->give(tree_, made);
  return made;
}

// If a role has a move that wins at once, keeps only this move.
void Searcher::keep_win(int lane) {
  for (int role = 0; role < std::min<int>(roles_, kSeveralWinners - 1); ++role) {
    const std::size_t begin = legal_.begin[role], end = legal_.begin[role + 1];
    if (end - begin == 1 || winning_moves_->winning(lane, role, moves_.data()) == 0) continue;
    legal_.winner = legal_.winner == kNoWinner ? static_cast<std::uint8_t>(role + 1) : kSeveralWinners;
    legal_.moves[begin] = moves_[0];
    legal_.moves.erase(legal_.moves.begin() + begin + 1, legal_.moves.begin() + end);
    for (int next = role + 1; next <= roles_; ++next) legal_.begin[next] -= end - begin - 1;
  }
}

// Backs up a simulation that has ended with these goals; its lane becomes idle. `over`: whether its last state is
// terminal. Outcomes in the tree are stored without their quality.
void Searcher::finish(int lane, const int* goals, bool over, std::uint32_t playout_plies, double quality) {
  const Ending ending{goals, worker(lane).path.depth(), playout_plies, quality};
  reward_->map(ending, roles_, rewards_.data());
  if (learns_goals_) GoalReward().map(ending, roles_, learned_.data());
  back_up(lane, goals, over, playout_plies);
}

// The same with the rewards in rewards_; the goals are null if an evaluation has ended the simulation.
void Searcher::back_up(int lane, const int* goals, bool over, std::uint32_t playout_plies) {
  const Path& path = worker(lane).path;
  const double* learned = goals != nullptr && learns_goals_ ? learned_.data() : rewards_.data();
  notify(&SimulationObserver::finish, FinishedSimulation{lane, worker(lane).seed, path, has_lane(playing_, lane),
                                                         playout_plies, over, goals, learned});
  traversal_.backup(path, rewards_.data());
  max_depth_ = std::max(max_depth_, path.depth());
  ++completed_;
  remove_lane(arriving_, lane);
  remove_lane(walking_, lane);
  remove_lane(playing_, lane);
  remove_lane(loading_, lane);
  add_lane(idle_, lane);
}

}  // namespace ggp

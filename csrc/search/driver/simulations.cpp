#include "search/driver/simulations.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "base/random.hpp"

namespace ggp {

namespace {

// Limit of the descents that end inside the tree in one round, so that clocks are read in time.
constexpr int kMostEndedInTree = 4096;
// Number of children that the recycler may examine in one round.
constexpr std::size_t kLooksPerLane = 32;
// Nodes of an earlier root that are freed in one round: more than a round can create, so that their number falls.
constexpr std::size_t kFreedPerLane = 2;
// Nodes are shared if at least this part of the nodes has the state of another node. The number of nodes at the last
// check is kLastLook times the number at the first check.
constexpr double kSharedPart = 0.05;
constexpr std::size_t kLastLook = 8;
// Rounds between two checks for play-outs that are too long or stuck.
constexpr std::uint64_t kCutEvery = 1024;
// The depth in plies from which a simulation with learned probabilities also ends at a forced state.
constexpr std::uint32_t kLongestForced = 1024;

// The number of simulations in flight, if the configuration does not set it.
//
// Many simulations in flight are fast, because they share each step of the lanes. With few, each simulation is selected
// by the outcomes of more earlier simulations. In a run of N simulations
//
//     in_flight = N / kSimulationsPerLane, at least kFewestInFlight, at most the number of lanes
//
// With a limit of time, N is estimated from the speed of the previous run, and raised if the present run is faster.
// Then at least kFewestInTime are in flight: a round of a network takes about the same time for few and for many lanes,
// so with fewer lanes the number of generations of play-outs stays small, and each has fewer play-outs. With all lanes
// a run often has one generation only, from which nothing is learned. Only the maximum depends on the machine.
constexpr double kSimulationsPerLane = 6;
constexpr int kFewestInFlight = 32;
constexpr int kFewestInTime = 256;
// The part of its time after which a run knows its own speed.
constexpr double kKnownAfter = 0.05;

int in_flight_for(double simulations, int fewest, int lanes) {
  const double wanted = std::max(simulations / kSimulationsPerLane, static_cast<double>(fewest));
  return wanted < lanes ? static_cast<int>(wanted) : lanes;
}

// Returns nullptr if the rewards do not depend on the quality of a win, or the evaluation is the quality
// (evaluates_quality()). Throws std::invalid_argument if the rewards depend on the quality and the game has no quality.
Quality* find_quality(const RewardConfig& config, Simulator& simulator, bool evaluates) {
  if (!uses_quality(config)) return nullptr;
  Quality* const found = simulator.optional_interface<Quality>();
  const bool source = config.source == RewardConfig::Source::kQuality;
  if (found != nullptr || (evaluates && !source)) return found;
  throw std::invalid_argument(std::string(source ? "reward.source quality" : "reward.qualitative_bonus.enabled") +
                              " is for native games, which have a quality of a win; this game is played by its rules" +
                              (source ? ""
                                      : ", so it needs an evaluation by fluents: evaluation.name=found or evaluation.file"));
}

// Whether the evaluation serves as the quality for the Qualitative Bonus: the game has no quality, and the evaluation
// is a weighted sum of fluents.
bool evaluates_quality(const Config& config, Simulator& simulator, int evaluation) {
  if (!config.reward.qualitative_bonus.enabled || evaluation < 0) return false;
  MoveProbabilities* const learned = simulator.optional_interface<MoveProbabilities>();
  return simulator.optional_interface<Quality>() == nullptr &&
         simulator.optional_interface<WeightedEvaluations>() != nullptr &&
         (learned == nullptr || !learned->has_probabilities(evaluation));
}

// The quality of a state, 0 .. 1, by its evaluation for the winner.
double quality_by(float evaluation) { return (1.0 + evaluation) / 2.0; }

}  // namespace

Simulations::Simulations(SearchComponents& components)
    : components_(components),
      lanes_(components.lanes),
      simulator_(components.simulator),
      config_(components.config),
      roles_(simulator_.roles()),
      evaluates_quality_(evaluates_quality(config_, simulator_, components.evaluation)),
      quality_(find_quality(config_.reward, simulator_, evaluates_quality_)),
      puct_(uses_puct(config_.selection)),
      learns_goals_(alters_goals(config_.reward) && config_.playout.learns == PlayoutConfig::Learns::kGoal),
      playout_(*components.playout),
      tree_(components.tree),
      traversal_(components.traversal),
      solver_(components.solver),
      states_(simulator_, config_, components.evaluation),
      workers_(config_.in_flight > 0 ? config_.in_flight : simulator_.lanes()),
      in_flight_(most_in_flight()),
      may_expand_(simulator_.groups()),
      idle_(simulator_.groups()),
      loading_(simulator_.groups()),
      walking_(simulator_.groups()),
      arriving_(simulator_.groups()),
      playing_(simulator_.groups()),
      at_edge_(workers_.size() * simulator_.state_words()),
      moves_(roles_),
      rewards_(roles_),
      learned_(roles_),
      to_evaluate_(simulator_.groups()) {}

void Simulations::change_root(bool match_begins) {
  if (match_begins) numbered_ = 0;
  components_.recycler.reset();
  consider_at_ = tree_.shares() ? 0 : config_.tree.transpositions_from;
  started_ = completed_ = max_depth_ = 0;
}

void Simulations::keep_samples() {
  keeps_samples_ = true;
  quality_ = simulator_.optional_interface<Quality>();
}

void Simulations::archive(Archive& archive) {
  archive(consider_at_, numbered_, in_flight_, speed_, started_, completed_, max_depth_);
  if (archive.reads()) in_flight_ = std::clamp(in_flight_, 1, most_in_flight());
}

void Simulations::begin(int first_lane, const Limits& limits, double expected, int role) {
  started_ = completed_ = max_depth_ = round_ = 0;
  samples_ = {};
  role_ = role;
  components_.notify(&SimulationObserver::begin_run);
  limit_ = has_choice(tree_.root()) ? limits.simulations : 0;
  first_lane_ = first_lane;
  first_group_ = first_lane / 64;
  end_group_ = (first_lane + most_in_flight() + 63) / 64;
  in_flight_ = config_.in_flight > 0 ? config_.in_flight : first_in_flight(limits, expected);
  LaneMask lanes(simulator_.groups());
  for (int lane = first_lane_; lane < first_lane_ + most_in_flight(); ++lane) add_lane(lanes, lane);
  WinningMoves* const winning_moves = simulator_.optional_interface<WinningMoves>();
  if (winning_moves != nullptr) winning_moves->look_ahead(lanes.data(), config_.playout.decisive);
  for (int lane = first_lane_; lane < first_lane_ + in_flight_; ++lane) add_lane(idle_, lane);
  find_settled();
}

int Simulations::first_in_flight(const Limits& limits, double expected) const {
  const Limits none;
  if (limits.simulations != none.simulations) return in_flight_for(expected, kFewestInFlight, most_in_flight());
  const double time = std::min(limits.seconds, limits.cpu_seconds);
  if (time == none.seconds) return most_in_flight();
  return in_flight_for(speed_ * time, kFewestInTime, most_in_flight());
}

void Simulations::widen(double time_share) {
  if (config_.in_flight > 0 || time_share < kKnownAfter) return;
  const double promised = static_cast<double>(completed_) / time_share;
  const int wanted =
      in_flight_for(std::min(promised, static_cast<double>(limit_)), kFewestInFlight, most_in_flight());
  for (; in_flight_ < wanted; ++in_flight_) add_lane(idle_, first_lane_ + in_flight_);
}

void Simulations::give_up() {
  for (int group = first_group_; group < end_group_; ++group) {
    for_each_lane(group, walking_[group] | arriving_[group] | playing_[group] | loading_[group],
                  [this](int lane) { traversal_.withdraw(worker(lane).path); });
  }
  for (LaneMask* mask : {&idle_, &loading_, &walking_, &arriving_, &playing_}) remove_lanes(*mask);
  components_.notify(&SimulationObserver::give_up);
}

bool Simulations::has_choice(Index index) const {
  if (is_terminal(index)) return false;
  const Node& node = tree_.node(index);
  return node.mover == kSimultaneous || node.choices()[0].count > 1;
}

// Shares nodes from now on if enough nodes have equal states; otherwise repeats the check when the tree is twice as
// large. Simulations in flight start again.
void Simulations::consider_sharing() {
  const std::size_t last = kLastLook * config_.tree.transpositions_from;
  const bool too_large = tree_.nodes() > 2 * last;  // kept from an earlier root: a check would take too long
  consider_at_ = consider_at_ >= last || too_large ? 0 : 2 * consider_at_;
  if (too_large || tree_.repeated() < kSharedPart) return;
  consider_at_ = 0;
  give_up();
  started_ = completed_;
  for (int lane = first_lane_; lane < first_lane_ + in_flight_; ++lane) add_lane(idle_, lane);
  tree_.share();
  components_.recycler.reset();
}

// Requests values, and the states of lanes that may create a node, after the work of the recycler in this round.
void Simulations::ask() {
  tree_.free_discarded(kFreedPerLane * in_flight_);
  if (consider_at_ > 0 && tree_.nodes() >= consider_at_ && !tree_.has_discarded()) consider_sharing();
  components_.recycler.make_room(kLooksPerLane * in_flight_);
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
  if (components_.evaluation >= 0) ask_values();
}

void Simulations::go_on() {
  if (components_.evaluation >= 0) end_early();
  if (round_ % kCutEvery == 0) cut_long_playouts();
  if (tree_.shares()) expect_known_nodes();
  start_and_arrive();
}

void Simulations::choose() {
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
  if (any_lane(playing_)) playout_.choose(lanes_, playing_.data());
}

// Requests to load the states of new simulations whose phase has come.
void Simulations::reload() {
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

void Simulations::tag_stored_states() {
  for (int group = first_group_; group < end_group_; ++group) {
    for_each_lane(group, may_expand_[group], [this](int lane) {
      Worker& worker = this->worker(lane);
      worker.tag = tree_.tag_behind(tree_.node(worker.path.last()[0]), state_at_edge(lane));
      tree_.expect_slot(worker.tag);
    });
  }
}

void Simulations::expect_known_nodes() {
  for (int group = first_group_; group < end_group_; ++group)
    for_each_lane(group, may_expand_[group], [this](int lane) { tree_.expect_known(worker(lane).tag); });
}

// Backs up the lanes in terminal states. Lanes on their way to the edge are in non-terminal states.
void Simulations::collect_ended() {
  ended_in_tree_ = 0;
  // The nodes of the stored states are looked up later, when their memory has arrived in the cache.
  if (tree_.shares()) tag_stored_states();
  const std::uint64_t* terminal = simulator_.terminal();
  for (int group = first_group_; group < end_group_; ++group) {
    for_each_lane(group, terminal[group] & (playing_[group] | arriving_[group]), [this](int lane) {
      Worker& worker = this->worker(lane);
      const int* goals = states_.read_goals(lane);
      std::uint32_t playout_plies = 0;
      if (has_lane(arriving_, lane)) {
        learn_end(worker.path, goals);
      } else {
        playout_plies = static_cast<std::uint32_t>(round_ - worker.playout_from);
        solver_.see_end(goals);
      }
      finish(lane, goals, true, playout_plies, quality(lane, goals));
    });
  }
}

// The quality of the state in which a simulation ends with these goals; NaN without a quality.
double Simulations::quality(int lane, const int* goals) {
  if (quality_ != nullptr) return quality_->quality(lane);
  const int best = winner(goals, roles_);
  if (!evaluates_quality_ || best < 0 || !has_lane(to_evaluate_, lane)) return kNoQuality;
  return quality_by(lanes_.values(lane)[best]);
}

// Stores that the game ends with these goals after the last step of a path.
void Simulations::learn_end(const Path& path, const int* goals) {
  traversal_.set_child(path, tree_.terminal(goals));
  solver_.see_end(goals);
  components_.notify(&SimulationObserver::end, path, goals);
  learn(path);
}

// Propagates proofs from the node after the last step of a path.
void Simulations::learn(const Path& path) {
  solver_.learn(path);
  components_.notify(&SimulationObserver::learn, path);
  find_settled();
}

// A play-out is stuck if a role has no move in a non-terminal state: the play-out cannot end by itself.
bool Simulations::is_stuck(int lane) {
  for (int role = 0; role < roles_; ++role) {
    if (simulator_.legal_count(lane, role) == 0) return true;
  }
  return false;
}

void Simulations::cut_long_playouts() {
  for (int group = first_group_; group < end_group_; ++group) {
    for_each_lane(group, playing_[group], [this](int lane) {
      const std::uint64_t plies = round_ - worker(lane).playout_from;
      if (plies < config_.playout.limit && (plies < kCutEvery || !is_stuck(lane))) return;
      const int* goals = states_.read_goals(lane);
      finish(lane, goals, false, static_cast<std::uint32_t>(plies), quality(lane, goals));
    });
  }
}

// Requests the values of new nodes, for PUCT, of states of play-outs that may end by the evaluation, and of terminal
// states whose quality is the evaluation.
void Simulations::ask_values() {
  const bool at_edge = puct_ || config_.playout.early_termination.plies == 0;
  const bool early = ends_early(config_.playout.early_termination);
  const std::uint64_t* terminal = simulator_.terminal();
  remove_lanes(to_evaluate_);
  for (int group = first_group_; group < end_group_; ++group) {
    if (at_edge) to_evaluate_[group] = arriving_[group] & ~terminal[group];
    if (evaluates_quality_) to_evaluate_[group] |= (arriving_[group] | playing_[group]) & terminal[group];
    if (!early) continue;
    for_each_lane(group, playing_[group], [this](int lane) {
      if (may_end_early(round_ - worker(lane).playout_from)) add_lane(to_evaluate_, lane);
    });
  }
  if (any_lane(to_evaluate_)) lanes_.ask_values(components_.evaluation, to_evaluate_.data());
}

bool Simulations::may_end_early(std::uint64_t plies) const {
  const EarlyTerminationConfig& early = config_.playout.early_termination;
  return plies >= early.plies || (early.threshold > 0 && plies % early.every == 0);
}

void Simulations::end_early() {
  if (!ends_early(config_.playout.early_termination)) return;
  for (int group = first_group_; group < end_group_; ++group) {
    for_each_lane(group, playing_[group] & to_evaluate_[group], [this](int lane) { end_early(lane); });
  }
}

// Ends a play-out whose state was evaluated, by the configuration. Fixed early termination, pd x, uses the evaluation
// as the reward after x plies. Dynamic early termination, det x, ends it as soon as the evaluation of a role is at
// least x or at most -x; the reward of a role is 1 if its evaluation is at least x, -1 if it is at most -x, and else 0
// (the paper of heuristic.hpp, section on Breakthrough; Lorentz, CG 2008; Winands, Björnsson and Saito, CG 2008).
// Rewards get the Qualitative Bonus (reward.hpp). Returns false if the play-out continues.
bool Simulations::end_early(int lane) {
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
  if (learns_goals_) learned_ = rewards_;
  if (config_.reward.qualitative_bonus.enabled) {
    const int leader = winner(values, roles_, 0.0f);
    const double quality = leader < 0             ? kNoQuality
                           : quality_ != nullptr ? quality_->quality_for(lane, leader)
                                                 : quality_by(values[leader]);
    components_.reward->alter(leader, quality, roles_, rewards_.data());
  }
  back_up(lane, nullptr, false, 0);
  return true;
}

void Simulations::start_and_arrive() {
  for (int group = first_group_; group < end_group_; ++group) {
    for_each_lane(group, idle_[group] | arriving_[group], [this](int lane) {
      if (has_lane(arriving_, lane)) arrive(lane);
      if (has_lane(idle_, lane)) start(lane);
    });
  }
}

// Continues a lane that has reached the state after the last step of its path.
void Simulations::arrive(int lane) {
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
        components_.notify(&SimulationObserver::learn, worker.path);
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

// Whether the tree part of a simulation ends at a node that the simulation created, or found in another part of the
// tree. A simulation walks through forced states up to a limit, because a game may repeat a forced state for ever.
bool Simulations::ends_at_new_node(Index index, const Path& path) const {
  const Node& node = tree_.node(index);
  return node.visits + node.unobserved == 0 && (has_choice(index) || path.depth() >= kLongestForced);
}

// Begins simulations in an idle lane until one needs the lane.
void Simulations::start(int lane) {
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

// Adds steps to a path from a node on, and applies the proofs of other simulations on the path.
Edge Simulations::descend(Path& path, Index node) {
  Edge edge = traversal_.descend(path, node);
  while (edge == Edge::kNews) {
    learn(path);
    edge = traversal_.descend(path, traversal_.child(path));
  }
  return edge;
}

// Continues with the path of a lane after a descent: the lane walks, or its state is loaded later.
void Simulations::settle(int lane, Edge edge) {
  Worker& worker = this->worker(lane);
  if (edge == Edge::kTerminal) return finish(lane, tree_.goals(traversal_.child(worker.path)), true);
  worker.expand = edge == Edge::kExpand || (puct_ && edge == Edge::kFirstVisit);
  if (has_lane(walking_, lane) && worker.walked == worker.path.words.size()) play_out(lane);
}

void Simulations::play_out(int lane) {
  remove_lane(arriving_, lane);
  remove_lane(walking_, lane);
  add_lane(playing_, lane);
  worker(lane).playout_from = round_;
  playout_.begin(lane, worker(lane).seed);
  components_.notify(&SimulationObserver::begin_playout, lane, worker(lane).seed, worker(lane).path);
  if (config_.playout.early_termination.plies == 0) end_early(lane);
}

// Finds or creates the node of the state in a lane, or stores the outcome if a role has no move; kNone if memory is
// refused.
Index Simulations::expand(int lane) {
  const Node& from = tree_.node(worker(lane).path.last()[0]);
  const std::uint32_t tag = worker(lane).tag;
  const Index known = tree_.known(from, state_at_edge(lane), tag);
  if (known != kNone) return tree_.add_parent(known) ? known : kNone;
  if (!states_.read_legal(lane)) {
    const int* goals = states_.read_goals(lane);
    learn_end(worker(lane).path, goals);
    return tree_.terminal(goals);
  }
  states_.keep_win(lane);
  states_.read_knowledge(lane, puct_ ? lanes_.values(lane) : nullptr);
  const Index made = tree_.add_child(from, states_.legal(), state_at_edge(lane), tag);
  if (made != kNone) states_.give(tree_, made, false);
  return made;
}

// Backs up a simulation that has ended with these goals; its lane becomes idle. `over`: whether its last state is
// terminal. Outcomes in the tree are stored without their quality.
void Simulations::finish(int lane, const int* goals, bool over, std::uint32_t playout_plies, double quality) {
  const Ending ending{goals, worker(lane).path.depth(), playout_plies, quality};
  components_.reward->map(ending, roles_, rewards_.data());
  if (learns_goals_) GoalReward().map(ending, roles_, learned_.data());
  if (keeps_samples_) {
    const double reward = reward_of_goal(std::max(0, goals[role_]));
    samples_.plies.add(ending.tree_plies + playout_plies, reward);
    samples_.backed_up.add(rewards_[role_], reward);
    if (!std::isnan(quality)) samples_.quality.add(quality, reward);
  }
  back_up(lane, goals, over, playout_plies);
}

// finish() with the rewards in rewards_; the goals are null if an evaluation has ended the simulation.
void Simulations::back_up(int lane, const int* goals, bool over, std::uint32_t playout_plies) {
  const Path& path = worker(lane).path;
  const double* learned = learns_goals_ ? learned_.data() : rewards_.data();
  components_.notify(&SimulationObserver::finish,
                     FinishedSimulation{lane, worker(lane).seed, path, has_lane(playing_, lane), playout_plies, over,
                                        goals, learned});
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

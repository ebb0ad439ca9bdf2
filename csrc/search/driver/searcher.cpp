#include "search/driver/searcher.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/random.hpp"
#include "base/thread_clock.hpp"
#include "search/driver/searcher_use.hpp"
#include "search/playout/game_playout.hpp"

namespace ggp {

namespace {

constexpr std::chrono::milliseconds kPublishEvery{100};
// Expected number of simulations without a limit.
constexpr double kExpectedWithoutLimit = 20'000;

// The part of the simulations of a run that a root must have received before its best move counts as settled.
constexpr double kSettledFrom = 0.25;

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// Throws std::invalid_argument if the game does not have two roles.
std::unique_ptr<SuddenDeath> make_sudden_death(const Config& config, const Simulator& simulator, const Tree& tree) {
  if (config.sudden_death.strategy == SuddenDeathConfig::Strategy::kOff) return nullptr;
  if (simulator.roles() != 2) {
    throw std::invalid_argument("sudden_death.strategy needs a game of two roles; this one has " +
                                std::to_string(simulator.roles()));
  }
  return std::make_unique<SuddenDeath>(config, simulator, tree);
}

// Returns nullptr if the rewards do not depend on the quality of a win. Throws std::invalid_argument if they do and the
// game has none.
Quality* find_quality(const RewardConfig& config, Simulator& simulator) {
  if (!uses_quality(config)) return nullptr;
  Quality* const found = simulator.optional_interface<Quality>();
  if (found != nullptr) return found;
  const bool source = config.source == RewardConfig::Source::kQuality;
  throw std::invalid_argument(std::string(source ? "reward.source quality" : "reward.qualitative_bonus.enabled") +
                              " is for native games, which have a quality of a win; this game is played by its rules");
}

// The used part of a limit, 0..1.
double share(double used, double limit) { return used < limit ? used / limit : 1.0; }

}  // namespace

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
      evaluations_(simulator_.optional_interface<Evaluations>()),
      quality_(find_quality(config_.reward, simulator_)),
      winning_moves_(simulator_.optional_interface<WinningMoves>()),
      evaluation_(evaluation_number(config_, names_of(evaluations_))),
      puct_(uses_puct(config_.selection)),
      selection_(make_selection(config_.selection)),
      playout_(make_playout(config_, simulator_)),
      learner_(playout_->learner()),
      reward_(make_reward(config_)),
      learns_goals_(alters_goals(config_.reward) && config_.playout.learns == PlayoutConfig::Learns::kGoal),
      tree_(fresh_tree()),
      amaf_(config_.selection.grave.enabled
                ? std::make_unique<Amaf>(tree_, config_.selection.grave, moves_by_role(simulator_))
                : nullptr),
      heuristic_(uses_heuristic(config_.selection) ? std::make_unique<Heuristic>(tree_, config_.selection) : nullptr),
      knowledge_(make_move_knowledge(config_, simulator_, evaluation_)),
      scout_knowledge_(make_move_knowledge(config_, scout_.simulator(), evaluation_)),
      sudden_death_(make_sudden_death(config_, simulator_, tree_)),
      traversal_(tree_, *selection_),
      learning_(learner_ != nullptr ? std::make_unique<LearningObserver>(*learner_, amaf_.get(), traversal_) : nullptr),
      best_line_(roles_ == 1 ? std::make_unique<BestLine>(config_.playout.decisive, tree_, traversal_, *playout_, scout_)
                             : nullptr),
      solver_(tree_, config_.solver.enabled),
      recycler_(tree_, config_.memory_bytes),
      root_state_(simulator_.state_words()),
      workers_(config_.in_flight > 0 ? config_.in_flight : simulator_.lanes()),
      in_flight_(most_in_flight()),
      may_expand_(simulator_.groups()),
      idle_(simulator_.groups()),
      loading_(simulator_.groups()),
      walking_(simulator_.groups()),
      arriving_(simulator_.groups()),
      playing_(simulator_.groups()),
      at_edge_(workers_.size() * simulator_.state_words()),
      moves_(std::max(roles_, widest_role(simulator_))),
      goals_(roles_),
      rewards_(roles_),
      learned_(roles_),
      to_evaluate_(simulator_.groups()) {
  traversal_.set_order(config_.playout.orders_tree ? learner_ : nullptr);
  traversal_.set_amaf(amaf_.get());
  traversal_.set_heuristic(heuristic_.get());
  traversal_.set_maximum_from(config_.backup.maximum_from);
  for (SimulationObserver* each : std::initializer_list<SimulationObserver*>{heuristic_.get(), learning_.get(),
                                                                            sudden_death_.get(), best_line_.get()}) {
    if (each != nullptr) observers_.push_back(each);
  }
  set_root(simulator_.initial());
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
  earlier_ += completed_;
  started_ = completed_ = max_depth_ = round_ = 0;
  limits_ = limits;
  cpu_start_ = limits.cpu_seconds < kUnlimited ? thread_cpu_seconds() : 0.0;
  notify(&SimulationObserver::begin_run);
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
  if (winning_moves_ != nullptr) winning_moves_->look_ahead(lanes.data(), config_.playout.decisive);
  for (int lane = first_lane_; lane < first_lane_ + in_flight_; ++lane) add_lane(idle_, lane);
  settled_ = solver_.root_is_settled();
}

int Searcher::first_in_flight(const Limits& limits) const {
  const Limits none;
  if (limits.simulations != none.simulations) return in_flight_for(expected_, most_in_flight());
  const double time = std::min(limits.seconds, limits.cpu_seconds);
  if (time == none.seconds) return most_in_flight();
  return in_flight_in_time(speed_ * time, most_in_flight());
}

// Uses more lanes if the run turns out to be longer than expected.
void Searcher::widen() {
  if (config_.in_flight > 0 || time_share_ < kKnownAfter) return;
  const double promised = static_cast<double>(completed_) / time_share_;
  const int wanted = in_flight_for(std::min(promised, static_cast<double>(limit_)), most_in_flight());
  for (; in_flight_ < wanted; ++in_flight_) add_lane(idle_, first_lane_ + in_flight_);
}

Statistics Searcher::end() {
  const Use use(used_, std::adopt_lock);
  give_up();
  look_for_sudden_death(true);
  publish();
  return statistics();
}

void Searcher::abandon() {
  const Use use(used_, std::adopt_lock);
  lanes_.forget_stores();
  give_up();
}

// The run of a single searcher.
void Searcher::search(const Limits& limits) {
  lanes_.close_turn();
  // The rest of the time is for the minimax at the end.
  const bool looks_last = config_.sudden_death.strategy == SuddenDeathConfig::Strategy::kFinal;
  const double enough = looks_last ? 1 - config_.sudden_death.time_share : 1;
  Clock::time_point publish_at = start_ + kPublishEvery;
  while (!done()) {
    const Clock::time_point now = Clock::now();
    time_share_ = share_of_time(now);
    if (time_share_ >= enough) break;
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

// The used part of the limits of time, 0..1.
double Searcher::share_of_time(Clock::time_point now) const {
  const double by_the_clock = share(std::chrono::duration<double>(now - start_).count(), limits_.seconds);
  if (limits_.cpu_seconds == kUnlimited) return by_the_clock;
  return std::max(by_the_clock, share(thread_cpu_seconds() - cpu_start_, limits_.cpu_seconds));
}

// Runs the minimax of sudden_death.hpp on the root when it is due.
void Searcher::look_for_sudden_death(bool at_end) {
  if (sudden_death_ == nullptr || limit_ == 0 || settled_) return;
  if (!at_end && !sudden_death_->is_due(completed_)) return;
  const double until = std::min(1.0, share_of_time(Clock::now()) + config_.sudden_death.time_share);
  ask_at_ = Clock::now() + kPublishEvery;
  const bool proven = sudden_death_->look({tree_, solver_, root_state_.data(), completed_, at_end},
                                        [this, until] { return must_hurry(until); });
  if (proven) settled_ = solver_.root_is_settled();
}

// Whether the minimax must stop: its part of the time is used, or the run is to end.
bool Searcher::must_hurry(double until) {
  if (stop_.load(std::memory_order_relaxed) || share_of_time(Clock::now()) >= until) return true;
  if (limits_.interrupted == nullptr || Clock::now() < ask_at_) return false;
  ask_at_ = Clock::now() + kPublishEvery;
  if (limits_.interrupted(limits_.context)) stop();
  return stop_.load(std::memory_order_relaxed);
}

// Returns whether the best move of a role stays the best if the run continues at the present speed to its end, and the
// root has received enough simulations of its own. A tree kept from an earlier root may have a large lead from few looks
// at the position that was then one of many.
bool Searcher::is_settled(int role) const {
  if (config_.final_move != FinalMove::kVisits) return false;
  double left = static_cast<double>(limit_ - completed_);
  if (time_share_ > 0) left = std::min(left, static_cast<double>(completed_) * (1 / time_share_ - 1));
  if (static_cast<double>(earlier_ + completed_) < kSettledFrom * (static_cast<double>(completed_) + left)) return false;
  const Node& root = tree_.node(tree_.root());
  if (!root.chooses(role)) return false;
  const Choice& choice = root.choice(role);
  if (!choice.is_complete()) return false;
  std::uint32_t most = 0, second = 0;
  for (const Action *action = tree_.actions(choice).all(), *end = action + choice.tried; action != end; ++action) {
    if (action->visits > most) {
      second = most;
      most = action->visits;
    } else {
      second = std::max(second, action->visits);
    }
  }
  return static_cast<double>(most - second) > left;
}

// Withdraws the simulations in flight.
void Searcher::give_up() {
  for (int group = first_group_; group < end_group_; ++group) {
    for_each_lane(group, walking_[group] | arriving_[group] | playing_[group] | loading_[group],
                  [this](int lane) { traversal_.withdraw(worker(lane).path); });
  }
  for (LaneMask* mask : {&idle_, &loading_, &walking_, &arriving_, &playing_}) remove_lanes(*mask);
  notify(&SimulationObserver::give_up);
}

void Searcher::publish() {
  Statistics found = read_statistics(tree_, tree_.root(), config_.final_move);
  if (sudden_death_ != nullptr) {
    found.minimax_states = sudden_death_->states();
    found.minimax_seconds = sudden_death_->cpu_seconds();
  }
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

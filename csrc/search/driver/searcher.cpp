#include "search/driver/searcher.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/thread_clock.hpp"

namespace ggp {

namespace {

constexpr std::chrono::milliseconds kPublishEvery{100};
// Expected number of simulations without a limit.
constexpr double kExpectedWithoutLimit = 20'000;

// The part of the simulations of a run that a root must have received before its best move counts as settled.
constexpr double kSettledFrom = 0.25;

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// The used part of a limit, 0..1.
double share(double used, double limit) { return used < limit ? used / limit : 1.0; }

}  // namespace

Searcher::Searcher(Simulator& simulator, const Config& config)
    : Searcher(std::make_unique<Lanes>(simulator), nullptr, nullptr, config) {}

Searcher::Searcher(Lanes& lanes, Lanes& scout, const Config& config)
    : Searcher(nullptr, &lanes, &scout, config) {}

Searcher::Searcher(std::unique_ptr<Lanes> own, Lanes* shared, Lanes* scout, const Config& config)
    : own_(std::move(own)),
      components_(own_ ? *own_ : *shared, own_ ? *own_ : *scout, config),
      scout_(components_.scout),
      roles_(components_.simulator.roles()),
      tree_(components_.tree),
      scout_states_(scout_.simulator(), components_.config, components_.evaluation),
      simulations_(components_),
      root_state_(components_.simulator.state_words()) {
  set_root(components_.simulator.initial());
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
  end();
  return statistics();
}

void Searcher::begin(const Limits& limits, int first_lane) {
  if (first_lane < 0 || first_lane > components_.simulator.lanes() - most_in_flight()) {
    throw std::invalid_argument("there are no " + std::to_string(most_in_flight()) + " lanes from " +
                                std::to_string(first_lane) + " on");
  }
  if (used_.exchange(true)) throw std::logic_error(kInUse);
  stop_.store(false, std::memory_order_relaxed);
  start_ = Clock::now();
  earlier_ += simulations_.completed();
  limits_ = limits;
  cpu_start_ = limits.cpu_seconds < kUnlimited ? thread_cpu_seconds() : 0.0;
  expected_ = static_cast<double>(limits.simulations);
  time_share_ = 0;
  const Limits none;
  if (limits.simulations == none.simulations && limits.seconds == none.seconds &&
      limits.cpu_seconds == none.cpu_seconds) {
    expected_ = kExpectedWithoutLimit;
  }
  simulations_.begin(first_lane, limits, expected_, role_at_root());
  shared_seconds_ = 0;
}

void Searcher::end() {
  const Use use(used_, std::adopt_lock);
  simulations_.give_up();
  look_for_sudden_death(true);
  publish();
}

void Searcher::abandon() {
  const Use use(used_, std::adopt_lock);
  components_.lanes.forget_stores();
  simulations_.give_up();
}

// The run of a single searcher.
void Searcher::search(const Limits& limits) {
  components_.lanes.close_turn();
  // The rest of the time is for the minimax at the end.
  const bool looks_last = components_.config.sudden_death.strategy == SuddenDeathConfig::Strategy::kFinal;
  const double enough = looks_last ? 1 - components_.config.sudden_death.time_share : 1;
  Clock::time_point publish_at = start_ + kPublishEvery;
  while (!done()) {
    const Clock::time_point now = Clock::now();
    time_share_ = share_of_time(now);
    if (time_share_ >= enough) break;
    simulations_.widen(time_share_);
    if (now >= publish_at) {
      publish();
      publish_at = now + kPublishEvery;
      if (limits.settled_role >= 0 && is_settled(limits.settled_role)) break;
      if (limits.interrupted != nullptr && limits.interrupted(limits.context)) break;
    }
    round();
  }
  if (time_share_ > 0) simulations_.set_duration(time_share_ * std::min(limits.seconds, limits.cpu_seconds));
}

void Searcher::round() {
  components_.lanes.evaluate();
  ask();
  components_.lanes.answer();
  read();
  choose();
  components_.lanes.step();
  reload();
  components_.lanes.load();
}

void Searcher::read() {
  const std::uint64_t completed = simulations_.completed();
  components_.reward->progress(std::max(static_cast<double>(completed) / expected_, time_share_), completed);
  simulations_.collect_ended();
  look_for_sudden_death(false);
  if (!simulations_.settled()) simulations_.go_on();
}

// The used part of the limits of time, 0..1.
double Searcher::share_of_time(Clock::time_point now) const {
  const double by_the_clock = share(std::chrono::duration<double>(now - start_).count(), limits_.seconds);
  if (limits_.cpu_seconds == kUnlimited) return by_the_clock;
  return std::max(by_the_clock, share(thread_cpu_seconds() - cpu_start_, limits_.cpu_seconds));
}

// Runs the minimax of sudden_death.hpp on the root when it is due.
void Searcher::look_for_sudden_death(bool at_end) {
  if (components_.sudden_death == nullptr || simulations_.limit() == 0 || simulations_.settled()) return;
  if (!at_end && !components_.sudden_death->is_due(simulations_.completed())) return;
  const double until = std::min(1.0, share_of_time(Clock::now()) + components_.config.sudden_death.time_share);
  ask_at_ = Clock::now() + kPublishEvery;
  const bool proven = components_.sudden_death->look(
      {tree_, components_.solver, root_state_.data(), simulations_.completed(), at_end},
      [this, until] { return must_hurry(until); });
  if (proven) simulations_.find_settled();
}

// Whether the minimax must stop: its part of the time is used, or the run is to end.
bool Searcher::must_hurry(double until) {
  if (stop_.load(std::memory_order_relaxed) || share_of_time(Clock::now()) >= until) return true;
  if (limits_.interrupted == nullptr || Clock::now() < ask_at_) return false;
  ask_at_ = Clock::now() + kPublishEvery;
  if (limits_.interrupted(limits_.context)) stop();
  return stop_.load(std::memory_order_relaxed);
}

// Whether the best move of a role stays the best to the end of the run at the present speed, and the root has received
// enough simulations of its own: visits from an earlier root examined this position as one of many.
bool Searcher::is_settled(int role) const {
  if (components_.config.final_move != FinalMove::kVisits) return false;
  const auto completed = static_cast<double>(simulations_.completed());
  double left = static_cast<double>(simulations_.limit() - simulations_.completed());
  if (time_share_ > 0) left = std::min(left, completed * (1 / time_share_ - 1));
  if (static_cast<double>(earlier_) + completed < kSettledFrom * (completed + left)) return false;
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

void Searcher::publish() {
  Statistics found = read_statistics(tree_, tree_.root(), components_.config.final_move, publishes_lines_);
  if (components_.sudden_death != nullptr) {
    found.minimax_states = components_.sudden_death->states();
    found.minimax_seconds = components_.sudden_death->cpu_seconds();
  }
  found.simulations = simulations_.completed();
  found.max_depth = simulations_.max_depth();
  found.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const std::lock_guard<std::mutex> lock(mutex_);
  published_ = std::move(found);
}

Statistics Searcher::statistics() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return published_;
}

// ---- bytes

void Searcher::archive(Archive& archive) {
  if (!archive.reads()) {
    if (used_.load()) throw std::logic_error(kInUse);
    return archive_all(archive);
  }
  try {
    archive_all(archive);
    if (archive.left() != 0) throw ArchiveError("bytes are left over");
  } catch (...) {
    set_root(components_.simulator.initial());
    throw;
  }
}

void Searcher::archive_all(Archive& archive) {
  double seconds = statistics().seconds;
  archive.fixed(root_state_);
  simulations_.archive(archive);
  archive(seconds);
  components_.archive(archive);
  if (!archive.reads()) return;
  start_ = Clock::now() - std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  publish();
}

}  // namespace ggp

#include "simulation/random_playouts.hpp"

#include <algorithm>
#include <utility>

#include "base/lane_mask.hpp"
#include "base/random.hpp"
#include "base/thread_clock.hpp"

namespace ggp {
namespace {

// Maximal number of turns between two reads of the clock; the number grows while the time between reads is short.
constexpr int kMostTurns = 16;
constexpr double kOften = 0.001;

}  // namespace

RandomPlayouts::RandomPlayouts(Simulator& simulator, std::uint64_t seed, bool perceives)
    : simulator_(simulator),
      percepts_(perceives ? simulator.optional_interface<Percepts>() : nullptr),
      phases_(simulator.optional_interface<Phases>()),
      totals_(simulator.optional_interface<GoalTotals>()),
      playing_(simulator.groups(), ~std::uint64_t{0}),
      ended_(simulator.groups()),
      waiting_(simulator.groups()),
      initial_(simulator.lanes(), simulator.initial()),
      started_(simulator.lanes(), 0) {
  if (phases_ != nullptr && phases_->phases() == 0) phases_ = nullptr;
  for (int lane = 0; lane < simulator.lanes(); ++lane) simulator.seed(lane, mix64(seed + lane));
  simulator.load(playing_.data(), initial_.data());
}

PlayoutTotals RandomPlayouts::run(double cpu_seconds, const std::atomic<bool>& stop) {
  PlayoutTotals totals;
  totals.goals.assign(simulator_.roles(), 0);
  const double start = thread_cpu_seconds();
  double asked = start;
  // Reading the clock costs as much as a few gates: it is rare for fast games, and after each turn for slow games.
  int stride = 1, left = 1;
  while (!stop.load(std::memory_order_relaxed)) {
    turn(totals);
    if (--left > 0) continue;
    const double now = thread_cpu_seconds();
    if (now - start > cpu_seconds) break;
    stride = now - asked < kOften ? std::min(2 * stride, kMostTurns) : 1;
    left = stride;
    asked = now;
  }
  if (totals_ != nullptr) totals_->take_goals(totals.goals.data());
  totals.cpu_seconds = thread_cpu_seconds() - start;
  return totals;
}

void RandomPlayouts::turn(PlayoutTotals& totals) {
  simulator_.evaluate();
  std::uint64_t any = 0;
  for (int group = 0; group < simulator_.groups(); ++group) {
    ended_[group] = simulator_.terminal()[group] & playing_[group];
    playing_[group] &= ~ended_[group];
    any |= ended_[group];
    totals.states += __builtin_popcountll(playing_[group]);
  }
  if (any != 0) count(totals);
  simulator_.choose_at_random(playing_.data());
  if (percepts_ != nullptr) percepts_->perceive();
  simulator_.step();
  ++round_;
  if (!any_lane(waiting_) || !may_begin()) return;
  simulator_.load(waiting_.data(), initial_.data());
  for (int group = 0; group < simulator_.groups(); ++group) {
    for_each_lane(group, waiting_[group], [this](int lane) { started_[lane] = round_; });
    playing_[group] |= std::exchange(waiting_[group], 0);
  }
}

void RandomPlayouts::count(PlayoutTotals& totals) {
  add_goals(totals);
  for (int group = 0; group < simulator_.groups(); ++group) {
    totals.playouts += __builtin_popcountll(ended_[group]);
    for_each_lane(group, ended_[group], [&](int lane) { totals.turns += round_ - started_[lane]; });
    waiting_[group] |= ended_[group];
  }
}

void RandomPlayouts::add_goals(PlayoutTotals& totals) {
  if (totals_ != nullptr) return totals_->add_goals(ended_.data());
  for_each_lane(ended_.data(), simulator_.groups(), [&](int lane) {
    for (int role = 0; role < simulator_.roles(); ++role) totals.goals[role] += std::max(0, simulator_.goal(lane, role));
  });
}

PlayoutTotals random_playouts(Simulator& simulator, double cpu_seconds, std::uint64_t seed,
                              const std::atomic<bool>& stop) {
  return RandomPlayouts(simulator, seed).run(cpu_seconds, stop);
}

}  // namespace ggp

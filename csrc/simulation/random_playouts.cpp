#include "simulation/random_playouts.hpp"

#include <algorithm>

#include "random.hpp"
#include "thread_clock.hpp"

namespace ggp {
namespace {

// Maximal number of turns between two reads of the clock; the number grows while the time between reads is short.
constexpr int kMostTurns = 16;
constexpr double kOften = 0.001;

}  // namespace

RandomPlayouts::RandomPlayouts(Simulator& simulator, std::uint64_t seed, bool perceives)
    : simulator_(simulator),
      percepts_(perceives ? simulator.optional_interface<Percepts>() : nullptr),
      ended_(simulator.groups()),
      playing_(simulator.groups(), ~std::uint64_t{0}),
      initial_(simulator.lanes(), simulator.initial()),
      started_(simulator.lanes(), 0) {
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
  totals.cpu_seconds = thread_cpu_seconds() - start;
  return totals;
}

void RandomPlayouts::turn(PlayoutTotals& totals) {
  simulator_.evaluate();
  const int roles = simulator_.roles();
  std::uint64_t any = 0;
  for (int group = 0; group < simulator_.groups(); ++group) {
    ended_[group] = simulator_.terminal()[group];
    playing_[group] = ~ended_[group];
    any |= ended_[group];
    for (std::uint64_t lanes = ended_[group]; lanes != 0; lanes &= lanes - 1) {
      const int lane = 64 * group + __builtin_ctzll(lanes);
      for (int role = 0; role < roles; ++role) {
        const int goal = simulator_.goal(lane, role);
        totals.goals[role] += goal > 0 ? goal : 0;
      }
      ++totals.playouts;
      totals.turns += round_ - started_[lane];
      started_[lane] = round_ + 1;
    }
    totals.states += __builtin_popcountll(playing_[group]);
  }
  simulator_.choose_at_random(playing_.data());
  if (percepts_ != nullptr) percepts_->perceive();
  simulator_.step();
  if (any != 0) simulator_.load(ended_.data(), initial_.data());
  ++round_;
}

PlayoutTotals random_playouts(Simulator& simulator, double cpu_seconds, std::uint64_t seed,
                              const std::atomic<bool>& stop) {
  return RandomPlayouts(simulator, seed).run(cpu_seconds, stop);
}

}  // namespace ggp

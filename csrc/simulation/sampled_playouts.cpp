#include "simulation/sampled_playouts.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/random.hpp"
#include "base/thread_clock.hpp"
#include "interfaces/winning_moves.hpp"

namespace ggp {

namespace {

// Seed of the simulator's lanes, different from the seeds of the samples.
constexpr std::uint64_t kOfLanes = 0x5EED0FA11A4E5ull;

const SamplingPlan& checked(const SamplingPlan& plan) {
  if (plan.samples < 1 || plan.longest < 1)
    throw std::invalid_argument("sampled play-outs need at least 1 sample and 1 turn");
  return plan;
}

}  // namespace

SampledPlayouts::SampledPlayouts(Simulator& simulator, const SamplingPlan& plan)
    : simulator_(simulator),
      plan_(checked(plan)),
      roles_(simulator.roles()),
      words_(simulator.state_words()),
      playing_(simulator.groups(), ~std::uint64_t{0}),
      ended_(simulator.groups()),
      mask_(simulator.groups()),
      initial_(simulator.lanes(), simulator.initial()),
      targets_(simulator.lanes()),
      started_(simulator.lanes()),
      random_(simulator.lanes()),
      reservoir_(std::size_t(simulator.lanes()) * plan.samples * words_ + 1),
      filled_(std::size_t(simulator.lanes()) * plan.samples),
      movers_(filled_.size()),
      goals_(roles_) {
  for (int lane = 0; lane < simulator.lanes(); ++lane) {
    simulator.seed(lane, stream_seed(plan.seed ^ kOfLanes, lane));
    begin(lane);
  }
  WinningMoves* const winning_moves = simulator.optional_interface<WinningMoves>();
  if (winning_moves != nullptr) winning_moves->look_ahead(playing_.data(), true);
  simulator.load(playing_.data(), initial_.data());
}

// Drops the play-out of a lane; the lane starts at the initial state in the next round.
void SampledPlayouts::begin(int lane) {
  started_[lane] = round_;
  random_[lane] = stream_seed(plan_.seed, begun_++);
  std::fill_n(&filled_[std::size_t(lane) * plan_.samples], plan_.samples, 0);
}

std::size_t SampledPlayouts::run(const SampledRows& rows, double cpu_seconds, const std::atomic<bool>& stop) {
  kept_ = 0;
  const double start = thread_cpu_seconds();
  const std::size_t most_at_once = std::size_t(simulator_.lanes()) * plan_.samples;
  while (kept_ + most_at_once <= rows.capacity && !stop.load(std::memory_order_relaxed)) {
    simulator_.evaluate();
    for (int group = 0; group < simulator_.groups(); ++group) {
      ended_[group] = simulator_.terminal()[group];
      playing_[group] = ~ended_[group];
    }
    ++round_;
    for_each_lane(ended_.data(), simulator_.groups(), [&](int lane) { keep(rows, lane); });
    // Play-outs that are too long, or cannot end because a role has no move, start again.
    for_each_lane(playing_.data(), simulator_.groups(), [&](int lane) {
      if (round_ - started_[lane] <= plan_.longest) return;
      ++dropped_;
      begin(lane);
      add_lane(ended_, lane);
      remove_lane(playing_, lane);
    });
    sample();
    simulator_.choose_at_random(playing_.data());
    simulator_.step();
    simulator_.load(ended_.data(), initial_.data());
    if (thread_cpu_seconds() - start > cpu_seconds) break;
  }
  return kept_;
}

// Writes the kept states of a play-out that has ended, and starts another.
void SampledPlayouts::keep(const SampledRows& rows, int lane) {
  bool has_goals = true;
  for (int role = 0; role < roles_; ++role) {
    goals_[role] = simulator_.goal(lane, role);
    has_goals &= goals_[role] >= 0;
  }
  if (!has_goals) ++dropped_;
  for (int i = 0; i < plan_.samples && has_goals; ++i) {
    const std::size_t place = std::size_t(lane) * plan_.samples + i;
    if (!filled_[place]) continue;  // a game of one turn has no states to keep
    std::copy_n(&reservoir_[place * words_], words_, rows.states + kept_ * words_);
    for (int role = 0; role < roles_; ++role) rows.goals[kept_ * roles_ + role] = static_cast<std::int8_t>(goals_[role]);
    rows.movers[kept_] = movers_[place];
    ++kept_;
  }
  begin(lane);
}

// Stores the states that become samples: the n-th state after the initial state becomes one with probability 1 / n.
void SampledPlayouts::sample() {
  for (int i = 0; i < plan_.samples; ++i) {
    remove_lanes(mask_);
    for_each_lane(playing_.data(), simulator_.groups(), [&](int lane) {
      const auto ply = static_cast<std::uint32_t>(round_ - 1 - started_[lane]);
      if (ply == 0 || draw_below(random_[lane], ply) != 0) return;
      const std::size_t place = std::size_t(lane) * plan_.samples + i;
      filled_[place] = 1;
      movers_[place] = mover(lane);
      targets_[lane] = &reservoir_[place * words_];
      add_lane(mask_, lane);
    });
    if (any_lane(mask_)) simulator_.store(mask_.data(), targets_.data());
  }
}

std::int32_t SampledPlayouts::mover(int lane) {
  std::int32_t mover = -1;
  for (int role = 0; role < roles_; ++role) {
    if (simulator_.legal_count(lane, role) < 2) continue;
    if (mover >= 0) return -1;
    mover = role;
  }
  return mover;
}

}  // namespace ggp

#include "hidden/belief.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.hpp"
#include "simulation/load_played.hpp"

namespace ggp {
namespace {

using Clock = std::chrono::steady_clock;

// All joint moves are played if their number for each wanted particle is at most this: while the belief is complete,
// and later.
constexpr double kJointMovesIfComplete = 16, kJointMoves = 2;
// The largest number of joint moves for each wanted particle when few particles survive.
constexpr double kJointMovesIfFew = 8;
// The particles of which the number of joint moves is counted; more are extrapolated.
constexpr std::size_t kCounted = 512;
constexpr double kFewSurvive = 0.25;
// The share of the time that all joint moves may be expected to take, and the share after which they are ended.
constexpr double kTimeShare = 0.25, kForwardShare = 0.5;
// The largest number of drawn joint moves for each wanted particle.
constexpr std::size_t kMostDraws = 8;
// The share of the time for games from the start.
constexpr double kReplayShare = 0.2;
// The share of the time for more histories if there is at least one; the largest number of batches of games.
constexpr double kVarietyShare = 0.1;
constexpr int kReplays = 64;
// Searches in sequence that find no other history before going back further.
constexpr int kRepeated = 16;

std::vector<std::uint32_t> indices(std::size_t count) {
  std::vector<std::uint32_t> result(count);
  std::iota(result.begin(), result.end(), 0);
  return result;
}

Deadline within(Deadline deadline, double share) {
  const auto now = Clock::now();
  return now + std::chrono::duration_cast<Clock::duration>((deadline - now) * share);
}

}  // namespace

Belief::Belief(Simulator& simulator, int chance, int role, std::size_t particles, std::uint64_t seed)
    : game_(simulator, chance),
      role_(role),
      count_(particles),
      random_(mix64(seed + 1)),
      player_(game_, role, seed),
      now_(game_.words(), game_.roles()) {
  const std::vector<std::uint64_t> keys(game_.roles(), kFirstKey);
  std::copy_n(simulator.initial(), game_.words(), now_.add(keys.data(), 0));
}

void Belief::observe(const Observation& seen, double seconds) {
  const std::chrono::duration<double> time(seconds);
  const Deadline deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(time);
  stored_.push_back(lost_ ? Particles(game_.words(), game_.roles()) : reduced(now_, kStored));
  history_.push_back(seen);
  Particles next(game_.words(), game_.roles());
  if (!lost_) forward(seen, next, deadline);
  if (!complete_ && next.size() < kDistinct) {
    const Deadline end = next.empty() ? deadline : within(deadline, kVarietyShare);
    replay(next, within(end, kReplayShare));
    if (next.size() < kDistinct) go_back(next, end);
  }
  if (next.size() > 2 * count_) {
    const std::size_t states = next.states();
    if (states <= count_) {
      next.thin(count_ / states, random_);
    } else {
      next = reduced(next, count_);
      complete_ = false;
    }
  }
  next.scale(1);
  lost_ = next.empty();
  if (!lost_) {
    now_ = std::move(next);
    return;
  }
  complete_ = false;
  player_.sample(now_, resample(now_.weights(), count_, random_), seen, 0, next, deadline, false);
  // If even the own move or the end is impossible, the old states remain; no other states are better.
  if (!next.empty()) now_ = std::move(next);
}

void Belief::forward(const Observation& seen, Particles& next, Deadline deadline) {
  const bool all = now_.size() <= kCounted;
  const std::vector<double> weights = now_.weights();
  const std::vector<std::uint32_t> counted = all ? indices(now_.size()) : resample(weights, kCounted, random_);
  const double joint = player_.joint_moves(now_, counted, seen) / static_cast<double>(counted.size());
  const double here = static_cast<double>(now_.size());
  const double affordable = kTimeShare * std::chrono::duration<double>(deadline - Clock::now()).count() / seconds_each_;
  double most = std::min(affordable, (complete_ ? kJointMovesIfComplete : kJointMoves) * static_cast<double>(count_));
  if (joint * here > most) {
    const double of_states = joint * static_cast<double>(now_.states());
    const double most_thinned = std::min(affordable, kJointMovesIfComplete * static_cast<double>(count_));
    if (of_states <= most_thinned) {
      now_.thin(static_cast<std::size_t>(most_thinned / of_states), random_);
      most = most_thinned;
    }
  }
  if (joint * static_cast<double>(now_.size()) > most) {
    complete_ = false;
    sample(weights, kFewSurvive, seen, next, joint, deadline);
    return;
  }
  std::vector<std::uint32_t> which = indices(now_.size());
  shuffle(which, random_);  // so that a part of them is a sample
  std::vector<double> log_weights;
  for (const std::uint32_t each : which) log_weights.push_back(now_.log_weight(each));
  const auto start = Clock::now();
  if (!player_.expand(now_, which, log_weights, seen, next, within(deadline, kForwardShare))) complete_ = false;
  // The time of a small batch is a poor measure for the time of a joint move.
  const double played = std::max(joint * static_cast<double>(now_.size()), static_cast<double>(game_.lanes()));
  seconds_each_ = std::chrono::duration<double>(Clock::now() - start).count() / played;
  next.merge();
}

// In random order, so that the draws before the deadline are a sample of all.
std::vector<std::uint32_t> Belief::shuffled_draws(const std::vector<double>& weights, std::size_t count) {
  std::vector<std::uint32_t> drawn = resample(weights, count, random_);
  shuffle(drawn, random_);
  return drawn;
}

// Methods 2 and 3; joint_moves is the mean of a particle.
void Belief::sample(const std::vector<double>& weights, double acceptance_wanted, const Observation& seen,
                    Particles& next, double joint_moves, Deadline deadline) {
  // The first draws, of one batch, show whether enough particles survive.
  std::size_t drawn = 0, more = std::min<std::size_t>(count_, game_.lanes());
  while (drawn < kMostDraws * count_) {
    drawn += player_.sample(now_, shuffled_draws(weights, more), seen, 0, next, deadline);
    const double acceptance = static_cast<double>(next.size()) / static_cast<double>(drawn);
    if (next.size() >= count_ || acceptance < acceptance_wanted || Clock::now() > deadline) break;
    more = std::min(count_, static_cast<std::size_t>(static_cast<double>(count_ - next.size()) / acceptance) + 1);
  }
  const bool few = static_cast<double>(next.size()) < acceptance_wanted * static_cast<double>(drawn);
  next.merge();
  if (!few) return;
  const double sources = kJointMovesIfFew * static_cast<double>(count_) / std::max(1.0, joint_moves);
  const std::vector<std::uint32_t> which = shuffled_draws(weights, static_cast<std::size_t>(std::max(1.0, sources)));
  Particles ahead(game_.words(), game_.roles());
  player_.expand(now_, which, std::vector<double>(which.size()), seen, ahead, deadline);
  ahead.merge();
  if (ahead.size() > next.size()) next = std::move(ahead);
}

void Belief::replay(Particles& found, Deadline deadline) {
  Particles start(game_.words(), game_.roles()), survivors(game_.words(), game_.roles());
  const std::vector<std::uint64_t> keys(game_.roles(), kFirstKey);
  std::copy_n(game_.simulator().initial(), game_.words(), start.add(keys.data(), 0));
  for (int batch = 0; batch < kReplays && survivors.size() < kDistinct && Clock::now() < deadline; ++batch) {
    Particles now = start;
    std::vector<std::uint32_t> which(game_.lanes());
    for (const Observation& seen : history_) {
      Particles next(game_.words(), game_.roles());
      player_.sample(now, which, seen, 0, next, deadline);
      now = std::move(next);
      if (now.empty() || Clock::now() > deadline) break;
      which = indices(now.size());
    }
    if (Clock::now() > deadline) break;  // perhaps not played to the end
    for (std::size_t each = 0; each < now.size(); ++each) survivors.add(now, each, 0);
    const std::size_t before = survivors.size();
    survivors.merge();
    if (before > 64 * kDistinct && survivors.size() < kDistinct) break;  // there are no others
  }
  pool(found, survivors);
}

void Belief::go_back(Particles& found, Deadline deadline) {
  const std::size_t turns = history_.size();
  for (std::size_t back = 1;; back = std::min(2 * back, turns)) {
    const std::size_t turn = turns - back;
    const Particles& from = stored_[turn];
    Particles dives(game_.words(), game_.roles());
    for (int repeated = 0; !from.empty() && repeated < kRepeated;) {
      std::vector<double> weights = from.weights();
      double left = 0;
      for (std::uint32_t each = 0; each < from.size(); ++each) {
        if (marks_.count(mark(turn, from, each))) weights[each] = 0;
        left += weights[each];
      }
      if (left <= 0 || found.size() + dives.size() >= kDistinct || Clock::now() > deadline) break;
      for (double& weight : weights) weight /= left;
      const std::uint32_t start = resample(weights, 1, random_)[0];
      const std::size_t before = dives.size();
      if (dive(turn, from, start, dives, deadline)) dives.merge();
      repeated = dives.size() > before ? 0 : repeated + 1;
    }
    pool(found, dives);
    if (back == turns || found.size() >= kDistinct || Clock::now() > deadline) return;
  }
}

// A depth-first search with a random order. Appends the consistent successors of the last step.
bool Belief::dive(std::size_t turn, const Particles& from, std::uint32_t start, Particles& out, Deadline deadline) {
  struct Level {
    Particles positions;
    std::vector<std::uint32_t> order;  // the last one is next
    double log_weight;                 // of the path to these positions
  };
  std::vector<Level> path;
  path.push_back({from, {start}, 0});
  while (!path.empty()) {
    const std::size_t depth = turn + path.size() - 1;
    Level& level = path.back();
    if (level.order.empty()) {
      path.pop_back();
      // No position of this level has a continuation, so the position above has none.
      if (!path.empty()) {
        marks_.insert(mark(depth - 1, path.back().positions, path.back().order.back()));
        path.back().order.pop_back();
      }
      continue;
    }
    const std::uint32_t here = level.order.back();
    if (marks_.count(mark(depth, level.positions, here))) {
      level.order.pop_back();
      continue;
    }
    Particles successors(game_.words(), game_.roles());
    const double log_weight = path.size() == 1 ? 0 : level.log_weight + level.positions.log_weight(here);
    if (!player_.expand(level.positions, {here}, {0}, history_[depth], successors, deadline)) return false;
    successors.merge();
    if (successors.empty()) {
      marks_.insert(mark(depth, level.positions, here));
      level.order.pop_back();
      continue;
    }
    if (depth + 1 == history_.size()) {
      for (std::size_t each = 0; each < successors.size(); ++each)
        out.add(successors, each, log_weight + successors.log_weight(each));
      return true;
    }
    std::vector<std::uint32_t> order = indices(successors.size());
    shuffle(order, random_);
    const double added = std::log(static_cast<double>(order.size()));
    path.push_back({std::move(successors), std::move(order), log_weight + added});
  }
  return false;
}

// Whether a position has a consistent continuation depends on its state only.
std::uint64_t Belief::mark(std::size_t turn, const Particles& particles, std::size_t particle) const {
  std::uint64_t hash = mix64(turn + 1);
  for (int word = 0; word < game_.words(); ++word) hash = mix64(hash + particles.state(particle)[word]);
  return hash;
}

Particles Belief::reduced(const Particles& particles, std::size_t count) {
  if (particles.size() <= count) return particles;
  Particles result(game_.words(), game_.roles());
  const std::vector<std::uint32_t> drawn = resample(particles.weights(), count, random_);
  for (std::size_t begin = 0, end = 0; begin < drawn.size(); begin = end) {
    for (end = begin; end < drawn.size() && drawn[end] == drawn[begin];) ++end;
    result.add(particles, drawn[begin], std::log(static_cast<double>(end - begin)));
  }
  return result;
}

void Belief::pool(Particles& to, Particles& more) {
  more.merge();
  if (more.empty()) return;
  to.scale(static_cast<double>(to.size()));
  more.scale(static_cast<double>(more.size()));
  for (std::size_t each = 0; each < more.size(); ++each) to.add(more, each, more.log_weight(each));
  to.merge();
}

std::vector<std::pair<int, double>> Belief::moves() {
  Simulator& simulator = game_.simulator();
  const int lanes = game_.lanes();
  const std::vector<double> weights = now_.weights();
  std::vector<double> legal(simulator.moves(role_));
  std::vector<int> list(std::max(1, simulator.moves(role_)));
  std::vector<const std::uint64_t*> states(lanes);
  LaneMask mask(simulator.groups());
  for (std::size_t begin = 0; begin < now_.size(); begin += lanes) {
    const int count = static_cast<int>(std::min<std::size_t>(lanes, now_.size() - begin));
    remove_lanes(mask);
    for (int lane = 0; lane < count; ++lane) {
      add_lane(mask, lane);
      states[lane] = now_.state(begin + lane);
    }
    load_played(simulator, mask.data(), states.data());
    simulator.evaluate();
    for (int lane = 0; lane < count; ++lane) {
      if (simulator.terminal()[lane >> 6] & lane_bit(lane)) continue;
      const int found = simulator.legal(lane, role_, list.data());
      for (int i = 0; i < found; ++i) legal[list[i]] += weights[begin + lane];
    }
  }
  std::vector<std::pair<int, double>> result;
  for (std::size_t move = 0; move < legal.size(); ++move)
    if (legal[move] > 0) result.emplace_back(static_cast<int>(move), legal[move]);
  return result;
}

}  // namespace ggp

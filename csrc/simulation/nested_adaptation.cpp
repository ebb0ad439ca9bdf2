#include "simulation/nested_adaptation.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/lane_mask.hpp"
#include "base/random.hpp"
#include "base/thread_clock.hpp"

namespace ggp {
namespace {

constexpr float kAlpha = 1;
// Limit of weights, so that exp() of a float neither overflows nor underflows.
constexpr float kHeaviest = 40;

}  // namespace

void NestedAdaptation::Line::clear() {
  moves.clear();
  legal.clear();
  ends.clear();
  goal = -1;
}

NestedAdaptation::NestedAdaptation(Simulator& simulator, const std::uint64_t* start, int target, std::uint64_t seed)
    : simulator_(simulator),
      target_(target),
      start_(start, start + simulator.state_words()),
      playing_(simulator.groups(), ~std::uint64_t{0}),
      fresh_(simulator.groups()),
      sources_(simulator.lanes(), start_.data()),
      lanes_(simulator.lanes()) {
  if (simulator.roles() != 1) throw std::invalid_argument("only games of one role are searched by nested adaptation");
  legal_.resize(simulator.moves(0) + 1);
  seen_.resize(simulator.moves(0));
  begin_level_2();
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    lanes_[lane].random = stream_seed(seed, lane);
    lanes_[lane].policy = common_;
  }
  simulator_.load(playing_.data(), sources_.data());
  simulator_.evaluate();
  over_ = (simulator_.terminal()[0] & 1) != 0 || simulator_.legal_count(0, 0) == 0;
  if ((simulator_.terminal()[0] & 1) != 0) best_ = goal(0);
}

bool NestedAdaptation::run(double cpu_seconds, const std::atomic<bool>& stop) {
  const double until = thread_cpu_seconds() + cpu_seconds;
  while (best_ < target_ && !over_ && !stop.load(std::memory_order_relaxed) && thread_cpu_seconds() < until) turn();
  return best_ >= target_ || over_;
}

void NestedAdaptation::begin_level_2() {
  common_.weights.assign(simulator_.moves(0), 0);
  common_.chances.assign(simulator_.moves(0), 1);
  common_best_.clear();
  handed_over_ = 0;
}

// Plays one move in every lane; lanes whose line is over start a new line first.
void NestedAdaptation::turn() {
  simulator_.evaluate();
  bool any = false;
  for (int group = 0; group < simulator_.groups(); ++group) {
    fresh_[group] = simulator_.terminal()[group];
    for_each_lane(group, fresh_[group], [&](int lane) { end(lane, goal(lane)); });
    for_each_lane(group, ~fresh_[group], [&](int lane) {
      if (lanes_[lane].line.moves.size() < kLongest && simulator_.legal_count(lane, 0) > 0) return;
      fresh_[group] |= lane_bit(lane);
      end(lane, -1);
    });
    any |= fresh_[group] != 0;
  }
  if (any) {
    simulator_.load(fresh_.data(), sources_.data());
    simulator_.evaluate();
  }
  for (int lane = 0; lane < simulator_.lanes(); ++lane) move(lane);
  simulator_.step();
}

int NestedAdaptation::goal(int lane) { return std::max(0, simulator_.goal(lane, 0)); }

void NestedAdaptation::move(int number) {
  const int count = simulator_.legal(number, 0, legal_.data());
  Lane& lane = lanes_[number];
  float sum = 0;
  for (int i = 0; i < count; ++i) sum += lane.policy.chances[legal_[i]];
  float left = sum * static_cast<float>(draw(lane.random) >> 40) / static_cast<float>(1 << 24);
  int chosen = 0;
  while (chosen + 1 < count && (left -= lane.policy.chances[legal_[chosen]]) >= 0) ++chosen;
  lane.line.moves.push_back(legal_[chosen]);
  lane.line.legal.insert(lane.line.legal.end(), legal_.begin(), legal_.begin() + count);
  lane.line.ends.push_back(lane.line.legal.size());
  simulator_.choose(number, 0, legal_[chosen]);
}

// Processes the complete line of a lane, which then starts another.
void NestedAdaptation::end(int number, int goal) {
  Lane& lane = lanes_[number];
  ++lines_;
  lane.line.goal = goal;
  if (goal > best_) {
    best_ = goal;
    line_ = lane.line.moves;
  }
  if (goal >= lane.best.goal) std::swap(lane.line, lane.best);
  lane.line.clear();
  adapt(lane.policy, lane.best);
  if (++lane.lines < kLines) return;
  lane.lines = 0;
  if (lane.best.goal >= common_best_.goal) std::swap(lane.best, common_best_);
  lane.best.clear();
  adapt(common_, common_best_);
  if (++handed_over_ == static_cast<std::uint64_t>(kRounds) * lanes_.size()) begin_level_2();
  lane.policy = common_;
}

void NestedAdaptation::adapt(Policy& policy, const Line& line) {
  if (line.goal <= 0) return;
  std::size_t begin = 0;
  for (std::size_t step = 0; step < line.moves.size(); ++step) {
    float sum = 0;
    for (std::size_t i = begin; i < line.ends[step]; ++i) sum += policy.chances[line.legal[i]];
    for (std::size_t i = begin; i < line.ends[step]; ++i)
      policy.weights[line.legal[i]] -= kAlpha * policy.chances[line.legal[i]] / sum;
    policy.weights[line.moves[step]] += kAlpha;
    begin = line.ends[step];
  }
  ++adaptations_;
  for (const int move : line.legal) {
    if (seen_[move] == adaptations_) continue;
    seen_[move] = adaptations_;
    policy.weights[move] = std::clamp(policy.weights[move], -kHeaviest, kHeaviest);
    policy.chances[move] = std::exp(policy.weights[move]);
  }
}

}  // namespace ggp

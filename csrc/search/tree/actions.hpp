// The actions of a choice of the tree: the moves that were tried, with their statistics.
//
// Untried moves come first (selection.hpp), so nearly every action of a choice with untried moves has one visit and no
// child. Such a choice has *single-visit actions* of 4 bytes, which keep the reward of the only visit. All actions of a
// choice become *full* actions of 16 bytes (Tree::make_full()) as soon as one of them needs a second visit, a child or
// a bound, or when no untried move is left. They stay full.
//
// `Actions` gives access to both. Values that a single-visit action cannot store are written to full actions only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "search/tree/heap.hpp"

namespace ggp {

// Proven bounds of a goal, both included.
struct Bounds {
  std::uint8_t pessimistic, optimistic;

  bool settled() const { return pessimistic == optimistic; }
  bool operator==(const Bounds& other) const {
    return pessimistic == other.pessimistic && optimistic == other.optimistic;
  }
  bool operator!=(const Bounds& other) const { return !(*this == other); }
};
constexpr Bounds kUnknown{0, 100};

struct Action {
  float mean;                // reward of the role over the observed visits
  std::uint32_t visits;      // observed
  Index child;               // only in nodes with a mover
  std::uint16_t unobserved;  // visits of simulations in flight
  Bounds bounds;             // bounds of the role's goal after this action
};
static_assert(sizeof(Action) == 16);

// The value of an action that was never visited.
constexpr Action kNewAction{0.0f, 0, kNone, 0, kUnknown};

// Adds the n-th reward to a mean; share is 1 / n. The mean is rounded to a float up or down at random (by n), in
// proportion to the remainder: with rounding to the nearest, most steps would be lost once n is in the millions.
inline void take_in(float& mean, double reward, std::uint32_t n, float share) {
  double exact = mean + (reward - mean) * share;
  std::uint64_t bits;
  std::memcpy(&bits, &exact, sizeof bits);
  constexpr std::uint64_t kCut = (std::uint64_t{1} << 29) - 1;
  bits = (bits + (n * 0x9E3779B1u >> 3)) & ~kCut;
  std::memcpy(&exact, &bits, sizeof bits);
  mean = static_cast<float>(exact);
}

// take_in() for two means at once.
inline void take_in_both(float& one, float& other, double to_one, double to_other, std::uint32_t n, float share) {
  typedef double Doubles __attribute__((vector_size(16)));
  typedef std::int64_t Bits __attribute__((vector_size(16)));
  const Doubles means = {one, other}, rewards = {to_one, to_other};
  Bits bits = reinterpret_cast<Bits>(means + (rewards - means) * static_cast<double>(share));
  constexpr std::int64_t kCut = (std::int64_t{1} << 29) - 1;
  bits = (bits + static_cast<std::int64_t>(n * 0x9E3779B1u >> 3)) & ~kCut;
  const Doubles rounded = reinterpret_cast<Doubles>(bits);
  one = static_cast<float>(rounded[0]);
  other = static_cast<float>(rounded[1]);
}

// An action of at most one visit: its mean or, without an observed visit, a bit pattern that is not a mean.
class SingleVisitAction {
 public:
  SingleVisitAction() = default;
  bool is_observed() const { return bits_ != kUntaken && bits_ != kUnderWay; }
  Action action() const {
    Action action = kNewAction;
    if (is_observed()) {
      action.visits = 1;
      std::memcpy(&action.mean, &bits_, sizeof bits_);
    } else {
      action.unobserved = bits_ == kUnderWay;
    }
    return action;
  }
  void begin() { bits_ = kUnderWay; }
  void withdraw() { bits_ = kUntaken; }
  void observe(double reward) {
    float mean = 0.0f;
    take_in(mean, reward, 1, 1.0f);
    std::memcpy(&bits_, &mean, sizeof bits_);
  }

 private:
  // NaNs; a mean is never NaN.
  static constexpr std::uint32_t kUntaken = 0x7FC00000u, kUnderWay = 0x7FC00001u;

  std::uint32_t bits_ = kUntaken;
};
static_assert(sizeof(SingleVisitAction) == 4);

// The actions of a choice; valid until the choice gets another action, or its actions become full.
class Actions {
 public:
  Actions(void* block, bool full) : block_(block), full_(full) {}

  static std::size_t bytes_each(bool full) { return full ? sizeof(Action) : sizeof(SingleVisitAction); }

  // Returns a copy of an action.
  Action operator[](std::uint32_t place) const { return full_ ? all()[place] : single()[place].action(); }
  // The full actions; the choice must have full actions.
  Action* all() const { return static_cast<Action*>(block_); }

  // Adds an action that was never visited.
  void add(std::uint32_t place) const {
    if (full_) {
      all()[place] = kNewAction;
    } else {
      single()[place] = SingleVisitAction();
    }
  }
  // Counts a simulation that begins. A single-visit action has no earlier simulation.
  void begin(std::uint32_t place) const {
    if (full_) {
      ++all()[place].unobserved;
    } else {
      single()[place].begin();
    }
  }
  // Removes a simulation in flight.
  void withdraw(std::uint32_t place) const {
    if (full_) {
      --all()[place].unobserved;
    } else {
      single()[place].withdraw();
    }
  }
  // Turns a simulation in flight into a visit.
  void observe(std::uint32_t place, double reward) const {
    if (!full_) return single()[place].observe(reward);
    Action& action = all()[place];
    --action.unobserved;
    ++action.visits;
    take_in(action.mean, reward, action.visits, 1.0f / static_cast<float>(action.visits));
  }

 private:
  SingleVisitAction* single() const { return static_cast<SingleVisitAction*>(block_); }

  void* block_;
  bool full_;
};

}  // namespace ggp

// What a choice of the tree keeps of its actions, the moves that were tried.
//
// Untried moves come first (selection.hpp), so while a choice has some left nearly every action has one visit and
// nothing behind it. All its actions are *trials* then, of 4 bytes: the reward of the only visit. As soon as more is to
// be kept of one, a second visit, a child, a bound, and when no move is left to be tried, all of them become whole
// (Tree::make_whole()), 16 bytes each, and stay so.
//
// `Actions` is the one way to look at both. What a trial cannot hold is written to whole actions alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "search/heap.hpp"

namespace ggp {

// What is proven of a goal: it lies within these two.
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
  Index child;               // in nodes with a mover
  std::uint16_t unobserved;  // visits of simulations under way
  Bounds bounds;             // of the role's goal behind this action
};
static_assert(sizeof(Action) == 16);

// Of an action that was never visited.
constexpr Action kNewAction{0.0f, 0, kNone, 0, kUnknown};

// Takes the n-th reward into a mean; share is 1 / n. The mean is rounded to a float up or down by chance (n
// decides), in proportion to what is cut off: to the nearest, most steps would be lost once n is in the millions.
inline void take_in(float& mean, double reward, std::uint32_t n, float share) {
  double exact = mean + (reward - mean) * share;
  std::uint64_t bits;
  std::memcpy(&bits, &exact, sizeof bits);
  constexpr std::uint64_t kCut = (std::uint64_t{1} << 29) - 1;
  bits = (bits + (n * 0x9E3779B1u >> 3)) & ~kCut;
  std::memcpy(&exact, &bits, sizeof bits);
  mean = static_cast<float>(exact);
}

// The mean of an action of one visit; before that a number that no mean is.
class Trial {
 public:
  Trial() = default;
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
  // Not numbers, both.
  static constexpr std::uint32_t kUntaken = 0x7FC00000u, kUnderWay = 0x7FC00001u;

  std::uint32_t bits_ = kUntaken;
};
static_assert(sizeof(Trial) == 4);

// The actions of a choice, until it gets more of them or they become whole.
class Actions {
 public:
  Actions(void* block, bool whole) : block_(block), whole_(whole) {}

  static std::size_t bytes_each(bool whole) { return whole ? sizeof(Action) : sizeof(Trial); }

  // An action, as it is now.
  Action operator[](std::uint32_t place) const { return whole_ ? all()[place] : trials()[place].action(); }
  // All of them, where they are whole.
  Action* all() const { return static_cast<Action*>(block_); }

  // Makes an action that was never visited.
  void add(std::uint32_t place) const {
    if (whole_) {
      all()[place] = kNewAction;
    } else {
      trials()[place] = Trial();
    }
  }
  // Lets a simulation pass, the first one where the action is a trial.
  void begin(std::uint32_t place) const {
    if (whole_) {
      ++all()[place].unobserved;
    } else {
      trials()[place].begin();
    }
  }
  // Takes back a simulation under way.
  void withdraw(std::uint32_t place) const {
    if (whole_) {
      --all()[place].unobserved;
    } else {
      trials()[place].withdraw();
    }
  }
  // Turns a simulation under way into a visit.
  void observe(std::uint32_t place, double reward) const {
    if (!whole_) return trials()[place].observe(reward);
    Action& action = all()[place];
    --action.unobserved;
    ++action.visits;
    take_in(action.mean, reward, action.visits, 1.0f / static_cast<float>(action.visits));
  }

 private:
  Trial* trials() const { return static_cast<Trial*>(block_); }

  void* block_;
  bool whole_;
};

}  // namespace ggp

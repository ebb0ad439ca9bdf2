// All states of a game of one role, the nearest first, with a table of those that were met.
//
// States are kept packed, in the order in which they were met, each with the number of the state before it and the move
// between; the table holds their numbers, by open addressing over 64-bit keys. Equal are states that agree in the bits
// of a mask: left out of it is what only counts the steps. As many states as there are lanes are expanded together.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulator.hpp"

namespace ggp {

class BreadthFirst {
 public:
  enum class Status : std::uint8_t { kGoesOn, kFoundTarget, kSawAll, kOutOfMemory };

  // Begins with `start`, state_words() words; so has `mask`. Ends at a terminal state whose goal is at least `target`.
  // Holds at most so many states (at least one, below 2^32 - 1). Throws std::invalid_argument where the game has not one
  // role, std::bad_alloc.
  BreadthFirst(Simulator& simulator, const std::uint64_t* start, const std::uint64_t* mask, int target,
               std::size_t max_states);

  // Goes on for about so many CPU-seconds of this thread, or until `stop` is set.
  Status run(double cpu_seconds, const std::atomic<bool>& stop);

  // The best goal of the terminal states met, -1 where there is none; one without a single goal counts as 0.
  int best() const { return best_; }
  // The moves that lead to the first state with it.
  std::vector<int> line() const;
  std::size_t states() const { return parents_.size(); }
  std::size_t expanded() const { return next_; }

 private:
  struct Edge {
    std::uint32_t state;
    int move;
  };

  const std::uint64_t* at(std::size_t number) const { return states_.data() + number * words_; }
  std::uint64_t key(const std::uint64_t* state) const;
  bool add(const std::uint64_t* state, std::uint32_t parent, int move);
  void grow();
  void load(const std::vector<std::uint32_t>& which);
  void look_at_states();
  bool play();
  void judge(std::uint32_t number, int lane);

  Simulator& simulator_;
  std::size_t words_;
  std::size_t max_states_;
  int target_;
  std::vector<std::uint64_t> mask_;
  std::vector<std::uint64_t> states_;
  std::vector<std::uint32_t> parents_;
  std::vector<int> moves_;
  std::vector<std::uint32_t> table_;  // number of a state plus 1; 0 is empty
  std::size_t next_ = 0;              // the first state that is not expanded
  int best_ = -1;
  std::uint32_t best_state_ = 0;
  bool full_ = false;

  std::vector<Edge> edges_;  // of the states of one batch
  std::vector<std::uint32_t> batch_;
  std::vector<std::uint64_t> lanes_;
  std::vector<const std::uint64_t*> sources_;
  std::vector<std::uint64_t> successors_;
  std::vector<std::uint64_t*> targets_;
  std::vector<int> legal_;
};

}  // namespace ggp

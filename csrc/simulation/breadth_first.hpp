// Search of all states of a game of one role, nearest states first, with a table of visited states. A beam keeps a
// limited number of states of every depth. As many states as the simulator has lanes are expanded together.
//
// Without a width, every state is expanded in the order of discovery. With a width w, only the w best states among the
// states found first at depth d are expanded, by
//
//     order 0: random                       order 1: the highest goal that holds there, 0 without one, then random
//     order 2: the most legal moves, then random        order 3: the fewest, then random
//
// where random is a hash of the state and the seed. Beam search: Lowerre, "The HARPY Speech Recognition System", 1976.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "simulation/state_table.hpp"
#include "simulator.hpp"

namespace ggp {

class BreadthFirst {
 public:
  enum class Status : std::uint8_t { kGoesOn, kFoundTarget, kSawAll, kOutOfMemory };

  // Starts at `start`, state_words() words. `mask` has the same size and contains the bits that distinguish states. The
  // search ends at a terminal state with a goal of at least `target`. Throws std::invalid_argument if the game has
  // several roles, and std::bad_alloc.
  BreadthFirst(Simulator& simulator, const std::uint64_t* start, const std::uint64_t* mask, int target,
               std::size_t max_states);

  // Starts again as a beam; width 0 expands all states. The best line so far is kept.
  void begin(std::size_t width, int order, std::uint64_t seed);

  // Continues for about `cpu_seconds` CPU-seconds of this thread, or until `stop` is set. A beam has seen all states
  // when the game has ended on all lines of the beam.
  Status run(double cpu_seconds, const std::atomic<bool>& stop);

  // The best goal of the terminal states found, -1 if there is none; the highest goal of a state counts, 0 without one.
  int best() const { return best_; }
  // The moves that lead to the first state with the best goal.
  const std::vector<int>& line() const { return line_; }
  std::size_t states() const { return table_.size(); }
  // Whether a state was left out since begin() because a depth had more states than the width. If a beam has left out
  // no state and has seen all, it has expanded every state, and a wider beam finds nothing new.
  bool has_left_out() const { return left_out_; }

 private:
  using Number = StateTable::Number;
  struct Edge {
    Number state;
    int move;
  };

  Status status() const;
  void load(const std::vector<Number>& which);
  void next_batch();
  void choose_level();
  void look_at_batch();
  bool play();
  bool is_terminal(std::size_t lane) const;
  void judge(std::size_t lane);
  int goal(int lane);
  std::uint64_t rank(Number number, int lane);

  Simulator& simulator_;
  std::size_t words_;
  int target_;
  StateTable table_;
  std::size_t next_ = 0;  // the first state that is neither expanded nor left out
  int best_ = -1;
  std::vector<int> line_;
  bool full_ = false;
  bool left_out_ = false;

  std::size_t width_ = 0;
  int order_ = 0;
  std::uint64_t seed_ = 0;
  std::vector<std::pair<std::uint64_t, Number>> level_;  // for a beam: states to expand at this depth, last first

  std::vector<Edge> edges_;  // moves of the states of one batch
  std::vector<Number> batch_;
  std::vector<std::uint64_t> lanes_;
  std::vector<const std::uint64_t*> sources_;
  std::vector<std::uint64_t> successors_;
  std::vector<std::uint64_t*> targets_;
  std::vector<int> legal_;
};

}  // namespace ggp

// Random play-outs from the initial state in all lanes, of which some states are kept together with how the game ended:
// what tells which fluents of a game change, and a first evaluation is learned from.
//
// Each play-out keeps `samples` of its non-terminal states: every one of them is drawn, evenly and on its own, from all
// states of the play-out (a reservoir of one; Vitter, ACM TOMS 1985), so that only states that may be kept are stored.
// The initial state is left out: all play-outs share it. Moves look a move ahead where the simulator can.
//
// A play-out of more than `longest` turns counts for nothing and begins anew, as does one whose end has no goals. Those
// that are under way when a run is over go on in the next, so the first to end are not the only ones.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "lane_mask.hpp"
#include "simulator.hpp"

namespace ggp {

struct SamplingPlan {
  std::uint64_t seed = 1;
  int samples = 2;               // of each play-out, at least 1
  std::uint64_t longest = 1000;  // turns, at least 1
};

// Where rows go, one for each kept state; those of one play-out stand together.
struct SampledRows {
  std::uint64_t* states;  // [rows, state_words]
  std::int8_t* goals;     // [rows, roles], of the end, 0 .. 100
  std::size_t capacity;   // rows
};

class SampledPlayouts {
 public:
  // The simulator is theirs alone. Throws std::invalid_argument where the plan is out of range.
  SampledPlayouts(Simulator& simulator, const SamplingPlan& plan);

  // Plays until there is no room for another play-out in each lane, the CPU time of this thread is used up or `stop` is
  // set; one turn at least. Returns the number of rows.
  std::size_t run(const SampledRows& rows, double cpu_seconds, const std::atomic<bool>& stop);

  // Play-outs that counted for nothing so far: too long, or without goals.
  std::uint64_t dropped() const { return dropped_; }

 private:
  void begin(int lane);
  void keep(const SampledRows& rows, int lane);
  void sample();
  template <class Action>
  void for_lanes_of(const LaneMask& mask, Action action) const;

  Simulator& simulator_;
  const SamplingPlan plan_;
  const int roles_, words_;
  std::size_t kept_ = 0;  // rows of this run
  std::uint64_t dropped_ = 0, round_ = 0, begun_ = 0;
  LaneMask playing_, ended_, mask_;
  std::vector<const std::uint64_t*> initial_;          // by lane
  std::vector<std::uint64_t*> targets_;                // by lane
  std::vector<std::uint64_t> started_, random_;        // by lane: the round of the initial state, random numbers
  std::vector<std::uint64_t> reservoir_;               // [lanes, samples, state_words]
  std::vector<std::uint8_t> filled_;                   // [lanes, samples]
  std::vector<int> goals_;                             // by role
};

}  // namespace ggp

// Random play-outs from the initial state in all lanes. Some states are kept together with the final goals. The samples
// show which fluents of a game change, and a first evaluation is learned from them.
//
// Each play-out keeps `samples` of its non-terminal states: each sample is drawn uniformly and independently from all
// states of the play-out (a reservoir of one; Vitter, ACM TOMS 1985), so that only possible samples are stored. The
// initial state is excluded: all play-outs share it. Play-outs look one move ahead if the simulator can.
//
// A play-out is dropped and started again if it has more than `longest` turns or its end has no goals. Unfinished
// play-outs of a run continue in the next run, so that long play-outs are not lost.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/lane_mask.hpp"
#include "simulator.hpp"

namespace ggp {

struct SamplingPlan {
  std::uint64_t seed = 1;
  int samples = 2;               // samples of each play-out, at least 1
  std::uint64_t longest = 1000;  // maximal number of turns, at least 1
};

// The output rows, one for each kept state; the rows of one play-out are adjacent.
struct SampledRows {
  std::uint64_t* states;  // [rows, state_words]
  std::int8_t* goals;     // [rows, roles], final goals, 0 .. 100
  std::int32_t* movers;   // [rows], the only role with several legal moves; -1 if the state has no such role
  std::size_t capacity;   // number of rows
};

class SampledPlayouts {
 public:
  // Nothing else may use the simulator. Throws std::invalid_argument if the plan is out of range.
  SampledPlayouts(Simulator& simulator, const SamplingPlan& plan);

  // Plays at least one turn, and until the space for one more play-out in each lane, the CPU time of this thread, or
  // `stop` ends the run. Returns the number of rows.
  std::size_t run(const SampledRows& rows, double cpu_seconds, const std::atomic<bool>& stop);

  // The number of dropped play-outs so far: too long, or without goals.
  std::uint64_t dropped() const { return dropped_; }

 private:
  void begin(int lane);
  void keep(const SampledRows& rows, int lane);
  void sample();
  std::int32_t mover(int lane);

  Simulator& simulator_;
  const SamplingPlan plan_;
  const int roles_, words_;
  std::size_t kept_ = 0;  // number of rows of this run
  std::uint64_t dropped_ = 0, round_ = 0, begun_ = 0;
  LaneMask playing_, ended_, mask_;
  std::vector<const std::uint64_t*> initial_;          // by lane
  std::vector<std::uint64_t*> targets_;                // by lane
  std::vector<std::uint64_t> started_, random_;        // by lane: the round of the initial state, random numbers
  std::vector<std::uint64_t> reservoir_;               // [lanes, samples, state_words]
  std::vector<std::uint8_t> filled_;                   // [lanes, samples]
  std::vector<std::int32_t> movers_;                   // [lanes, samples]
  std::vector<int> goals_;                             // by role
};

}  // namespace ggp

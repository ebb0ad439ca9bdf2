// Uniformly random play-outs from the initial state, in all lanes at once: the measure of a simulator's speed.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "simulator.hpp"

namespace ggp {

struct PlayoutTotals {
  std::uint64_t playouts = 0;  // that reached a terminal state
  std::uint64_t states = 0;    // states stepped, those of unfinished play-outs included
  std::uint64_t turns = 0;     // of finished play-outs
  double cpu_seconds = 0;      // of this thread
  std::vector<std::uint64_t> goals;  // sum over play-outs by role; undefined goals count 0
};

// Play-outs that go on from one run to the next, so that a long one is not lost where a short measurement ends. The
// simulator is theirs alone meanwhile.
class RandomPlayouts {
 public:
  RandomPlayouts(Simulator& simulator, std::uint64_t seed);

  // Plays until the CPU time is used up, one turn at least, or `stop` is set; the totals are of this run alone.
  PlayoutTotals run(double cpu_seconds, const std::atomic<bool>& stop);

 private:
  void turn(PlayoutTotals& totals);

  Simulator& simulator_;
  std::vector<std::uint64_t> ended_, playing_;  // lane masks
  std::vector<const std::uint64_t*> initial_;   // by lane
  std::vector<std::uint64_t> started_;          // round in which the lane's play-out began
  std::uint64_t round_ = 0;
};

// One run of fresh play-outs.
PlayoutTotals random_playouts(Simulator& simulator, double cpu_seconds, std::uint64_t seed,
                              const std::atomic<bool>& stop);

}  // namespace ggp

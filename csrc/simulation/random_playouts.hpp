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

// Plays until the CPU time is used up or `stop` is set.
PlayoutTotals random_playouts(Simulator& simulator, double cpu_seconds, std::uint64_t seed,
                              const std::atomic<bool>& stop);

}  // namespace ggp

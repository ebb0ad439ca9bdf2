// What a search is told once: the one configuration object from which its components are made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace ggp {

// In the tree.
struct SelectionConfig {
  // C of the exploration term, for rewards in -1..1; finite, at least 0.
  double exploration = 1.4;
};

// Beyond the tree.
struct PlayoutConfig {
  // Plies after which a play-out that does not end is cut off and scored with the goals that hold there.
  std::uint32_t limit = 100000;
};

// What is proven on the way.
struct SolverConfig {
  bool enabled = true;
};

struct Config {
  // Simulations under way at the same time, 1 .. lanes; 0 stands for all lanes of the simulator.
  int in_flight = 0;
  std::uint64_t seed = 1;
  // Bytes that the tree may take; at least kLeastMemory. The search goes on when they are taken: what is
  // least visited gives way.
  std::size_t memory_bytes = std::size_t{1} << 30;
  SelectionConfig selection;
  PlayoutConfig playout;
  SolverConfig solver;
};

constexpr std::size_t kLeastMemory = std::size_t{1} << 20;

// Returns the configuration with in_flight filled in. Throws std::invalid_argument, one line naming the
// value and its range, where the configuration does not fit a simulator of that many lanes.
Config checked(Config config, int lanes);

// When a run ends; the first limit that is reached counts. Without any it ends with Searcher::stop().
struct Limits {
  std::uint64_t simulations = std::numeric_limits<std::uint64_t>::max();
  double seconds = std::numeric_limits<double>::infinity();
  // Asked about ten times a second while the run goes on; true ends it. May be null.
  bool (*interrupted)(void* context) = nullptr;
  void* context = nullptr;
};

}  // namespace ggp

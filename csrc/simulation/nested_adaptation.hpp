// Nested search with policy adaptation for games of one role, over lanes.
//
// A line is played by drawing each move m with probability exp(w[m]) / sum of exp(w) over the legal moves. A policy w
// is adapted to a line by one step of gradient ascent on the probability of the line:
//
//     for each move m of the line:           w[m] += alpha
//     for each move l that is legal there:   w[l] -= alpha exp(w[l]) / sum of exp(w) over these legal moves
//
// where the right side uses w from before the line. Level 1: each lane has its own policy. After each line, this policy
// is adapted to the best line that the lane has found; of equally good lines, the last counts. After kLines lines, the
// lane passes its best line to level 2. All lanes share the policy of level 2. It is adapted to the best line received
// so far, and the lane starts again with this policy. After kRounds times as many lines as lanes exist, level 2 also
// starts again, from w = 0. Lines with goal 0 are not learned.
//
// Rosin, "Nested Rollout Policy Adaptation for Monte Carlo Tree Search", IJCAI 2011, with alpha = 1 and 100 lines per
// level, whose level 1 is a lane here.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulator.hpp"

namespace ggp {

class NestedAdaptation {
 public:
  static constexpr int kLines = 100;
  static constexpr int kRounds = 100;
  // Number of moves after which a line is dropped.
  static constexpr std::size_t kLongest = 2000;

  // Starts at `start`, state_words() words, and ends with a line whose goal is at least `target`. Throws
  // std::invalid_argument if the game has several roles.
  NestedAdaptation(Simulator& simulator, const std::uint64_t* start, int target, std::uint64_t seed);

  // Continues for about `cpu_seconds` CPU-seconds of this thread, or until `stop` is set; returns true if the target is
  // reached, or there is nothing to play.
  bool run(double cpu_seconds, const std::atomic<bool>& stop);

  // The best goal of all lines, -1 if there is none; the highest goal of a state counts, 0 without one.
  int best() const { return best_; }
  // The moves of the first line with the best goal.
  const std::vector<int>& line() const { return line_; }
  std::uint64_t lines() const { return lines_; }

 private:
  // A line, and the legal moves of all its steps, one step after the other; `ends` contains the end of each step.
  struct Line {
    std::vector<int> moves, legal;
    std::vector<std::size_t> ends;
    int goal = -1;

    void clear();
  };
  struct Policy {
    std::vector<float> weights, chances;  // w and exp(w)
  };
  struct Lane {
    Policy policy;
    Line line, best;
    std::uint64_t random = 0;
    int lines = 0;
  };

  void turn();
  void move(int lane);
  int goal(int lane);
  void end(int lane, int goal);
  void adapt(Policy& policy, const Line& line);
  void begin_level_2();

  Simulator& simulator_;
  const int target_;
  std::vector<std::uint64_t> start_, playing_, fresh_;
  std::vector<const std::uint64_t*> sources_;
  std::vector<Lane> lanes_;
  Policy common_;
  Line common_best_;
  std::uint64_t handed_over_ = 0;
  std::vector<int> legal_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t adaptations_ = 0;
  int best_ = -1;
  std::vector<int> line_;
  std::uint64_t lines_ = 0;
  bool over_ = false;
};

}  // namespace ggp

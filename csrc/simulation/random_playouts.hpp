// Uniformly random play-outs from the initial state in all lanes. They measure the speed of a simulator.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "interfaces/goal_totals.hpp"
#include "interfaces/percepts.hpp"
#include "interfaces/phases.hpp"
#include "simulator.hpp"

namespace ggp {

struct PlayoutTotals {
  std::uint64_t playouts = 0;  // number of play-outs that reached a terminal state
  std::uint64_t states = 0;    // number of steps, including unfinished play-outs
  std::uint64_t turns = 0;     // number of turns of finished play-outs
  double cpu_seconds = 0;      // time of this thread
  std::vector<std::uint64_t> goals;  // sum over play-outs by role; undefined goals count 0
};

// Play-outs that continue from one run to the next, so that long play-outs are not lost at the end of a short
// measurement. Nothing else may use the simulator meanwhile.
class RandomPlayouts {
 public:
  // With `perceives` the percepts of each turn are evaluated, if the simulator has any.
  RandomPlayouts(Simulator& simulator, std::uint64_t seed, bool perceives = false);

  // Plays at least one turn, and until the CPU time is used or `stop` is set. Returns the totals of this run.
  PlayoutTotals run(double cpu_seconds, const std::atomic<bool>& stop);

 private:
  void turn(PlayoutTotals& totals);
  // Counts the play-outs that end in this turn.
  void count(PlayoutTotals& totals);
  void add_goals(PlayoutTotals& totals);
  // Whether lanes may begin new play-outs: all lanes stay in one phase.
  bool may_begin() const { return phases_ == nullptr || phases_->phase() <= 0; }

  Simulator& simulator_;
  Percepts* percepts_;  // null: percepts are not evaluated
  Phases* phases_;      // null: the game has no phases
  GoalTotals* totals_;  // null: goals are added lane by lane
  // Lane masks: lanes that play; that ended in this turn; that wait for a new play-out.
  std::vector<std::uint64_t> playing_, ended_, waiting_;
  std::vector<const std::uint64_t*> initial_;  // by lane
  std::vector<std::uint64_t> started_;         // round in which the lane's play-out began
  std::uint64_t round_ = 0;
};

// One run of fresh play-outs.
PlayoutTotals random_playouts(Simulator& simulator, double cpu_seconds, std::uint64_t seed,
                              const std::atomic<bool>& stop);

}  // namespace ggp

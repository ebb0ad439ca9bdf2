// A level-k minimax beside the search, where play-outs end so soon that a loss or a win may be near.
//
// Li, "Prediction Distortion in Monte Carlo Tree Search and an Improved Algorithm", 2018, Section 5. Averages of random
// play-outs hide a loss that takes the one right answer of the other side; minimax finds it (level_minimax.hpp), but is
// dear. When it looks at the root, and at which of its moves, is the strategy:
//
//     always      before the first simulation, at all moves                                      (Figure 17a)
//     triggered   once, at all moves, when a simulation has ended within k plies of the root     (Figure 17b)
//     midway      after every so many simulations, and at the end, at moves that are marked and
//                 promising                                                   (Section 5.3, first strategy)
//     final       at the end, at the move that would be played while it is marked, as long as it turns out to be lost;
//                 and at moves that are marked as wins and promising         (Section 5.3, second strategy)
//
// A move of the root is marked as a possible death (or win) when a simulation that began with it ended within k plies
// with a loss (or win) of the root's mover. A move with a mark of death is promising where its average is among the
// best x1 per cent of the moves that were tried, one with a mark of a win where it is among the best x2 per cent, each
// rounded up. Each move is looked at once.
//
// The second strategy of the paper looks at the end alone, the first alone in between; that it looks at the end, too,
// is what Proposition 5 needs for the move that comes out. "The move that would be played" goes by final_move, in the
// paper by the average.
//
// What is found goes into the bounds of the root's actions, as if the solver had proven it: lost moves are not searched
// any more and not played, a won one ends the search. It is so without the solver as well. The paper's program chooses
// among the moves that are not lost as before; so does this search.
//
// The simulator that the minimax uses is one more of the same game; the lanes of the search go on undisturbed.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "search/archive.hpp"
#include "search/config.hpp"
#include "search/level_minimax.hpp"
#include "search/solver.hpp"
#include "search/tree.hpp"
#include "search/traversal.hpp"

namespace ggp {

class SuddenDeath {
 public:
  // What there is to look at, and how to tell what was found.
  struct Root {
    Tree& tree;  // whose root is a node
    Solver& solver;
    const std::uint64_t* state;
    std::uint64_t simulations;  // of this run
    bool at_end;
  };

  SuddenDeath(const Config& config, const Simulator& simulator);

  // Forgets what belongs to the root.
  void set_root();
  // Forgets what belongs to the run.
  void begin() { next_ = config_.every; }
  // Takes note of a simulation that has ended with these goals, so many plies behind the root.
  void see_end(const Tree& tree, const Path& path, std::uint32_t plies, const int* goals);
  void archive(Archive& archive) {
    archive(triggered_, done_, next_, marks_, states_before_, cpu_seconds_);
    minimax_.archive(archive);
  }
  // Looks at the root where it is time; whether something was proven. Ends early once give_up() is true.
  bool look(const Root& root, const std::function<bool()>& give_up);
  // Whether look() may have something to do before the end of the run.
  bool is_due(std::uint64_t simulations) const;

  // Successors that were made, and processor seconds that it took, since set_root().
  std::uint64_t states() const { return minimax_.states() - states_before_; }
  double cpu_seconds() const { return cpu_seconds_; }

 private:
  enum Mark : std::uint8_t { kDeath = 1, kWin = 2, kDone = 4 };

  bool examine(const Root& root, LevelMinimax::Extent extent, const std::vector<int>& only,
               const std::function<bool()>& give_up);
  bool examine_marked(const Root& root, std::uint8_t marks, const std::function<bool()>& give_up);
  bool examine_best(const Root& root, const std::function<bool()>& give_up);
  bool is_marked(std::uint32_t place, std::uint8_t marks) const;
  bool tell(const Root& root);

  const SuddenDeathConfig config_;
  const FinalMove final_move_;
  LevelMinimax minimax_;
  bool triggered_ = false;
  bool done_ = false;
  std::uint64_t next_ = 0;  // simulations after which marked moves are looked at
  std::vector<std::uint8_t> marks_;  // of the root's actions, by place
  std::uint64_t states_before_ = 0;
  double cpu_seconds_ = 0;
  std::vector<int> moves_;                 // scratch
  std::vector<std::uint32_t> by_average_;  // likewise
};

}  // namespace ggp

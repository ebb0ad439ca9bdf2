// A level-k minimax in addition to the search, for states whose play-outs end within a few plies: a loss or a win may
// be near.
// Li, "Prediction Distortion in Monte Carlo Tree Search and an Improved Algorithm", 2018, Section 5. Averages of random
// play-outs hide a loss that needs the only right reply of the other side; minimax finds it (level_minimax.hpp), but is
// expensive. The strategy decides when it examines the root, and which moves:
//
//     always      before the first simulation, at all moves                                      (Figure 17a)
//     triggered   once, at all moves, when a simulation has ended within k plies of the root     (Figure 17b)
//     midway      after every `every` simulations, and at the end, at moves that are marked and
//                 promising                                                   (Section 5.3, first strategy)
//     final       at the end, at the move that would be played if it is marked, repeated while it is lost;
//                 and at moves that are marked as wins and promising         (Section 5.3, second strategy)
//
// A move of the root is marked as a possible death (or win) when a simulation that began with it ended within k plies
// with a loss (or win) of the root's mover. A move with a mark of death is promising if its average is among the best
// x1 per cent of the tried moves, a move with a mark of a win if its average is among the best x2 per cent. Both
// numbers of moves are rounded up. Each move is examined once.
//
// The second strategy of the paper examines moves only at the end, the first only in between. Here the first examines
// moves at the end, too, because Proposition 5 needs this for the final move. "The move that would be played" is chosen
// by final_move; in the paper it is the move with the best average.
//
// Results become bounds of the root's actions, as if the solver had proven them: lost moves are not searched any more
// and not played, a won move ends the search. This holds without the solver, too. As in the program of the paper, the
// rule for the final move chooses among the other moves.
//
// The minimax uses its own simulator of the same game, so the lanes of the search are not affected.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "search/config/config.hpp"
#include "search/playout/simulation_observer.hpp"
#include "search/proof/level_minimax.hpp"
#include "search/proof/solver.hpp"
#include "search/tree/archive.hpp"
#include "search/tree/tree.hpp"

namespace ggp {

class SuddenDeath final : public SimulationObserver {
 public:
  // The root to examine, and the components that receive the results.
  struct Root {
    Tree& tree;  // whose root is a node
    Solver& solver;
    const std::uint64_t* state;
    std::uint64_t simulations;  // simulations of this run
    bool at_end;
  };

  SuddenDeath(const Config& config, const Simulator& simulator, const Tree& tree);

  // Clears the data of the root.
  void reset() override;
  void advance(const RootMove&) override { reset(); }
  // Clears the data of the run.
  void begin_run() override { next_ = config_.every; }
  // Marks the first move of a simulation that has ended near the root.
  void finish(const FinishedSimulation& simulation) override;
  void archive(Archive& archive) override {
    archive(triggered_, done_, next_, marks_, states_before_, cpu_seconds_);
    minimax_.archive(archive);
  }
  // Examines the root when it is due; returns whether something was proven. Ends early once give_up() is true.
  bool look(const Root& root, const std::function<bool()>& give_up);
  // Whether look() may have something to do before the end of the run.
  bool is_due(std::uint64_t simulations) const;

  // Computed successors, and processor seconds, at this root.
  std::uint64_t states() const { return minimax_.states() - states_before_; }
  double cpu_seconds() const { return cpu_seconds_; }

 private:
  enum Mark : std::uint8_t { kDeath = 1, kWin = 2, kDone = 4 };

  bool examine(const Root& root, LevelMinimax::Extent extent, const std::vector<int>& only,
               const std::function<bool()>& give_up);
  bool examine_marked(const Root& root, std::uint8_t marks, const std::function<bool()>& give_up);
  bool examine_best(const Root& root, const std::function<bool()>& give_up);
  bool is_marked(std::uint32_t place, std::uint8_t marks) const;
  bool apply(const Root& root);

  const SuddenDeathConfig config_;
  const FinalMove final_move_;
  const Tree& tree_;
  LevelMinimax minimax_;
  bool triggered_ = false;
  bool done_ = false;
  std::uint64_t next_ = 0;  // number of simulations at which marked moves are examined next
  std::vector<std::uint8_t> marks_;  // marks of the root's actions, by index
  std::uint64_t states_before_ = 0;
  double cpu_seconds_ = 0;
  std::vector<int> moves_;                 // scratch
  std::vector<std::uint32_t> by_average_;  // scratch
};

}  // namespace ggp

// The best line of a one-player game that the simulations of a search have found.
//
// No other role can interfere, so a line of moves that a simulation has followed to the end of the game can be
// repeated, even if the averages near it are low: a search that averages must store it (Cazenave, "Nested Monte-Carlo
// search", IJCAI 2009, keeps the best sequence at every level for the same reason).
//
// Most simulations have no additional cost. A simulation that ends with a higher goal than all before, at most a
// hundred times, stores its path and the data to replay its play-out: the seed of its random stream if the simulator
// draws from this stream, or the list of its choices if the policy records them. Play-outs without such data are not
// stored (rank_playout.hpp in vectors of lanes, evaluation_playout.hpp). Ends inside the tree are always stored.
//
// A replay of the stored data in an idle lane finds the moves, when the line is requested or the root moves. A
// simulator does not report its draws, so the state after the draw is compared with the state after every legal move.
// If several moves lead to this state, the first is taken. A replay takes microseconds per move on a network, and
// seconds for a long line with the reasoner. A replay has a limit of time; a later request may repeat it.
#pragma once

#include <cstdint>
#include <vector>

#include "search/driver/traversal.hpp"
#include "search/playout/lanes.hpp"
#include "search/playout/simulation_observer.hpp"
#include "search/tree/archive.hpp"

namespace ggp {

class BestLine final : public SimulationObserver {
 public:
  // The way to the end of a game.
  struct Ending {
    int goal = -1;
    std::vector<int> path;                  // moves from the root inside the tree
    bool played_out = false;                // whether a play-out followed, and the data to replay it:
    PlayoutRecord record = PlayoutRecord::kNone;
    std::uint64_t seed = 0;                 // seed of the stream
    std::vector<std::uint32_t> choices;     // choices of the play-out, only of plies with a choice
  };

  // `decisive`: whether play-outs use the look-ahead. Lines are replayed in the scout, lanes that are idle between calls.
  BestLine(bool decisive, const Tree& tree, const Traversal& traversal, PlayoutPolicy& playout, Lanes& scout)
      : decisive_(decisive), tree_(tree), traversal_(traversal), playout_(playout), scout_(scout) {}

  void reset() override;
  void archive(Archive& archive) override {
    archive(goal_, noted_, ending_.goal, ending_.path, ending_.played_out, ending_.record, ending_.seed, ending_.choices,
            moves_);
  }
  // Stores the end of a simulation if its goal is better than the best known goal.
  void finish(const FinishedSimulation& simulation) override {
    if (simulation.over && simulation.goals[0] > goal_) note(simulation);
  }
  // Drops a line that begins with another move, or whose replay takes too long. Lanes of a shared simulator do not look
  // ahead afterwards.
  void advance(const RootMove& played) override;
  // The moves from the root, whose state is given, to the end of the best line; empty if no line is known, or if the
  // replay takes more than `seconds`.
  const std::vector<int>& moves(const std::uint64_t* root, double seconds);
  // The goal at the end of the line; -1 if none is known.
  int goal() const { return goal_; }

 private:
  class Replay;

  void note(const FinishedSimulation& simulation);

  const bool decisive_;
  const Tree& tree_;
  const Traversal& traversal_;
  PlayoutPolicy& playout_;
  Lanes& scout_;
  int goal_ = -1;
  bool noted_ = false;  // the line of the ending must still be replayed
  Ending ending_;
  std::vector<int> moves_;
};

}  // namespace ggp

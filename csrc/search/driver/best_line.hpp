// The best line of a one-player game that the simulations of a search have found.
//
// No other role can interfere, so a line of moves that a simulation has followed to the end of the game can be
// repeated, even if the averages near it are low: a search that averages must store it (Cazenave, "Nested Monte-Carlo
// search", IJCAI 2009, keeps the best sequence at every level for the same reason).
//
// Simulations have no additional cost. If one ends with a higher goal than all before, which happens at most a hundred
// times, its path is stored with the data to replay its play-out: the seed of its random stream if the simulator draws
// from this stream, or the list of its choices if the policy records them. Play-outs with neither are not stored
// (rank_playout.hpp in vectors of lanes, evaluation_playout.hpp), but ends inside the tree are.
//
// The moves are found by replaying the stored data in an idle lane, when the line is requested or the root moves. A
// simulator does not report its draws; so the state after the draw is compared with the state after every legal move.
// If several moves lead to the same state, the first is taken. This takes microseconds per move on a network, and
// seconds for a long line with the reasoner: so a replay has a limit of time, beyond which the data is kept for the
// next request.
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
  // A line that begins with another move is dropped, and so is a line whose replay takes too long. Lanes of a shared
  // simulator do not look ahead afterwards.
  void advance(const RootMove& played) override;
  // The moves from the root, whose state is given, to the end of the best line; empty if none is known, or if `seconds`
  // are not enough to replay it.
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

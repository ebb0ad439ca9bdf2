// Many searches on the lanes of one simulator, in shared rounds.
//
// A search with few simulations in flight leaves most lanes of a simulator empty. Side by side, each with its own
// lanes, hundreds of such searches use the full width: the simulator advances all of them at the cost of one. With one
// simulation in flight a tree does not depend on its neighbours. With several, this holds for the first run of a tree,
// and for games without phases (phases.hpp). In later runs simulations wait for the phase of the lanes, which the
// neighbours share, so the order of simulations may differ.
//
// The processor time of a search is estimated from every kTimedEvery-th round: the time of its own parts of the round,
// and an equal share of the common parts.
#pragma once

#include <cstdint>
#include <vector>

#include "search/driver/searcher.hpp"
#include "search/playout/lanes.hpp"

namespace ggp {

class SideBySide {
 public:
  // Two simulators of the same game: lanes for the searches, and lanes to evaluate single states.
  SideBySide(Simulator& lanes, Simulator& scout) : lanes_(lanes), scout_(scout) {}

  Lanes& lanes() { return lanes_; }
  Lanes& scout() { return scout_; }

  // Starts a run of a searcher in the lanes from first_lane on, which no other run uses. The run continues in run().
  void start(Searcher& searcher, int first_lane, std::uint64_t simulations);
  // Plays rounds until some searchers are done; ends their runs and returns them. Returns an empty list if no run was
  // started, or when `interrupted`, called ten times a second, returns true: then the runs can be continued. When
  // memory is exhausted all runs are dropped.
  std::vector<Searcher*> run(bool (*interrupted)(void* context), void* context);
  // Ends all runs.
  void stop();

 private:
  // A prime number, because rounds repeat with the phases of a game; large, because reading the clock takes longer than
  // the part of a round of one searcher.
  static constexpr int kTimedEvery = 2003;

  bool round();
  std::vector<Searcher*> take_done();

  Lanes lanes_;
  Lanes scout_;
  std::vector<Searcher*> running_;
  std::uint64_t rounds_ = 0;
};

}  // namespace ggp

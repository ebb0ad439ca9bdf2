// Many searches on the lanes of one simulator, in rounds that they share.
//
// A search with few simulations in flight leaves most lanes of a simulator empty. Side by side, each with
// lanes of its own, hundreds of such searches use the full width: the simulator advances all of them for
// the price of one. A tree does not depend on its neighbours; it is the one that its searcher makes alone.
#pragma once

#include <cstdint>
#include <vector>

#include "search/lanes.hpp"
#include "search/searcher.hpp"

namespace ggp {

class SideBySide {
 public:
  // Two simulators of the same game: lanes to search in, and some to look into single states.
  SideBySide(Simulator& lanes, Simulator& scout) : lanes_(lanes), scout_(scout) {}

  Lanes& lanes() { return lanes_; }
  Lanes& scout() { return scout_; }

  // Starts a run of a searcher in the lanes from the first one on, of which no other run uses any. It goes on
  // in run().
  void start(Searcher& searcher, int first_lane, std::uint64_t simulations);
  // Plays rounds until some searchers are done; ends their runs and returns them. Returns none where none
  // was started, or when `interrupted`, asked ten times a second, says true: the runs can go on then.
  // When memory runs out all runs are given up.
  std::vector<Searcher*> run(bool (*interrupted)(void* context), void* context);
  // Ends all runs.
  void stop();

 private:
  bool round();
  std::vector<Searcher*> take_done();

  Lanes lanes_;
  Lanes scout_;
  std::vector<Searcher*> running_;
};

}  // namespace ggp

// The events of a search for components that observe its simulations. An observer overrides the events that it needs.
// The search reports each event to all observers in a fixed order (SearchComponents::observers), because trees depend
// on the order.
#pragma once

#include <cstdint>
#include <vector>

#include "search/playout/playout.hpp"
#include "search/tree/path.hpp"

namespace ggp {

struct FinishedSimulation {
  int lane;
  std::uint64_t seed;
  const Path& path;             // the part in the tree
  bool played_out;              // whether a play-out followed
  std::uint32_t playout_plies;
  bool over;                    // whether the last state is terminal
  const int* goals;             // of the last state; null if an evaluation has ended the simulation
  const double* learned;        // the rewards that play-outs learn
};

struct RootMove {
  const std::uint64_t* before;           // the state of the earlier root
  const std::vector<int>& moves;         // by role
  const std::vector<RoleMove>& choices;  // the moves of the roles that had a choice
};

class SimulationObserver {
 public:
  virtual ~SimulationObserver() = default;
  // The search starts at another state, and drops everything.
  virtual void reset() {}
  // A joint move is played at the root.
  virtual void advance(const RootMove&) {}
  virtual void begin_run() {}
  // The simulation of a lane leaves the tree after this path. Its random stream has this seed.
  virtual void begin_playout(int /*lane*/, std::uint64_t /*seed*/, const Path&) {}
  // The game ends after the last action of a path, with these goals. learn() follows.
  virtual void end(const Path&, const int* /*goals*/) {}
  // The last action of a path has a new child or new bounds.
  virtual void learn(const Path&) {}
  // A simulation is complete. Its backup follows.
  virtual void finish(const FinishedSimulation&) {}
  // The simulations in flight are dropped.
  virtual void give_up() {}
  // Saves or loads the statistics. No simulation is in flight.
  virtual void archive(Archive&) {}
};

}  // namespace ggp

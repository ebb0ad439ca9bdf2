// The tree of a search and the components that its configuration chooses.
#pragma once

#include <memory>
#include <vector>

#include "interfaces/evaluations.hpp"
#include "search/config/config.hpp"
#include "search/driver/best_line.hpp"
#include "search/driver/sudden_death.hpp"
#include "search/driver/traversal.hpp"
#include "search/playout/lanes.hpp"
#include "search/playout/reward.hpp"
#include "search/proof/solver.hpp"
#include "search/selection/heuristic.hpp"
#include "search/tree/recycler.hpp"

namespace ggp {

struct SearchComponents {
  // Throws std::invalid_argument if the configuration is invalid for the game.
  SearchComponents(Lanes& lanes, Lanes& scout, const Config& config);
  SearchComponents(const SearchComponents&) = delete;
  SearchComponents& operator=(const SearchComponents&) = delete;

  Tree fresh_tree() const;
  void archive(Archive& archive);
  // Reports an event to all observers.
  template <class Event, class... Arguments>
  void notify(Event event, const Arguments&... arguments) {
    for (SimulationObserver* observer : observers) (observer->*event)(arguments...);
  }

  Lanes& lanes;
  Lanes& scout;
  Simulator& simulator;  // simulator of the lanes
  const Config config;
  const int evaluation;  // number of the evaluation that the search uses, or -1
  const std::unique_ptr<Selection> selection;
  const std::unique_ptr<PlayoutPolicy> playout;
  const std::unique_ptr<Reward> reward;
  Tree tree;
  const std::unique_ptr<Amaf> amaf;  // null if the selection does not use it; else the play-out policy records
  const std::unique_ptr<Heuristic> heuristic;  // null if the tree has no evaluations
  const std::unique_ptr<SuddenDeath> sudden_death;  // null without minimax
  Traversal traversal;
  const std::unique_ptr<SimulationObserver> learning;  // null if the play-out policy does not learn
  const std::unique_ptr<BestLine> best_line;         // null in games of several roles
  // Heuristic, learning, sudden death and best line in this order, as far as they exist.
  std::vector<SimulationObserver*> observers;
  Solver solver;
  Recycler recycler;
};

}  // namespace ggp

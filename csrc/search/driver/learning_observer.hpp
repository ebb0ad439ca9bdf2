// Passes the choices and rewards of every simulation to the learner of the play-out policy, and to the statistics of all
// moves as first.
#pragma once

#include "base/random.hpp"
#include "search/driver/traversal.hpp"
#include "search/playout/simulation_observer.hpp"
#include "search/selection/amaf.hpp"

namespace ggp {

class LearningObserver final : public SimulationObserver {
 public:
  // `amaf` is null if the selection does not use it.
  LearningObserver(MoveLearner& learner, Amaf* amaf, const Traversal& traversal)
      : learner_(learner), amaf_(amaf), traversal_(traversal) {}

  void reset() override { learner_.reset(); }
  void advance(const RootMove& move) override { learner_.played(move.choices); }
  void begin_playout(int lane, std::uint64_t seed, const Path& path) override {
    learner_.begin(lane, mix64(seed));
    traversal_.for_each_choice(path, [&](RoleMove choice, bool same_ply) { learner_.add(lane, choice, same_ply); });
  }
  void finish(const FinishedSimulation& simulation) override {
    const int lane = simulation.lane;
    if (!simulation.played_out) begin_playout(lane, simulation.seed, simulation.path);
    learner_.learn(lane, simulation.learned);
    if (amaf_ != nullptr) amaf_->learn(simulation.path, learner_.choices(lane), simulation.learned);
  }
  void give_up() override { learner_.give_up(); }
  void archive(Archive& archive) override { learner_.archive(archive); }

 private:
  MoveLearner& learner_;
  Amaf* const amaf_;
  const Traversal& traversal_;
};

}  // namespace ggp

// Uniform play-outs beside averages of the moves that are played in the tree.
//
// Tree-only MAST (Finnsson and Björnsson, "Learning Simulation Control in General Game-Playing Agents", AAAI 2010).
// The averages (mast.hpp) say which untried move of the tree comes first. The play-out leaves its choices to the simulator,
// so that it is as fast as one that learns nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "search/config.hpp"
#include "search/mast.hpp"
#include "search/playout.hpp"

namespace ggp {

class TreeOnlyPlayout final : public PlayoutPolicy, private MoveLearner {
 public:
  TreeOnlyPlayout(const PlayoutConfig& config, const Simulator& simulator)
      : decay_(config.decay), averages_(moves_by_role(simulator), config.unknown), lanes_(simulator.lanes()) {}

  void choose(Lanes& lanes, const std::uint64_t* mask) override { lanes.ask_random(mask); }
  MoveLearner* learner() override { return this; }

 private:
  void reset() override { averages_.clear(); }
  void played(const std::vector<RoleMove>&) override {
    if (decay_ < 1) averages_.decay(decay_);
  }
  void begin(int lane, std::uint64_t) override { lanes_[lane].clear(); }
  void add(int lane, RoleMove choice, bool same_ply) override {
    if (lanes_[lane].size() == kLongest) return;
    lanes_[lane].push_back({static_cast<std::uint32_t>(choice.move), static_cast<std::uint16_t>(choice.role), same_ply});
  }
  const std::vector<Chosen>& choices(int lane) const override { return lanes_[lane]; }
  void learn(int lane, const double* rewards) override {
    for (const Chosen& choice : lanes_[lane]) {
      averages_.learn(choice.role, static_cast<int>(choice.move), rewards[choice.role]);
    }
  }
  std::uint32_t first_to_try(int role, const std::uint32_t* moves, std::uint32_t count,
                             std::uint64_t random) const override {
    return averages_.best_of(role, moves, count, random);
  }

  const double decay_;
  MoveAverages averages_;
  std::vector<std::vector<Chosen>> lanes_;
};

}  // namespace ggp

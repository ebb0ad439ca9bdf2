// Uniform play-outs whose choices are recorded, for those who learn from whole simulations.
//
// Every legal move with the same probability, like UniformPlayout; but that one leaves the draw to the simulator,
// which does not tell what it drew. A simulation draws from a random stream of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "search/playout.hpp"

namespace ggp {

class RecordedPlayout final : public PlayoutPolicy, private MoveLearner, private MoveChooser {
 public:
  explicit RecordedPlayout(const Simulator& simulator) : roles_(simulator.roles()), lanes_(simulator.lanes()) {}

  void choose(Lanes& lanes, const std::uint64_t* mask) override;
  MoveLearner* learner() override { return this; }

 private:
  struct Lane {
    std::uint64_t random = 0;
    std::vector<Chosen> choices;
  };

  void reset() override {}
  void played(const std::vector<RoleMove>&) override {}
  void begin(int lane, std::uint64_t seed) override;
  void add(int lane, RoleMove choice, bool same_ply) override;
  const std::vector<Chosen>& choices(int lane) const override { return lanes_[lane].choices; }
  void learn(int, const double*) override {}
  std::uint32_t first_to_try(int role, const std::uint32_t* moves, std::uint32_t count,
                             std::uint64_t random) const override;
  void choose(const Choices& choices) override;

  const int roles_;
  std::vector<Lane> lanes_;
  bool same_ply_ = false;  // further choices of the turn under way
};

}  // namespace ggp

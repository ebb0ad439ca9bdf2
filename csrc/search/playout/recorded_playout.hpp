// Play-outs whose choices are recorded, for components that learn from whole simulations.
//
// In this class every legal move has the same probability, as in UniformPlayout; but UniformPlayout leaves the draw to
// the simulator, which does not report it. Derived classes choose in other ways. Each simulation draws from its own
// random stream.
#pragma once

#include <cstdint>
#include <vector>

#include "search/playout/playout.hpp"

namespace ggp {

class RecordedPlayout : public MoveLearner, private MoveChooser {
 public:
  explicit RecordedPlayout(const Simulator& simulator)
      : MoveLearner(simulator.lanes()), roles_(simulator.roles()), random_(simulator.lanes()) {}

  void choose(Lanes& lanes, const std::uint64_t* mask) override;
  PlayoutRecord record() const final { return PlayoutRecord::kChoices; }

 protected:
  void begin(int lane, std::uint64_t seed) override;
  std::uint32_t first_to_try(int role, const std::uint32_t* moves, std::uint32_t count,
                             std::uint64_t random) const override;

  // Writes a legal move for every lane in which the role chooses. If several roles of a lane choose in one turn, their
  // choices are picked one after the other: `same_ply` for all but the first.
  virtual void pick(const Choices& choices, int role, bool same_ply);
  // The random streams of the simulations, by lane.
  std::uint64_t* random() { return random_.data(); }

 private:
  void choose(const Choices& choices) final;

  const int roles_;
  std::vector<std::uint64_t> random_;
  bool same_ply_ = false;  // further choices of the current turn
};

}  // namespace ggp

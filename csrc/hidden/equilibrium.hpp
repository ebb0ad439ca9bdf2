// The equilibrium of a small game of two players: CFR+ until a limit, and proven facts about the mean plans.
//
// If h(0) and h(1) are the values of the best responses to the mean plans, the value v of the game for player 0 is
// proven to be in  c - h(1) <= v <= h(0),  where c is the sum of the goals. The exploitability is the mean of what the
// players can gain by best responses, (h(0) + h(1) - c) / 2, in points of the goals.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "hidden/cfr_plus.hpp"
#include "hidden/sequence_form.hpp"

namespace ggp {

struct EquilibriumLimits {
  std::uint64_t iterations = std::numeric_limits<std::uint64_t>::max();  // in total
  double seconds = std::numeric_limits<double>::infinity();             // wall-clock time
  double exploitability = 0;             // in points; the run ends when it is reached
  bool (*interrupted)(void*) = nullptr;  // called ten times per second; true ends the run
  void* context = nullptr;
};

struct EquilibriumState {
  std::uint64_t iterations = 0;
  double value = 0;      // the expected goal of player 0
  double low = 0, high = 0;  // proven bounds of the value of the game for player 0
  double exploitability = 0;
};

struct MixedMove {
  int move;
  double probability;
  double value;  // the expected goal of the player after the move
};

class Equilibrium {
 public:
  explicit Equilibrium(const SequenceForm& form);

  // Iterates until the first limit. A run continues the previous run.
  void run(const EquilibriumLimits& limits);
  const EquilibriumState& state() const { return state_; }
  // The mean strategy of a player in the information state with the number `point`.
  std::vector<MixedMove> strategy(int player, std::uint32_t point) const;

 private:
  void assess();
  void find_values(int player);

  const SequenceForm& form_;
  CfrPlus cfr_;
  EquilibriumState state_;
  std::array<std::vector<double>, 2> values_, reaches_;  // by player and sequence, with the mean plans
  std::vector<double> scratch_;
};

}  // namespace ggp

// What the end of a simulation is worth to each role.
//
// The plain reward is the goal value over 100, in 0..1; a role whose goal is undefined (-1) gets 0.
#pragma once

#include <cstdint>
#include <memory>

#include "search/config.hpp"

namespace ggp {

struct Ending {
  const int* goals;             // one per role, 0..100 or -1
  std::uint32_t tree_plies;     // from the root to the edge of the tree
  std::uint32_t playout_plies;  // from there to the end
};

class Reward {
 public:
  virtual ~Reward() = default;
  // Writes one reward per role, each in 0..1.
  virtual void map(const Ending& ending, int roles, double* rewards) = 0;
};

class GoalReward final : public Reward {
 public:
  void map(const Ending& ending, int roles, double* rewards) override {
    for (int role = 0; role < roles; ++role) {
      rewards[role] = ending.goals[role] < 0 ? 0.0 : ending.goals[role] / 100.0;
    }
  }
};

inline std::unique_ptr<Reward> make_reward(const Config&) { return std::make_unique<GoalReward>(); }

}  // namespace ggp

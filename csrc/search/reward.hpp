// What the end of a simulation is worth to each role.
//
// The plain reward maps the goals 0..100 to -1..1; a role whose goal is undefined gets -1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "search/config.hpp"

namespace ggp {

// The plain reward of a goal 0..100.
inline double reward_of_goal(int goal) { return goal / 50.0 - 1.0; }

struct Ending {
  const int* goals;             // one per role, 0..100 or -1
  std::uint32_t tree_plies;     // from the root to the edge of the tree
  std::uint32_t playout_plies;  // from there to the end
};

class Reward {
 public:
  virtual ~Reward() = default;
  // Writes one reward per role.
  virtual void map(const Ending& ending, int roles, double* rewards) = 0;
};

class GoalReward final : public Reward {
 public:
  void map(const Ending& ending, int roles, double* rewards) override {
    for (int role = 0; role < roles; ++role) {
      rewards[role] = reward_of_goal(std::max(0, ending.goals[role]));
    }
  }
};

inline std::unique_ptr<Reward> make_reward(const Config&) { return std::make_unique<GoalReward>(); }

}  // namespace ggp

// The reward of the end of a simulation for each role.
//
// The plain reward r maps the goals 0..100 to -1..1; a role whose goal is undefined gets -1.
//
// Bonuses from the quality of a simulation are added as control variates (Pepels, Tak, Lanctot and Winands,
// "Quality-based Rewards for Monte-Carlo Tree Search Simulations", ECAI 2014):
//
//     lambda = (mean(Y, w) - Y) / sd(Y, w)       Y = d, the length (Relative Bonus, Eqs. 2 and 4)
//     lambda = (Y - mean(Y, w)) / sd(Y, w)       Y = q, the quality (Qualitative Bonus, Eq. 7)
//     b      = -1 + 2 / (1 + exp(-k lambda))     Eq. 5, in -1..1
//     r'     = r + sgn(r) a b                    Eqs. 6 and 8, for every role by its own r
//
// d   plies from the root to the end, including plies in the tree
// q   terminal quality for the winner, 0..1, if the game has one
// w   the winner: the only role with the highest goal; in a game of one role the goal must exceed 50. Draws have
//     no winner: they change no statistics and get no bonus.
// mean, sd   sample mean and standard deviation (n - 1) of the simulations that w has won since the last move,
//     before this simulation (Algorithm 1, lines 8 to 13); no bonus while sd is zero
// a   fixed, or a' = |Cov(Y*, Y) / Var(Y)| with Y* = Y if the searching role wins and else 0 (Eqs. 9 and 10), over the
//     simulations with a winner since the last move. The searching role is the role that chooses at the root, the
//     first one if several do.
//
// If both bonuses are enabled they are added (Algorithm 1, lines 8 to 13). With `combine = either`, as in the draft of
// the paper ("else if" in line 12 of its Algorithm 1), the Relative Bonus is given if sd(d, w) > 0 and otherwise the
// Qualitative Bonus; the draft fixes a at 0.25 and does not change the first 100 simulations.
//
// With `joint_a`, the sizes of both bonuses are estimated together, as is usual for several control variates (Section 7;
// Lavenberg and Welch, "A perspective on the use of control variables", Management Science 1981): a = Cov(Y)^-1 Cov(Y, X).
// Cov(Y, X) gave no usable sizes (Section 4.4). Eq. 10 replaces it, for variables in units of their standard
// deviations, as lambda is:
//
//     (a_d, a_q) = | R^-1 (a'_d, a'_q) |,   R = (1 rho; rho 1)
//
// rho   sample correlation of -d and q over the simulations with a winner and a quality since the last move. (a_d, a_q) =
//       (a'_d, a'_q) if rho is 0 or not known, or if R is singular (1 - rho^2 < 1e-9).
//
// If an evaluation ends a simulation, the winner is the only role with the highest evaluation. The simulation gets the
// Qualitative Bonus for the quality of its last state; its length does not compare with the lengths of whole games
// (Section 7: "a static cut-off may not be compatible" with the Relative Bonus).
//
// The first simulations of a search (a share of the expected simulations, or a number) only feed the statistics.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "search/config/config.hpp"
#include "search/tree/archive.hpp"

namespace ggp {

// The plain reward of a goal 0..100.
inline double reward_of_goal(int goal) { return goal / 50.0 - 1.0; }

struct Ending {
  const int* goals;             // one per role, 0..100 or -1
  std::uint32_t tree_plies;     // from the root to the edge of the tree
  std::uint32_t playout_plies;  // from the edge of the tree to the end
  double quality;               // NaN if there is none
};

class Reward {
 public:
  virtual ~Reward() = default;
  // Writes one reward per role.
  virtual void map(const Ending& ending, int roles, double* rewards) = 0;
  // Adds the bonus of a simulation that an evaluation has ended to its rewards. `winner`: a role, or -1.
  virtual void alter(int, double /* quality */, int /* roles */, double*) {}
  // Reports the progress of the search: the done share, 0..1, and the simulations so far.
  virtual void progress(double, std::uint64_t) {}
  // Clears the statistics that belong to one root, because the root has changed; this role chooses there.
  virtual void change_root(int) {}
  // Clears everything; a match begins.
  void reset() { change_root(0); }
  // Saves or loads the statistics.
  virtual void archive(Archive&) {}
};

// Mean and sample variance of a stream of numbers (Welford, Technometrics 1962).
class RunningMoments {
 public:
  void add(double value) {
    const double before = value - mean_;
    mean_ += before / static_cast<double>(++count_);
    squares_ += before * (value - mean_);
  }
  std::uint64_t count() const { return count_; }
  double mean() const { return mean_; }
  double variance() const { return count_ > 1 ? squares_ / static_cast<double>(count_ - 1) : 0.0; }

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

// The size a of a bonus for one searching role, estimated from simulations (Eqs. 9 and 10).
class BonusSize {
 public:
  void add(double y, bool wins) {
    const double marked = wins ? y : 0.0;
    const double before = y - y_.mean();
    y_.add(y);
    marked_mean_ += (marked - marked_mean_) / static_cast<double>(y_.count());
    products_ += before * (marked - marked_mean_);
  }
  double value() const {
    const double variance = y_.variance();
    return variance > 0 ? std::abs(products_ / static_cast<double>(y_.count() - 1) / variance) : 0.0;
  }

 private:
  RunningMoments y_;
  double marked_mean_ = 0;
  double products_ = 0;
};

// The sample correlation of pairs.
class PairMoments {
 public:
  void add(double x, double y) {
    const double before = x - x_.mean();
    x_.add(x);
    y_.add(y);
    products_ += before * (y - y_.mean());
  }
  // 0 if one of the variances is 0.
  double correlation() const {
    const double variances = x_.variance() * y_.variance();
    return variances > 0 ? products_ / static_cast<double>(x_.count() - 1) / std::sqrt(variances) : 0.0;
  }

 private:
  RunningMoments x_, y_;
  double products_ = 0;
};

// b(lambda) of Eq. 5.
inline double sigmoid_bonus(double lambda, double k) { return -1.0 + 2.0 / (1.0 + std::exp(-k * lambda)); }

// The winner by goals, or -1. In a game of one role, its goal must exceed `draw`.
template <class Goal>
int winner(const Goal* goals, int roles, Goal draw = 50) {
  const Goal* best = std::max_element(goals, goals + roles);
  if (roles == 1) return *best > draw ? 0 : -1;
  return std::count(goals, goals + roles, *best) == 1 ? static_cast<int>(best - goals) : -1;
}

class GoalReward final : public Reward {
 public:
  void map(const Ending& ending, int roles, double* rewards) override;
};

// r = q for the winner and -q for the others: the outcome keeps its sign, and the quality replaces its size (Section
// 6.2 and Table 4, last column). Draws count 0. If the game has no quality the goals count.
class QualityReward final : public Reward {
 public:
  void map(const Ending& ending, int roles, double* rewards) override;
};

// Adds the bonuses that the configuration enables to another reward.
class BonusReward final : public Reward {
 public:
  BonusReward(std::unique_ptr<Reward> plain, const RewardConfig& config);
  void map(const Ending& ending, int roles, double* rewards) override;
  void alter(int winner, double quality, int roles, double* rewards) override;
  void progress(double share, std::uint64_t simulations) override;
  void change_root(int role) override;
  void archive(Archive& archive) override {
    for (Bonus* bonus : {&relative_, &qualitative_}) archive(bonus->of_winner, bonus->of_searcher);
    archive(altering_, searching_, lengths_and_qualities_);
  }

 private:
  // The factors of a bonus.
  struct Part {
    double size, shape;  // a and b(lambda)
    double value() const { return size * shape; }
  };
  // One of the two bonuses: its statistics by winner.
  struct Bonus {
    BonusConfig config;
    double sign;  // sign of Y - mean
    std::vector<RunningMoments> of_winner;
    std::vector<BonusSize> of_searcher;  // by searching role

    std::optional<Part> observe(double y, int winner, int roles, int searching);
  };

  void add(double bonus, int roles, double* rewards) const;

  std::unique_ptr<Reward> plain_;
  RewardConfig config_;
  Bonus relative_, qualitative_;
  PairMoments lengths_and_qualities_;  // -d and q, with joint_a
  bool altering_ = false;
  std::int32_t searching_ = 0;  // the searching role
};

std::unique_ptr<Reward> make_reward(const Config& config);

}  // namespace ggp

// Online outcome sampling (OOS; Lisy, Lanctot and Bowling, AAMAS 2015): counterfactual regret minimisation by games
// that are sampled from the start (MCCFR; Lanctot et al., NIPS 2009). Each lane plays one game.
//
// Each role has a table of its information states. Within a turn the roles choose one after the other and do not see
// the choices. In an information state with moves A and cumulative regrets R, the strategy is regret matching:
//   s(a) = max(0, R(a)) / sum_c max(0, R(c)),   1 / |A| if the sum is 0
// The roles learn in turn, one role i in each game. Role i draws its moves from e / |A| + (1 - e) s(a), e = 0.6. Other
// roles draw from s; chance draws uniformly. A role adds one information state in a game and then chooses uniformly.
//
// Let h be a history in a game that ended with the goal u of role i, 0..1. The game drew h with the probability q(h).
// p(h) is the product of the probabilities of the choices in h by all roles except i. Start with v = u, and go from the
// end to the start. A move a that was drawn with the probability d(a) gives the estimates
//   v(a) = b(a) + (v - b(a)) / d(a),   v(c) = b(c) for other moves c,   new v = sum_c s(c) v(c)
// At nodes of i, the baseline b(a) is the mean of earlier values after a, with the weights p / q (VR-MCCFR; Schmid et
// al., AAAI 2019). At nodes of the opponent (two roles), b is 1 minus the opponent's mean; elsewhere b is a half. The
// expectation does not depend on b.
//   at nodes of i:   R(c) += p(h) / q(h) (v(c) - new v)
//   at other nodes:  S(c) += p(h) / q(h) s(c)
// The mean strategy is proportional to S. It is played. One role against chance instead plays the move with the highest
// product of its mean and of the weight of the particles in which it is legal, the first of equal moves. Plain regrets
// with equal weights of S were better than regret matching+ and linear weights in three games of four.
//
// Targeting. After the first turn, a part D = 0.9 of the games is targeted: these games follow a history that agrees
// with the observations of the searching role (ConsistentHistories). In the tree of histories, a move a leads to a
// child with the mass m(a). A targeted game draws from t. For the searching role, t is the given own move. For chance
// t(a) ~ m(a); for other roles t(a) ~ m(a) (0.2 / |A| + 0.8 s(a)). All moves are drawn from the mixture
//   d(a) = l t(a) + (1 - l) d'(a)
// where d' is the choice without a target. l is the probability that the game is targeted, given its moves: D at the
// start, then l t(a) / d(a). So q contains both kinds of games, and targets do not change the expectation of an update,
// whichever histories are known. With targets, roles that do not learn choose uniformly with a probability of 0.01, so
// that p is not 0 for the observed moves.
//
// In games of two roles and constant sum with perfect recall, the mean strategies converge to an equilibrium. Other
// games have no guarantee. All tables are kept for the next turn. A full table gets no more information states. If a
// table is full before a run, all tables are cleared.
#pragma once

#include <vector>

#include "hidden/consistent_histories.hpp"
#include "hidden/information_tree.hpp"
#include "hidden/sampling_search.hpp"

namespace ggp {

struct RegretEdge {
  std::int32_t move;
  std::uint32_t visits = 0;  // games in which the role learned
  double regret = 0;         // R
  double strategy = 0;       // S
  float value = 0.5f;        // weighted mean of v after the move
  float weight = 0;          // of this mean
};

struct OutcomeSamplingLimits {
  std::size_t nodes = std::size_t{1} << 22, edges = std::size_t{1} << 23;  // of the table of a role
  double targeted = 0.9;                                                   // D
};

class OutcomeSampling final : public SamplingSearch<OutcomeSampling> {
 public:
  OutcomeSampling(const HiddenGame& game, int role, std::uint64_t seed, const OutcomeSamplingLimits& limits = {});

  // Searches even if the role has only one legal move.
  HiddenResult run(Belief& belief, const HiddenLimits& limits) override;
  void observe(Belief& belief, const Observation& seen) override;
  // The mean strategies.
  bool probabilities(int role, std::uint64_t key, const int* moves, int count, double* out) const override;

 private:
  friend class SamplingSearch<OutcomeSampling>;
  using Table = InformationTable<RegretEdge>;
  struct Step {
    int role;
    std::uint32_t node, edge;  // the edge by its number in the node; the node is kNone for a choice without one
    std::int32_t move;
    double strategy, drawn;    // s and d of the move
    double reach;              // p / q before the step
  };
  struct Lane {
    std::vector<Step> path;
    int learner;
    std::uint32_t in_tree;  // a bit for each role
    std::uint32_t history;  // the node of the consistent histories; valid while targeted > 0
    double targeted;        // l
    double reach;           // p / q
  };

  bool is_full(const Table& table) const { return table.size() >= limits_.nodes || table.edges() >= limits_.edges; }
  void start(int lane);
  const Table& table(int role) const { return tables_[role]; }
  bool descends(int lane) const { return lane_[lane].in_tree != 0 || lane_[lane].targeted > 0; }
  int choose(int lane, int role, const int* moves, int count);
  std::uint32_t find_or_add(int lane, int role, const int* moves, int count);
  // Writes s of legal moves to strategy_ and their edges to places_.
  void match_regrets(const Table& table, std::uint32_t node, const int* moves, int count);
  // Writes t of the moves to targets_; returns false if no move has a mass.
  bool find_targets(const Lane& here, int role, const int* moves, int count);
  // Follows a move in the consistent histories; `change` is t(a) / d(a).
  void follow(Lane& here, int move, double change) const;
  bool learn(Simulator& simulator, int lane);
  // Processes one step for a value after it; returns the value before it.
  double learn(const Lane& here, Step step, double value);
  // Writes the strategy in the present information state.
  void report(HiddenResult& result) const;

  OutcomeSamplingLimits limits_;
  std::vector<int> learners_;  // all roles except chance
  std::uint64_t root_key_ = kFirstKey;
  ConsistentHistories histories_;
  std::vector<Table> tables_;         // by role
  std::vector<Lane> lane_;
  std::vector<std::uint32_t> places_;
  std::vector<double> strategy_, chances_, targets_;
  std::uint64_t started_ = 0;
};

}  // namespace ggp

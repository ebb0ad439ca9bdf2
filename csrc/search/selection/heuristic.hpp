// Evaluations in the tree, in addition to the averages of the simulations.
//
// Implicit minimax backups (Lanctot, Winands, Pepels and Sturtevant, "Monte Carlo Tree Search with Heuristic
// Evaluations using Implicit Minimax Backups", CIG 2014, Algorithm 1 and Eq. 2). Every action a of a state s has,
// in addition to its mean, a value for every role, which selection mixes in for the role that chooses:
//
//     Q_IM(s, a) = (1 - alpha) Q(s, a) + alpha v(s, a)                                        (Eq. 2, line 2)
//
// v(s, a)  at first the evaluation v0 of the state after a, which is computed for all legal moves when the node of s is
//          created. Once the state s' after a has a node, the best value for the mover of s' (line 8):
//              v(s, a) = v(s', a'),  a' = the move in A(s'), tried or not, with the highest v for the mover of s'
//          The values of all roles are backed up together, so in a game of two roles with an antisymmetric evaluation
//          this is minimax, in others max^n (Luckhardt and Irani, AAAI 1986).
// alpha    the weight of the evaluation
//
// With other terms (the comparisons of the paper's section on Breakthrough) alpha stands before v0(s, a), which never
// changes (constant), or before v(s, a) / (n(a) + 1) (progressive; Chaslot et al., NMNC 2008).
//
// With priors (move_knowledge.hpp) Q(s, a) includes the prior.
//
// If a bound of the goal is proven (solver.hpp), the bound limits v: a proven win is 1, a proven loss -1. If the
// evaluation does not know the state after a move, v is NaN: the move counts by Q alone, and maxima ignore v. In
// simultaneous nodes selection uses Q, and an action that leads to such a node keeps v0.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "search/config/config.hpp"
#include "search/playout/simulation_observer.hpp"
#include "search/selection/selection.hpp"
#include "search/tree/path.hpp"
#include "search/tree/tree.hpp"

namespace ggp {

class Heuristic final : public SimulationObserver {
 public:
  Heuristic(Tree& tree, const SelectionConfig& config);

  // Returns the values for the mover of a node.
  HeuristicView view(Index node) const {
    const Node& of = tree_.node(node);
    return {tree_.values(node), tree_.values_of_move(), of.choices()[0].count, of.mover, alpha_, term_};
  }

  void end(const Path& path, const int* goals) override;
  // Backs up values along a path until no value changes. The last action may have a new child or new bounds.
  void learn(const Path& path) override;

 private:
  float* values_of(const std::uint32_t* step) const;
  const float* best_of(Index node) const;
  void keep_within_bounds(const Node& node, const Action& action, float* values) const;

  Tree& tree_;
  const float alpha_;
  const ImplicitMinimaxConfig::Term term_;
  std::vector<float> before_;  // scratch
};

}  // namespace ggp

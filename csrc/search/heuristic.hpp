// Evaluations in the tree, in addition to the averages of the simulations.
//
// Implicit minimax backups (Lanctot, Winands, Pepels and Sturtevant, "Monte Carlo Tree Search with Heuristic
// Evaluations using Implicit Minimax Backups", CIG 2014, Algorithm 1 and Eq. 2). Every action a of a state s has,
// in addition to its mean, a value for every role, which selection mixes in for the role that chooses:
//
//     Q_IM(s, a) = (1 - alpha) Q(s, a) + alpha v(s, a)                                        (Eq. 2, line 2)
//
// v(s, a)  at first the evaluation v0 of the state after a, once a simulation has reached it (line 13); later the value
//          of the action of that state that is best for its mover (line 8):
//              v(s, a) = v(s', a'),  a' = the tried action of s' with the highest v for the mover of s'
//          The values of all roles are backed up together, so in a game of two roles with an antisymmetric evaluation
//          this is minimax, in others max^n (Luckhardt and Irani, AAAI 1986).
// alpha    the weight of the evaluation
//
// With other terms (the comparisons of the paper's section on Breakthrough) alpha stands before v0(s, a), which never
// changes (constant), or before v(s, a) / (n(a) + 1) (progressive; Chaslot et al., NMNC 2008).
//
// With priors (priors.hpp) Q(s, a) includes the prior.
//
// If a bound of the goal is proven (solver.hpp), v is limited by it: a proven win is 1, a proven loss -1. Actions whose
// state no simulation has reached, or whose evaluation is unknown, have NaN: they count by Q alone and maxima ignore
// them. In simultaneous nodes selection uses Q, and an action that leads to such a node keeps v0.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "search/config.hpp"
#include "search/traversal.hpp"
#include "search/tree.hpp"

namespace ggp {

class Heuristic {
 public:
  Heuristic(Tree& tree, const SelectionConfig& config);

  // Returns the values for a role in a node where it alone chooses.
  HeuristicView view(const Choice& choice, int role) const {
    return {tree_.values(choice), tree_.values_of_action(), static_cast<std::uint32_t>(role), alpha_, term_};
  }

  // Gives the last action of a path the evaluation of the state after it, by role, unless it has one; then backs it up.
  void begin(const Path& path, const float* values);
  // The same if the game ends there, with these goals.
  void end(const Path& path, const int* goals);
  // Backs up values along a path, as far as they change something.
  void learn(const Path& path);

 private:
  float* values_of(const std::uint32_t* step);
  bool keep_within_bounds(const Node& node, const Action& action, float* values) const;

  Tree& tree_;
  const float alpha_;
  const ImplicitMinimaxConfig::Term term_;
  std::vector<float> best_;  // scratch
};

}  // namespace ggp

// Node priors: what is known about the moves of a new node before any visit (Gelly and Silver, "Combining online and
// offline knowledge in UCT", ICML 2007).
//
// Every legal move a of a new node s begins as if it had p(a) visits with the mean v(a):
//
//     Q(s, a) = (r(a) + p(a) v(a)) / (n(a) + p(a))
//
// r, n     the sum of the rewards and the number of the observed visits of a
// v, p     the prior: with source = evaluation the evaluation of the state after a and a configured number of visits;
//          with source = game what the game knows (MovePriors), with its numbers of visits or a configured number
//
// In the exploration term p(a) is added to the visits of a, and the sum of p over all legal moves to the visits of s. So
// all moves are compared by these values from the first visit of s on: no move must be tried first. With all moves as first (amaf.hpp)
// both means have the prior, as in "Monte-Carlo tree search and rapid action value estimation in computer Go" (Gelly
// and Silver, AIJ 2011). Only moves without a prior (p = 0) that have no visit and no other data come first.
//
// Nodes in which several roles choose have no priors, and neither have nodes whose priors the simulator does not know or
// for which memory is refused: untried moves come first there.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "interfaces/evaluations.hpp"
#include "interfaces/move_priors.hpp"
#include "search/config.hpp"
#include "search/tree.hpp"
#include "simulator.hpp"

namespace ggp {

class NodePriors {
 public:
  // `evaluation` is the number of the evaluation, for source = evaluation. Throws std::invalid_argument if the
  // simulator does not have what the configuration needs.
  NodePriors(Simulator& simulator, const PriorsConfig& config, int evaluation);

  // Reads the priors of the state in a lane of the simulator, in which these moves are legal.
  void read(const LegalMoves& legal, int lane);
  // Gives these priors, if there are any, to the new node of the state.
  void give(Tree& tree, Index node, bool as_root = false) const;

 private:
  int read(int lane, int role);

  const PriorsConfig config_;
  const int evaluation_;
  MovePriors* const game_;          // source = game, else null
  Evaluations* const evaluations_;  // source = evaluation, else null
  bool known_ = false;  // whether the latest state has priors
  // By legal move.
  std::vector<float> values_;
  std::vector<std::uint32_t> visits_;
};

// Null if the configuration has no priors.
std::unique_ptr<NodePriors> make_priors(const Config& config, Simulator& simulator, int evaluation);

}  // namespace ggp

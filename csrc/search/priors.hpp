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
// With selection.formula = puct the table has the learned probabilities of the moves instead (puct.hpp).
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
#include "interfaces/move_probabilities.hpp"
#include "search/config.hpp"
#include "search/tree.hpp"
#include "simulator.hpp"

namespace ggp {

class NodePriors {
 public:
  // `evaluation` is the number of the evaluation, for source = evaluation and for PUCT. Throws std::invalid_argument if
  // the simulator does not have what the configuration needs.
  NodePriors(Simulator& simulator, const SelectionConfig& config, int evaluation);

  // Evaluates the state in lane 0 for PUCT; returns its values by role, and null without PUCT.
  const float* evaluate_first_lane();
  // Reads the priors of the state in a lane of the simulator, in which these moves are legal. For PUCT the lane has been
  // evaluated, with these values.
  void read(const LegalMoves& legal, int lane, const float* values);
  // Gives these priors, if there are any, to the new node of the state.
  void give(Tree& tree, Index node, bool as_root = false) const;

 private:
  int read(int lane, int role);
  void read_probabilities(const LegalMoves& legal, int lane, int role, float value);

  const PriorsConfig config_;
  const int evaluation_;
  MovePriors* const game_;          // source = game, else null
  Evaluations* const evaluations_;  // source = evaluation and PUCT, else null
  MoveProbabilities* const policy_;  // PUCT, else null
  const int roles_;
  bool known_ = false;  // whether the latest state has priors
  float value_ = 0;     // PUCT: its value for the role that chooses
  // By legal move.
  std::vector<float> values_;
  std::vector<std::uint32_t> visits_;
  // For PUCT: the values of the state in lane 0, and its lane mask.
  std::vector<float> first_values_;
  std::vector<std::uint64_t> first_lane_;
};

// Null if the configuration has no priors.
std::unique_ptr<NodePriors> make_priors(const Config& config, Simulator& simulator, int evaluation);

}  // namespace ggp

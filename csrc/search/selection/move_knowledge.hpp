// The knowledge about the moves of a new node before any visit: evaluations of the states after the moves, and priors.
//
// Evaluations are for implicit minimax backups (heuristic.hpp).
//
// Node priors (Gelly and Silver, "Combining online and offline knowledge in UCT", ICML 2007): every legal move a of a new
// node s begins as if it had p(a) visits with the mean v(a):
//
//     Q(s, a) = (r(a) + p(a) v(a)) / (n(a) + p(a))
//
// r, n     the sum of the rewards and the number of the observed visits of a
// v, p     the prior: with source = evaluation the evaluation of the state after a and a configured number of visits;
//          with source = game the knowledge of the game (MovePriors), with its numbers of visits or a configured number
//
// In the exploration term p(a) is added to the visits of a, and the sum of p over all legal moves to the visits of s.
// So these values compare all moves from the first visit of s on: no move must be tried first. With all moves as first
// (amaf.hpp) both means have the prior, as in "Monte-Carlo tree search and rapid action value estimation in computer
// Go" (Gelly and Silver, AIJ 2011). Only moves with p = 0 that have no visit and no other data come first.
//
// With selection.formula = puct a node has a table of the learned probabilities of the moves instead, with the value of
// the state (puct.hpp).
//
// Nodes in which several roles choose have no such tables. A node has no table, too, if the simulator knows nothing
// about its state or memory is refused. In these nodes untried moves come first.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "interfaces/evaluations.hpp"
#include "interfaces/move_priors.hpp"
#include "interfaces/move_probabilities.hpp"
#include "search/config/config.hpp"
#include "search/tree/tree.hpp"
#include "simulator.hpp"

namespace ggp {

class MoveKnowledge {
 public:
  // `evaluation` is the number of the evaluation, -1 if there is none. Throws std::invalid_argument if the simulator
  // does not have what the configuration needs.
  MoveKnowledge(Simulator& simulator, const SelectionConfig& config, int evaluation);

  // Evaluates the state in lane 0 for PUCT; returns its values by role, and null without PUCT.
  const float* evaluate_first_lane();
  // Reads the knowledge about the legal moves of the state in a lane of the simulator. For PUCT, `values` are the
  // values of the evaluated lane.
  void read(const LegalMoves& legal, int lane, const float* values);
  // Gives the new node of this state its tables.
  void give(Tree& tree, Index node, bool as_root = false) const;

 private:
  bool evaluate(const LegalMoves& legal, int lane);
  bool find_priors(int lane, int role, std::size_t count);
  void read_probabilities(const LegalMoves& legal, int lane, const float* values);

  const PriorsConfig config_;
  const int roles_;
  const int evaluation_;
  MovePriors* const game_;          // null if the priors do not come from the game
  Evaluations* const evaluations_;  // null if neither values nor priors need them
  MoveProbabilities* const policy_;  // null without PUCT
  const bool stores_values_, stores_priors_;
  // Of the latest state.
  bool evaluated_ = false, has_priors_ = false;
  float value_ = 0;  // PUCT: for the role that chooses
  std::vector<float> values_;           // by legal move and role
  std::vector<float> prior_values_;     // by legal move; PUCT: their probabilities
  std::vector<std::uint32_t> visits_;   // by legal move
  // For PUCT: the values of the state in lane 0, and its lane mask.
  std::vector<float> first_values_;
  std::vector<std::uint64_t> first_lane_;
};

// Null if the configuration needs no knowledge.
std::unique_ptr<MoveKnowledge> make_move_knowledge(const Config& config, Simulator& simulator, int evaluation);

}  // namespace ggp

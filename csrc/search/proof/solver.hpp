// Proofs: bounds on the goal of every role, in every node and after every action.
//
// The value of a node for a role is the goal that the role can guarantee: the maximum over its moves of the minimum
// over all joint moves of the other roles, up to the ends of the game. The value of an action is that minimum for the
// action. The bounds of a role contain its value: pess(r) <= value(r) <= opti(r).
//
// Score bounds (Cazenave and Saffidine, "Score Bounded Monte-Carlo Tree Search", CG 2010), which prove wins
// and losses like MCTS-Solver (Winands, Björnsson and Saito, CG 2008) and any goal in between. A terminal outcome has
// its goal as both bounds, an untried move has 0 and 100, and in a node with a mover m
//
//     pess(m) = max over actions of pess(m)        opti(m) = max over actions of opti(m)
//
// For another role r
//
//     pess(r) = 100 - opti(m), opti(r) = 100 - pess(m)   if the game is constant-sum and has two roles
//     pess(r) = min, opti(r) = max over all children      otherwise, once every move was tried; this is
//                                                         valid for all moves of m
//
// A game of two roles counts as constant-sum (its goals always add up to 100) until an end with other goals is found,
// in the tree or in a play-out. Then all bounds are computed again by the second rule. The bounds of the first rule are
// valid nevertheless: goals add up to 100 in all ends from which a bound of m was proven. But opti(r) assumes that the
// opponent of r plays for its own goal as in the proof; against other play r may get more.
//
// In a simultaneous node, over the joint actions of an action a of r, once all of them were tried:
//
//     pess(a) = min of pess(r), opti(a) = max of opti(r);   pess(r) = max of pess(a), opti(r) = max of opti(a)
//
// and in a constant-sum game opti(r) <= 100 - pess(other). A role without a choice there gets the minimum and the
// maximum over all joint actions. Not included: mixed strategies, nodes with more than kMostJoints joint moves, and
// conclusions from the best moves of the others in games that are not constant-sum.
//
// If a role w wins at once, a node may list this move alone (Node::winner). Then pess(r) of another role r stays 0,
// because a move of w that is not listed may be worse for r. opti(r) is valid, because w can make the listed move.
//
// Bounds only become narrower (except in the case above). Work is done only when a terminal outcome is found for the
// first time: along the path of that simulation, up to the first node that does not change.
//
// An action is closed, and not searched again, if its bounds are equal or it cannot be better than the guaranteed value
// of its role. In a simultaneous node, where roles mix, only worse actions are closed.
//
// A settled node stores the plies to the end if the mover takes the shortest known line to a goal above 50 and the
// longest to any other goal, as far as these lines are still in the tree.
#pragma once

#include <cstdint>

#include "search/tree/path.hpp"
#include "search/tree/tree.hpp"

namespace ggp {

class Solver {
 public:
  static constexpr std::uint64_t kMostJoints = 1024;

  Solver(Tree& tree, bool enabled) : tree_(tree), enabled_(enabled) {}

  // Records the goals at the end of a game.
  void see_end(const int* goals);
  // Propagates the terminal outcome found after the last step of a path.
  void learn(const Path& path);

  // Adds bounds from another source on the goal of the root's mover after its action at this index, also without other
  // proofs. Returns false if the bounds do not become narrower.
  bool bound_root_action(std::uint32_t place, Bounds bounds);

  // Updates the bounds of a new root from its children.
  void learn_at_root();

  // Whether the root is terminal, or the goal of every role that has a choice there is proven and a move that
  // guarantees this goal is known.
  bool root_is_settled() const;

 private:
  bool update(const std::uint32_t* step);
  bool update_mover(Node& node);
  bool update_simultaneous(Index index);
  bool knows_sure_move(const Choice& choice) const;
  Bounds bounds_behind(const Node& node, Index child, int role) const;
  std::uint16_t plies_to_end(const Node& node) const;
  void start_over();
  bool forced_sum() const { return tree_.roles() == 2 && tree_.constant_sum(); }

  Tree& tree_;
  bool enabled_;
};

// The plies from a settled child to the end, see above. For a recycled child the worst case: the maximum if the goal is
// above 50, else 0.
std::uint16_t plies_behind(const Tree& tree, Index child, int goal);

}  // namespace ggp

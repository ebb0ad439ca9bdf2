// What is proven: bounds on the goal of every role, in every node and behind every action.
//
// The value of a node for a role is the goal that the role can guarantee: the maximum over its moves of the minimum over
// all joint moves of the other roles, up to the ends of the game. The value of an action is that minimum for the action.
// The bounds of a role contain its value: pess(r) <= value(r) <= opti(r).
//
// Score bounds (Cazenave and Saffidine, "Score Bounded Monte-Carlo Tree Search", CG 2010), which prove wins
// and losses as MCTS-Solver does (Winands, Björnsson and Saito, CG 2008) and any goal in between. A terminal
// outcome has the goal itself for both bounds, an untried move 0 and 100, and in a node with a mover m
//
//     pess(m) = max over actions of pess(m)        opti(m) = max over actions of opti(m)
//
// For another role r
//
//     pess(r) = 100 - opti(m), opti(r) = 100 - pess(m)   where the game is a constant-sum one of two roles
//     pess(r) = min, opti(r) = max over all children      otherwise, once every move was tried: this holds
//                                                         whatever m does
//
// A game of two roles is taken for constant-sum, that is, for one whose goals always add up to 100, until an end is met,
// in the tree or in a play-out, where they do not. Then all bounds are found again by the other rule. The bounds of the
// first rule are right even so: the ends from which a bound of m was proven have been met, and there the goals did add
// up. But opti(r) is the value of a role whose opponent plays for its own goal as the proof says; an opponent who does
// not may let r have more.
//
// In a simultaneous node, over the joint actions of an action a of r, once all of them were tried:
//
//     pess(a) = min of pess(r), opti(a) = max of opti(r);   pess(r) = max of pess(a), opti(r) = max of opti(a)
//
// and in a constant-sum game opti(r) <= 100 - pess(other). A role without a choice there gets the minimum
// and the maximum over all joint actions. Left out: mixed strategies, nodes with more than kMostJoints joint
// moves, and conclusions from what is best for the others in games that are not constant-sum.
//
// Where a role w wins at once, a node may list this move alone (Node::winner). Then pess(r) of another role r stays 0: a
// move of w that is not listed may be worse for r. opti(r) holds, since w can make the listed move.
//
// Bounds only ever get narrower (but for that one event), and work is done only when a terminal outcome
// is met for the first time: up the path of that simulation, until a node learns nothing new.
//
// An action is closed, and not searched again, when its bounds are settled (equal) or nothing better than
// what its role is sure of can come of it. In a simultaneous node, where roles mix, only what is worse closes.
//
// A settled node knows the plies to the end if the mover takes the shortest known way to more than 50 and the
// longest to anything less, as far as these ways are still in the tree.
#pragma once

#include <cstdint>

#include "search/traversal.hpp"
#include "search/tree.hpp"

namespace ggp {

class Solver {
 public:
  static constexpr std::uint64_t kMostJoints = 1024;

  Solver(Tree& tree, bool enabled) : tree_(tree), enabled_(enabled) {}

  // Takes note of the goals at the end of a game.
  void see_end(const int* goals);
  // Draws the conclusions from the terminal outcome that was found behind the last step of a path.
  void learn(const Path& path);

  // Takes note of what is known from elsewhere of the goal that the root's mover has behind its action at this place;
  // also where nothing else is proven. False where it says nothing new.
  bool tell_root(std::uint32_t place, Bounds bounds);

  // Draws the conclusions at a new root from what is known behind it.
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

// The plies from a settled child to the end, see above. Where the child was recycled, the worst: as many as
// there can be to a goal above 50, none to another.
std::uint16_t plies_behind(const Tree& tree, Index child, int goal);

}  // namespace ggp

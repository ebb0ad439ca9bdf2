// All moves as first: how well a move did in the simulations from a node on, whenever it was chosen there.
//
// GRAVE (Cazenave, "Generalized Rapid Action Value Estimation", IJCAI 2015), with reference = 0 RAVE (Gelly and
// Silver, "Monte-Carlo tree search and rapid action value estimation in computer Go", AIJ 2011). In a node, for a
// role that chooses there, the value of a move a is
//
//     (1 - beta) Q(a) + beta A(a),   beta = p~ / (p~ + p + bias p~ p)
//
// Q(a), p   mean reward of the role over the observed visits of a in the node, and their number
// A(a), p~  mean reward of the role over the simulations through the reference in which the role chose a, there
//           or later, and their number
// reference the closest node on the path of the simulation, the node itself included, with at least that many
//           observed visits; the root where there is none
// bias      what A errs by even with many simulations: the higher, the sooner Q takes over
//
// An untried move has p = 0 and so the value A. What is made of the values, exploration and ties included, is said
// in selection.hpp.
//
// A simulation counts once for a move, however often it was chosen, in the tree or in the play-out. The only
// legal move of a role does not count. The reward is that of the end of the simulation, bonuses included; corrections
// by proofs (traversal.hpp) are not. Of simulations with more than MoveLearner::kLongest choices the first count.
//
// Tables are kept in nodes with at least half as many visits as a reference needs, and in the root: those with fewer
// would cost memory for nothing. So a node that becomes a reference has the statistics of the later half of its visits.
// Where memory for a table is refused, a node above is the reference. A table has one sum for each move of each role,
// in the memory of the tree; it goes when the node goes. At kMost simulations both its numbers are halved: from
// there on the mean is one over the latest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/config.hpp"
#include "search/playout.hpp"
#include "search/tree.hpp"

namespace ggp {

struct Path;

// The value of a move with this mean over so many visits of its node. Without visits nor simulations it is the mean.
inline float grave_value(float mean, std::uint32_t visits, AmafSum sum, float bias) {
  const auto p = static_cast<float>(visits), simulations = static_cast<float>(sum.count);
  // beta / p~; what is under the line is at least 1 unless both are 0.
  const float share = 1.0f / std::max(1.0f, simulations + p + bias * simulations * p);
  return mean + share * (sum.reward - simulations * mean);
}

// What guides the choice of one role in a node.
struct AmafView {
  const AmafSum* by_move;      // of the role in the reference
  const std::uint32_t* moves;  // the legal ones of the node, see Tree::list_moves()
  std::uint32_t count;         // of them
  float bias;

  // Of the move of an action, or of an untried one: those come behind the actions that were tried.
  AmafSum sum(std::uint32_t place, std::uint32_t tried) const {
    return by_move[moves[place < tried ? count - 1 - place : place - tried]];
  }
};

class Amaf {
 public:
  // `moves` are the numbers of moves by role; the tree has tables for as many.
  Amaf(Tree& tree, const GraveConfig& config, const std::vector<int>& moves);

  // Makes the node that a path has come to its reference, if it is one. The first is the root.
  void arrive(Path& path, Index node);
  // What guides a role by the table of a reference, in a node with so many legal moves.
  AmafView view(Index reference, int role, const std::uint32_t* moves, std::uint32_t count) const {
    return {tree_.amaf(reference) + first_[role], moves, count, bias_};
  }
  // Takes in a simulation with all its choices, those of the path first.
  void learn(const Path& path, const std::vector<Chosen>& choices, const double* rewards);

  static constexpr std::uint32_t kMost = 1u << 22;

 private:
  // A table and the number of choices before its node.
  struct Stage {
    AmafSum* table;
    std::size_t before;
  };
  struct Occurrence {
    std::size_t place;  // in a table
    float reward;
  };

  Tree& tree_;
  const std::uint32_t reference_;
  const float bias_;
  std::vector<std::size_t> first_;  // place in a table, by role
  // Scratch: the tables of a path; the moves of a simulation, each once, and where they were seen.
  std::vector<Stage> stages_;
  std::vector<Occurrence> moves_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t simulation_ = 0;
};

}  // namespace ggp

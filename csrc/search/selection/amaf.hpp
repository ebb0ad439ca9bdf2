// All moves as first: the mean reward of a move over the simulations from a node on, at any ply.
//
// GRAVE (Cazenave, "Generalized Rapid Action Value Estimation", IJCAI 2015), with reference = 0 RAVE (Gelly and
// Silver, "Monte-Carlo tree search and rapid action value estimation in computer Go", AIJ 2011). In a node, for a
// role that chooses there, the value of a move a is
//
//     (1 - beta) Q(a) + beta A(a),   beta = p~ / (p~ + p + bias p~ p)
//
// Q(a), p   mean reward of the role over the observed visits of a in the node, and their number
// A(a), p~  mean reward of the role over the simulations through the reference in which the role chose a there
//           or later, and their number
// reference the closest node on the path of the simulation, including the node itself, with at least `reference`
//           observed visits, else the root
// bias      the error of A with many simulations: with a higher bias Q dominates earlier
//
// An untried move has p = 0 and so the value A. selection.hpp describes how the values are used, including exploration
// and ties.
//
// A simulation counts once for a move, even if the move was chosen several times, in the tree or in the play-out. The
// only legal move of a role does not count. Corrections of rewards by proofs (traversal.hpp) do not count;
// `playout.learns` decides whether rewards include bonuses. Only the first MoveLearner::kLongest choices of a
// simulation count.
//
// Nodes with at least half of the visits of a reference have tables, and the root has a table; in other nodes tables
// would waste memory. So a node that becomes a reference has the statistics of the later half of its visits. If memory
// for a table is refused, a node above is the reference. A table has one sum for each move of each role. It uses the
// memory of the tree and is freed with its node. At kMost simulations both numbers of a sum are halved; from then on
// the mean is over the latest simulations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/config/config.hpp"
#include "search/playout/playout.hpp"
#include "search/tree/tree.hpp"

namespace ggp {

struct Path;

// The value of a move with this mean over `visits` visits of its node; the mean if both numbers of visits are 0.
inline float grave_value(float mean, std::uint32_t visits, AmafSum sum, float bias) {
  const auto p = static_cast<float>(visits), simulations = static_cast<float>(sum.count);
  // beta / p~; the denominator is at least 1 unless both numbers are 0.
  const float share = 1.0f / std::max(1.0f, simulations + p + bias * simulations * p);
  return mean + share * (sum.reward - simulations * mean);
}

// The AMAF data for the choice of one role in a node.
struct AmafView {
  const AmafSum* by_move;      // sums of the role in the reference
  const std::uint32_t* moves;  // the legal moves of the node, see Tree::list_moves()
  std::uint32_t count;         // number of legal moves
  float bias;

  // The sum of the move of an action, or of an untried move; untried moves follow the tried actions.
  AmafSum sum(std::uint32_t place, std::uint32_t tried) const {
    return by_move[moves[place < tried ? count - 1 - place : place - tried]];
  }
};

class Amaf {
 public:
  // `moves` are the numbers of moves by role, as in the tables of the tree.
  Amaf(Tree& tree, const GraveConfig& config, const std::vector<int>& moves);

  // Sets the reference of a path to the node that the path has reached, if possible. The first node is the root.
  void arrive(Path& path, Index node);
  // Returns the data for a role from the table of a reference, in a node with `count` legal moves.
  AmafView view(Index reference, int role, const std::uint32_t* moves, std::uint32_t count) const {
    return {tree_.amaf(reference) + first_[role], moves, count, bias_};
  }
  // The table of the last node of a path that has a table and at least this number of visits; null without such a node.
  const AmafSum* table_of(const Path& path, std::uint32_t visits) const;
  // Learns from a simulation with all its choices, starting with the choices of the path.
  void learn(const Path& path, const std::vector<Chosen>& choices, const double* rewards);

  static constexpr std::uint32_t kMost = 1u << 22;

 private:
  // A table and the number of choices before its node.
  struct Stage {
    AmafSum* table;
    std::size_t before;
  };
  struct Occurrence {
    std::size_t place;  // index in a table
    float reward;
  };

  Tree& tree_;
  const std::uint32_t reference_;
  const float bias_;
  std::vector<std::size_t> first_;  // index in a table, by role
  // Scratch: the tables of a path; the different moves of a simulation, and where they were seen.
  std::vector<Stage> stages_;
  std::vector<Occurrence> moves_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t simulation_ = 0;
};

}  // namespace ggp

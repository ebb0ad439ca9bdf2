// The paths of simulations through the tree: descent by selection, backup with the rewards.
//
// A path is a sequence of steps, each a node and the actions taken there, in one array of words:
// node, place                      in a node with a mover;
// node, kept, place of each role   in a simultaneous node; kept is 0 if its joint action got no memory.
// In the descent every node, action and joint action counts the simulation as unobserved. The backup turns this count
// into an observed visit with its reward; a withdrawal removes the count.
//
// Proofs correct the rewards that are backed up. If the mover of a node guarantees a goal g, and the action of the
// simulation has a lower mean than the reward of g, the mover would not take this action: from this node upwards the
// reward of g is backed up. If at most g is possible, a higher mean is corrected in the same way. Without corrections,
// simulations of other moves after a proven draw would lower the value of the node below the draw.
//
// Maximum backpropagation (Coulom, "Efficient selectivity and backup operators in Monte-Carlo tree search", CG 2006):
// once a node has enough observed visits, the reward from there upwards is the highest mean of its actions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "search/playout/playout.hpp"
#include "search/selection/selection.hpp"
#include "search/tree/archive.hpp"
#include "search/tree/path.hpp"
#include "search/tree/tree.hpp"

namespace ggp {

class Heuristic;

// The reason why a descent ended.
enum class Edge {
  kTerminal,    // the last step ends the game; child() is its outcome
  kFirstVisit,  // the last step was never taken before: play out after it
  kExpand,      // the last step was taken before and has no node yet
  kNews,        // the last step leads to a shared node with more proofs than the step; continue from there
  kNoMemory,    // the last node cannot get more actions: play out from it, no step was added
};

class Traversal {
 public:
  Traversal(Tree& tree, const Selection& selection);
  void seed(std::uint64_t seed) { random_ = seed; }
  void archive(Archive& archive) { archive(random_); }
  // Sets the component that orders untried moves; null for a random order.
  void set_order(const MoveLearner* order) { order_ = order; }
  // Sets the statistics of all moves as first for the selection; null for none.
  void set_amaf(Amaf* amaf) { amaf_ = amaf; }

  // Sets the evaluations for the selection; null for none.
  void set_heuristic(const Heuristic* heuristic) {
    heuristic_ = heuristic;
    knows_more_ = compares_untried_ || heuristic_ != nullptr;
    if (heuristic_ != nullptr) uct_ = nullptr;
  }
  // Sets the observed visits from which a node passes the mean of its best action upwards; 0: never.
  void set_maximum_from(std::uint32_t visits) { maximum_from_ = visits; }

  // Adds steps to the path from a node to the edge of the tree.
  Edge descend(Path& path, Index node);

  // The child of the last step. If memory for the joint action or for a full action was refused, no child is stored. An
  // action that was taken before is full.
  Index child(const Path& path) const;
  void set_child(const Path& path, Index child);

  // Writes the joint move of the step that begins at `step` to moves[0 .. roles - 1]; returns the index of the next
  // step.
  std::size_t joint_move(const Path& path, std::size_t step, int* moves) const;

  // Calls add(choice, same_ply) for all choices of the path, from the root on.
  template <class Add>
  void for_each_choice(const Path& path, Add add) const;

  void backup(const Path& path, const double* rewards);
  void withdraw(const Path& path);

 private:
  void find_known_moves(const Path& path, Index node, int role);
  bool take_action(const Path& path, Index node, int role, std::uint32_t& place);
  bool add_action(Index node, int role, const Choice& choice);
  bool brings_news(const Node& node, Bounds known, Index child) const {
    const Node& below = tree_.node(child);
    return below.narrowed && brings_news(node, known, below);
  }
  bool brings_news(const Node& node, Bounds known, const Node& below) const;
  void hand_up_maximum(const Node& node, double* rewards) const;
  void correct(const Node& node, float mean, double* rewards) const;

  Tree& tree_;
  const Selection& selection_;
  const bool compares_untried_;  // also of every tree that replaces this one
  bool knows_more_;  // whether nodes may have KnownMoves
  KnownMoves known_;  // of the latest choice
  const UctSelection* uct_;  // the selection, if it is UCT without other knowledge; else null
  const MoveLearner* order_ = nullptr;
  Amaf* amaf_ = nullptr;
  const Heuristic* heuristic_ = nullptr;
  std::uint32_t maximum_from_ = 0;
  std::uint64_t random_ = 0;  // order of first trial, draws of the selection
  std::vector<std::uint32_t> places_, untried_;
  std::vector<double> rewards_;
};

template <class Add>
void Traversal::for_each_choice(const Path& path, Add add) const {
  for (std::size_t at = 0; at < path.words.size();) {
    const std::uint32_t* step = path.words.data() + at;
    const Node& node = tree_.node(step[0]);
    const auto move = [&](int role, std::uint32_t place) {
      return RoleMove{role, static_cast<int>(tree_.move(node.choice(role), place))};
    };
    if (node.mover != kSimultaneous) {
      if (node.choices()[0].count > 1) add(move(node.mover, step[1]), false);
      at += 2;
      continue;
    }
    bool same_ply = false;
    for (int role = 0; role < tree_.roles(); ++role) {
      if (!node.chooses(role)) continue;
      add(move(role, step[2 + role]), same_ply);
      same_ply = true;
    }
    at += 2 + static_cast<std::size_t>(tree_.roles());
  }
}

}  // namespace ggp

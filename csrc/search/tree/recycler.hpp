// Frees memory of a tree that has reached its limit: the least useful subtrees are removed, so that the search can grow
// important ones.
//
// After Powley, Cowling and Whitehouse, "Memory Bounded Monte Carlo Tree Search" (AIIDE 2017), where the node with the
// oldest visit is removed. Their queue would cost two references per node and a write to distant memory per visit. Here
// a hand moves around the tree, depth first, as in the CLOCK algorithm of paging (Corbató, 1968), and removes the
// subtree of every node that was
//     visited fewer times than a threshold, and
//     not visited in this round of the hand or the one before (visits leave the number of the round), or
//     visited fewer times than an eighth of the threshold,
// without a simulation in flight. The threshold, at first kFirstThreshold, is doubled after a round that removed less
// than an eighth of the nodes and halved after one that removed more than a half. The statistics of the action that
// leads to the subtree stay: its visits, mean and bounds. When the action is selected again, its node is created again.
//
// With transpositions, the hand continues below a node once per round, from the first edge that it follows. A node that
// is removed loses each edge that the hand follows, and is freed with the last; nodes below it stay if other edges lead
// to them.
//
// Nodes that the tree has discarded with an earlier root are freed first.
//
// The hand moves when little memory is left, or when memory was refused because the free memory is in pieces, and only
// until enough was freed or it has examined a bounded number of nodes. A removed node has at least one visit for each
// node that is removed with it, so these visits pay for the removal, except for shared nodes that other edges have left
// before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/tree/archive.hpp"
#include "search/tree/marks.hpp"
#include "search/tree/tree.hpp"

namespace ggp {

class Recycler {
 public:
  static constexpr std::uint32_t kFirstThreshold = 4;

  Recycler(Tree& tree, std::size_t memory_bytes) : tree_(tree), reserve_(memory_bytes / 32) {}

  // Moves the hand over at most `looks` children, if there is reason to. Call it between rounds of the lanes: during a
  // round there are nodes that are not on a path yet.
  void make_room(std::size_t looks);
  // Starts over: the tree has another root.
  void reset();
  void archive(Archive& archive) {
    archive(owed_, refusals_, way_, threshold_, at_first_, recycled_);
    met_.archive(archive);
  }

 private:
  // A node on the path of the hand and the index of the next child.
  struct Stage {
    Index node;
    std::uint32_t next;
  };

  void begin_round();
  Index* next_child(Stage& stage);
  bool is_useless(const Node& node) const;
  bool is_first_time(Index node);
  void recycle(Index& child);

  Tree& tree_;
  std::size_t reserve_;         // bytes to free on each occasion
  std::size_t owed_ = 0;        // bytes that remain to be freed
  std::uint64_t refusals_ = 0;  // refusals at the latest occasion
  std::vector<Stage> way_;
  Marks met_;  // nodes with several edges visited in this round
  std::uint32_t threshold_ = kFirstThreshold;
  std::size_t at_first_ = 0;  // number of nodes when the round began
  std::size_t recycled_ = 0;  // number of nodes removed in this round
};

}  // namespace ggp

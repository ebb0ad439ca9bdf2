// Frees memory of a tree that has reached its limit: the least useful subtrees are removed, so that the search can grow
// important ones.
//
// Powley, Cowling and Whitehouse, "Memory Bounded Monte Carlo Tree Search" (AIIDE 2017), remove the node with the
// oldest visit. Their queue costs two references per node and a write to distant memory per visit. Here a hand moves
// around the tree, depth first, as in the CLOCK algorithm of paging (Corbató, 1968). It removes the subtree of every
// node that has no simulation in flight and was
//     visited fewer times than a threshold, and not in this or the previous round of the hand, or
//     visited fewer times than an eighth of the threshold.
// A visit stores the number of the round in the node. The threshold, at first kFirstThreshold, is doubled after a round
// that removed less than an eighth of the nodes, and halved after a round that removed more than a half. The action
// that leads to the subtree keeps its visits, mean and bounds. When it is selected again, its node is created again.
//
// With transpositions, the hand continues below a node once per round, from the first edge that it follows. A removed
// node loses each edge that the hand follows, and is freed with its last edge. Nodes below with other edges stay.
//
// Nodes that the tree has discarded with an earlier root are freed first.
//
// The hand moves when little memory is left, or when memory was refused because free memory is fragmented. It stops
// when enough memory is free, or after a bounded number of nodes. A removed node has at least one visit for each node
// that is removed with it, so these visits pay for the removal. Only shared nodes that lost other edges have no such
// visits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/tree/archive.hpp"
#include "search/tree/tree.hpp"

namespace ggp {

class Recycler {
 public:
  static constexpr std::uint32_t kFirstThreshold = 4;

  Recycler(Tree& tree, std::size_t memory_bytes) : tree_(tree), reserve_(memory_bytes / 32) {}

  // Moves the hand over at most `looks` children if memory is needed. Must be called between rounds of the lanes,
  // because during a round some nodes are not on a path yet.
  void make_room(std::size_t looks);
  // Starts again after a change of the root.
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

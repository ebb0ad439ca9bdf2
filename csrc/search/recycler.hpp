// Room for a tree that has reached its limit: the least useful subtrees are given back, and the search goes
// on growing where it matters.
//
// After Powley, Cowling and Whitehouse, "Memory Bounded Monte Carlo Tree Search" (AIIDE 2017), where the node
// that was not visited for the longest time gives way. Their queue would cost two references per node and
// a write to far memory per visit. Here a hand goes round the tree instead, depth first, as in the CLOCK
// of paging (Corbató, 1968), and gives back the subtree of every node that was
//     visited fewer times than a threshold, and
//     not visited in this round of the hand or the one before (visits leave the number of the round), or
//     visited fewer times than an eighth of the threshold,
// with no simulation under way. The threshold, at first kFirstThreshold, is doubled after a round that gave back
// less than an eighth of the nodes and halved after one that gave back more than a half. What was learnt about
// the action that leads to the subtree stays: its visits, mean and bounds. When it is taken again its node is made anew.
//
// Where transpositions are on, the hand goes on below a node once a round, from whichever edge it meets first. A
// useless node loses each edge that the hand comes along, and goes with the last; what is below it stays as far
// as other edges lead there.
//
// Nodes that the tree has discarded with an earlier root are freed before others give way.
//
// The hand moves when little room is left, or memory was refused since what is left is in pieces, and only
// until enough was given back or it has looked at a bounded number of nodes. A node has at least one visit for each
// that goes with it, so that its return is paid for by those, but for shared ones that other edges have left before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/archive.hpp"
#include "search/marks.hpp"
#include "search/tree.hpp"

namespace ggp {

class Recycler {
 public:
  static constexpr std::uint32_t kFirstThreshold = 4;

  Recycler(Tree& tree, std::size_t memory_bytes) : tree_(tree), reserve_(memory_bytes / 32) {}

  // Moves the hand past so many children at most, if there is reason to. To be called between rounds of the
  // lanes: in the course of one there are nodes that no path holds yet.
  void make_room(std::size_t looks);
  // Starts over: the tree has another root.
  void reset();
  void archive(Archive& archive) {
    archive(owed_, refusals_, way_, threshold_, at_first_, recycled_);
    met_.archive(archive);
  }

 private:
  // A node on the way of the hand and the place of the child that comes next.
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
  std::size_t reserve_;         // bytes that are given back on each occasion
  std::size_t owed_ = 0;        // of those
  std::uint64_t refusals_ = 0;  // by the latest occasion
  std::vector<Stage> way_;
  Marks met_;  // in this round, of nodes with several edges
  std::uint32_t threshold_ = kFirstThreshold;
  std::size_t at_first_ = 0;  // nodes when the round began
  std::size_t recycled_ = 0;  // nodes in this round
};

}  // namespace ggp

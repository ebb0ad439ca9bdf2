// Transpositions: the table of nodes by state, which makes the tree a directed acyclic graph.
//
// If different moves lead to the same state, the edges share one node (Childs, Brodeur and Kocsis, "Transpositions and
// move groups in Monte Carlo tree search", CIG 2008). Statistics stay on the edges, as in UCT1 of the paper: an action
// has the mean of the simulations that took it, and the node below learns from all simulations. UCT2 and UCT3 of the
// paper use values of the children. They read the distant memory of each child on each selection, or update all
// parents.
//
// A proof in a shared node reaches the edge of the simulation that found the proof at once. Another edge receives the
// proof when a simulation takes this edge (descent.cpp). Until then its bounds are valid, but wider than necessary.
//
// Nodes are shared from the start (`tree.transpositions`), or from a size of the tree on (`tree.transpositions_from`).
// At 1, 2, 4 and 8 times this size the search counts the states that occur twice. If their part is at least
// kSharedPart (simulations.cpp), nodes are shared from then on. Short searches, and games whose states do not repeat,
// have no cost.
//
// States share a node only if they have the same number of plies since the start of the match. So every edge leads one
// ply further, and the graph has no cycle. Edges to one node come from nodes of one ply.
//
// The table: open addressing with linear probing over the low bits of a 32-bit tag, doubled when seven eighths are
// used; a removal shifts back the following entries (Knuth, The Art of Computer Programming 3, 6.4, algorithm R), so no
// tombstones are needed. 8 bytes per slot, 9 to 18 per node. The tag is part of a hash of state and ply, and a look-up
// compares the complete state with the state of the node: a collision never merges different states.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/tree/archive.hpp"
#include "search/tree/heap.hpp"

namespace ggp {

class Transpositions {
 public:
  // The tag of a state, `words` words, at a ply.
  static std::uint32_t tag(const std::uint64_t* state, int words, std::uint32_t ply);

  // Prefetches the slot that find() reads first. Once this slot is in the cache, first() returns the first node with
  // the tag, for another prefetch.
  void expect(std::uint32_t tag) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[home(tag)]);
  }
  Index first(std::uint32_t tag) const {
    return find(tag, [](Index) { return true; });
  }
  // Returns the node with this tag for which is_right() is true, kNone without such a node.
  template <class IsRight>
  Index find(std::uint32_t tag, IsRight is_right) const;

  // Whether the table must grow before another node is entered.
  bool is_full() const { return used_ * 8 >= slots_.size() * 7; }
  void grow();
  void enter(std::uint32_t tag, Index node);
  // Removes a node, if it was entered with this tag.
  void remove(std::uint32_t tag, Index node);

  void archive(Archive& archive) { archive(slots_, used_); }

  std::size_t bytes() const { return slots_.size() * sizeof(Slot); }
  std::size_t bytes_once_grown() const { return slots_.empty() ? kFirst * sizeof(Slot) : 2 * bytes(); }

 private:
  struct Slot {
    std::uint32_t tag;
    Index node;  // kNone in an empty slot
  };
  static constexpr std::size_t kFirst = 32;

  std::size_t after(std::size_t place) const { return (place + 1) & (slots_.size() - 1); }
  std::size_t home(std::uint32_t tag) const { return tag & (slots_.size() - 1); }

  std::vector<Slot> slots_;  // none or a power of two
  std::size_t used_ = 0;
};

template <class IsRight>
Index Transpositions::find(std::uint32_t tag, IsRight is_right) const {
  if (slots_.empty()) return kNone;
  std::size_t place = home(tag);
  for (; slots_[place].node != kNone; place = after(place)) {
    if (slots_[place].tag == tag && is_right(slots_[place].node)) return slots_[place].node;
  }
  return kNone;
}

}  // namespace ggp

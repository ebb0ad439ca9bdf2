// Transpositions: the table of nodes by state, which makes the tree a directed acyclic graph.
//
// If different moves lead to the same state, the edges share one node (Childs, Brodeur and Kocsis, "Transpositions and
// move groups in Monte Carlo tree search", CIG 2008). Statistics stay on the edges, which is their UCT1: an action has
// the mean of the simulations that took it, while the node below learns from all simulations. (Their UCT2 and UCT3 use
// values of the children instead, which requires reading the distant memory of each child on each selection, or
// updating all parents.)
//
// A proof in a shared node reaches the edge of the simulation that found it at once, and the other edges when a
// simulation takes them (descent.cpp); until then their bounds are wider than necessary, but never wrong.
//
// Nodes can be shared from the start (`tree.transpositions`), or from a size of the tree on
// (`tree.transpositions_from`): a tree of that size, and again of 2, 4 and 8 times that size, counts how many of its
// states occur twice, and shares nodes from then on if their part is at least kSharedPart (simulations.cpp). So
// short searches and games whose states do not repeat have no cost.
//
// States are merged only if they are the same number of plies away from the start of the match. So every edge leads one
// ply further and there can be no cycle in any game: a state that occurs again after some moves is another node. Edges
// to one node come from nodes of one ply.
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

  // Begins to read the memory that find() will need first, and the memory of the first node with this tag, for which
  // the former should be in the cache.
  void expect(std::uint32_t tag) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[home(tag)]);
  }
  Index first(std::uint32_t tag) const {
    return find(tag, [](Index) { return true; });
  }
  // Returns the node with this tag for which is_right() is true, kNone if there is none.
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

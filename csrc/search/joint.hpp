// Children of nodes in which several roles choose at once.
//
// The key of a joint action is its node and a code: the actions of the choosing roles as digits of a
// mixed-radix number, or a 64-bit hash of them where that number could overflow. Open addressing with
// linear probing over a table of 32-bit entries; the joint actions themselves never move, and those of
// one node are linked, latest first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "random.hpp"
#include "search/arena.hpp"

namespace ggp {

// No node, no action, no place.
constexpr Index kNone = 0xFFFFFFFFu;

struct JointAction {
  std::uint64_t code;
  Index node;
  Index child;
  std::uint32_t visits;  // observed and unobserved
  Index next;            // of the same node, tried before this one
};
static_assert(sizeof(JointAction) == 24);

class JointTable {
 public:
  JointTable() : entries_(kChunk) {}

  JointAction& at(Index index) const { return *entries_.at(index); }

  Index find(Index node, std::uint64_t code) const {
    if (slots_.empty()) return kNone;
    for (std::size_t slot = place(node, code);; slot = (slot + 1) & (slots_.size() - 1)) {
      Index index = slots_[slot];
      if (index == kNone) return kNone;
      if (at(index).node == node && at(index).code == code) return index;
    }
  }

  // Adds an entry that is not there yet.
  Index add(Index node, std::uint64_t code, Index next) {
    if ((entries_.size() + 1) * 3 > slots_.size() * 2) grow();
    Index index = entries_.allocate(1);
    at(index) = {code, node, kNone, 0, next};
    link(index);
    return index;
  }

  // Bytes that add() would take beyond bytes() now.
  std::size_t cost_of_add() const {
    std::size_t table = (entries_.size() + 1) * 3 > slots_.size() * 2 ? larger() - slots_.size() : 0;
    return sizeof(JointAction) + table * sizeof(Index);
  }
  std::size_t bytes() const { return entries_.bytes() + slots_.size() * sizeof(Index); }

 private:
  static constexpr std::size_t kChunk = 1 << 12;
  static constexpr std::size_t kFirstSlots = 64;

  std::size_t larger() const { return slots_.empty() ? kFirstSlots : 2 * slots_.size(); }
  std::size_t place(Index node, std::uint64_t code) const {
    return mix64(code + node * 0x9E3779B97F4A7C15ull) & (slots_.size() - 1);
  }
  void link(Index index) {
    std::size_t slot = place(at(index).node, at(index).code);
    while (slots_[slot] != kNone) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = index;
  }
  void grow() {
    std::vector<Index> wider(larger(), kNone);
    slots_.swap(wider);
    for (Index index = 0; index < entries_.size(); ++index) link(index);
  }

  TypedArena<JointAction> entries_;
  std::vector<Index> slots_;
};

}  // namespace ggp

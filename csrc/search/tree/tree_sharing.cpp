// Edges to the same state that share one node (transpositions.hpp).
#include <algorithm>
#include <utility>
#include <vector>

#include "search/tree/tree.hpp"

namespace ggp {

Index Tree::add_child(const Node& from, const LegalMoves& legal, const std::uint64_t* state, std::uint32_t tag) {
  if (shares_ && !make_room_in_table(false)) return kNone;
  const Index index = add_node(legal, state);
  if (index == kNone) return kNone;
  if (!shares_) return index;
  const std::uint32_t ply = std::min(from.ply() + 1, kMostPly);
  node(index).set_ply(ply);
  if (ply < kMostPly) table_.enter(tag, index);
  return index;
}

Index Tree::known(const Node& from, const std::uint64_t* state, std::uint32_t tag) const {
  const std::uint32_t ply = from.ply() + 1;
  if (!shares_ || ply >= kMostPly) return kNone;
  return find(tag, state, ply);
}

bool Tree::add_parent(Index index) {
  std::uint16_t& parents = node(index).parents();
  if (parents == kMostParents) return false;
  ++parents;
  return true;
}

// Counts the plies of all nodes from the root on, and enters one node of each state in the table: the first node with
// the most visits. Returns the number of nodes that are not entered.
std::size_t Tree::enter_all() {
  std::size_t left_out = 0;
  table_ = Transpositions();
  for_each_node([this, &left_out](Index index) {
    const std::uint32_t ply = node(index).ply();
    for_each_child(node(index), [this, ply](Index child) {
      if (is_node(child)) node(child).set_ply(std::min(ply + 1, kMostPly));
    });
    if (index == root_ || ply >= kMostPly) return;
    const std::uint64_t* state = this->state(index, room_.data());
    const std::uint32_t tag = this->tag(state, ply);
    const Index other = find(tag, state, ply);
    left_out += other != kNone;
    if (other != kNone && node(other).visits >= node(index).visits) return;
    if (other != kNone) table_.remove(tag, other);
    if (table_.is_full()) table_.grow();
    table_.enter(tag, index);
  });
  return left_out;
}

double Tree::repeated() {
  if (shares_ || !is_node(root_)) return 0;
  free_discarded(nodes_);
  const std::size_t again = enter_all();
  table_ = Transpositions();
  return static_cast<double>(again) / static_cast<double>(nodes_);
}

void Tree::share() {
  if (shares_ || !is_node(root_)) return;
  free_discarded(nodes_);
  enter_all();
  shares_ = true;
  Marks met;
  met.clear(units());
  std::vector<Index> open{root_};
  for (std::size_t next = 0; next < open.size(); ++next) {
    for_each_child(node(open[next]), [&](Index& child) {
      if (!is_node(child)) return;
      if (node(child).ply() < kMostPly) {
        const std::uint64_t* state = this->state(child, room_.data());
        const std::uint32_t tag = this->tag(state, node(child).ply());
        const Index kept = find(tag, state, node(child).ply());
        if (kept == kNone) {
          // The entered node has been removed with its parent.
          table_.enter(tag, child);
        } else if (kept != child && add_parent(kept)) {
          discard(std::exchange(child, kept));
        }
      }
      if (met.is_first(child)) open.push_back(child);
    });
  }
  heap_.set_most(memory_bytes_ - std::min(memory_bytes_, table_.bytes()));
}

Index Tree::find(std::uint32_t tag, const std::uint64_t* state, std::uint32_t ply) const {
  return table_.find(tag, [this, state, ply](Index index) {
    return node(index).ply() == ply && states_.is_packed_from(packed(index), state);
  });
}

// Makes space for one more node in the table; returns false if memory is refused.
bool Tree::make_room_in_table(bool beyond) {
  if (!table_.is_full()) return true;
  if (!beyond && heap_.extent() + table_.bytes_once_grown() > memory_bytes_) {
    ++table_refusals_;
    return false;
  }
  table_.grow();
  heap_.set_most(memory_bytes_ - std::min(memory_bytes_, table_.bytes()));
  return true;
}

}  // namespace ggp

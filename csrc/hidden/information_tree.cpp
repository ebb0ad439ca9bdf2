#include "hidden/information_tree.hpp"

#include <algorithm>

namespace ggp {

InformationTree::InformationTree(std::size_t most_nodes) : most_nodes_(most_nodes) { clear(); }

void InformationTree::clear() {
  nodes_.clear();
  edges_.clear();
  slots_.assign(1024, {});
}

std::uint32_t InformationTree::find(std::uint64_t key) const {
  const std::size_t last = slots_.size() - 1;
  const auto tag = static_cast<std::uint32_t>(key >> 32);
  for (std::size_t slot = key & last;; slot = (slot + 1) & last) {
    const Slot& here = slots_[slot];
    if (here.number == kNone || (here.tag == tag && nodes_[here.number].key == key)) return here.number;
  }
}

void InformationTree::prefetch_node(std::uint64_t key) const {
  const Slot& slot = slots_[key & (slots_.size() - 1)];
  if (slot.number != kNone) __builtin_prefetch(&nodes_[slot.number]);
}

void InformationTree::prefetch_edges(std::uint64_t key) const {
  const Slot& slot = slots_[key & (slots_.size() - 1)];
  if (slot.number == kNone) return;
  const Node& here = nodes_[slot.number];
  const auto* end = reinterpret_cast<const char*>(edges(here) + here.count);
  for (auto* line = reinterpret_cast<const char*>(edges(here)); line < end; line += 64) __builtin_prefetch(line);
}

void InformationTree::put(std::uint64_t key, std::uint32_t number) {
  const std::size_t last = slots_.size() - 1;
  std::size_t slot = key & last;
  while (slots_[slot].number != kNone) slot = (slot + 1) & last;
  slots_[slot] = {number, static_cast<std::uint32_t>(key >> 32)};
}

void InformationTree::grow() {
  slots_.assign(2 * slots_.size(), {});
  for (std::uint32_t number = 0; number < nodes_.size(); ++number) put(nodes_[number].key, number);
}

std::uint32_t InformationTree::add(std::uint64_t key, const int* moves, int count) {
  if (2 * (nodes_.size() + 1) > slots_.size()) grow();
  const auto number = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({key, static_cast<std::uint32_t>(edges_.size()), static_cast<std::uint32_t>(count), 0, 0.5f});
  for (int i = 0; i < count; ++i) {
    InformationEdge edge{};
    edge.move = moves[i];
    edges_.push_back(edge);
  }
  put(key, number);
  return number;
}

void InformationTree::complete(std::uint32_t number, const int* moves, int count) {
  Node& node = nodes_[number];
  const InformationEdge* edge = edges(node);
  const InformationEdge* const end = edge + node.count;
  if (static_cast<int>(node.count) == count &&
      std::equal(edge, end, moves, [](const InformationEdge& each, int move) { return each.move == move; }))
    return;
  int missing = 0;
  for (int i = 0; i < count; ++i) {
    while (edge != end && edge->move < moves[i]) ++edge;
    missing += edge == end || edge->move != moves[i];
  }
  if (missing == 0) return;
  // The old edges stay unused; this is rare.
  std::vector<InformationEdge> all(edges(node), edges(node) + node.count);
  for (int i = 0; i < count; ++i) {
    const int move = moves[i];
    if (std::any_of(all.begin(), all.end(), [move](const InformationEdge& each) { return each.move == move; })) continue;
    InformationEdge added{};
    added.move = move;
    all.push_back(added);
  }
  std::sort(all.begin(), all.end(), [](const InformationEdge& a, const InformationEdge& b) { return a.move < b.move; });
  node.first = static_cast<std::uint32_t>(edges_.size());
  node.count = static_cast<std::uint32_t>(all.size());
  edges_.insert(edges_.end(), all.begin(), all.end());
}

}  // namespace ggp

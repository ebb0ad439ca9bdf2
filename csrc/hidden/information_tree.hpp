// The statistics of one role: a node for each information state with a choice of the role, found by its key.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ggp {

struct InformationEdge {
  std::int32_t move;
  std::uint32_t started = 0;  // simulations that chose the move, including those in progress
  std::uint32_t visits = 0;   // simulations that are complete
  float mean = 0;             // of the goals of the role in complete simulations, 0..1
  float regret = 0;           // cumulative, at least 0
  float strategy = 0;         // weighted sum of the probabilities of the move

  float mean_or(float otherwise) const { return visits == 0 ? otherwise : mean; }
  void add(float goal) {
    ++visits;
    mean += (goal - mean) / static_cast<float>(visits);
  }
};

// `Edge` has an int32_t `move`, and is a value without memory of its own.
template <class Edge>
class InformationTable {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  struct Node {
    std::uint64_t key;
    std::uint32_t first, count;  // edges, ascending by move
    std::uint32_t visits;
    float mean;  // of the goals of the role, 0..1; a half without visits

    void add(float goal) {
      ++visits;
      mean += (goal - mean) / static_cast<float>(visits);
    }
  };

  explicit InformationTable(std::size_t most_nodes) : most_nodes_(most_nodes) { clear(); }

  std::size_t size() const { return nodes_.size(); }
  std::size_t edges() const { return edges_.size(); }
  bool is_full() const { return nodes_.size() >= most_nodes_; }
  void clear();

  // The node of a key, or kNone.
  std::uint32_t find(std::uint64_t key) const;
  // Loads memory that find() and the search will use: first the slot, later the node and its edges.
  void prefetch_slot(std::uint64_t key) const { __builtin_prefetch(&slots_[key & (slots_.size() - 1)]); }
  void prefetch_node(std::uint64_t key) const;
  void prefetch_edges(std::uint64_t key) const;
  // Makes the node of a new key. Its edges are some moves, ascending, or none.
  std::uint32_t add(std::uint64_t key, const int* moves, int count);
  std::uint32_t add(std::uint64_t key);
  bool has_edges(std::uint32_t node) const { return nodes_[node].count > 0; }
  // Adds edges for the moves that a node lacks, ascending. Moves are missing if the node has no edges at all, or if the
  // role does not know its legal moves.
  void complete(std::uint32_t node, const int* moves, int count);

  Node& node(std::uint32_t number) { return nodes_[number]; }
  const Node& node(std::uint32_t number) const { return nodes_[number]; }
  Edge* edges(const Node& node) { return edges_.data() + node.first; }
  const Edge* edges(const Node& node) const { return edges_.data() + node.first; }

 private:
  struct Slot {
    std::uint32_t number = kNone;
    std::uint32_t tag = 0;  // the upper half of the key
  };

  void grow();
  void put(std::uint64_t key, std::uint32_t number);

  std::size_t most_nodes_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<Slot> slots_;  // open addressing
};

template <class Edge>
void InformationTable<Edge>::clear() {
  nodes_.clear();
  edges_.clear();
  slots_.assign(1024, {});
}

template <class Edge>
std::uint32_t InformationTable<Edge>::find(std::uint64_t key) const {
  const std::size_t last = slots_.size() - 1;
  const auto tag = static_cast<std::uint32_t>(key >> 32);
  for (std::size_t slot = key & last;; slot = (slot + 1) & last) {
    const Slot& here = slots_[slot];
    if (here.number == kNone || (here.tag == tag && nodes_[here.number].key == key)) return here.number;
  }
}

template <class Edge>
void InformationTable<Edge>::prefetch_node(std::uint64_t key) const {
  const Slot& slot = slots_[key & (slots_.size() - 1)];
  if (slot.number != kNone) __builtin_prefetch(&nodes_[slot.number]);
}

template <class Edge>
void InformationTable<Edge>::prefetch_edges(std::uint64_t key) const {
  const Slot& slot = slots_[key & (slots_.size() - 1)];
  if (slot.number == kNone) return;
  const Node& here = nodes_[slot.number];
  const auto* end = reinterpret_cast<const char*>(edges(here) + here.count);
  for (auto* line = reinterpret_cast<const char*>(edges(here)); line < end; line += 64) __builtin_prefetch(line);
}

template <class Edge>
void InformationTable<Edge>::put(std::uint64_t key, std::uint32_t number) {
  const std::size_t last = slots_.size() - 1;
  std::size_t slot = key & last;
  while (slots_[slot].number != kNone) slot = (slot + 1) & last;
  slots_[slot] = {number, static_cast<std::uint32_t>(key >> 32)};
}

template <class Edge>
void InformationTable<Edge>::grow() {
  slots_.assign(2 * slots_.size(), {});
  for (std::uint32_t number = 0; number < nodes_.size(); ++number) put(nodes_[number].key, number);
}

template <class Edge>
std::uint32_t InformationTable<Edge>::add(std::uint64_t key) {
  if (2 * (nodes_.size() + 1) > slots_.size()) grow();
  const auto number = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({key, 0, 0, 0, 0.5f});
  put(key, number);
  return number;
}

template <class Edge>
std::uint32_t InformationTable<Edge>::add(std::uint64_t key, const int* moves, int count) {
  const std::uint32_t number = add(key);
  complete(number, moves, count);
  return number;
}

template <class Edge>
void InformationTable<Edge>::complete(std::uint32_t number, const int* moves, int count) {
  Node& node = nodes_[number];
  const Edge* edge = edges(node);
  const Edge* const end = edge + node.count;
  if (static_cast<int>(node.count) == count &&
      std::equal(edge, end, moves, [](const Edge& each, int move) { return each.move == move; }))
    return;
  if (node.count == 0) {
    node.first = static_cast<std::uint32_t>(edges_.size());
    node.count = static_cast<std::uint32_t>(count);
    for (int i = 0; i < count; ++i) {
      Edge added{};
      added.move = moves[i];
      edges_.push_back(added);
    }
    return;
  }
  int missing = 0;
  for (int i = 0; i < count; ++i) {
    while (edge != end && edge->move < moves[i]) ++edge;
    missing += edge == end || edge->move != moves[i];
  }
  if (missing == 0) return;
  // The old edges stay unused; this is rare.
  std::vector<Edge> all(edges(node), edges(node) + node.count);
  for (int i = 0; i < count; ++i) {
    const int move = moves[i];
    if (std::any_of(all.begin(), all.end(), [move](const Edge& each) { return each.move == move; })) continue;
    Edge added{};
    added.move = move;
    all.push_back(added);
  }
  std::sort(all.begin(), all.end(), [](const Edge& a, const Edge& b) { return a.move < b.move; });
  node.first = static_cast<std::uint32_t>(edges_.size());
  node.count = static_cast<std::uint32_t>(all.size());
  edges_.insert(edges_.end(), all.begin(), all.end());
}

using InformationTree = InformationTable<InformationEdge>;

}  // namespace ggp

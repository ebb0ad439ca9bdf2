// The statistics of one role: a node for each information state in which it had a choice, found by its key.
#pragma once

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

class InformationTree {
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

  explicit InformationTree(std::size_t most_nodes);

  std::size_t size() const { return nodes_.size(); }
  bool is_full() const { return nodes_.size() >= most_nodes_; }
  void clear();

  // The node of a key, or kNone.
  std::uint32_t find(std::uint64_t key) const;
  // Loads memory that find() and the search will use: first the slot, later the node and its edges.
  void prefetch_slot(std::uint64_t key) const { __builtin_prefetch(&slots_[key & (slots_.size() - 1)]); }
  void prefetch_node(std::uint64_t key) const;
  void prefetch_edges(std::uint64_t key) const;
  // Makes the node of a new key, with edges for some moves, ascending.
  std::uint32_t add(std::uint64_t key, const int* moves, int count);
  // Adds edges for moves that a node does not have yet: a role may not know its legal moves.
  void complete(std::uint32_t node, const int* moves, int count);

  Node& node(std::uint32_t number) { return nodes_[number]; }
  const Node& node(std::uint32_t number) const { return nodes_[number]; }
  InformationEdge* edges(const Node& node) { return edges_.data() + node.first; }
  const InformationEdge* edges(const Node& node) const { return edges_.data() + node.first; }

 private:
  struct Slot {
    std::uint32_t number = kNone;
    std::uint32_t tag = 0;  // the upper half of the key
  };

  void grow();
  void put(std::uint64_t key, std::uint32_t number);

  std::size_t most_nodes_;
  std::vector<Node> nodes_;
  std::vector<InformationEdge> edges_;
  std::vector<Slot> slots_;  // open addressing
};

}  // namespace ggp

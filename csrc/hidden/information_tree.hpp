// The statistics of one role: a node for each information state in which it had a choice, found by its key.
#pragma once

#include <cstdint>
#include <vector>

namespace ggp {

struct InformationEdge {
  std::int32_t move;
  std::uint32_t started = 0;  // simulations that chose the move, including those in progress
  std::uint32_t visits = 0;   // simulations that are complete
  double sum = 0;             // of the goals of the role, 0..1
  double regret = 0;          // cumulative, at least 0
  double strategy = 0;        // sum of the probabilities of the move

  double mean(double otherwise) const { return visits == 0 ? otherwise : sum / visits; }
};

class InformationTree {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  struct Node {
    std::uint64_t key;
    std::uint32_t first, count;  // edges, ascending by move
    std::uint32_t visits;
    double sum;
  };

  explicit InformationTree(std::size_t most_nodes);

  std::size_t size() const { return nodes_.size(); }
  bool is_full() const { return nodes_.size() >= most_nodes_; }
  void clear();

  // The node of a key, or kNone.
  std::uint32_t find(std::uint64_t key) const;
  // Makes the node of a new key, with edges for some moves, ascending.
  std::uint32_t add(std::uint64_t key, const int* moves, int count);
  // Adds edges for moves that a node does not have yet: a role may not know its legal moves.
  void complete(std::uint32_t node, const int* moves, int count);

  Node& node(std::uint32_t number) { return nodes_[number]; }
  const Node& node(std::uint32_t number) const { return nodes_[number]; }
  InformationEdge* edges(const Node& node) { return edges_.data() + node.first; }
  const InformationEdge* edges(const Node& node) const { return edges_.data() + node.first; }

 private:
  void grow();

  std::size_t most_nodes_;
  std::vector<Node> nodes_;
  std::vector<InformationEdge> edges_;
  std::vector<std::uint32_t> slots_;  // open addressing
};

}  // namespace ggp

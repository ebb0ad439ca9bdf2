#include "network/circuit/gates.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace ggp {

GateGraph::GateGraph(std::size_t max_edges) : table_(1u << 12), max_edges_(max_edges) {
  gates_.push_back({Kind::kConstant, 0, 0});
}

Literal GateGraph::input(Kind kind, std::uint32_t index) {
  gates_.push_back({kind, index, 0});
  return static_cast<Literal>(2 * (gates_.size() - 1));
}

Literal GateGraph::disjunction(std::vector<Literal>& inputs) {
  for (Literal& literal : inputs) literal = complement(literal);
  return complement(conjunction(inputs));
}

Literal GateGraph::conjunction(std::vector<Literal>& inputs) {
  // Absorption changes the inputs, and changed inputs may absorb again; each round only removes inputs.
  for (;;) {
    std::sort(inputs.begin(), inputs.end());
    inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
    if (!inputs.empty() && inputs.front() == kFalse) return kFalse;
    if (!inputs.empty() && inputs.front() == kTrue) inputs.erase(inputs.begin());
    for (std::size_t i = 1; i < inputs.size(); ++i)
      if (inputs[i] == complement(inputs[i - 1])) return kFalse;  // neighbours after sorting
    if (inputs.empty()) return kTrue;
    if (inputs.size() == 1) return inputs.front();
    // Searching all inputs of all inputs is quadratic, and wide gates rarely benefit.
    if (inputs.size() > 64) return find_or_add(inputs);

    bool changed = false;
    kept_.clear();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Literal literal = inputs[i];
      const Gate gate = gates_[gate_of(literal)];
      bool drop = false;
      if (gate.kind == Kind::kAnd && gate.count <= 64) {
        const Literal* inner = this->inputs(gate);
        std::uint32_t shared = 0;
        bool contradicts = false;
        for (std::uint32_t k = 0; k < gate.count && !contradicts; ++k) {
          if (std::binary_search(inputs.begin(), inputs.end(), inner[k])) ++shared;
          contradicts = std::binary_search(inputs.begin(), inputs.end(), complement(inner[k]));
        }
        if (!is_complemented(literal)) {
          if (contradicts) return kFalse;
        } else if (contradicts) {
          drop = true;
        } else if (shared == gate.count) {
          return kFalse;
        } else if (shared + 1 == gate.count) {
          for (std::uint32_t k = 0; k < gate.count; ++k)
            if (!std::binary_search(inputs.begin(), inputs.end(), inner[k])) kept_.push_back(complement(inner[k]));
          drop = true;
        }
      }
      if (drop)
        changed = true;
      else
        kept_.push_back(literal);
    }
    if (!changed) return find_or_add(inputs);
    inputs.swap(kept_);
  }
}

Literal GateGraph::find_or_add(const std::vector<Literal>& inputs) {
  if (entries_ * 2 > table_.size()) grow_table();
  const std::size_t mask = table_.size() - 1;
  std::uint64_t mixed = 0;  // a sum, because a chain of multiplications would wait for each of them
  for (const Literal literal : inputs) mixed += mix64(literal);
  const auto hash = static_cast<std::uint32_t>(mixed >> 32);
  std::size_t slot = hash & mask;
  for (; table_[slot].gate != 0; slot = (slot + 1) & mask) {
    if (table_[slot].hash != hash) continue;
    const Gate& gate = gates_[table_[slot].gate];
    if (gate.count == inputs.size() && std::equal(inputs.begin(), inputs.end(), this->inputs(gate)))
      return 2 * table_[slot].gate;
  }
  if (edges_.size() + inputs.size() > max_edges_) throw NetworkTooLarge("the gate network exceeds its size limit");
  const auto number = static_cast<std::uint32_t>(gates_.size());
  gates_.push_back({Kind::kAnd, static_cast<std::uint32_t>(edges_.size()), static_cast<std::uint32_t>(inputs.size())});
  edges_.insert(edges_.end(), inputs.begin(), inputs.end());
  table_[slot] = {number, hash};
  ++entries_;
  return 2 * number;
}

void GateGraph::grow_table() {
  std::vector<Entry> larger(table_.size() * 2);
  const std::size_t mask = larger.size() - 1;
  for (const Entry& entry : table_) {
    if (entry.gate == 0) continue;
    std::size_t slot = entry.hash & mask;
    while (larger[slot].gate != 0) slot = (slot + 1) & mask;
    larger[slot] = entry;
  }
  table_.swap(larger);
}

}  // namespace ggp

#include "network/circuit/ternary.hpp"

namespace ggp {

void TernaryValues::propagate() {
  const GateGraph& gates = network_.gates;
  for (std::uint32_t number = 0; number < gates.size(); ++number) {
    const auto& gate = gates[number];
    if (gate.kind != GateGraph::Kind::kAnd) continue;
    const Literal* inputs = gates.inputs(gate);
    Ternary value = Ternary::kOne;
    for (std::uint32_t i = 0; i < gate.count && value != Ternary::kZero; ++i) {
      const Ternary input = at(inputs[i]);
      if (input != Ternary::kOne) value = input;
    }
    value_[number] = value;
  }
}

}  // namespace ggp

// Values of a network over {0, 1, either}: what is known about all states of a set.
#pragma once

#include <cstdint>
#include <vector>

#include "network/circuit/network.hpp"

namespace ggp {

enum class Ternary : std::uint8_t { kZero, kOne, kEither };

constexpr Ternary ternary(bool value) { return value ? Ternary::kOne : Ternary::kZero; }

constexpr Ternary operator!(Ternary value) {
  return value == Ternary::kEither ? Ternary::kEither : ternary(value == Ternary::kZero);
}

// The values of all gates for given values of the inputs; new inputs have the value 0.
class TernaryValues {
 public:
  explicit TernaryValues(const Network& network) : network_(network), value_(network.gates.size(), Ternary::kZero) {}

  Ternary at(Literal literal) const {
    const Ternary value = value_[gate_of(literal)];
    return is_complemented(literal) ? !value : value;
  }
  void set(Literal input, Ternary value) { value_[gate_of(input)] = value; }
  // Makes an input "either" unless it has this value. Returns whether it changed.
  bool widen(Literal input, Ternary also) {
    if (at(input) == Ternary::kEither || at(input) == also) return false;
    set(input, Ternary::kEither);
    return true;
  }
  // Evaluates the gates.
  void propagate() {
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

 private:
  const Network& network_;
  std::vector<Ternary> value_;
};

}  // namespace ggp

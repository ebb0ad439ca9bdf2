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

// The values of all gates for given values of the inputs; new inputs have the value 0. After a change only gates
// with changed inputs are evaluated.
class TernaryValues {
 public:
  explicit TernaryValues(const Network& network)
      : network_(network),
        value_(network.gates.size(), Ternary::kZero),
        first_user_(network.gates.size() + 1, 0),
        stale_(network.gates.size() / 64 + 1, 0) {
    const GateGraph& gates = network.gates;
    const auto for_each_input = [&](auto visit) {
      for (std::uint32_t number = 0; number < gates.size(); ++number) {
        const auto& gate = gates[number];
        if (gate.kind != GateGraph::Kind::kAnd) continue;
        for (std::uint32_t i = 0; i < gate.count; ++i) visit(gate_of(gates.inputs(gate)[i]), number);
      }
    };
    for_each_input([&](std::uint32_t input, std::uint32_t) { ++first_user_[input + 1]; });
    for (std::size_t i = 1; i < first_user_.size(); ++i) first_user_[i] += first_user_[i - 1];
    users_.resize(first_user_.back());
    std::vector<std::uint32_t> end(first_user_.begin(), first_user_.end() - 1);
    for_each_input([&](std::uint32_t input, std::uint32_t user) { users_[end[input]++] = user; });
  }

  Ternary at(Literal literal) const {
    const Ternary value = value_[gate_of(literal)];
    return is_complemented(literal) ? !value : value;
  }
  void set(Literal input, Ternary value) { change(gate_of(input), value); }
  // Makes an input "either" unless it has this value. Returns whether it changed.
  bool widen(Literal input, Ternary also) {
    if (at(input) == Ternary::kEither || at(input) == also) return false;
    set(input, Ternary::kEither);
    return true;
  }
  // Evaluates gates with changed inputs; the first call evaluates all gates.
  void propagate() {
    if (!evaluated_) {
      for (std::uint32_t number = 0; number < value_.size(); ++number)
        if (network_.gates[number].kind == GateGraph::Kind::kAnd) value_[number] = conjunction(number);
      evaluated_ = true;
      return;
    }
    for (std::size_t word = 0; word < stale_.size(); ++word) {
      while (stale_[word] != 0) {
        const auto number = static_cast<std::uint32_t>(64 * word) + __builtin_ctzll(stale_[word]);
        stale_[word] &= stale_[word] - 1;
        change(number, conjunction(number));
      }
    }
  }

 private:
  void change(std::uint32_t number, Ternary value) {
    if (value_[number] == value) return;
    value_[number] = value;
    if (!evaluated_) return;
    for (std::uint32_t i = first_user_[number]; i < first_user_[number + 1]; ++i)
      stale_[users_[i] / 64] |= std::uint64_t{1} << (users_[i] % 64);
  }
  Ternary conjunction(std::uint32_t number) const {
    const auto& gate = network_.gates[number];
    const Literal* inputs = network_.gates.inputs(gate);
    Ternary value = Ternary::kOne;
    for (std::uint32_t i = 0; i < gate.count && value != Ternary::kZero; ++i) {
      const Ternary input = at(inputs[i]);
      if (input != Ternary::kOne) value = input;
    }
    return value;
  }

  const Network& network_;
  std::vector<Ternary> value_;
  std::vector<std::uint32_t> first_user_, users_;  // the users of gate n begin at first_user_[n]
  std::vector<std::uint64_t> stale_;               // bits: gates with changed inputs
  bool evaluated_ = false;                         // whether all gates have been evaluated
};

}  // namespace ggp

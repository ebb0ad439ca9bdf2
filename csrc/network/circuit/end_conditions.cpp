#include "network/circuit/end_conditions.hpp"

#include <cstdint>

namespace ggp {
namespace {

using Kind = GateGraph::Kind;

// The gates that may be visited to show that the next value of one fluent implies the fluent.
constexpr int kMostVisits = 200;

// Shows that one literal of a network implies an input or its complement.
class Implication {
 public:
  Implication(const GateGraph& gates, Literal target) : gates_(gates), target_(target) {}

  bool from(Literal literal) {
    if (literal == target_ || literal == kFalse) return true;
    const auto& gate = gates_[gate_of(literal)];
    if (gate.kind != Kind::kAnd || ++visits_ > kMostVisits) return false;
    const Literal* inputs = gates_.inputs(gate);
    const bool is_or = is_complemented(literal);
    for (std::uint32_t i = 0; i < gate.count; ++i)
      if (from(inputs[i] ^ (is_or ? 1u : 0u)) != is_or) return !is_or;
    return is_or;
  }

 private:
  const GateGraph& gates_;
  const Literal target_;
  int visits_ = 0;
};

// Whether the literals on which an output depends are stale, from the inputs up.
std::vector<bool> stale_literals(const Network& network, const Network& before, Literal output) {
  const GateGraph& gates = network.gates;
  std::vector<bool> needed(gates.size(), false), stale(2 * gates.size(), false);
  needed[gate_of(output)] = true;
  for (std::uint32_t number = gate_of(output); number > 0; --number) {
    const auto& gate = gates[number];
    if (!needed[number] || gate.kind != Kind::kAnd) continue;
    for (std::uint32_t i = 0; i < gate.count; ++i) needed[gate_of(gates.inputs(gate)[i])] = true;
  }
  stale[kFalse] = stale[kTrue] = true;
  for (std::uint32_t number = 1; number <= gate_of(output); ++number) {
    if (!needed[number]) continue;
    const auto& gate = gates[number];
    for (const Literal sign : {0u, 1u}) {
      bool is_stale = gate.kind == Kind::kAnd;  // a move is not; a loop variable depends on further gates
      if (gate.kind == Kind::kFluent) {
        const auto& fluent = before.fluents[gate.first];
        is_stale = Implication(before.gates, fluent.input ^ sign).from(fluent.next ^ sign);
      } else if (gate.kind == Kind::kAnd) {
        for (std::uint32_t i = 0; i < gate.count && is_stale; ++i) is_stale = stale[gates.inputs(gate)[i] ^ sign];
      }
      stale[2 * number + sign] = is_stale;
    }
  }
  return stale;
}

}  // namespace

std::vector<Literal> stale_end_conditions(const Network& network, const Network& before) {
  const std::vector<bool> stale = stale_literals(network, before, network.terminal);
  std::vector<Literal> found, waiting{network.terminal};
  std::vector<bool> seen(2 * network.gates.size(), false);
  while (!waiting.empty()) {
    const Literal literal = waiting.back();
    waiting.pop_back();
    const auto& gate = network.gates[gate_of(literal)];
    if (seen[literal] || gate.kind != Kind::kAnd) continue;  // a fluent needs no gate
    seen[literal] = true;
    if (stale[literal]) {
      found.push_back(literal);
    } else if (is_complemented(literal)) {
      for (std::uint32_t i = 0; i < gate.count; ++i) waiting.push_back(complement(network.gates.inputs(gate)[i]));
    }
  }
  return found;
}

}  // namespace ggp

#include "network/circuit/network.hpp"

#include <algorithm>

#include "base/thread_clock.hpp"

namespace ggp {

std::vector<bool> live_gates(const Network& network) {
  std::vector<bool> live(network.gates.size(), false);
  std::vector<std::uint32_t> open;
  const auto visit = [&](Literal literal) {
    const std::uint32_t gate = gate_of(literal);
    if (live[gate] || network.gates[gate].kind != GateGraph::Kind::kAnd) return;
    live[gate] = true;
    open.push_back(gate);
  };
  for (const auto& fluent : network.fluents) visit(fluent.next);
  for (const auto& move : network.moves) {
    visit(move.legal);
    visit(move.kept);
    visit(move.wins);
  }
  for (const auto& goal : network.goals) visit(goal.holds);
  for (const auto& percept : network.percepts) visit(percept.holds);
  for (const auto& loop : network.loops) visit(loop.definition);
  visit(network.terminal);
  while (!open.empty()) {
    const auto& gate = network.gates[open.back()];
    open.pop_back();
    for (std::uint32_t i = 0; i < gate.count; ++i) visit(network.gates.inputs(gate)[i]);
  }
  return live;
}

std::uint32_t count_gates(const Network& network) {
  const std::vector<bool> live = live_gates(network);
  return static_cast<std::uint32_t>(std::count(live.begin(), live.end(), true));
}

std::vector<Literal> needed_fluents(const Network& network, Literal literal) {
  constexpr int kMostGates = 256;
  std::vector<Literal> found, open{literal};
  for (int seen = 0; !open.empty() && seen < kMostGates; ++seen) {
    const Literal here = open.back();
    open.pop_back();
    const auto& gate = network.gates[gate_of(here)];
    if (gate.kind == GateGraph::Kind::kFluent) found.push_back(here);
    if (gate.kind == GateGraph::Kind::kAnd && !is_complemented(here))
      open.insert(open.end(), network.gates.inputs(gate), network.gates.inputs(gate) + gate.count);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

PassTimer::PassTimer(const char* name) : name_(name), started_(thread_cpu_seconds()) {}

PassReport PassTimer::report(std::uint32_t gates) const {
  return {name_, gates, thread_cpu_seconds() - started_};
}

}  // namespace ggp

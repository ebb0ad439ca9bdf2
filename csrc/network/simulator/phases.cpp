#include "network/simulator/phases.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "network/circuit/end_conditions.hpp"
#include "network/circuit/ternary.hpp"

namespace ggp {
namespace {

using Kind = GateGraph::Kind;

constexpr std::size_t kMostPhases = 8;
// Turns that are evaluated to find candidates: each phase occurs several times.
constexpr std::size_t kTurns = 2 * kMostPhases;
// A phase must save this part of the gates and moves of a turn.
constexpr double kLeastSaving = 0.1;
// A gate that is computed from its inputs.
constexpr Literal kNotFixed = ~Literal{0};

// Turns of a network over {0, 1, either}.
class TernaryTurns {
 public:
  explicit TernaryTurns(const Network& network) : network_(network), values_(network), of_role_(network.roles.size()) {
    if (network.looks_ahead != kFalse) values_.set(network.looks_ahead, Ternary::kEither);
  }

  // Evaluates a turn from a state with each move that may be legal. A role's only such move is made.
  void play(const std::vector<Ternary>& state) {
    for (std::size_t i = 0; i < state.size(); ++i) values_.set(network_.fluents[i].input, state[i]);
    for (const auto& loop : network_.loops) values_.set(loop.variable, Ternary::kZero);
    for (const auto& move : network_.moves) values_.set(move.input, Ternary::kZero);
    settle();
    std::fill(of_role_.begin(), of_role_.end(), 0);
    for (const auto& move : network_.moves) of_role_[move.role] += may_be_legal(move);
    for (const auto& move : network_.moves)
      if (may_be_legal(move)) values_.set(move.input, of_role_[move.role] == 1 ? Ternary::kOne : Ternary::kEither);
    settle();
  }

  std::vector<Ternary> next() const {
    std::vector<Ternary> state;
    for (const auto& fluent : network_.fluents) state.push_back(values_.at(fluent.next));
    return state;
  }

  const TernaryValues& values() const { return values_; }

 private:
  bool may_be_legal(const Network::Move& move) const { return values_.at(move.legal) != Ternary::kZero; }

  void settle() {
    bool changed = true;
    while (changed) {
      values_.propagate();
      changed = false;
      for (const auto& loop : network_.loops) changed |= values_.widen(loop.variable, values_.at(loop.definition));
    }
  }

  const Network& network_;
  TernaryValues values_;
  std::vector<int> of_role_;  // number of moves that may be legal
};

// Known values in the states of each phase, by phase and fluent.
using PhaseFacts = std::vector<std::vector<Ternary>>;

// The facts of P phases that hold in all turns of a sequence; fluents without a value that depends on the phase are
// "either".
PhaseFacts candidates(const std::vector<std::vector<Ternary>>& turns, std::size_t phases) {
  PhaseFacts facts(turns.begin(), turns.begin() + phases);
  for (std::size_t fluent = 0; fluent < turns[0].size(); ++fluent) {
    for (std::size_t turn = phases; turn < turns.size(); ++turn) {
      Ternary& fact = facts[turn % phases][fluent];
      if (turns[turn][fluent] != fact) fact = Ternary::kEither;
    }
    bool same = true;
    for (std::size_t phase = 1; phase < phases; ++phase) same &= facts[phase][fluent] == facts[0][fluent];
    if (!same) continue;
    for (auto& phase : facts) phase[fluent] = Ternary::kEither;
  }
  return facts;
}

// Fluents that are known in each phase and whose values together differ between any two phases; empty if there are
// none.
std::vector<std::uint32_t> clock_of(const PhaseFacts& facts) {
  std::vector<std::uint32_t> clock;
  std::vector<std::uint32_t> code(facts.size(), 0);
  const auto different = [&] {
    std::vector<std::uint32_t> sorted = code;
    std::sort(sorted.begin(), sorted.end());
    return std::unique(sorted.begin(), sorted.end()) - sorted.begin();
  };
  for (std::uint32_t fluent = 0; fluent < facts[0].size(); ++fluent) {
    const bool known = std::all_of(facts.begin(), facts.end(),
                                   [&](const auto& phase) { return phase[fluent] != Ternary::kEither; });
    if (!known) continue;
    const auto before = different();
    const std::vector<std::uint32_t> old = code;
    for (std::size_t phase = 0; phase < facts.size(); ++phase)
      code[phase] = 2 * code[phase] + (facts[phase][fluent] == Ternary::kOne);
    if (different() == before) {
      code = old;
      continue;
    }
    clock.push_back(fluent);
    if (different() == static_cast<std::ptrdiff_t>(facts.size())) return clock;
  }
  return {};
}

// Removes candidates until the others hold in all states of their phases.
void prove(TernaryTurns& turns, PhaseFacts& facts) {
  std::vector<bool> open(facts.size(), true);
  for (std::size_t phase = 0; std::find(open.begin(), open.end(), true) != open.end(); phase = (phase + 1) % facts.size()) {
    if (!open[phase]) continue;
    open[phase] = false;
    turns.play(facts[phase]);
    const std::vector<Ternary> next = turns.next();
    const std::size_t following = (phase + 1) % facts.size();
    for (std::size_t fluent = 0; fluent < next.size(); ++fluent) {
      Ternary& fact = facts[following][fluent];
      if (fact == Ternary::kEither || fact == next[fluent]) continue;
      fact = Ternary::kEither;
      open[following] = true;
    }
  }
}

// The facts of the phases of the game; empty if the game has no phases.
PhaseFacts phase_facts(const Network& network, TernaryTurns& turns) {
  std::vector<std::vector<Ternary>> states{{}};
  for (const auto& fluent : network.fluents) states[0].push_back(ternary(fluent.initially));
  while (states.size() < kTurns) {
    turns.play(states.back());
    states.push_back(turns.next());
  }
  for (std::size_t phases = kMostPhases; phases > 1; --phases) {
    PhaseFacts facts = candidates(states, phases);
    if (clock_of(facts).empty()) continue;
    prove(turns, facts);
    if (!clock_of(facts).empty()) return facts;
  }
  return {};
}

// The network with these inputs, without the gates that are constant for these values, and with false for some
// literals; nothing if the look-ahead cannot be expressed.
std::optional<Network> specialised(const Network& old, const TernaryValues& values,
                                   const std::vector<Literal>& never = {}) {
  Network fresh;
  fresh.roles = old.roles;
  std::vector<Literal> map(old.gates.size(), kFalse);
  const auto image = [&](Literal literal) -> Literal {
    const Ternary value = values.at(literal);
    if (value != Ternary::kEither) return value == Ternary::kOne ? kTrue : kFalse;
    return map[gate_of(literal)] ^ (literal & 1u);
  };
  const std::vector<bool> live = live_gates(old);
  std::vector<Literal> inputs;
  std::vector<Literal> fixed(old.gates.size(), kNotFixed);
  for (const Literal literal : never) fixed[gate_of(literal)] = is_complemented(literal) ? kTrue : kFalse;
  for (std::uint32_t number = 1; number < old.gates.size(); ++number) {
    const auto& gate = old.gates[number];
    if (gate.kind != Kind::kAnd) {
      map[number] = fresh.gates.input(gate.kind, gate.first);
    } else if (fixed[number] != kNotFixed) {
      map[number] = fixed[number];
    } else if (live[number] && values.at(2 * number) == Ternary::kEither) {
      inputs.clear();
      for (std::uint32_t i = 0; i < gate.count; ++i) inputs.push_back(image(old.gates.inputs(gate)[i]));
      map[number] = fresh.gates.conjunction(inputs);
    }
  }
  const auto input = [&](Literal literal) { return map[gate_of(literal)]; };
  for (const auto& fluent : old.fluents)
    fresh.fluents.push_back({fluent.name, input(fluent.input), image(fluent.next), fluent.initially});
  for (const auto& move : old.moves) {
    fresh.moves.push_back({move.role, move.name, input(move.input), image(move.legal)});
    if (move.kept != kFalse) fresh.moves.back().kept = image(move.kept);
    if (move.wins != kFalse) fresh.moves.back().wins = image(move.wins);
    const auto& made = fresh.moves.back();
    // kFalse would mean that the move is kept whenever it is legal.
    if (move.kept != kFalse && made.kept == kFalse && made.legal != kFalse) return std::nullopt;
  }
  for (const auto& goal : old.goals)
    if (image(goal.holds) != kFalse) fresh.goals.push_back({goal.role, goal.value, image(goal.holds)});
  for (const auto& percept : old.percepts) fresh.percepts.push_back({percept.role, percept.name, image(percept.holds)});
  for (const auto& loop : old.loops) fresh.loops.push_back({input(loop.variable), image(loop.definition), loop.group});
  fresh.terminal = image(old.terminal);
  if (old.looks_ahead != kFalse) fresh.looks_ahead = input(old.looks_ahead);
  return fresh;
}

// Whether the initial state may be terminal.
bool may_end_at_once(const Network& network, TernaryTurns& turns) {
  std::vector<Ternary> initial;
  for (const auto& fluent : network.fluents) initial.push_back(ternary(fluent.initially));
  turns.play(initial);
  return turns.values().at(network.terminal) != Ternary::kZero;
}

// The gates of a turn and the moves that may be legal.
std::size_t size_of(const LaneProgram& program) {
  std::size_t size = program.gates;
  for (const auto& legal : program.legal)
    for (const std::uint32_t value : legal) size += value != LaneProgram::kZeros;
  return size;
}

LaneProgram::Phase with_facts(LaneProgram program, const std::vector<Ternary>& facts,
                              const std::vector<std::uint32_t>& clock) {
  LaneProgram::Phase phase;
  phase.known.assign(program.initial.size(), 0);
  phase.holds.assign(program.initial.size(), 0);
  for (std::size_t fluent = 0; fluent < facts.size(); ++fluent) {
    const std::uint64_t bit = std::uint64_t{1} << (fluent % 64);
    if (facts[fluent] != Ternary::kEither) phase.known[fluent / 64] |= bit;
    if (facts[fluent] == Ternary::kOne) phase.holds[fluent / 64] |= bit;
  }
  for (const std::uint32_t fluent : clock)
    phase.clock.push_back({program.first_fluent + fluent, facts[fluent] == Ternary::kOne});
  phase.program = std::make_shared<const LaneProgram>(std::move(program));
  return phase;
}

}  // namespace

void add_phases(const Network& network, LaneProgram& program) {
  const PassTimer timer("phases");
  TernaryTurns turns(network);
  const PhaseFacts facts = phase_facts(network, turns);
  if (facts.empty()) return;
  const bool ends_at_once = may_end_at_once(network, turns);
  std::vector<Network> turns_of;  // by phase
  for (const auto& phase : facts) {
    turns.play(phase);
    std::optional<Network> special = specialised(network, turns.values());
    if (!special) return;
    turns_of.push_back(std::move(*special));
  }
  std::vector<LaneProgram> phases;
  std::vector<std::size_t> left_out;
  std::size_t sum = 0, gates = 0;
  for (std::size_t phase = 0; phase < facts.size(); ++phase) {
    const Network& before = turns_of[(phase + facts.size() - 1) % facts.size()];
    const std::vector<Literal> never =
        ends_at_once ? std::vector<Literal>() : stale_end_conditions(network, before);
    left_out.push_back(never.size());
    turns.play(facts[phase]);
    const std::optional<Network> special = specialised(network, turns.values(), never);
    if (!special) return;
    phases.push_back(compile(*special));
    sum += size_of(phases.back());
    gates += phases.back().gates;
  }
  if (static_cast<double>(sum) > (1 - kLeastSaving) * static_cast<double>(phases.size() * size_of(program))) return;
  const std::vector<std::uint32_t> clock = clock_of(facts);
  for (std::size_t phase = 0; phase < facts.size(); ++phase) {
    program.phases.push_back(with_facts(std::move(phases[phase]), facts[phase], clock));
    program.phases.back().left_out = static_cast<std::uint32_t>(left_out[phase]);
  }
  program.passes.push_back(timer.report(static_cast<std::uint32_t>(gates / facts.size())));
}

}  // namespace ggp

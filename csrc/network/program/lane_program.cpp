#include "network/program/lane_program.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <unordered_map>

namespace ggp {
namespace {

using Kind = GateGraph::Kind;
using Shape = LaneProgram::Shape;

class Compiler {
 public:
  explicit Compiler(const Network& network)
      : network_(network),
        gates_(network.gates),
        emitted_{std::vector<std::uint32_t>(gates_.size(), kUnplaced), std::vector<bool>(gates_.size(), false), {}},
        above_(gates_.size(), 0),
        stored_complemented_(gates_.size(), false) {}

  LaneProgram compile() {
    const PassTimer timer("compile");
    place_inputs();
    choose_polarities();
    find_loop_bodies();
    find_stages();

    std::vector<Literal> legal_roots{network_.terminal}, ahead_roots, goal_roots, next_roots, percept_roots;
    for (const auto& move : network_.moves) legal_roots.push_back(move.legal);
    for (const auto& move : network_.moves) {
      ahead_roots.push_back(move.kept);
      ahead_roots.push_back(move.wins);
    }
    for (const auto& goal : network_.goals) goal_roots.push_back(goal.holds);
    for (const auto& fluent : network_.fluents) next_roots.push_back(fluent.next);
    for (const auto& percept : network_.percepts) percept_roots.push_back(percept.holds);
    emit_cone(legal_roots, true, program_.legal_blocks);
    reject_moves_in_cone("legal or terminal");
    add_legal();
    // Other outputs do not depend on gates of the look-ahead or of goals, so these gates are evaluated only on request.
    const Emitted after_legal = emitted_;
    emit_cone(ahead_roots, true, program_.ahead_blocks);
    add_ahead();
    emitted_ = after_legal;
    emit_cone(goal_roots, true, program_.goal_blocks);
    reject_moves_in_cone("goal");
    add_goals();
    emitted_ = after_legal;
    emit_cone(next_roots, false, program_.next_blocks);
    add_next();
    emit_cone(percept_roots, true, program_.percept_blocks);
    add_percepts();
    add_initial();
    program_.passes = network_.passes;
    program_.passes.push_back(timer.report(program_.gates));
    return std::move(program_);
  }

 private:
  static constexpr std::uint32_t kUnplaced = 0xFFFFFFFFu;
  static constexpr int kNoGroup = -1;

  // The gates that are in the program so far.
  struct Emitted {
    std::vector<std::uint32_t> value;
    std::vector<bool> needed;
    std::unordered_map<std::uint32_t, std::uint32_t> complement_value;
  };

  void place_inputs() {
    program_.fluents = static_cast<std::uint32_t>(network_.fluents.size());
    std::uint32_t next = program_.first_fluent;
    if (network_.looks_ahead != kFalse) emitted_.value[gate_of(network_.looks_ahead)] = LaneProgram::kLooksAhead;
    for (const auto& fluent : network_.fluents) emitted_.value[gate_of(fluent.input)] = next++;
    program_.first_move = next;
    for (const auto& move : network_.moves) emitted_.value[gate_of(move.input)] = next++;
    for (const auto& loop : network_.loops) emitted_.value[gate_of(loop.variable)] = next++;
    program_.values = next;
    emitted_.value[0] = LaneProgram::kZeros;
  }

  bool is_and(std::uint32_t gate) const { return gates_[gate].kind == Kind::kAnd; }

  // Whether a reader of the stored value must complement it.
  bool reads_complemented(Literal literal) const {
    return is_complemented(literal) != stored_complemented_[gate_of(literal)];
  }

  void choose_polarities() {
    for (std::uint32_t gate = 0; gate < gates_.size(); ++gate) {
      if (!is_and(gate)) continue;
      const Literal* inputs = gates_.inputs(gates_[gate]);
      stored_complemented_[gate] = std::all_of(inputs, inputs + gates_[gate].count,
                                               [&](Literal input) { return reads_complemented(input); });
    }
  }

  // A gate belongs to the body of a loop group when it lies on a path from a variable to a definition of
  // the group; such gates are evaluated again in every round.
  void find_loop_bodies() {
    group_.assign(gates_.size(), kNoGroup);
    int groups = 0;
    for (const auto& loop : network_.loops) groups = std::max(groups, loop.group + 1);
    definitions_.resize(groups);
    for (const auto& loop : network_.loops) definitions_[loop.group].push_back(loop);
    std::vector<std::uint32_t> cone;
    std::vector<char> mark(gates_.size(), 0);
    for (int group = 0; group < groups; ++group) {
      cone.clear();
      const auto visit = [&](std::uint32_t gate) {
        if (mark[gate] == 0 && is_and(gate)) {
          mark[gate] = 1;
          cone.push_back(gate);
        }
      };
      for (const auto& loop : definitions_[group]) visit(gate_of(loop.definition));
      for (std::size_t i = 0; i < cone.size(); ++i) {
        const auto& gate = gates_[cone[i]];
        for (std::uint32_t k = 0; k < gate.count; ++k) visit(gate_of(gates_.inputs(gate)[k]));
      }
      std::sort(cone.begin(), cone.end());
      for (const std::uint32_t number : cone) {
        const auto& gate = gates_[number];
        for (std::uint32_t k = 0; k < gate.count; ++k) {
          const std::uint32_t input = gate_of(gates_.inputs(gate)[k]);
          const bool variable = gates_[input].kind == Kind::kFeedback &&
                                network_.loops[gates_[input].first].group == group;
          if (variable || group_[input] == group) group_[number] = group;
        }
        mark[number] = 0;
      }
    }
  }

  // Stage of a gate: the number of loop groups that must settle, one by one, before the gate can be read.
  void find_stages() {
    stage_.assign(gates_.size(), 0);
    group_stage_.assign(definitions_.size(), 0);
    bool changed = true;
    while (changed) {
      changed = false;
      for (std::uint32_t number = 0; number < gates_.size(); ++number) {
        if (!is_and(number)) continue;
        const auto& gate = gates_[number];
        const int group = group_[number];
        std::uint32_t stage = 0;
        for (std::uint32_t k = 0; k < gate.count; ++k)
          stage = std::max(stage, stage_after(gate_of(gates_.inputs(gate)[k]), group));
        if (group != kNoGroup && stage > group_stage_[group]) {
          group_stage_[group] = stage;
          changed = true;
        }
        stage_[number] = stage;
      }
      // A definition that no longer depends on its group after simplification is outside the body and must be evaluated
      // first.
      for (const auto& loop : network_.loops) {
        const std::uint32_t stage = stage_after(gate_of(loop.definition), loop.group);
        if (stage > group_stage_[loop.group]) {
          group_stage_[loop.group] = stage;
          changed = true;
        }
      }
    }
  }

  // The first stage in which a reader that belongs to a group can read a gate.
  std::uint32_t stage_after(std::uint32_t gate, int group) const {
    const int of = gates_[gate].kind == Kind::kFeedback ? network_.loops[gates_[gate].first].group : group_[gate];
    if (of == kNoGroup) return stage_[gate];
    return of == group ? 0 : group_stage_[of] + 1;
  }

  // Emits the missing gates that the roots need. A plain root that is stored complemented gets a NOT.
  void emit_cone(const std::vector<Literal>& roots, bool plain, std::vector<LaneProgram::Block>& blocks) {
    std::vector<std::uint32_t> cone;
    std::vector<int> groups;
    const auto visit = [&](std::uint32_t gate) {
      if (emitted_.needed[gate]) return;
      emitted_.needed[gate] = true;
      cone.push_back(gate);
    };
    for (const Literal root : roots) visit(gate_of(root));
    for (std::size_t i = 0; i < cone.size(); ++i) {
      const auto& gate = gates_[cone[i]];
      if (gate.kind == Kind::kAnd) {
        for (std::uint32_t k = 0; k < gate.count; ++k) visit(gate_of(gates_.inputs(gate)[k]));
      } else if (gate.kind == Kind::kFeedback) {
        const int group = network_.loops[gate.first].group;
        if (std::find(groups.begin(), groups.end(), group) == groups.end()) {
          groups.push_back(group);
          for (const auto& loop : definitions_[group]) {
            visit(gate_of(loop.variable));
            visit(gate_of(loop.definition));
          }
        }
      }
    }
    std::sort(cone.begin(), cone.end());
    std::sort(groups.begin(), groups.end());
    std::uint32_t stages = 0;
    for (const std::uint32_t gate : cone)
      if (is_and(gate)) stages = std::max(stages, stage_[gate] + 1);
    for (const int group : groups) stages = std::max(stages, group_stage_[group] + 1);
    for (std::uint32_t stage = 0; stage < stages; ++stage) {
      emit_block(cone, kNoGroup, stage, blocks);
      for (const int group : groups)
        if (group_stage_[group] == stage) emit_block(cone, group, stage, blocks);
    }
    if (plain) emit_complements(roots, blocks);
  }

  struct Shaped {
    std::uint32_t level;
    Shape shape;
    std::uint32_t plain, complemented, gate;
    auto key() const { return std::tie(level, shape, plain, complemented, gate); }
    bool same_run(const Shaped& other) const {
      return level == other.level && shape == other.shape && plain == other.plain &&
             complemented == other.complemented;
    }
  };

  void emit_block(const std::vector<std::uint32_t>& cone, int group, std::uint32_t stage,
                  std::vector<LaneProgram::Block>& blocks) {
    std::vector<Shaped> shaped;
    for (const std::uint32_t number : cone) {
      if (!is_and(number) || group_[number] != group || (group == kNoGroup && stage_[number] != stage)) continue;
      const auto& gate = gates_[number];
      Shaped entry{0, Shape::kAnd, 0, 0, number};
      for (std::uint32_t k = 0; k < gate.count; ++k) {
        const Literal input = gates_.inputs(gate)[k];
        ++(reads_complemented(input) ? entry.complemented : entry.plain);
        entry.level = std::max(entry.level, above_[gate_of(input)]);
      }
      if (entry.plain == 0) {
        entry.shape = Shape::kOr;
        std::swap(entry.plain, entry.complemented);
      }
      above_[number] = entry.level + 1;
      shaped.push_back(entry);
    }
    for (const Shaped& entry : shaped) above_[entry.gate] = 0;
    std::sort(shaped.begin(), shaped.end(), [](const Shaped& a, const Shaped& b) { return a.key() < b.key(); });
    if (shaped.empty() && group == kNoGroup) return;
    LaneProgram::Block block{static_cast<std::uint32_t>(program_.runs.size()), 0, {}};
    for (std::size_t i = 0; i < shaped.size(); ++i) {
      if (i == 0 || !shaped[i].same_run(shaped[i - 1])) begin_run(shaped[i].shape, shaped[i].plain, shaped[i].complemented);
      const auto& gate = gates_[shaped[i].gate];
      const auto add = [&](bool complemented) {
        for (std::uint32_t k = 0; k < gate.count; ++k) {
          const Literal input = gates_.inputs(gate)[k];
          if (reads_complemented(input) == complemented) program_.operands.push_back(emitted_.value[gate_of(input)]);
        }
      };
      add(shaped[i].shape == Shape::kOr);
      if (shaped[i].shape == Shape::kAnd) add(true);
      emitted_.value[shaped[i].gate] = finish_gate();
    }
    block.end_run = static_cast<std::uint32_t>(program_.runs.size());
    if (!shaped.empty()) program_.depth += shaped.back().level + 1;
    if (group != kNoGroup) {
      // Definitions must be plain to be compared with their variables.
      std::vector<Literal> definitions;
      for (const auto& loop : definitions_[group]) definitions.push_back(loop.definition);
      add_complements(definitions);
      block.end_run = static_cast<std::uint32_t>(program_.runs.size());
      for (const auto& loop : definitions_[group])
        block.loop.push_back({emitted_.value[gate_of(loop.variable)], plain_value(loop.definition)});
    }
    blocks.push_back(std::move(block));
  }

  void begin_run(Shape shape, std::uint32_t plain, std::uint32_t complemented) {
    program_.runs.push_back(
        {shape, plain, complemented, 0, static_cast<std::uint32_t>(program_.operands.size()), program_.values});
  }

  std::uint32_t finish_gate() {
    ++program_.runs.back().count;
    ++program_.gates;
    return program_.values++;
  }

  void emit_complements(const std::vector<Literal>& roots, std::vector<LaneProgram::Block>& blocks) {
    LaneProgram::Block block{static_cast<std::uint32_t>(program_.runs.size()), 0, {}};
    add_complements(roots);
    block.end_run = static_cast<std::uint32_t>(program_.runs.size());
    if (block.end_run != block.first_run) blocks.push_back(std::move(block));
  }

  void add_complements(const std::vector<Literal>& roots) {
    bool begun = false;
    for (const Literal root : roots) {
      const std::uint32_t gate = gate_of(root);
      if (gate == 0 || !reads_complemented(root) || emitted_.complement_value.count(gate) != 0) continue;
      if (!begun) begin_run(Shape::kNot, 1, 0);
      begun = true;
      program_.operands.push_back(emitted_.value[gate]);
      emitted_.complement_value[gate] = finish_gate();
    }
  }

  std::uint32_t plain_value(Literal literal) const {
    if (gate_of(literal) == 0) return literal == kTrue ? LaneProgram::kOnes : LaneProgram::kZeros;
    return reads_complemented(literal) ? emitted_.complement_value.at(gate_of(literal)) : emitted_.value[gate_of(literal)];
  }

  void reject_moves_in_cone(const char* what) const {
    for (const auto& move : network_.moves)
      if (emitted_.needed[gate_of(move.input)])
        throw std::invalid_argument(std::string(what) + " depends on the move " + move.name + " being made");
  }

  void add_next() {
    for (std::size_t i = 0; i < network_.fluents.size(); ++i) {
      const auto to = static_cast<std::uint32_t>(program_.first_fluent + i);
      const Literal next = network_.fluents[i].next;
      if (gate_of(next) == 0)
        program_.next_plain.push_back({plain_value(next), to});
      else
        (reads_complemented(next) ? program_.next_complemented : program_.next_plain)
            .push_back({emitted_.value[gate_of(next)], to});
    }
  }

  void add_legal() {
    program_.legal.resize(network_.roles.size());
    for (const auto& move : network_.moves) program_.legal[move.role].push_back(plain_value(move.legal));
    program_.terminal = plain_value(network_.terminal);
  }

  void add_ahead() {
    program_.kept = program_.legal;
    program_.wins.resize(network_.roles.size());
    std::vector<std::uint32_t> moves(network_.roles.size(), 0);
    for (const auto& move : network_.moves) {
      const std::uint32_t number = moves[move.role]++;
      if (move.kept != kFalse) program_.kept[move.role][number] = plain_value(move.kept);
      if (move.wins != kFalse) program_.wins[move.role].push_back({number, plain_value(move.wins)});
    }
  }

  void add_goals() {
    program_.goals.resize(network_.roles.size());
    for (const auto& goal : network_.goals) program_.goals[goal.role].push_back({goal.value, plain_value(goal.holds)});
  }

  void add_percepts() {
    program_.percepts.resize(network_.roles.size());
    for (const auto& percept : network_.percepts) program_.percepts[percept.role].push_back(plain_value(percept.holds));
  }

  void add_initial() {
    program_.initial.assign((network_.fluents.size() + 63) / 64, 0);
    for (std::size_t i = 0; i < network_.fluents.size(); ++i)
      if (network_.fluents[i].initially) program_.initial[i / 64] |= std::uint64_t{1} << (i % 64);
  }

  const Network& network_;
  const GateGraph& gates_;
  LaneProgram program_;
  Emitted emitted_;
  std::vector<std::uint32_t> above_;  // by gate of the block that is emitted: its level plus 1; 0 for other gates
  std::vector<bool> stored_complemented_;
  std::vector<int> group_;    // gate -> loop group whose body it belongs to
  std::vector<std::vector<Network::Loop>> definitions_;  // by group
  std::vector<std::uint32_t> stage_, group_stage_;
};

}  // namespace

LaneProgram compile(const Network& network) { return Compiler(network).compile(); }

}  // namespace ggp

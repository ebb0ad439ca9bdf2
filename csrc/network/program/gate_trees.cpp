#include "network/program/gate_trees.hpp"

#include <algorithm>

namespace ggp {
namespace {

using Gate = GateTrees::Gate;
using Operand = GateTrees::Operand;

// Limits the height of trees, because they are traversed by recursion.
constexpr int kMostHeight = 100;

class TreeBuilder {
 public:
  TreeBuilder(const LaneProgram& program, int registers) : program_(program), registers_(registers) {}

  std::optional<GateTrees> build() {
    trees_.first_value = program_.values;
    for (const auto& run : program_.runs) trees_.first_value = std::min(trees_.first_value, run.value);
    trees_.gate_of.assign(program_.values - trees_.first_value, GateTrees::kNone);
    const std::vector<LaneProgram::Block>* sections[] = {&program_.legal_blocks, &program_.ahead_blocks,
                                                         &program_.goal_blocks, &program_.next_blocks,
                                                         &program_.percept_blocks};
    for (int section = 0; section < GateTrees::kSections; ++section) {
      bool joins = false;
      for (const auto& block : *sections[section]) {
        if (!joins || !block.loop.empty()) trees_.units.push_back({block.loop, {}});
        joins = block.loop.empty();
        if (!read(block)) return std::nullopt;
      }
      trees_.sections.end[section] = static_cast<std::uint32_t>(trees_.units.size());
    }
    list_outputs();
    find_outside();
    for (auto& gate : trees_.gates) find_tree(gate);
    order_roots();
    return std::move(trees_);
  }

 private:
  bool read(const LaneProgram::Block& block) {
    const auto unit = static_cast<std::uint32_t>(trees_.units.size() - 1);
    for (std::uint32_t number = block.first_run; number < block.end_run; ++number) {
      const auto& run = program_.runs[number];
      const std::uint32_t* in = program_.operands.data() + run.operand;
      const bool is_or = run.shape == LaneProgram::Shape::kOr, is_not = run.shape == LaneProgram::Shape::kNot;
      for (std::uint32_t i = 0; i < run.count; ++i) {
        const std::uint32_t value = run.value + i, count = run.plain + run.complemented;
        const auto first = static_cast<std::uint32_t>(trees_.operands.size());
        for (std::uint32_t k = 0; k < count; ++k, ++in) {
          if (!is_known(*in)) return false;
          trees_.operands.push_back({*in, is_or || is_not || k >= run.plain});
        }
        if (is_known(value)) return false;
        trees_.gate_of[value - trees_.first_value] = static_cast<std::uint32_t>(trees_.gates.size());
        trees_.gates.push_back({value, first, count, unit, is_or, false, false, 0, 0});
      }
    }
    return true;
  }

  bool is_known(std::uint32_t value) const {
    return value < trees_.first_value || trees_.gate_of[value - trees_.first_value] != GateTrees::kNone;
  }

  void list_outputs() {
    const auto all = [&](const auto& roles, auto value) {
      for (const auto& role : roles)
        for (const auto& item : role) outputs_.push_back(value(item));
    };
    const auto itself = [](std::uint32_t value) { return value; };
    all(program_.legal, itself);
    outputs_.push_back(program_.terminal);
    all(program_.kept, itself);
    all(program_.wins, [](const auto& win) { return win.holds; });
    all(program_.goals, [](const auto& goal) { return goal.holds; });
    all(program_.percepts, itself);
    std::vector<LaneProgram::Copy> next = program_.next_plain;
    next.insert(next.end(), program_.next_complemented.begin(), program_.next_complemented.end());
    std::sort(next.begin(), next.end(), [](const auto& a, const auto& b) { return a.to < b.to; });
    for (const auto& copy : next) outputs_.push_back(copy.from);
    for (const auto& unit : trees_.units)
      for (const auto& loop : unit.loop) outputs_.push_back(loop.definition);
  }

  void find_outside() {
    readers_.assign(trees_.gates.size(), 0);
    const auto is_read = [&](std::uint32_t value, std::uint32_t unit) {
      if (value < trees_.first_value) return;
      const std::uint32_t gate = trees_.gate_of[value - trees_.first_value];
      ++readers_[gate];
      if (trees_.gates[gate].unit != unit) trees_.gates[gate].outside = true;
    };
    for (const auto& gate : trees_.gates)
      for (std::uint32_t k = 0; k < gate.count; ++k) is_read(trees_.operands[gate.first + k].value, gate.unit);
    for (const std::uint32_t value : outputs_) is_read(value, GateTrees::kNone);
  }

  // Makes gates that only this gate reads inner nodes, and orders the operands: these first, complemented before plain.
  void find_tree(Gate& gate) {
    Operand* first = &trees_.operands[gate.first];
    Operand* last = first + gate.count;
    const auto need = [&](const Operand& operand) {
      const std::uint32_t child = trees_.local(operand.value, gate.unit);
      if (child == GateTrees::kNone || readers_[child] != 1 || trees_.gates[child].outside) return 0;
      return trees_.gates[child].height < kMostHeight ? int{trees_.gates[child].need} : 0;
    };
    std::stable_sort(first, last, [&](const Operand& a, const Operand& b) {
      const int left = need(a), right = need(b);
      return left != right ? left > right : a.complemented > b.complemented;
    });
    int most = 2, height = 0;
    for (Operand* operand = first; operand != last; ++operand) {
      const int wanted = need(*operand) + (operand == first ? 0 : 1);
      if (need(*operand) == 0 || wanted > registers_) continue;
      auto& child = trees_.gates[trees_.local(operand->value, gate.unit)];
      child.inner = true;
      most = std::max(most, wanted);
      height = std::max(height, child.height + 1);
    }
    // A gate that needs too many registers stays outside and is read like a leaf.
    std::stable_partition(first, last, [&](const Operand& operand) {
      const std::uint32_t child = trees_.local(operand.value, gate.unit);
      return child != GateTrees::kNone && trees_.gates[child].inner;
    });
    gate.need = static_cast<std::uint8_t>(most);
    gate.height = static_cast<std::uint8_t>(height);
  }

  // Depth first from the outputs; then gates that only other units read.
  void order_roots() {
    done_.assign(trees_.gates.size(), false);
    for (const std::uint32_t value : outputs_)
      if (value >= trees_.first_value) visit(trees_.gate_of[value - trees_.first_value]);
    for (std::uint32_t gate = 0; gate < trees_.gates.size(); ++gate)
      if (trees_.gates[gate].outside) visit(gate);
  }

  void visit(std::uint32_t from) {
    if (done_[from]) return;
    stack_.push_back({from, 0});
    done_[from] = true;
    while (!stack_.empty()) {
      auto& [number, next] = stack_.back();
      const Gate& gate = trees_.gates[number];
      if (next == gate.count) {
        if (!gate.inner) trees_.units[gate.unit].roots.push_back(number);
        stack_.pop_back();
        continue;
      }
      const std::uint32_t child = trees_.local(trees_.operands[gate.first + next++].value, gate.unit);
      if (child == GateTrees::kNone || done_[child]) continue;
      done_[child] = true;
      stack_.push_back({child, 0});
    }
  }

  struct Step {
    std::uint32_t gate, next;
  };

  const LaneProgram& program_;
  const int registers_;
  GateTrees trees_;
  std::vector<std::uint32_t> outputs_;  // values
  std::vector<std::uint32_t> readers_;  // by gate
  std::vector<bool> done_;
  std::vector<Step> stack_;
};

}  // namespace

std::optional<GateTrees> GateTrees::of(const LaneProgram& program, int registers) {
  return TreeBuilder(program, registers).build();
}

}  // namespace ggp

#include "network/program/next_in_place.hpp"

#include <utility>

namespace ggp {
namespace {

// A time during the evaluation of the next state: a unit and the number of a root in it, kEnd after the last.
using Time = std::pair<std::uint32_t, std::uint32_t>;
constexpr std::uint32_t kEnd = 0xFFFFFFFFu;
constexpr Time kNeverReplaces{kEnd, kEnd};

class Finder {
 public:
  Finder(const LaneProgram& program, const GateTrees& trees) : program_(program), trees_(trees) {}

  NextInPlace find() {
    NextInPlace found{std::vector<std::uint32_t>(trees_.gates.size(), NextInPlace::kNone),
                      std::vector<bool>(trees_.gates.size(), false)};
    if (program_.has_percepts()) return found;
    evaluated_.assign(trees_.gates.size(), kNeverReplaces);
    read_.assign(program_.first_move, Time{0, 0});
    uses_.assign(trees_.gates.size(), 0);
    const std::uint32_t* ends = trees_.sections.end;
    for (std::uint32_t unit = ends[GateTrees::kGoals]; unit < ends[GateTrees::kNext]; ++unit) list_unit(unit);
    for (const auto* copies : {&program_.next_plain, &program_.next_complemented})
      for (const auto& copy : *copies) note_use(copy.from);
    const auto replace = [&](const std::vector<LaneProgram::Copy>& copies, bool complemented) {
      for (const auto& copy : copies) {
        const std::uint32_t gate = trees_.gate(copy.from);
        if (gate == GateTrees::kNone || uses_[gate] != 1 || evaluated_[gate] == kNeverReplaces) continue;
        if (read_[copy.to] > evaluated_[gate]) continue;
        found.fluent[gate] = copy.to;
        found.complemented[gate] = complemented;
      }
    };
    replace(program_.next_plain, false);
    replace(program_.next_complemented, true);
    return found;
  }

 private:
  // Loops are evaluated several times, so their gates replace nothing.
  void list_unit(std::uint32_t unit) {
    const auto& [loop, roots] = trees_.units[unit];
    for (std::uint32_t i = 0; i < roots.size(); ++i) {
      list_reads(trees_.gates[roots[i]], {unit, i});
      if (loop.empty()) evaluated_[roots[i]] = {unit, i};
    }
    for (const auto& variable : loop) note_use(variable.definition);
  }

  void list_reads(const GateTrees::Gate& gate, Time time) {
    for (std::uint32_t k = 0; k < gate.count; ++k) {
      const std::uint32_t value = trees_.operands[gate.first + k].value;
      const std::uint32_t child = trees_.local(value, gate.unit);
      if (child != GateTrees::kNone && trees_.gates[child].inner)
        list_reads(trees_.gates[child], time);
      else
        note_read(value, time);
    }
  }

  void note_read(std::uint32_t value, Time time) {
    if (value < program_.first_move) read_[value] = time;
  }

  // Notes that a fluent or a loop variable becomes equal to the value, or to its complement, after all gates.
  void note_use(std::uint32_t value) {
    note_read(value, {kEnd, kEnd});
    if (const std::uint32_t gate = trees_.gate(value); gate != GateTrees::kNone) ++uses_[gate];
  }

  const LaneProgram& program_;
  const GateTrees& trees_;
  std::vector<Time> evaluated_;      // by gate; kNeverReplaces for gates of loops and of other sections
  std::vector<Time> read_;           // by value of a fluent: its last read
  std::vector<std::uint32_t> uses_;  // by gate: fluents and loop variables that become equal to it
};

}  // namespace

NextInPlace NextInPlace::of(const LaneProgram& program, const GateTrees& trees) {
  return Finder(program, trees).find();
}

}  // namespace ggp

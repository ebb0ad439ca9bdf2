#include "network/program/machine_code.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "network/program/executable_memory.hpp"
#include "network/program/gate_trees.hpp"
#include "network/program/next_in_place.hpp"
#include "network/program/vector_assembler.hpp"

namespace ggp {
namespace {

using Encoding = VectorAssembler::Encoding;
using Memory = VectorAssembler::Memory;
using Op = VectorAssembler::Op;

constexpr std::uint32_t kNever = 0xFFFFFFFFu;
// Offsets in instructions have 31 bits.
constexpr std::uint32_t kMostValues = 30'000'000;
// Number of places in memory for values of a unit: the reach of the shortest instructions in both directions.
constexpr int kNearPlaces = 128;
// A value in memory stays in a register until its next read if at most this number of reads lies between.
constexpr std::uint32_t kSoon = 24;
// Three operands of a ternary function, as columns of its table.
constexpr std::uint8_t kA = 0xF0, kB = 0xCC, kC = 0xAA;

constexpr std::uint8_t column(std::uint8_t plain, bool complemented) {
  return static_cast<std::uint8_t>(complemented ? ~plain : plain);
}

// The value of each vector register, and its uses.
class VectorRegisters {
 public:
  explicit VectorRegisters(int count) : registers_(count) {}

  struct Register {
    std::uint32_t value = kNever;  // the value kept for its next reader
    std::uint32_t next = kNever;   // the time of the next read
    int users = 0;                 // current users of the value, or of a result that is being computed
  };
  Register& operator[](int number) { return registers_[number]; }
  int size() const { return static_cast<int>(registers_.size()); }
  bool is_free(int number) const { return registers_[number].value == kNever && registers_[number].users == 0; }
  // The first free register; -1 if all registers are in use.
  int find_free() const {
    for (int i = 0; i < size(); ++i)
      if (is_free(i)) return i;
    return -1;
  }
  // The unused register whose value has the latest next read; -1 if all registers are in use.
  int read_last() const {
    int found = -1;
    for (int i = 0; i < size(); ++i)
      if (registers_[i].users == 0 && (found < 0 || registers_[i].next > registers_[found].next)) found = i;
    return found;
  }

 private:
  std::vector<Register> registers_;
};

class CodeWriter {
 public:
  CodeWriter(const LaneProgram& program, GateTrees trees, Encoding encoding, int bytes)
      : program_(program),
        trees_(std::move(trees)),
        in_place_(NextInPlace::of(program, trees_)),
        assembler_(encoding),
        bytes_(bytes),
        registers_(assembler_.registers()) {}

  // Returns the program without the memory of its code; nothing if the program is too long.
  std::optional<LaneProgram> write() {
    number_outside();
    read_.assign(program_.values, {});
    for (std::uint32_t unit = 0; unit < trees_.units.size(); ++unit) {
      if (assembler_.bytes().size() > kMostCode) return std::nullopt;
      starts_.push_back(assembler_.bytes().size());
      write_unit(unit);
    }
    return renumbered();
  }

  const std::vector<std::uint8_t>& bytes() const { return assembler_.bytes(); }
  // The offset in bytes() of the function of each unit.
  const std::vector<std::size_t>& starts() const { return starts_; }

 private:
  // A value in a register; `own` if the register is not needed otherwise.
  struct Held {
    int reg;
    bool own;
    bool complemented;
  };
  // An operand in a register, which it occupies, or in memory.
  struct Source {
    int reg;  // -1: in memory
    Memory memory;
    bool complemented;
  };
  struct Reading {
    int reg = -1;
    std::int32_t place = -1;    // near place of a value that had to leave its register
    std::uint32_t left = 0;     // number of remaining reads in this unit
    std::uint32_t first = kNever;
    bool complemented = false;  // the register or the memory contains the complement
  };

  // ---- places

  void number_outside() {
    number_.resize(program_.values);
    for (std::uint32_t value = 0; value < trees_.first_value; ++value) number_[value] = value;
    next_number_ = trees_.first_value;
    for (const auto& unit : trees_.units)
      for (const std::uint32_t root : unit.roots)
        if (trees_.gates[root].outside) {
          const std::uint32_t fluent = in_place_.fluent[root];
          number_[trees_.gates[root].value] = fluent == NextInPlace::kNone ? next_number_++ : fluent;
        }
  }

  bool is_in_place(std::uint32_t value) const {
    const std::uint32_t gate = trees_.gate(value);
    return gate != GateTrees::kNone && in_place_.fluent[gate] != NextInPlace::kNone;
  }

  // Whether the memory of a value contains its complement: the next value of a fluent.
  bool is_stored_complemented(std::uint32_t value) const {
    const std::uint32_t gate = trees_.gate(value);
    return gate != GateTrees::kNone && in_place_.complemented[gate];
  }

  Memory place_of(std::uint32_t value) {
    const std::uint32_t gate = trees_.local(value, unit_);
    if (gate == GateTrees::kNone || trees_.gates[gate].outside)
      return {VectorAssembler::Base::kArgument, static_cast<std::int32_t>(number_[value]) * bytes_};
    auto& place = read_[value].place;
    if (place < 0) {
      if (free_places_.empty()) free_places_.push_back(places_++);
      place = free_places_.back();
      free_places_.pop_back();
    }
    return {VectorAssembler::Base::kDerived, (place - kNearPlaces) * bytes_};
  }

  // ---- units

  void write_unit(std::uint32_t unit) {
    unit_ = unit;
    reads_.clear();
    for (const std::uint32_t root : trees_.units[unit].roots) list_reads(trees_.gates[root]);
    next_.assign(reads_.size(), kNever);
    for (const std::uint32_t value : reads_) {
      read_[value] = {};
      read_[value].complemented = is_stored_complemented(value);
    }
    for (auto i = static_cast<std::uint32_t>(reads_.size()); i-- > 0;) {
      Reading& reading = read_[reads_[i]];
      next_[i] = reading.first;
      reading.first = i;
      ++reading.left;
    }
    position_ = 0;
    assembler_.begin(static_cast<std::int32_t>(next_number_ + kNearPlaces) * bytes_);
    for (const std::uint32_t root : trees_.units[unit].roots) {
      finish(trees_.gates[root]);
      free_places_.insert(free_places_.end(), left_places_.begin(), left_places_.end());
      left_places_.clear();
    }
    assembler_.end();
  }

  // Lists operands in the order in which evaluate() reads them.
  void list_reads(const GateTrees::Gate& gate) {
    for (std::uint32_t k = 0; k < gate.count; ++k) {
      const std::uint32_t value = trees_.operands[gate.first + k].value;
      if (const auto* child = inner(value))
        list_reads(*child);
      else
        reads_.push_back(value);
    }
  }

  const GateTrees::Gate* inner(std::uint32_t value) const {
    const std::uint32_t gate = trees_.local(value, unit_);
    return gate != GateTrees::kNone && trees_.gates[gate].inner ? &trees_.gates[gate] : nullptr;
  }

  // Evaluates a root, stores it if other units need it, and keeps it for its readers in this unit.
  void finish(const GateTrees::Gate& gate) {
    Held held = evaluate(gate, gate.count);
    held.complemented ^= gate.complemented;
    Reading& reading = read_[gate.value];
    if (gate.outside) {
      if (held.complemented != is_stored_complemented(gate.value)) held = complement(held);
      assembler_.store(place_of(gate.value), held.reg);
    }
    if (reading.first == kNever) {
      release(held);
      return;
    }
    if (!held.own) held = copied(held);
    reading.reg = held.reg;
    reading.complemented = held.complemented;
    registers_[held.reg] = {gate.value, reading.first, 0};
  }

  // ---- trees

  // The conjunction of the first operands of a gate.
  Held evaluate(const GateTrees::Gate& gate, std::uint32_t count) {
    const auto* operands = &trees_.operands[gate.first];
    Held result{-1, false, false};
    std::uint32_t k = 0;
    for (; k < count; ++k) {
      const auto* child = inner(operands[k].value);
      if (child == nullptr) break;
      const bool complemented = operands[k].complemented != child->complemented;
      if (k == 0) {
        result = evaluate(*child, child->count);
        result.complemented ^= complemented;
      } else if (assembler_.has_ternary() && result.own && inner(last_of(*child).value) == nullptr && child->count > 1) {
        const Held part = evaluate(*child, child->count - 1);
        const Source last = source(last_of(*child));
        const auto both = static_cast<std::uint8_t>(column(kB, part.complemented) & column(kC, last.complemented));
        ternary(result, part.reg, last, both, complemented);
        release(part);
      } else {
        Held other = evaluate(*child, child->count);
        result = conjunction(result, {other.reg, {}, other.complemented != complemented}, other.own);
      }
    }
    if (result.reg < 0) {
      const Source first = source(operands[k++]);
      if (k == count) return held(first);
      result = conjunction_of(first, source(operands[k++]));
    }
    for (; k < count; ++k) {
      const Source one = source(operands[k]);
      if (k + 1 == count || !assembler_.has_ternary() || !result.own) {
        result = conjunction(result, one, false);
        continue;
      }
      const Source two = source(operands[++k]);
      if (one.reg < 0 && two.reg < 0) {
        result = conjunction(conjunction(result, one, false), two, false);
        continue;
      }
      const Source& a = one.reg >= 0 ? one : two;
      const Source& b = one.reg >= 0 ? two : one;
      ternary(result, a.reg, b, column(kB, a.complemented) & column(kC, b.complemented), false);
      leave(a);
    }
    return result;
  }

  const GateTrees::Operand& last_of(const GateTrees::Gate& gate) const {
    return trees_.operands[gate.first + gate.count - 1];
  }

  // result &= f(a, b), or the complement of f; releases b.
  void ternary(Held& result, int a, const Source& b, std::uint8_t table, bool complemented) {
    const auto all = static_cast<std::uint8_t>(column(kA, result.complemented) & column(table, complemented));
    if (b.reg >= 0)
      assembler_.ternary(result.reg, a, b.reg, all);
    else
      assembler_.ternary(result.reg, a, b.memory, all);
    result.complemented = false;
    leave(b);
  }

  Held conjunction_of(const Source& one, const Source& two) {
    if (one.reg >= 0 || two.reg < 0) return conjunction(held(one), two, false);
    return conjunction(held(two), one, false);
  }

  // a & b; releases the registers of both. `own`: the register of b is not needed otherwise.
  Held conjunction(Held a, Source b, bool own) {
    if (!a.complemented && b.complemented) {
      if (b.reg < 0 && assembler_.has_ternary() && a.own) {
        ternary(a, a.reg, b, column(kC, true), false);
        return a;
      }
      if (b.reg < 0) {
        b = {held(b).reg, {}, true};
        own = true;
      }
    }
    // With two registers, either may be the complemented operand of ~x & y.
    const bool swapped = !a.complemented && b.complemented;
    const Op op = a.complemented && b.complemented ? Op::kOr : a.complemented || b.complemented ? Op::kAndNot : Op::kAnd;
    const int to = a.own ? a.reg : own ? b.reg : acquire();
    if (swapped)
      assembler_.op(op, to, b.reg, a.reg);
    else if (b.reg >= 0)
      assembler_.op(op, to, a.reg, b.reg);
    else
      assembler_.op(op, to, a.reg, b.memory);
    if (a.reg != to) release(a);
    if (b.reg != to) {
      if (own)
        release({b.reg, true, false});
      else
        leave(b);
    }
    return {to, true, op == Op::kOr};
  }

  Held complement(Held held) {
    const int to = held.own ? held.reg : acquire();
    if (assembler_.has_ternary())
      assembler_.ternary(to, held.reg, held.reg, column(kC, true));
    else
      assembler_.op(Op::kXor, to, held.reg, place_of(LaneProgram::kOnes));
    if (to != held.reg) release(held);
    return {to, true, !held.complemented};
  }

  Held copied(Held held) {
    const int to = acquire();
    assembler_.copy(to, held.reg);
    release(held);
    return {to, true, held.complemented};
  }

  // ---- registers

  // The next operand to be read.
  Source source(const GateTrees::Operand& operand) {
    Reading& reading = read_[operand.value];
    const std::uint32_t next = next_[position_];
    --reading.left;
    const bool complemented = operand.complemented != reading.complemented;
    if (reading.reg < 0) {
      const Memory memory = place_of(operand.value);
      const int reg = next != kNever && next - position_ <= kSoon ? room_until(next) : -1;
      ++position_;
      if (reg < 0) {
        if (reading.left == 0 && reading.place >= 0) left_places_.push_back(reading.place);
        return {-1, memory, complemented};
      }
      assembler_.load(reg, memory);
      reading.reg = reg;
      registers_[reg] = {operand.value, next, 1};
      return {reg, {}, complemented};
    }
    ++position_;
    registers_[reading.reg].next = next;
    ++registers_[reading.reg].users;
    return {reading.reg, {}, complemented};
  }

  // A register for a value whose next read is at a given time: a free register, or a register whose value is in memory
  // and read later. -1 if no register qualifies.
  int room_until(std::uint32_t next) {
    if (const int reg = registers_.find_free(); reg >= 0) return reg;
    const int reg = registers_.read_last();
    if (reg < 0 || registers_[reg].next <= next) return -1;
    const std::uint32_t value = registers_[reg].value;
    const std::uint32_t gate = trees_.local(value, unit_);
    if (gate != GateTrees::kNone && !trees_.gates[gate].outside && read_[value].place < 0) return -1;
    read_[value].reg = -1;
    return reg;
  }

  // A register for a result. Trees leave enough registers.
  int acquire() {
    int reg = registers_.find_free();
    if (reg < 0) {
      reg = registers_.read_last();
      evict(reg);
    }
    registers_[reg] = {kNever, kNever, 1};
    return reg;
  }

  void evict(int reg) {
    const std::uint32_t value = registers_[reg].value;
    const std::uint32_t gate = trees_.local(value, unit_);
    Reading& reading = read_[value];
    if (gate != GateTrees::kNone && !trees_.gates[gate].outside && reading.place < 0) assembler_.store(place_of(value), reg);
    reading.reg = -1;
  }

  // Returns an operand in a register.
  Held held(const Source& source) {
    if (source.reg >= 0) return {source.reg, false, source.complemented};
    const int reg = acquire();
    assembler_.load(reg, source.memory);
    return {reg, true, source.complemented};
  }

  void release(const Held& held) {
    if (held.own)
      registers_[held.reg] = {};
    else
      leave({held.reg, {}, false});
  }

  // Releases an operand.
  void leave(const Source& source) {
    if (source.reg < 0) return;
    auto& reg = registers_[source.reg];
    if (--reg.users > 0 || reg.next != kNever) return;
    Reading& reading = read_[reg.value];
    reading.reg = -1;
    if (reading.place >= 0) left_places_.push_back(std::exchange(reading.place, -1));
    reg = {};
  }

  // ---- the program

  LaneProgram renumbered() const {
    LaneProgram program;
    program.fluents = program_.fluents;
    program.first_fluent = program_.first_fluent;
    program.first_move = program_.first_move;
    program.initial = program_.initial;
    program.passes = program_.passes;
    program.gates = program_.gates;
    program.depth = program_.depth;
    program.values = next_number_ + static_cast<std::uint32_t>(places_);
    const auto renumber = [&](std::uint32_t value) { return number_[value]; };
    const auto all = [&](auto roles, auto value) {
      for (auto& role : roles)
        for (auto& item : role) value(item) = renumber(value(item));
      return roles;
    };
    const auto itself = [](std::uint32_t& value) -> std::uint32_t& { return value; };
    program.legal = all(program_.legal, itself);
    program.kept = all(program_.kept, itself);
    program.wins = all(program_.wins, [](auto& win) -> std::uint32_t& { return win.holds; });
    program.goals = all(program_.goals, [](auto& goal) -> std::uint32_t& { return goal.holds; });
    program.percepts = all(program_.percepts, itself);
    program.terminal = renumber(program_.terminal);
    const auto add_copies = [&](const std::vector<LaneProgram::Copy>& from, std::vector<LaneProgram::Copy>& to) {
      for (const auto& copy : from)
        if (!is_in_place(copy.from)) to.push_back({renumber(copy.from), copy.to});
    };
    add_copies(program_.next_plain, program.next_plain);
    add_copies(program_.next_complemented, program.next_complemented);
    std::vector<LaneProgram::Block>* sections[] = {&program.legal_blocks, &program.ahead_blocks, &program.goal_blocks,
                                                   &program.next_blocks, &program.percept_blocks};
    std::uint32_t unit = 0;
    for (int section = 0; section < GateTrees::kSections; ++section)
      for (; unit < trees_.sections.end[section]; ++unit) {
        LaneProgram::Block block{0, 0, trees_.units[unit].loop, nullptr};
        for (auto& loop : block.loop) loop.definition = renumber(loop.definition);
        sections[section]->push_back(std::move(block));
      }
    return program;
  }

  const LaneProgram& program_;
  const GateTrees trees_;
  const NextInPlace in_place_;
  VectorAssembler assembler_;
  const int bytes_;  // size of a value
  VectorRegisters registers_;
  std::vector<std::size_t> starts_;
  std::vector<std::uint32_t> number_;  // by value: its number in the new program, if it has one
  std::uint32_t next_number_ = 0;
  int places_ = 0;
  std::vector<std::int32_t> free_places_, left_places_;  // released by the current root
  std::uint32_t unit_ = 0;
  std::vector<std::uint32_t> reads_, next_;  // values in the order in which a unit reads them; the next read of each
  std::uint32_t position_ = 0;
  std::vector<Reading> read_;  // by value
};

std::optional<Encoding> encoding_for(const LaneKernel& kernel) {
  const std::string_view isa = kernel.isa;
  if (isa == "avx512" && kernel.words == 8) return Encoding::kEvex512;
  if (isa == "avx512" && kernel.words == 4) return Encoding::kEvex256;
  if (isa == "avx2" && kernel.words >= 4) return Encoding::kVex256;
  return std::nullopt;
}

}  // namespace

std::shared_ptr<const LaneProgram> in_machine_code(const std::shared_ptr<const LaneProgram>& program,
                                                   const LaneKernel& kernel) {
  const auto encoding = encoding_for(kernel);
  if (!encoding || program->values >= kMostValues) return nullptr;
  const VectorAssembler vectors(*encoding);
  // The other registers are for operands of the current instruction, and for kept values.
  auto trees = GateTrees::of(*program, vectors.registers() / 2);
  if (!trees) return nullptr;
  CodeWriter writer(*program, std::move(*trees), *encoding, 8 * kernel.words);
  auto written = writer.write();
  if (!written) return nullptr;
  written->code = ExecutableMemory::hold(writer.bytes());
  if (written->code == nullptr) return nullptr;
  written->code_words = vectors.vector_bytes() / 8;
  written->kernel_words = kernel.words;
  written->interpreted = program;
  for (const auto& phase : program->phases) {
    auto coded = in_machine_code(phase.program, kernel);
    if (coded == nullptr) return nullptr;
    written->phases.push_back({std::move(coded), phase.clock, phase.known, phase.holds, phase.left_out});
  }
  std::size_t unit = 0;
  for (auto* blocks : {&written->legal_blocks, &written->ahead_blocks, &written->goal_blocks, &written->next_blocks,
                       &written->percept_blocks})
    for (auto& block : *blocks)
      block.code = reinterpret_cast<LaneProgram::Code>(
          reinterpret_cast<std::uintptr_t>(written->code->at(writer.starts()[unit++])));
  return std::make_shared<const LaneProgram>(std::move(*written));
}

}  // namespace ggp

// Flags: -O1
// Games: connect_four battle hex
//
// Machine code of lane programs compared with their interpretation, on every kernel that has it: games from rules,
// move by move, and random programs with wide and deep gates and with loops.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <vector>

#include "base/aligned_words.hpp"
#include "base/random.hpp"
#include "check.hpp"
#include "fixtures/ground_text.hpp"
#include "network/program/gate_trees.hpp"
#include "network/program/machine_code.hpp"
#include "network/program/vector_assembler.hpp"
#include "network/simulator/network_simulator.hpp"

namespace {
bool forbidden = false;
}

// Replaces the function of the C library, so that executable memory can be forbidden as on some systems.
extern "C" int mprotect(void* memory, size_t bytes, int protection) noexcept {
  if (forbidden && (protection & PROT_EXEC) != 0) {
    errno = EACCES;
    return -1;
  }
  return static_cast<int>(syscall(SYS_mprotect, memory, bytes, protection));
}

namespace {

using namespace ggp;
using Program = std::shared_ptr<const LaneProgram>;
using Encoding = VectorAssembler::Encoding;
using Memory = VectorAssembler::Memory;
using Op = VectorAssembler::Op;

bool same(const std::uint64_t* a, const std::uint64_t* b, int words) { return std::equal(a, a + words, b); }

// Both play the same random turns; all functions of states are compared.
void play_alike(const LaneProgram& plain, NetworkSimulator& first, const LaneProgram& coded, NetworkSimulator& second,
                         int turns) {
  const int words = first.groups();
  const std::vector<std::uint64_t> all(words, ~std::uint64_t{0});
  first.look_ahead(all.data(), true);
  second.look_ahead(all.data(), true);
  for (int turn = 0; turn < turns; ++turn) {
    for (int fluent = 0; fluent < static_cast<int>(plain.fluents); ++fluent)
      CHECK(same(first.fluent(fluent), second.fluent(fluent), words));
    first.evaluate();
    second.evaluate();
    CHECK(same(first.terminal(), second.terminal(), words));
    first.evaluate_goals();
    second.evaluate_goals();
    int one[300], two[300];
    for (int role = 0; role < first.roles(); ++role) {
      for (int move = 0; move < first.moves(role); ++move)
        CHECK(same(first.legal_lanes(role, move), second.legal_lanes(role, move), words));
      for (std::size_t i = 0; i < plain.goals[role].size(); ++i)
        CHECK(same(first.lanes_of(plain.goals[role][i].holds), second.lanes_of(coded.goals[role][i].holds), words));
      first.winning(0, role, one);
      second.winning(0, role, two);
      for (std::size_t i = 0; i < plain.wins[role].size(); ++i)
        CHECK(same(first.lanes_of(plain.wins[role][i].holds), second.lanes_of(coded.wins[role][i].holds), words));
    }
    std::vector<std::uint64_t> playing(words), over(words);
    for (int w = 0; w < words; ++w) over[w] = first.terminal()[w], playing[w] = ~over[w];
    first.choose_at_random(playing.data());
    second.choose_at_random(playing.data());
    first.step();
    second.step();
    const std::vector<const std::uint64_t*> initial(first.lanes(), first.initial());
    first.load(over.data(), initial.data());
    second.load(over.data(), initial.data());
  }
}

void plays_as_it_is_interpreted(const Program& program) {
  for (const char* isa : {"avx2", "avx512"})
    for (const int lanes : {64, 128, 256, 512}) {
      const LaneKernel* kernel = find_kernel(isa, lanes);
      if (kernel == nullptr) continue;
      const Program coded = in_machine_code(program, *kernel);
      CHECK_EQUAL(coded != nullptr, lanes >= 256);
      if (coded == nullptr) continue;
      CHECK(coded->values < program->values);
      NetworkSimulator first(program, *kernel), second(coded, *kernel);
      play_alike(*program, first, *coded, second, 40);
    }
}

// A program of one section with random gates: with few or many inputs, near or far, read once or often.
LaneProgram random_program(std::uint64_t seed, bool with_loop) {
  std::uint64_t random = mix64(seed);
  LaneProgram program;
  program.fluents = 40;
  program.initial.assign(1, 0);
  program.first_move = program.first_fluent + program.fluents;
  const std::uint32_t first_loop = program.first_move, loops = with_loop ? 6 : 0;
  program.values = first_loop + loops;
  const auto block = [&](int runs, std::uint32_t from) {
    LaneProgram::Block made{static_cast<std::uint32_t>(program.runs.size()), 0, {}};
    for (int run = 0; run < runs; ++run) {
      const auto shape = static_cast<LaneProgram::Shape>(draw_below(random, 8) / 3);
      const bool wide = draw_below(random, 10) == 0;
      const auto some = [&] { return static_cast<std::uint32_t>(draw_below(random, wide ? 40 : 4)); };
      const std::uint32_t plain = shape == LaneProgram::Shape::kNot ? 1 : 1 + some();
      const std::uint32_t complemented = shape == LaneProgram::Shape::kAnd ? some() : 0;
      const auto count = static_cast<std::uint32_t>(1 + draw_below(random, 5));
      program.runs.push_back({shape, plain, complemented, count, static_cast<std::uint32_t>(program.operands.size()), program.values});
      for (std::uint32_t i = 0; i < count * (plain + complemented); ++i) {
        const std::uint32_t most = program.values - from;
        const auto near = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, 12));
        program.operands.push_back(draw_below(random, 4) != 0 ? program.values - 1 - static_cast<std::uint32_t>(draw_below(random, near))
                                                              : from + static_cast<std::uint32_t>(draw_below(random, most)));
      }
      program.values += count;
      program.gates += count;
    }
    made.end_run = static_cast<std::uint32_t>(program.runs.size());
    return made;
  };
  program.legal_blocks.push_back(block(30, 0));
  if (with_loop) {
    auto loop = block(20, 0);
    for (std::uint32_t i = 0; i < loops; ++i) loop.loop.push_back({first_loop + i, program.values - 1 - i});
    // The variables only grow, so that the loop ends.
    const std::uint32_t last = program.values;
    program.runs.push_back({LaneProgram::Shape::kOr, 2, 0, loops, static_cast<std::uint32_t>(program.operands.size()), last});
    for (std::uint32_t i = 0; i < loops; ++i) {
      program.operands.push_back(first_loop + i);
      program.operands.push_back(loop.loop[i].definition);
      loop.loop[i].definition = last + i;
    }
    program.values += loops;
    program.gates += loops;
    loop.end_run = static_cast<std::uint32_t>(program.runs.size());
    program.legal_blocks.push_back(loop);
  }
  program.legal_blocks.push_back(block(30, 0));
  program.next_blocks.push_back(block(60, 0));
  program.legal.resize(1);
  program.goals.resize(1);
  program.wins.resize(1);
  const std::uint32_t first_gate = first_loop + loops;
  std::uint32_t legal_end = program.runs[program.next_blocks[0].first_run].value;
  for (int i = 0; i < 20; ++i)
    program.legal[0].push_back(first_gate + static_cast<std::uint32_t>(draw_below(random, legal_end - first_gate)));
  program.kept = program.legal;
  program.terminal = program.legal[0][0];
  for (std::uint32_t i = 0; i < program.fluents; ++i)
    (i % 2 == 0 ? program.next_plain : program.next_complemented)
        .push_back({legal_end + static_cast<std::uint32_t>(draw_below(random, program.values - legal_end)), program.first_fluent + i});
  return program;
}

TEST(random_programs_run_alike) {
  std::size_t plain = 0, complemented = 0, replaced_plain = 0, replaced_complemented = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto program = std::make_shared<LaneProgram>(random_program(seed, seed % 3 == 0));
    program->legal[0].clear();  // roles have no moves here: the fluents change without moves
    program->kept = program->legal;
    for (const char* isa : {"avx2", "avx512"})
      for (const int lanes : {256, 512}) {
        const LaneKernel* kernel = find_kernel(isa, lanes);
        if (kernel == nullptr) continue;
        const Program coded = in_machine_code(program, *kernel);
        CHECK(coded != nullptr);
        plain += program->next_plain.size();
        complemented += program->next_complemented.size();
        replaced_plain += program->next_plain.size() - coded->next_plain.size();
        replaced_complemented += program->next_complemented.size() - coded->next_complemented.size();
        NetworkSimulator first(program, *kernel), second(coded, *kernel);
        std::uint64_t random = mix64(seed + 1000);
        for (int turn = 0; turn < 6; ++turn) {
          std::vector<std::uint64_t> states(lanes);
          std::vector<const std::uint64_t*> pointers;
          for (auto& state : states) {
            state = random = mix64(random + 1);
            state &= (std::uint64_t{1} << program->fluents) - 1;
            pointers.push_back(&state);
          }
          const std::vector<std::uint64_t> all(first.groups(), ~std::uint64_t{0});
          for (auto* simulator : {&first, &second}) {
            simulator->load(all.data(), pointers.data());
            simulator->evaluate();
          }
          CHECK(same(first.terminal(), second.terminal(), first.groups()));
          for (auto* simulator : {&first, &second}) simulator->step();
          for (int fluent = 0; fluent < static_cast<int>(program->fluents); ++fluent)
            CHECK(same(first.fluent(fluent), second.fluent(fluent), first.groups()));
        }
      }
  }
  // Some next values replace their fluents in memory, others must be copied.
  CHECK(plain == 0 || (0 < replaced_plain && replaced_plain < plain));
  CHECK(complemented == 0 || (0 < replaced_complemented && replaced_complemented < complemented));
}

// In a game without percepts, perceive() does not begin the next state: step_but() still finds the present state.
void perceiving_nothing_keeps_the_state(const Program& program) {
  const LaneKernel* kernel = find_kernel(best_isa(), 256);
  const Program coded = in_machine_code(program, *kernel);
  if (coded == nullptr) return;
  NetworkSimulator simulator(coded, *kernel);
  const int words = simulator.groups();
  const std::vector<std::uint64_t> all(words, ~std::uint64_t{0}), held(words, 0x0F0F0F0F0F0F0F0Fu);
  simulator.evaluate();
  simulator.choose_at_random(all.data());
  simulator.perceive();
  simulator.step_but(held.data());
  bool moved = false;
  for (int fluent = 0; fluent < simulator.fluents(); ++fluent) {
    const std::uint64_t initially = 0 - (program->initial[fluent / 64] >> fluent % 64 & 1);
    for (int w = 0; w < words; ++w) {
      const std::uint64_t differs = simulator.fluent(fluent)[w] ^ initially;
      CHECK_EQUAL(differs & held[w], 0u);
      moved |= differs != 0;
    }
  }
  CHECK(moved);
}

// A gate that is read before it is evaluated: the compiler never makes it, but a file may contain it.
TEST(disorder_is_interpreted) {
  LaneProgram program = random_program(3, false);
  program.operands[program.runs[0].operand] = program.values - 1;
  CHECK(!GateTrees::of(program, 8));
  for (const char* isa : {"avx2", "avx512"})
    if (const LaneKernel* kernel = find_kernel(isa, 256))
      CHECK(in_machine_code(std::make_shared<const LaneProgram>(program), *kernel) == nullptr);
}

TEST(without_executable_memory_all_is_interpreted) {
  const auto program = std::make_shared<const LaneProgram>(random_program(4, false));
  for (const char* isa : {"avx2", "avx512"})
    if (const LaneKernel* kernel = find_kernel(isa, 256)) {
      forbidden = true;
      CHECK(in_machine_code(program, *kernel) == nullptr);
      forbidden = false;
      CHECK(in_machine_code(program, *kernel) != nullptr);
    }
}

// A program in machine code for one width serves simulators of any other width.
void other_widths_are_interpreted(const Program& program) {
  const LaneKernel* kernel = find_kernel(best_isa(), 256);
  const Program coded = in_machine_code(program, *kernel);
  if (coded == nullptr) return;
  for (const int lanes : {64, 512}) {
    const LaneKernel* other = find_kernel(best_isa(), lanes);
    NetworkSimulator first(program, *other), second(coded, *other);
    play_alike(*program, first, *program, second, 10);
  }
}

// Every instruction with low and high registers, near and far memory.
void instructions_compute(Encoding encoding) {
  VectorAssembler assembler(encoding);
  const int words = assembler.vector_bytes() / 8, last = assembler.registers() - 1;
  constexpr int kFar = 1000;
  const auto place = [&](int number) {
    return Memory{VectorAssembler::Base::kArgument, number * assembler.vector_bytes()};
  };
  const auto derived = [&](int number) {
    return Memory{VectorAssembler::Base::kDerived, (number - kFar) * assembler.vector_bytes()};
  };
  struct Check {
    int out;
    int kind;  // an Op, or 0 for a table
    int table;
  };
  std::vector<Check> checks;
  int out = 10;
  assembler.begin(kFar * assembler.vector_bytes());
  for (const int a : {0, 7, 9, last})
    for (const int b : {1, 8, last - 1})
      for (const int to : {2, 11, last - 2}) {
        assembler.load(a, place(3));
        assembler.load(b, derived(kFar + 1));
        for (const Op op : {Op::kAnd, Op::kAndNot, Op::kOr, Op::kXor}) {
          assembler.op(op, to, a, b);
          assembler.store(place(out), to);
          checks.push_back({out++, static_cast<int>(op), 0});
          assembler.op(op, to, a, derived(kFar + 1));
          assembler.store(derived(out), to);
          checks.push_back({out++, static_cast<int>(op), 0});
        }
        for (const int table : {0x80, 0x1E, 0x55}) {
          if (!assembler.has_ternary()) break;
          assembler.load(to, place(5));
          assembler.ternary(to, a, b, static_cast<std::uint8_t>(table));
          assembler.store(place(out), to);
          checks.push_back({out++, 0, table});
          assembler.load(to, place(5));
          assembler.ternary(to, a, place(kFar + 1), static_cast<std::uint8_t>(table));
          assembler.copy(to == 2 ? 3 : 2, to);
          assembler.store(place(out), to == 2 ? 3 : 2);
          checks.push_back({out++, 0, table});
        }
      }
  CHECK(out < kFar);
  assembler.end();
  const auto code = ExecutableMemory::hold(assembler.bytes());
  CHECK(code != nullptr);
  const AlignedWords memory = aligned_words(std::size_t(kFar + 2) * words);
  const auto at = [&](int number) { return memory.get() + std::size_t(number) * words; };
  for (const int number : {3, 5, kFar + 1})
    for (int w = 0; w < words; ++w) at(number)[w] = mix64(static_cast<std::uint64_t>(number * 100 + w));
  reinterpret_cast<LaneProgram::Code>(reinterpret_cast<std::uintptr_t>(code->at(0)))(memory.get());
  for (const Check& check : checks)
    for (int w = 0; w < words; ++w) {
      const std::uint64_t a = at(3)[w], b = at(kFar + 1)[w], c = at(5)[w];
      std::uint64_t expected = 0;
      if (check.kind == static_cast<int>(Op::kAnd)) expected = a & b;
      if (check.kind == static_cast<int>(Op::kAndNot)) expected = ~a & b;
      if (check.kind == static_cast<int>(Op::kOr)) expected = a | b;
      if (check.kind == static_cast<int>(Op::kXor)) expected = a ^ b;
      if (check.kind == 0)
        for (int bit = 0; bit < 64; ++bit) {
          const auto index = (c >> bit & 1) * 4 + (a >> bit & 1) * 2 + (b >> bit & 1);
          expected |= std::uint64_t{static_cast<unsigned>(check.table) >> index & 1u} << bit;
        }
      CHECK_EQUAL(at(check.out)[w], expected);
    }
}

}  // namespace

TESTS(int argc, char** argv) {
  if (find_kernel("avx2", 256) != nullptr) instructions_compute(Encoding::kVex256);
  if (find_kernel("avx512", 256) != nullptr) {
    instructions_compute(Encoding::kEvex256);
    instructions_compute(Encoding::kEvex512);
  }
  for (int game = 1; game < argc; ++game) {
    const auto program = std::make_shared<const LaneProgram>(compile(simplify(build_network(ground_program_file(argv[game])))));
    plays_as_it_is_interpreted(program);
    other_widths_are_interpreted(program);
    perceiving_nothing_keeps_the_state(program);
  }
}

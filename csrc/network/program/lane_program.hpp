// The network as straight-line code over an array of values, one value (W bits) per gate.
//
// Values are numbered so that a run of equal gates writes consecutive values. So the code contains only operands, no
// destinations. Layout of values: zeros | ones | lanes that look ahead | fluents | moves | loop variables | gates in
// order of evaluation. An AND gate of complements is stored as the OR of its inputs, and its readers use the
// complement. So NOT occurs only where an output needs a plain value.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "network/circuit/network.hpp"
#include "network/program/executable_memory.hpp"

namespace ggp {

struct LaneProgram {
  enum class Shape : std::uint8_t {
    kAnd,  // AND of `plain` operands, AND NOT of each of `complemented` further operands; plain >= 1
    kOr,   // OR of `plain` operands
    kNot,  // complement of one operand
  };
  // `count` gates of one shape; their operands follow one another, gate by gate, from `operand` on.
  struct Run {
    Shape shape;
    std::uint32_t plain;
    std::uint32_t complemented;
    std::uint32_t count;
    std::uint32_t operand;
    std::uint32_t value;  // value of the first gate
  };
  struct LoopVariable {
    std::uint32_t variable;
    std::uint32_t definition;
  };
  using Code = void (*)(std::uint64_t* values);
  // Runs are evaluated once. With loop variables, they are evaluated in rounds: the variables start at zero, and each
  // round sets them to their definitions, until none changes. If `code` is set, it replaces the runs.
  struct Block {
    std::uint32_t first_run, end_run;
    std::vector<LoopVariable> loop;
    Code code = nullptr;
  };
  struct Copy {
    std::uint32_t from, to;
  };
  struct Goal {
    int value;
    std::uint32_t holds;
  };

  // If `holds`, the move is legal and ends the game with goal 100 for its role.
  struct Win {
    std::uint32_t move;
    std::uint32_t holds;
  };

  // The program for states of one phase of the game (phases.hpp). The program has the fluents and moves of the game.
  struct Phase {
    struct Clock {
      std::uint32_t value;  // of a fluent
      bool holds;
    };
    std::shared_ptr<const LaneProgram> program;
    std::vector<Clock> clock;                 // fluents that differ between the phases
    std::vector<std::uint64_t> known, holds;  // packed: fluents that are constant in this phase, and the true ones
    std::uint32_t left_out = 0;  // conditions of the end that the program does not evaluate (end_conditions.hpp)
  };

  static constexpr std::uint32_t kZeros = 0;
  static constexpr std::uint32_t kOnes = 1;
  static constexpr std::uint32_t kLooksAhead = 2;

  std::uint32_t values = 0;
  std::uint32_t fluents = 0;
  std::uint32_t first_fluent = 3;
  std::uint32_t first_move = 0;  // first move of role 0; the moves of the roles follow one another

  std::vector<Run> runs;
  std::vector<std::uint32_t> operands;
  // Blocks for legality and termination. Further blocks have the additional gates for the next state, for goals and for
  // look-ahead. percept_blocks has the gates that percepts need beyond legality and the next state.
  std::vector<Block> legal_blocks, next_blocks, goal_blocks, ahead_blocks, percept_blocks;

  std::vector<std::vector<std::uint32_t>> legal;  // by role and move
  std::vector<std::vector<std::uint32_t>> kept;   // likewise: the legal moves that remain in play-outs with look-ahead
  std::uint32_t terminal = kZeros;
  std::vector<std::vector<Goal>> goals;           // by role, ascending values
  std::vector<std::vector<Win>> wins;             // by role, ascending moves; only known wins
  std::vector<std::vector<std::uint32_t>> percepts;  // by role and percept
  std::vector<Copy> next_plain, next_complemented;
  std::vector<std::uint64_t> initial;             // packed: fluent f is bit f % 64 of word f / 64

  std::vector<Phase> phases;                      // empty if the game has none

  // For a program in machine code (machine_code.hpp): the memory of the code of its blocks; the number of words of a
  // value that a call evaluates; the words of the kernel; and the program for the interpreter of any kernel.
  std::shared_ptr<const ExecutableMemory> code;
  int code_words = 0, kernel_words = 0;
  std::shared_ptr<const LaneProgram> interpreted;

  // Facts for reports.
  std::vector<PassReport> passes;
  std::uint32_t gates = 0;
  std::uint32_t depth = 0;  // longest chain of gates in one turn, loops counted once

  bool has_percepts() const {
    for (const auto& of_role : percepts)
      if (!of_role.empty()) return true;
    return false;
  }
};

// Throws std::invalid_argument if legality, termination or goals depend on the chosen moves.
LaneProgram compile(const Network& network);

}  // namespace ggp

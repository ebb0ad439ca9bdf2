// Evaluation from goals with tables (Tamaki and Sato, ICLP 1986), where each recursive knot is iterated to its least
// fixpoint: the algorithm of `gdl.machines.reference`, one tuple at a time and with its own stack.
//
// To evaluate a goal, the bodies of its clauses run. Every literal is a goal again, with a table of answers. Goals that
// wait for one another in a cycle form a knot, found by Tarjan's low-links (1972): the low of a table is the depth of
// the shallowest unfinished goal that it waits for. The shallowest goal of a knot is its leader. The leader and
// everything below are evaluated in rounds until no table grows; then all tables of the knot are complete. A goal
// without free parts is complete after one answer. `not` needs a complete table, so negation inside a knot is an error.
// Tables belong to goals and not to relations. So rules that are stratified only by their constants are not a knot,
// such as (<= (goal ?r 0) (not (goal ?r 100))).
//
// An evaluator serves one thread. After an exception, its tables are empty, and it may be used again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "reasoner/plan.hpp"
#include "reasoner/tables.hpp"
#include "reasoner/terms.hpp"

namespace ggp {

// Beyond these limits, std::overflow_error is thrown. Its message is one line that names the limit.
struct ReasonerLimits {
  std::size_t table_bytes = std::size_t{256} << 20;  // limit of the tables of each lifetime
  std::size_t state_bytes = std::size_t{1} << 30;    // limit of all packed states
  std::uint64_t steps = 100'000'000;                 // limit of instructions of one evaluation
  std::uint32_t depth = 100'000;                     // limit of goals that wait for one another
};

class Evaluator {
 public:
  Evaluator(std::shared_ptr<const Plan> plan, const ReasonerLimits& limits);

  const Plan& plan() const { return *plan_; }
  // Ground terms of this evaluator; terms of the plan keep their numbers.
  TermTable& terms() { return terms_; }

  // Sets the state of `true`. `state` stores the tables of this state and must be clear()ed when the fluents change.
  // Both arguments must live as long as queries are made in this state.
  void enter(Tables& state, const std::vector<Term>& fluents);
  // Sets the moves of `does`, one for each role. After enter() no role has a move.
  void set_moves(const Term* moves);

  // The answers of a goal (the values of its free parts); valid until the next call.
  struct Answers {
    const Term* first;
    std::uint32_t count;
  };
  // Throws std::overflow_error beyond a limit, and std::runtime_error if a sentence depends on its own negation.
  Answers query(std::uint32_t mode, const Term* key);

 private:
  struct Frame {
    Tables* tables;
    std::uint32_t table;
    std::uint32_t mode;
    std::uint32_t body;        // the current clause
    std::uint32_t pc;
    std::uint32_t asked;       // the table that its instruction waited for, or kNoTable
    std::uint32_t slots, choices;  // where the slots and choices of the goal begin
    std::uint32_t place;       // index in unfinished_
    std::uint32_t outer_low;
    std::uint64_t grown;       // value of grown_ when its round began
  };
  struct Choice {
    Tables* tables;
    std::uint32_t table, next;
  };
  struct Goal {
    Tables* tables;
    std::uint32_t table;
  };

  Tables& tables_of(const Mode& mode) { return *tables_[static_cast<int>(mode.lifetime)]; }
  // Finds the table of a goal, filled with facts; kNoTable if there are no answers.
  std::uint32_t look_up(std::uint32_t number, const Term* key);
  void index(std::uint32_t number, Tables& tables);
  void add_fact(std::uint32_t number, Tables& tables);
  bool match(const Shape& shape, const Term* arguments);
  bool match_part(const std::int32_t*& shape, Term term);

  void solve(Tables& tables, std::uint32_t table);
  void push(Tables& tables, std::uint32_t table);
  void begin_round(Frame& frame, std::uint32_t depth);
  // Runs the goal on top of the stack until it pushes another goal (false) or its round is over (true).
  bool run();
  void end_round();
  void reset();
  [[noreturn]] void refuse_negation(const Mode& mode) const;
  // The first slot for an answer to an instruction.
  static std::uint32_t binds(const Instruction& ask, const Mode& asked, const std::uint32_t* operands) {
    return asked.width == 0 ? 0 : operands[ask.operands + asked.keys];
  }
  Term value(std::uint32_t operand, const Term* slots) const {
    return operand & kConstant ? operand & ~kConstant : slots[operand];
  }

  std::shared_ptr<const Plan> plan_;
  ReasonerLimits limits_;
  TermTable terms_;
  Tables game_, move_;
  Tables* tables_[3];
  const std::vector<Term>* fluents_ = nullptr;
  std::vector<Term> does_;  // role, move, role, move, ...

  // How a fluent matches a mode of `true`, computed on first use: 0 unknown, 1 no match, else 2 + the index of its key
  // and answer.
  struct KnownFluents {
    std::vector<std::uint32_t> by_term;
    std::vector<Term> words;
  };
  std::vector<KnownFluents> known_;  // by mode

  std::vector<Frame> frames_;
  std::vector<Term> slots_;        // slots_ and choices_ never shrink
  std::vector<Choice> choices_;
  std::uint32_t slots_used_ = 0, choices_used_ = 0;
  std::vector<Goal> unfinished_;  // visited and not complete, in the order of their visits
  std::uint32_t low_ = kNever;    // the shallowest unfinished goal seen by the current evaluation
  std::uint64_t grown_ = 0;       // answers found so far, in all tables
  std::uint64_t steps_ = 0;

  // Scratch.
  std::vector<Term> fact_key_, fact_answer_, key_, answer_, build_;
  std::uint32_t keys_found_ = 0, free_found_ = 0;
};

}  // namespace ggp

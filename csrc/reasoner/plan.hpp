// Rules compiled for evaluation from goals. Every relation is compiled once for each mode in which goals use it.
//
// A mode is a relation and the shape of a goal. The shape marks each part of the arguments: known (bound), wanted
// (free), or any, if nothing reads the part. Magic sets call this an adornment (Bancilhon, Maier, Sagiv and Ullman,
// PODS 1986). Here the parts include arguments of compound terms: (true (cell ?x ?y b)) with ?x known is found by
// column and content. A goal is a mode with a key: the values of its bound parts. An answer has only the values of the
// free parts. All modes that can occur follow from the modes that a simulator uses, so the plan is complete and
// constant before the first evaluation.
//
// For each mode, each clause of its relation becomes a few instructions over a frame of slots. Positive literals stay
// in the order of the text, on which termination may depend. Negations, inequalities and literals that facts alone
// answer are evaluated as soon as their variables are known. If nothing reads a variable of a literal later, one answer
// is enough.
//
// An instruction that fails returns to the latest literal that bound one of its inputs, not to the literal before it
// (backjumping by the graph of dependencies, Gaschnig 1979). After an answer, execution continues at the latest literal
// that bound a part of the answer.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "reasoner/rules.hpp"

namespace ggp {

// The data on which an answer depends, which decides how long it is valid.
enum class Lifetime : std::uint8_t { kGame, kState, kMove };

struct Instruction {
  enum class Op : std::uint8_t {
    kOpen,    // slot a contains a compound of `symbol` and `count`: put its arguments into slots b ..
    kBuild,   // put the compound of `symbol` with `count` operands into slot a
    kSame,    // operands a and b are the same term
    kDiffer,  // operands a and b are different terms
    kAsk,     // a goal of mode a holds: put its answer into the slots after the operands of its key
    kRefute,  // a goal of mode a, which has no free parts, does not hold
    kEmit,    // the operands are an answer
  };
  Op op;
  bool choice = false;        // kAsk: execution may return here for another answer
  std::uint16_t number = 0;   // kAsk with choice: index of the choice in a frame
  Symbol symbol = 0;
  std::uint32_t count = 0;
  std::uint32_t a = 0, b = 0;
  std::uint32_t operands = 0;   // index of the first operand in Plan::operands
  std::uint32_t fail = 0;       // the choice to return to on failure, or kNowhere
  std::uint32_t previous = 0;   // the choice before this one
};

// An operand is a slot, or a term with this bit.
constexpr std::uint32_t kConstant = std::uint32_t{1} << 31;
constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

// Shapes in prefix order: kBound, kAny, kFree - i for the i-th free part, or a symbol, the number of its arguments
// and their shapes.
using Shape = std::vector<std::int32_t>;
constexpr std::int32_t kBound = -1, kAny = -2, kFree = -3;

struct Mode {
  std::uint32_t relation;
  Shape shape;                 // shape of all arguments
  std::uint32_t keys = 0;      // number of bound parts
  std::uint32_t width = 0;     // number of free parts
  bool projects = false;       // some parts may be anything, so facts can give an answer twice
  bool facts = false;          // there may be facts of the relation
  bool rules = false;          // there are rules for this mode
  Lifetime lifetime = Lifetime::kGame;
  std::uint32_t slots = 0;     // number of slots of a frame
  std::uint32_t choices = 0;   // number of choices of a frame
  std::vector<std::uint32_t> bodies;  // first instruction of each body
};

struct Relation {
  enum class Source : std::uint8_t { kRules, kTrue, kDoes };
  Symbol symbol;
  std::uint32_t arity;
  Source source = Source::kRules;
  Lifetime lifetime = Lifetime::kGame;
  std::vector<std::uint32_t> clauses;  // clauses that are not facts
  std::vector<Term> facts;             // arguments, one fact after the other
  bool has_facts = false;
};

struct Plan {
  RuleProgram rules;
  std::vector<Relation> relations;
  std::vector<Mode> modes;
  std::vector<Instruction> code;
  std::vector<std::uint32_t> operands;
  std::uint32_t widest = 1;  // maximum of keys or free parts of a mode, and of arguments of a built term
  // The modes that simulators ask; legal, goal and sees with a known role.
  std::uint32_t init, next, legal, goal, sees, terminal;
};

Plan compile_plan(RuleProgram rules);

}  // namespace ggp

// Rules compiled for evaluation from goals: every relation once for each way in which it is asked.
//
// A mode is a relation and the shape of a goal: which parts of its arguments are known (bound), which are asked for
// (free), and which may be anything, since nothing reads them. That is what magic sets call an adornment (Bancilhon,
// Maier, Sagiv and Ullman, PODS 1986), here down to the arguments of compound terms, so that (true (cell ?x ?y b))
// with ?x known is asked by column and content. A goal is a mode with the values of its bound parts, its key; an
// answer holds the values of the free parts alone. All modes that can occur follow from those that a simulator
// asks, so the plan is complete and constant before anything is evaluated.
//
// For each mode each clause of its relation becomes a few instructions over a frame of slots. Positive literals stay
// in the order of the text, on which termination may rest; negations, inequalities and literals that facts alone can
// answer come as soon as what they speak of is known. A literal none of whose variables is read any more asks
// whether there is an answer at all.
//
// An instruction that fails goes back to the latest literal that bound one of its inputs, not to the one before it
// (backjumping by the graph of dependencies, Gaschnig 1979); after an answer the latest literal that bound a part of
// the answer goes on.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "reasoner/rules.hpp"

namespace ggp {

// What an answer depends on, which decides how long it is valid.
enum class Lifetime : std::uint8_t { kGame, kState, kMove };

struct Instruction {
  enum class Op : std::uint8_t {
    kOpen,    // slot a holds a compound of `symbol` and `count`: put its arguments into slots b ..
    kBuild,   // put the compound of `symbol` with `count` operands into slot a
    kSame,    // operands a and b are the same term
    kDiffer,  // ... are not
    kAsk,     // a goal of mode a holds: put its answer into the slots after the operands of its key
    kRefute,  // a goal of mode a, which has no free parts, does not hold
    kEmit,    // the operands are an answer
  };
  Op op;
  bool choice = false;        // kAsk: may be gone back to for another answer
  std::uint16_t number = 0;   // kAsk, choice: of its place in a frame
  Symbol symbol = 0;
  std::uint32_t count = 0;
  std::uint32_t a = 0, b = 0;
  std::uint32_t operands = 0;   // first of them in Plan::operands
  std::uint32_t fail = 0;       // where to go back to: a choice, or kNowhere
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
  Shape shape;                 // of all arguments
  std::uint32_t keys = 0;      // bound parts
  std::uint32_t width = 0;     // free parts
  bool projects = false;       // some parts may be anything: facts can give an answer twice
  bool facts = false;          // there may be facts of the relation
  bool rules = false;          // there are rules for this mode
  Lifetime lifetime = Lifetime::kGame;
  std::uint32_t slots = 0;     // of a frame
  std::uint32_t choices = 0;   // of a frame
  std::vector<std::uint32_t> bodies;  // first instructions
};

struct Relation {
  enum class Source : std::uint8_t { kRules, kTrue, kDoes };
  Symbol symbol;
  std::uint32_t arity;
  Source source = Source::kRules;
  Lifetime lifetime = Lifetime::kGame;
  std::vector<std::uint32_t> clauses;  // that are not facts
  std::vector<Term> facts;             // arguments, one fact after the other
  bool has_facts = false;
};

struct Plan {
  RuleProgram rules;
  std::vector<Relation> relations;
  std::vector<Mode> modes;
  std::vector<Instruction> code;
  std::vector<std::uint32_t> operands;
  std::uint32_t widest = 1;  // most keys or free parts of a mode, or arguments of a term that is built
  // The modes that simulators ask: legal and goal with the role known.
  std::uint32_t init, next, legal, goal, terminal;
};

Plan compile_plan(RuleProgram rules);

}  // namespace ggp

// The rules of a game as flat, safe clauses, and their text format (written by `gdl.machines.reasoner`).
//
// The text has one item per line. Terms are written in prefix order: a variable as `?` and its number in the clause,
// anything else as symbol, `/` and arity, followed by its arguments.
//   role TERM                  the roles, in order
//   rule HEAD CONDITION ...    `+` sentence that holds, `-` sentence that does not, `!` two terms that differ,
//                              `=` two terms that are equal
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reasoner/terms.hpp"

namespace ggp {

// A term with variables; or a sentence, with its relation as symbol.
struct Pattern {
  int variable = -1;
  Symbol symbol = 0;
  std::vector<Pattern> arguments;

  bool is_ground() const;
};

struct Condition {
  enum class Kind : std::uint8_t { kHolds, kFails, kDiffers, kEquals };
  Kind kind;
  Pattern left;
  Pattern right;  // only for kDiffers and kEquals
};

struct Clause {
  Pattern head;
  std::vector<Condition> body;
  int variables = 0;
};

struct RuleProgram {
  TermTable terms;
  std::vector<Term> roles;
  std::vector<Clause> clauses;
};

// Throws std::invalid_argument if the text does not have this format.
RuleProgram read_rules(const std::string& text);

// Reads one ground term in the same notation into a table.
Term read_term(const std::string& text, TermTable& terms);

}  // namespace ggp

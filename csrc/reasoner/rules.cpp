#include "reasoner/rules.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace ggp {
namespace {

[[noreturn]] void fail(const std::string& what) { throw std::invalid_argument("invalid rules: " + what); }

class Line {
 public:
  Line(const std::string& text, TermTable& terms) : words_(text), terms_(terms) {}

  bool word(std::string& out) { return static_cast<bool>(words_ >> out); }

  Pattern pattern() {
    std::string word;
    if (!this->word(word)) fail("a term is missing");
    Pattern result;
    if (word[0] == '?' && word.find('/') == std::string::npos) {
      result.variable = std::atoi(word.c_str() + 1);
      variables_ = std::max(variables_, result.variable + 1);
      return result;
    }
    const std::size_t slash = word.rfind('/');
    if (slash == std::string::npos) fail("the symbol " + word + " has no arity");
    result.symbol = terms_.symbol(std::string_view(word).substr(0, slash));
    for (int count = std::atoi(word.c_str() + slash + 1); count > 0; --count) result.arguments.push_back(pattern());
    return result;
  }

  int variables() const { return variables_; }

 private:
  std::istringstream words_;
  TermTable& terms_;
  int variables_ = 0;
};

Term intern(const Pattern& pattern, TermTable& terms) {
  if (pattern.variable >= 0) fail("a variable stands where a ground term should");
  std::vector<Term> arguments;
  for (const Pattern& argument : pattern.arguments) arguments.push_back(intern(argument, terms));
  return terms.intern(pattern.symbol, arguments.data(), static_cast<std::uint32_t>(arguments.size()));
}

Clause read_clause(Line& line) {
  Clause clause;
  clause.head = line.pattern();
  std::string word;
  while (line.word(word)) {
    Condition condition{};
    switch (word[0]) {
      case '+': condition.kind = Condition::Kind::kHolds; break;
      case '-': condition.kind = Condition::Kind::kFails; break;
      case '!': condition.kind = Condition::Kind::kDiffers; break;
      case '=': condition.kind = Condition::Kind::kEquals; break;
      default: fail("the sign of a condition is " + word);
    }
    condition.left = line.pattern();
    if (word[0] == '!' || word[0] == '=') condition.right = line.pattern();
    clause.body.push_back(std::move(condition));
  }
  clause.variables = line.variables();
  return clause;
}

}  // namespace

bool Pattern::is_ground() const {
  return variable < 0 &&
         std::all_of(arguments.begin(), arguments.end(), [](const Pattern& each) { return each.is_ground(); });
}

RuleProgram read_rules(const std::string& text) {
  RuleProgram program;
  std::istringstream lines(text);
  for (std::string row; std::getline(lines, row);) {
    Line line(row, program.terms);
    std::string word;
    if (!line.word(word)) continue;
    if (word == "role")
      program.roles.push_back(intern(line.pattern(), program.terms));
    else if (word == "rule")
      program.clauses.push_back(read_clause(line));
    else
      fail("a line begins with " + word);
  }
  if (program.roles.empty()) fail("there are no roles");
  return program;
}

Term read_term(const std::string& text, TermTable& terms) {
  Line line(text, terms);
  return intern(line.pattern(), terms);
}

}  // namespace ggp

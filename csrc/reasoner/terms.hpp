// Ground terms as numbers. Terms are symbols and compound terms, hash-consed (Ershov, CACM 1958): equal terms have
// equal numbers, and each term is stored once. The arguments of a term have smaller numbers than the term.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ggp {

using Symbol = std::uint32_t;
using Term = std::uint32_t;

class TermTable {
 public:
  // Terms that nest deeper than twice the limit of texts show that rules build terms without end.
  static constexpr std::uint32_t kMaxNesting = 200;
  static constexpr std::size_t kMaxTerms = std::size_t{1} << 25;

  Symbol symbol(std::string_view name);
  const std::string& name(Symbol symbol) const { return names_[symbol]; }

  // Returns the term with this symbol and these arguments. `arguments` must not point into this table; a plain symbol
  // has none. Throws std::overflow_error if the term nests too deeply or the table has too many terms.
  Term intern(Symbol symbol, const Term* arguments, std::uint32_t arity);
  // Returns the equal term in this table.
  Term import(const TermTable& from, Term term);

  std::size_t size() const { return nodes_.size(); }
  Symbol symbol_of(Term term) const { return nodes_[term].symbol; }
  std::uint32_t arity(Term term) const { return nodes_[term].arity; }
  const Term* arguments(Term term) const { return &arguments_[nodes_[term].first]; }

  // Prints a term in canonical KIF.
  std::string print(Term term) const;
  // Orders terms by their texts and structure, independent of their creation: -1, 0, 1.
  int compare(Term left, Term right) const;

 private:
  struct Node {
    Symbol symbol;
    std::uint32_t first;
    std::uint16_t arity, nesting;
    std::uint32_t hash;
  };

  void print(Term term, std::string& out) const;
  void grow();

  std::vector<std::string> names_;
  std::unordered_map<std::string, Symbol> symbols_;
  std::vector<Node> nodes_;
  std::vector<Term> arguments_{0};  // never empty, so that arguments() of a plain symbol points somewhere
  std::vector<std::uint32_t> slots_;  // open addressing: term + 1, or 0 if free
};

}  // namespace ggp

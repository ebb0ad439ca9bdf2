#include "reasoner/terms.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/random.hpp"

namespace ggp {
namespace {

std::uint32_t hash_of_term(Symbol symbol, const Term* arguments, std::uint32_t arity) {
  std::uint64_t hash = symbol + 0x9E3779B97F4A7C15ull * (arity + 1);
  for (std::uint32_t i = 0; i < arity; ++i) hash = (hash ^ (hash >> 29) ^ arguments[i]) * 0xBF58476D1CE4E5B9ull;
  return static_cast<std::uint32_t>(mix64(hash) >> 32);
}

}  // namespace

Symbol TermTable::symbol(std::string_view name) {
  const auto [place, added] = symbols_.emplace(name, static_cast<Symbol>(names_.size()));
  if (added) names_.emplace_back(name);
  return place->second;
}

void TermTable::grow() {
  slots_.assign(std::max<std::size_t>(1024, 2 * slots_.size()), 0);
  for (Term term = 0; term < nodes_.size(); ++term) {
    std::size_t slot = nodes_[term].hash & (slots_.size() - 1);
    while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = term + 1;
  }
}

Term TermTable::intern(Symbol symbol, const Term* arguments, std::uint32_t arity) {
  if (2 * (nodes_.size() + 1) > slots_.size()) grow();
  const std::uint32_t hash = hash_of_term(symbol, arguments, arity);
  std::size_t slot = hash & (slots_.size() - 1);
  for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
    const Node& node = nodes_[slots_[slot] - 1];
    if (node.hash == hash && node.symbol == symbol && node.arity == arity &&
        std::equal(arguments, arguments + arity, &arguments_[node.first]))
      return slots_[slot] - 1;
  }
  std::uint32_t nesting = 0;
  for (std::uint32_t i = 0; i < arity; ++i) nesting = std::max<std::uint32_t>(nesting, nodes_[arguments[i]].nesting);
  if (arity > 0) ++nesting;
  if (nesting > kMaxNesting)
    throw std::overflow_error("the rules build terms that nest deeper than " + std::to_string(kMaxNesting));
  if (nodes_.size() >= kMaxTerms)
    throw std::overflow_error("the rules build more than " + std::to_string(kMaxTerms) + " terms");
  if (arity > 0xFFFF) throw std::overflow_error("a term has more than 65535 arguments");
  nodes_.push_back({symbol, static_cast<std::uint32_t>(arguments_.size()), static_cast<std::uint16_t>(arity),
                    static_cast<std::uint16_t>(nesting), hash});
  if (arity == 0) nodes_.back().first = 0;
  arguments_.insert(arguments_.end(), arguments, arguments + arity);
  slots_[slot] = static_cast<std::uint32_t>(nodes_.size());
  return static_cast<Term>(nodes_.size() - 1);
}

Term TermTable::import(const TermTable& from, Term term) {
  std::vector<Term> arguments(from.arguments(term), from.arguments(term) + from.arity(term));
  for (Term& argument : arguments) argument = import(from, argument);
  return intern(symbol(from.name(from.symbol_of(term))), arguments.data(), from.arity(term));
}

std::string TermTable::print(Term term) const {
  std::string out;
  print(term, out);
  return out;
}

void TermTable::print(Term term, std::string& out) const {
  if (arity(term) > 0) out += '(';
  out += name(symbol_of(term));
  for (std::uint32_t i = 0; i < arity(term); ++i) {
    out += ' ';
    print(arguments(term)[i], out);
  }
  if (arity(term) > 0) out += ')';
}

int TermTable::compare(Term left, Term right) const {
  if (left == right) return 0;
  if (symbol_of(left) != symbol_of(right)) return name(symbol_of(left)) < name(symbol_of(right)) ? -1 : 1;
  if (arity(left) != arity(right)) return arity(left) < arity(right) ? -1 : 1;
  for (std::uint32_t i = 0; i < arity(left); ++i) {
    const int found = compare(arguments(left)[i], arguments(right)[i]);
    if (found != 0) return found;
  }
  return 0;
}

}  // namespace ggp

#include "network/circuit/implications.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ggp {
namespace {

// Limits of the search for implied literals: the depth in conjunctions, and their width.
constexpr int kDepth = 2;
constexpr std::uint32_t kWidth = 16;

}  // namespace

void Implications::grow(std::uint32_t gate) {
  if (gate >= inputs_.size()) inputs_.resize(gate + 1);
}

void Implications::add_group(Cube members, bool exactly_one) {
  std::sort(members.begin(), members.end());
  for (const Literal member : members) {
    grow(gate_of(member));
    inputs_[gate_of(member)].groups.push_back(static_cast<std::uint32_t>(groups_.size()));
  }
  groups_.push_back({std::move(members), exactly_one});
  held_.push_back(0);
  holder_.push_back(kFalse);
  counts_.push_back(0);
}

void Implications::add_implied(Literal input, Cube implied) {
  grow(gate_of(input));
  for (const Literal literal : implied) grow(gate_of(literal));
  inputs_[gate_of(input)].implied = std::move(implied);
}

bool Implications::note(Literal fact, int depth) {
  if (is_input(fact)) {
    Input& input = inputs_[gate_of(fact)];
    if (is_valid(input.known[is_complemented(fact) ? 0 : 1])) return false;
    Round& known = input.known[is_complemented(fact) ? 1 : 0];
    if (!is_valid(known)) known = round_;
  }
  return note_consequences(fact, depth);
}

bool Implications::note_consequences(Literal literal, int depth) {
  if (is_complemented(literal)) return true;
  if (!is_input(literal)) {
    const auto& gate = gates_[gate_of(literal)];
    if (gate.kind != GateGraph::Kind::kAnd || gate.count > kWidth || depth == 0) return true;
    for (std::uint32_t i = 0; i < gate.count; ++i)
      if (!note(gates_.inputs(gate)[i], depth - 1)) return false;
    return true;
  }
  const Input& input = inputs_[gate_of(literal)];
  for (const std::uint32_t group : input.groups) {
    if (is_valid(held_[group])) {
      if (holder_[group] != literal) return false;
      continue;
    }
    held_[group] = round_;
    holder_[group] = literal;
  }
  return std::all_of(input.implied.begin(), input.implied.end(), [&](Literal fact) { return note(fact, depth); });
}

bool Implications::reduce(Cube& cube) {
  context_ = 0;
  round_ = ++last_round_;
  return reduce_noted(cube);
}

void Implications::enter(const Cube& context) {
  context_ = round_ = ++last_round_;
  for (const Literal literal : context) note(literal, kDepth);
}

bool Implications::reduce_inside(Cube& cube) {
  round_ = ++last_round_;
  return reduce_noted(cube);
}

// The implied literals of a literal never imply it: conjunctions and moves imply fluents, and a fluent implies that
// others do not hold. So all implied literals can be dropped at once.
bool Implications::reduce_noted(Cube& cube) {
  for (const Literal literal : cube)
    if (!note_consequences(literal, kDepth)) return false;
  Cube kept;
  for (const Literal literal : cube) {
    if (!is_input(literal)) {
      kept.push_back(literal);
      continue;
    }
    const Input& input = inputs_[gate_of(literal)];
    const bool complemented = is_complemented(literal);
    if (is_valid(input.known[complemented ? 0 : 1])) return false;
    bool follows = is_valid(input.known[complemented ? 1 : 0]);
    for (const std::uint32_t group : input.groups) {
      if (!is_valid(held_[group])) continue;
      const bool holds = gate_of(holder_[group]) == gate_of(literal);
      if (holds == complemented) return false;
      follows |= complemented;
    }
    if (!follows) kept.push_back(literal);
  }
  cube.swap(kept);
  return exchange_failing(cube);
}

// In a group of which one member must hold, "all but one fail" means "that one holds".
bool Implications::exchange_failing(Cube& cube) {
  bool possible = true;
  for (const std::uint32_t group : count_members(cube, true)) {
    const auto& members = groups_[group].members;
    if (std::exchange(counts_[group], 0) + 1 < members.size()) continue;
    Cube rest, left;
    for (const Literal member : members)
      if (std::find(cube.begin(), cube.end(), complement(member)) == cube.end()) left.push_back(member);
    possible = possible && !left.empty();
    if (left.size() != 1) continue;  // or a group that shares members has been exchanged before
    for (const Literal literal : cube)
      if (!std::binary_search(members.begin(), members.end(), complement(literal))) rest.push_back(literal);
    rest.push_back(left.front());
    cube.swap(rest);
  }
  return possible;
}

bool Implications::exchange(Cube& terms, Cube& others) {
  bool exchanged = false;
  for (const std::uint32_t group : count_members(terms, false)) {
    const auto& all = groups_[group].members;
    const std::size_t present = std::exchange(counts_[group], 0);
    const std::size_t absent = all.size() - present;
    if (exchanged || present < 2 || present - 1 <= absent + 1) continue;
    others.clear();
    std::set_difference(all.begin(), all.end(), terms.begin(), terms.end(), std::back_inserter(others));
    Cube rest;
    std::set_difference(terms.begin(), terms.end(), all.begin(), all.end(), std::back_inserter(rest));
    terms.swap(rest);
    exchanged = true;
  }
  return exchanged;
}

std::vector<std::uint32_t> Implications::count_members(const Cube& literals, bool complemented) {
  std::vector<std::uint32_t> found;
  for (const Literal literal : literals) {
    if (is_complemented(literal) != complemented || !is_input(literal)) continue;
    for (const std::uint32_t group : inputs_[gate_of(literal)].groups)
      if (groups_[group].exactly_one && counts_[group]++ == 0) found.push_back(group);
  }
  return found;
}

}  // namespace ggp

// A smaller network with the same behaviour in every state that play can reach.
//
// 1. Ternary reachability. Gates are evaluated over {0, 1, X}; X means "either". The start is the initial state without
//    possible moves. If the next value of a fluent differs from its present value, it becomes X. A move becomes
//    possible if its legality is not 0. This repeats until nothing changes. Values 0 and 1 are then constant in every
//    reachable state: constant fluents are removed from the state, never legal moves from the numbering.
// 2. Rebuilding. Gates used once are merged into their user; a gate is then an OR of ANDs ("cubes"). The most common
//    literal is factored out, greedily, with all other literals that its cubes share.
// 3. Implications (implications.hpp). Every transition has exactly one legal move per role, and exactly one fluent of
//    some groups holds (invariants.hpp). Literals that follow from their context are dropped. An OR over nearly all
//    members of a group becomes the complement of the OR over the other members.
// 4. Sharing (share.cpp).
// 5. Look-ahead for play-outs (look_ahead.cpp).
#include <algorithm>
#include <iterator>
#include <string>

#include "network/circuit/implications.hpp"
#include "network/circuit/invariants.hpp"
#include "network/circuit/network.hpp"
#include "network/circuit/ternary.hpp"

namespace ggp {
namespace {

using Cube = std::vector<Literal>;  // sorted

// Factoring costs time quadratic in the literals of a gate in the worst case; larger gates are not factored.
constexpr std::size_t kMaxFactoredLiterals = 50'000;

class TernaryReachability {
 public:
  explicit TernaryReachability(const Network& network) : values_(network) {
    for (const auto& fluent : network.fluents) values_.set(fluent.input, ternary(fluent.initially));
    bool changed = true;
    while (changed) {
      values_.propagate();
      changed = false;
      for (const auto& fluent : network.fluents) changed |= values_.widen(fluent.input, at(fluent.next));
      for (const auto& loop : network.loops) changed |= values_.widen(loop.variable, at(loop.definition));
      for (const auto& move : network.moves)
        if (at(move.input) == Ternary::kZero && at(move.legal) != Ternary::kZero) {
          values_.set(move.input, Ternary::kEither);
          changed = true;
        }
    }
  }

  Ternary at(Literal literal) const { return values_.at(literal); }

 private:
  TernaryValues values_;
};

class Simplifier {
 public:
  Simplifier(const Network& old, const std::vector<FluentGroup>& groups)
      : old_(old), ternary_(old), implications_(fresh_.gates), map_(old.gates.size(), kFalse) {
    fresh_.roles = old_.roles;
    fresh_.passes = old_.passes;
    add_inputs();
    for (const auto& group : groups) add_group(group);
    add_moves();
  }

  Network run() {
    count_uses();
    for (std::uint32_t number = 0; number < old_.gates.size(); ++number)
      if (uses_[number] != 0 && old_.gates[number].kind == GateGraph::Kind::kAnd && !is_merged(number)) rebuild(number);
    add_outputs();
    return std::move(fresh_);
  }

 private:
  using Kind = GateGraph::Kind;

  void add_inputs() {
    const auto constant = [&](Literal input) { return ternary_.at(input) == Ternary::kOne ? kTrue : kFalse; };
    for (const auto& fluent : old_.fluents) {
      Literal& image = map_[gate_of(fluent.input)];
      if (ternary_.at(fluent.input) == Ternary::kEither) {
        image = fresh_.gates.input(Kind::kFluent, static_cast<std::uint32_t>(fresh_.fluents.size()));
        fresh_.fluents.push_back({fluent.name, image, kFalse, fluent.initially});
      } else {
        image = constant(fluent.input);
        if (image == kTrue) fresh_.always.push_back(fluent.name);
      }
    }
    fresh_.always.insert(fresh_.always.end(), old_.always.begin(), old_.always.end());
    for (const auto& move : old_.moves) {
      if (ternary_.at(move.input) != Ternary::kEither) continue;
      const Literal image = fresh_.gates.input(Kind::kMove, static_cast<std::uint32_t>(fresh_.moves.size()));
      map_[gate_of(move.input)] = image;
      fresh_.moves.push_back({move.role, move.name, image, kFalse});
    }
    for (const auto& loop : old_.loops) {
      Literal& image = map_[gate_of(loop.variable)];
      if (ternary_.at(loop.variable) == Ternary::kEither) {
        image = fresh_.gates.input(Kind::kFeedback, static_cast<std::uint32_t>(fresh_.loops.size()));
        fresh_.loops.push_back({image, kFalse, loop.group});
      } else {
        image = constant(loop.variable);
      }
    }
  }

  void add_group(const FluentGroup& group) {
    Cube members;
    bool exactly_one = group.exactly_one;
    for (const std::uint32_t number : group.fluents) {
      const Literal input = old_.fluents[number].input;
      if (ternary_.at(input) == Ternary::kEither) members.push_back(image(input));
      if (ternary_.at(input) == Ternary::kOne) exactly_one = false;
    }
    if (members.size() > 1) implications_.add_group(std::move(members), exactly_one);
  }

  // Exactly one move of each role is made, and the conditions of its legality hold.
  void add_moves() {
    std::vector<Cube> moves_of(old_.roles.size());
    for (const auto& move : old_.moves) {
      if (ternary_.at(move.input) != Ternary::kEither) continue;
      moves_of[move.role].push_back(image(move.input));
      Cube needed;
      for (const Literal literal : needed_fluents(old_, move.legal))
        if (ternary_.at(literal) == Ternary::kEither) needed.push_back(image(literal));
      if (!needed.empty()) implications_.add_implied(image(move.input), std::move(needed));
    }
    for (auto& moves : moves_of)
      if (!moves.empty()) implications_.add_group(std::move(moves), true);
  }

  // Counts the uses of each live gate: by live gates, and by outputs, which count as two.
  void count_uses() {
    uses_.assign(old_.gates.size(), 0);
    const auto output = [&](Literal literal) { uses_[gate_of(literal)] += 2; };
    for (const auto& fluent : old_.fluents)
      if (ternary_.at(fluent.input) == Ternary::kEither) output(fluent.next);
    for (const auto& move : old_.moves)
      if (ternary_.at(move.input) == Ternary::kEither) output(move.legal);
    for (const auto& goal : old_.goals) output(goal.holds);
    for (const auto& percept : old_.percepts) output(percept.holds);
    for (const auto& loop : old_.loops)
      if (ternary_.at(loop.variable) == Ternary::kEither) output(loop.definition);
    output(old_.terminal);
    for (std::uint32_t number = static_cast<std::uint32_t>(old_.gates.size()); number-- > 0;) {
      const auto& gate = old_.gates[number];
      if (uses_[number] == 0 || gate.kind != Kind::kAnd || is_constant(number)) continue;
      for (std::uint32_t i = 0; i < gate.count; ++i) ++uses_[gate_of(old_.gates.inputs(gate)[i])];
    }
  }

  bool is_constant(std::uint32_t number) const { return ternary_.at(2 * number) != Ternary::kEither; }

  // Whether a gate is used once, by another gate, and so becomes a part of its user.
  bool is_merged(std::uint32_t number) const {
    return uses_[number] == 1 && old_.gates[number].kind == Kind::kAnd && !is_constant(number);
  }

  Literal image(Literal literal) const {
    const Ternary value = ternary_.at(literal);
    if (value != Ternary::kEither) return value == Ternary::kOne ? kTrue : kFalse;
    return map_[gate_of(literal)] ^ (literal & 1u);
  }

  // Inputs of a gate with merged gates replaced by their inputs. Complemented merged gates become
  // cubes; in the end gate = AND of literals AND of complements of cubes.
  void flatten(std::uint32_t number, Cube& literals, std::vector<Cube>* cubes) {
    std::vector<std::uint32_t> open{number};
    while (!open.empty()) {
      const auto& gate = old_.gates[open.back()];
      open.pop_back();
      for (std::uint32_t i = 0; i < gate.count; ++i) {
        const Literal literal = old_.gates.inputs(gate)[i];
        if (!is_merged(gate_of(literal))) {
          literals.push_back(image(literal));
        } else if (!is_complemented(literal)) {
          open.push_back(gate_of(literal));
        } else if (cubes != nullptr) {
          Cube cube;
          flatten(gate_of(literal), cube, nullptr);
          cubes->push_back(std::move(cube));
        } else {
          literals.push_back(complement(rebuild(gate_of(literal))));
        }
      }
    }
  }

  Literal rebuild(std::uint32_t number) {
    if (is_constant(number)) return map_[number] = image(2 * number);
    Cube literals;
    std::vector<Cube> cubes;
    flatten(number, literals, &cubes);
    if (!implications_.reduce(literals)) return map_[number] = kFalse;
    implications_.enter(literals);
    std::vector<Cube> alternatives;
    for (auto& cube : cubes)
      if (implications_.reduce_inside(cube)) alternatives.push_back(std::move(cube));
    for (const Literal literal : literals) alternatives.push_back({complement(literal)});
    return map_[number] = complement(any_of(std::move(alternatives)));
  }

  // The disjunction of cubes, factored.
  Literal any_of(std::vector<Cube> cubes) {
    std::size_t total = 0;
    std::vector<Cube> proper;
    for (auto& cube : cubes) {
      std::sort(cube.begin(), cube.end());
      cube.erase(std::unique(cube.begin(), cube.end()), cube.end());
      if (!cube.empty() && cube.front() == kFalse) continue;
      if (!cube.empty() && cube.front() == kTrue) cube.erase(cube.begin());
      if (cube.empty()) return kTrue;
      total += cube.size();
      proper.push_back(std::move(cube));
    }
    std::sort(proper.begin(), proper.end());
    proper.erase(std::unique(proper.begin(), proper.end()), proper.end());
    if (total <= kMaxFactoredLiterals) return factor(std::move(proper));
    Cube terms;
    for (auto& cube : proper) terms.push_back(fresh_.gates.conjunction(cube));
    return any_of_literals(std::move(terms));
  }

  Literal factor(std::vector<Cube> cubes) {
    Cube terms;
    Cube all;
    for (;;) {
      all.clear();
      for (const auto& cube : cubes) all.insert(all.end(), cube.begin(), cube.end());
      std::sort(all.begin(), all.end());
      // The most frequent literal, the lowest one of several.
      Literal common = 0;
      std::ptrdiff_t most = 1;
      for (auto from = all.begin(); from != all.end();) {
        const auto to = std::find_if(from, all.end(), [from](Literal literal) { return literal != *from; });
        if (to - from > most) {
          common = *from;
          most = to - from;
        }
        from = to;
      }
      if (most < 2) break;

      std::vector<Cube> with, without;
      for (auto& cube : cubes)
        (std::binary_search(cube.begin(), cube.end(), common) ? with : without).push_back(std::move(cube));
      Cube shared = with.front();
      for (const auto& cube : with) {
        Cube still;
        std::set_intersection(shared.begin(), shared.end(), cube.begin(), cube.end(), std::back_inserter(still));
        shared.swap(still);
      }
      bool absorbs = false;  // the shared literals are one of the cubes
      for (auto& cube : with) {
        Cube rest;
        std::set_difference(cube.begin(), cube.end(), shared.begin(), shared.end(), std::back_inserter(rest));
        absorbs |= rest.empty();
        cube.swap(rest);
      }
      if (!absorbs) shared.push_back(factor(std::move(with)));
      terms.push_back(fresh_.gates.conjunction(shared));
      cubes.swap(without);
    }
    for (auto& cube : cubes) terms.push_back(fresh_.gates.conjunction(cube));
    return any_of_literals(std::move(terms));
  }

  Literal any_of_literals(Cube terms) {
    for (Literal& term : terms) term = complement(term);
    if (!implications_.reduce(terms)) return kTrue;
    for (Literal& term : terms) term = complement(term);
    std::sort(terms.begin(), terms.end());
    terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
    for (Cube others; implications_.exchange(terms, others);) {
      terms.push_back(complement(fresh_.gates.disjunction(others)));
      std::sort(terms.begin(), terms.end());
    }
    return fresh_.gates.disjunction(terms);
  }

  void add_outputs() {
    std::size_t place = 0;
    for (const auto& fluent : old_.fluents)
      if (ternary_.at(fluent.input) == Ternary::kEither) fresh_.fluents[place++].next = image(fluent.next);
    place = 0;
    for (const auto& move : old_.moves)
      if (ternary_.at(move.input) == Ternary::kEither) fresh_.moves[place++].legal = image(move.legal);
    place = 0;
    for (const auto& loop : old_.loops)
      if (ternary_.at(loop.variable) == Ternary::kEither) fresh_.loops[place++].definition = image(loop.definition);
    for (const auto& goal : old_.goals)
      if (image(goal.holds) != kFalse) fresh_.goals.push_back({goal.role, goal.value, image(goal.holds)});
    for (const auto& percept : old_.percepts)
      if (image(percept.holds) != kFalse)
        fresh_.percepts.push_back({percept.role, percept.name, image(percept.holds)});
    fresh_.terminal = image(old_.terminal);
  }

  const Network& old_;
  TernaryReachability ternary_;
  Network fresh_;
  Implications implications_;
  std::vector<Literal> map_;  // old gate -> new literal
  std::vector<std::uint32_t> uses_;
};

}  // namespace

namespace {

// Converts groups to the numbering of a network that has some of the fluents, in the same order.
std::vector<FluentGroup> renumbered(const std::vector<FluentGroup>& groups, const Network& from, const Network& to) {
  constexpr std::uint32_t kGone = 0xFFFFFFFFu;
  std::vector<std::uint32_t> number(from.fluents.size(), kGone);
  for (std::uint32_t i = 0, there = 0; i < number.size() && there < to.fluents.size(); ++i)
    if (from.fluents[i].name == to.fluents[there].name) number[i] = there++;
  std::vector<FluentGroup> result;
  for (const FluentGroup& group : groups) {
    result.emplace_back();
    for (const std::uint32_t fluent : group.fluents)
      if (number[fluent] != kGone) result.back().fluents.push_back(number[fluent]);
  }
  return result;
}

}  // namespace

Network simplify(const Network& network, std::size_t max_gates) {
  const PassTimer reachable("reachable");
  Network reached = Simplifier(network, {}).run();
  reached.passes.push_back(reachable.report(count_gates(reached)));

  const PassTimer grouping("groups");
  const std::vector<FluentGroup> groups = prove_groups(reached, GroupCandidates(reached));
  reached.passes.push_back(grouping.report(reached.passes.back().gates));

  const PassTimer implied("implied");
  Network simpler = Simplifier(reached, groups).run();
  simpler.passes.push_back(implied.report(count_gates(simpler)));
  Network shared = share_pairs(simpler);
  if (count_gates(shared) > max_gates)
    throw NetworkTooLarge("the network has more than " + std::to_string(max_gates) + " gates");
  const std::vector<FluentGroup> known = renumbered(groups, reached, shared);
  look_ahead(shared, known);
  for (const FluentGroup& group : known)
    if (group.fluents.size() > 1) shared.groups.push_back(group.fluents);
  return shared;
}

}  // namespace ggp

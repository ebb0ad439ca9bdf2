// Facts about inputs in every reachable state, for the simplification of conjunctions and disjunctions:
// - at most one input of a group holds, or exactly one: x & y = false, x & ~y = x; if exactly one holds, a disjunction
//   of most inputs is the complement of the disjunction of the others;
// - a move is made only if it is legal: the conditions of its legality follow from the move.
#pragma once

#include <cstdint>
#include <vector>

#include "network/circuit/gates.hpp"

namespace ggp {

class Implications {
 public:
  using Cube = std::vector<Literal>;  // a conjunction of literals

  // All inputs must be in the graph before facts about them are added.
  explicit Implications(const GateGraph& gates) : gates_(gates) {}

  // At most one of these inputs (plain literals) holds.
  void add_group(Cube members, bool exactly_one);
  // Adds literals of inputs that hold whenever `input` holds.
  void add_implied(Literal input, Cube implied);

  // Drops literals that follow from other literals of the cube. Returns false if the cube never holds.
  bool reduce(Cube& cube);
  // Sets a context of cubes. Until the next reduce(), reduce_inside() also drops literals that follow from the context.
  void enter(const Cube& context);
  bool reduce_inside(Cube& cube);

  // Handles a disjunction that has many members of a group, of which exactly one member holds: more than two beyond the
  // number of missing members. Removes these members from the sorted terms, and sets `others` to the missing members:
  // "the remaining terms, or none of the others". Exchanges at most one group; returns whether it did.
  bool exchange(Cube& terms, Cube& others);

 private:
  struct Group {
    Cube members;  // ascending
    bool exactly_one;
  };
  using Round = std::uint32_t;

  bool is_input(Literal literal) const { return gate_of(literal) < inputs_.size(); }
  bool is_valid(Round round) const { return round == round_ || (round != 0 && round == context_); }
  // Stores the literals that follow from a literal; returns false if they contradict stored ones.
  bool note_consequences(Literal literal, int depth);
  bool note(Literal fact, int depth);
  bool reduce_noted(Cube& cube);
  bool exchange_failing(Cube& cube);
  void grow(std::uint32_t gate);
  // Counts the literals of one sign in groups of which one member must hold, in counts_; returns the groups.
  std::vector<std::uint32_t> count_members(const Cube& literals, bool complemented);

  struct Input {
    std::vector<std::uint32_t> groups;
    Cube implied;
    Round known[2] = {0, 0};  // round in which it was stored that the input holds, that it does not hold
  };

  const GateGraph& gates_;
  std::vector<Group> groups_;
  std::vector<Input> inputs_;           // by gate
  std::vector<Round> held_;             // by group: round in which it was stored that a member holds
  std::vector<Literal> holder_;         // by group: that member
  std::vector<std::uint32_t> counts_;   // by group; zero between calls
  Round round_ = 0, context_ = 0, last_round_ = 0;
};

}  // namespace ggp

// What holds of inputs in every reachable state, for the simplification of conjunctions and disjunctions:
// - of a group of inputs at most one holds, or exactly one: x & y = false, x & ~y = x; where exactly one holds, a
//   disjunction of most is the complement of the disjunction of the others;
// - a move is made only where it is legal: what its legality needs follows from the move.
#pragma once

#include <cstdint>
#include <vector>

#include "network/gates.hpp"

namespace ggp {

class Implications {
 public:
  using Cube = std::vector<Literal>;  // a conjunction of literals

  // Inputs are to be added to the graph before anything is said of them here.
  explicit Implications(const GateGraph& gates) : gates_(gates) {}

  // Of these inputs (plain literals) at most one holds.
  void add_group(Cube members, bool exactly_one);
  // Literals of inputs that hold wherever an input holds.
  void add_implied(Literal input, Cube implied);

  // Drops literals that follow from others of the cube. Returns false where the cube never holds.
  bool reduce(Cube& cube);
  // Notes what stands beside cubes; reduce_inside() then drops what follows from that, too, until the next reduce().
  void enter(const Cube& context);
  bool reduce_inside(Cube& cube);

  // Where more than half of a group of which one must hold are among the terms of a disjunction (sorted), takes these
  // out and returns the other members: the disjunction is that of the remaining terms and of "none of the others".
  bool exchange(Cube& terms, Cube& others);

 private:
  struct Group {
    Cube members;  // ascending
    bool exactly_one;
  };
  using Round = std::uint32_t;

  bool is_input(Literal literal) const { return gate_of(literal) < inputs_.size(); }
  bool is_valid(Round round) const { return round == round_ || (round != 0 && round == context_); }
  // Note what follows from a literal (not the literal itself); false where that contradicts what was noted before.
  bool note_consequences(Literal literal, int depth);
  bool note(Literal fact, int depth);
  bool reduce_noted(Cube& cube);
  bool exchange_failing(Cube& cube);
  void grow(std::uint32_t gate);
  // Counts in counts_ the literals of one sign by group of which one must hold; returns the groups.
  std::vector<std::uint32_t> count_members(const Cube& literals, bool complemented);

  struct Input {
    std::vector<std::uint32_t> groups;
    Cube implied;
    Round known[2] = {0, 0};  // when it was noted that the input holds, that it does not
  };

  const GateGraph& gates_;
  std::vector<Group> groups_;
  std::vector<Input> inputs_;           // by gate
  std::vector<Round> held_;             // by group: when it was noted that a member holds
  std::vector<Literal> holder_;         // by group: that member
  std::vector<std::uint32_t> counts_;   // by group; zero between calls
  Round round_ = 0, context_ = 0, last_round_ = 0;
};

}  // namespace ggp

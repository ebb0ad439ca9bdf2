// The gate network of a game: for any state and joint move, the next state, legality, terminality, goals.
#pragma once

#include <string>
#include <vector>

#include "network/gates.hpp"
#include "network/ground_program.hpp"

namespace ggp {

struct Network {
  struct Fluent {
    std::string name;
    Literal input;
    Literal next;
    bool initially;
  };
  struct Move {
    int role;
    std::string name;
    Literal input;
    Literal legal;
  };
  struct Goal {
    int role;
    int value;
    Literal holds;
  };
  // Positive recursion: `variable` is a kFeedback gate whose value is the least fixpoint of `definition`.
  // Variables with the same `group` depend on each other and are iterated together; groups are numbered
  // so that a group depends only on groups with lower numbers.
  struct Loop {
    Literal variable;
    Literal definition;
    int group;
  };

  GateGraph gates;
  std::vector<std::string> roles;
  std::vector<Fluent> fluents;  // sorted by name (name_order.hpp)
  std::vector<Move> moves;      // sorted by role, then name
  std::vector<Goal> goals;
  std::vector<Loop> loops;
  Literal terminal = kFalse;
  std::vector<std::string> always;  // fluents that hold in every state and have no place in it

  explicit Network(std::size_t max_edges = 100'000'000) : gates(max_edges) {}
};

// Rules that no stratified order of evaluation serves: an atom depends on its own negation.
struct NotStratified : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Translates rules to gates one for one. Throws NotStratified, NetworkTooLarge.
Network build_network(const GroundProgram& program);

// Rebuilds the network smaller, with the same behaviour from the initial state on (network/simplify.cpp).
Network simplify(const Network& network);

}  // namespace ggp

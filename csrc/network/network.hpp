// The gate network of a game: for any state and joint move, the next state, legality, terminality, goals.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "network/gates.hpp"
#include "network/ground_program.hpp"

namespace ggp {

// What a pass of building, simplifying or compiling has left and taken.
struct PassReport {
  std::string name;
  std::uint32_t gates;
  double cpu_seconds;
};

// Measures a pass from its construction on.
class PassTimer {
 public:
  explicit PassTimer(const char* name);
  PassReport report(std::uint32_t gates) const;

 private:
  const char* name_;
  double started_;
};

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
    // Legal, but where the play-out looks ahead not if it lets others win at once and some move does not; kFalse stands
    // for the same as legal.
    Literal kept = kFalse;
    // Legal, and ends the game with goal 100; kFalse also where that is not known.
    Literal wins = kFalse;
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
  Literal looks_ahead = kFalse;     // the input on which kept moves rest, if any do
  std::vector<std::string> always;  // fluents that hold in every state and have no place in it
  // Of fluents, by number: at most one of each holds in every state that play can reach (invariants.hpp).
  std::vector<std::vector<std::uint32_t>> groups;
  std::vector<PassReport> passes;   // in their order

  explicit Network(std::size_t max_edges = 100'000'000) : gates(max_edges) {}
};

// The conjunctions that matter, by gate: those that an output rests on; and their number.
std::vector<bool> live_gates(const Network& network);
std::uint32_t count_gates(const Network& network);

// Fluents that hold (as literals: or do not) wherever a literal holds, as far as conjunctions say so; ascending.
std::vector<Literal> needed_fluents(const Network& network, Literal literal);

// Rules that no stratified order of evaluation serves: an atom depends on its own negation.
struct NotStratified : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Translates rules to gates one for one. Throws NotStratified, NetworkTooLarge.
Network build_network(const GroundProgram& program);

// Rebuilds the network smaller, with the same behaviour from the initial state on as long as legal moves are made
// (network/simplify.cpp).
Network simplify(const Network& network);

// The last pass of simplify(): makes gates of pairs of inputs that several gates have in common (share.cpp).
Network share_pairs(const Network& network);

}  // namespace ggp

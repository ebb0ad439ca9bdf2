// The gate network of a game: for any state and joint move, the next state, legality, terminality, goals, percepts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "network/circuit/gates.hpp"
#include "network/circuit/ground_program.hpp"

namespace ggp {

// The size of the network after a pass of building, simplifying or compiling, and the time of the pass.
struct PassReport {
  std::string name;
  std::uint32_t gates;
  double cpu_seconds;
};

// Measures the time of a pass from its construction on.
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
    // The condition for the move in play-outs with look-ahead: legal, without moves that let other roles win at once if
    // some move does not. kFalse: the condition is `legal`.
    Literal kept = kFalse;
    // The move is legal and ends the game with goal 100; kFalse also if this is not known.
    Literal wins = kFalse;
  };
  struct Goal {
    int role;
    int value;
    Literal holds;
  };
  // A role perceives the term `name` of a joint move.
  struct Percept {
    int role;
    std::string name;
    Literal holds;
  };
  // Positive recursion: `variable` is a kFeedback gate. Its value is the least fixpoint of `definition`. Variables with
  // the same `group` depend on each other and are iterated together. A group depends only on groups with lower numbers.
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
  std::vector<Percept> percepts;  // sorted by role, then name
  std::vector<Loop> loops;
  Literal terminal = kFalse;
  Literal looks_ahead = kFalse;     // the input on which kept moves depend, if any
  std::vector<std::string> always;  // fluents that hold in every state and are not stored
  // Groups of fluents, by number: at most one of a group holds in every state that play can reach (invariants.hpp).
  std::vector<std::vector<std::uint32_t>> groups;
  std::vector<PassReport> passes;   // in order of execution

  explicit Network(std::size_t max_edges = 100'000'000) : gates(max_edges) {}
};

// By gate: whether it is a live conjunction, that is, an output depends on it; and the number of these gates.
std::vector<bool> live_gates(const Network& network);
std::uint32_t count_gates(const Network& network);

// Literals of fluents that hold whenever a literal holds, as far as conjunctions show it; ascending.
std::vector<Literal> needed_fluents(const Network& network, Literal literal);

// The rules are not stratified: an atom depends on its own negation.
struct NotStratified : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Translates rules to gates one to one. Throws NotStratified, NetworkTooLarge.
Network build_network(const GroundProgram& program);

// Returns a smaller network with the same behaviour in all states that legal moves reach from the initial state
// (simplify.cpp). Throws NetworkTooLarge if the network has more than `max_gates` gates, without gates for look-ahead.
Network simplify(const Network& network, std::size_t max_gates = SIZE_MAX);

// The last pass of simplify(): makes a gate of each pair of inputs that several gates share (share.cpp).
Network share_pairs(const Network& network);

}  // namespace ggp

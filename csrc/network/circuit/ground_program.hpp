// A ground program: the rules of a game without variables, the result of the grounder.
//
// Atoms are numbered from 1. Atoms `true(F)` and `does(R,M)` are inputs: the state and the joint move set them. Every
// other atom holds if some rule derives the atom.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ggp {

struct GroundProgram {
  using Atom = std::uint32_t;
  // Used as an atom that always holds.
  static constexpr Atom kFact = 0;

  struct Rule {
    Atom head;
    std::uint32_t first;  // its body is literals[first .. first + count)
    std::uint32_t count;
  };
  struct Fluent {
    std::string name;  // canonical KIF
    Atom input;        // true(F)
  };
  struct Move {
    int role;
    std::string name;  // canonical KIF
    Atom input;        // does(R,M)
  };
  // `atom` is a condition for entry `index` of fluents or moves.
  struct Derivation {
    int index;
    Atom atom;
  };
  struct Goal {
    int role;
    int value;  // 0..100
    Atom atom;
  };

  struct Percept {
    int role;
    std::string name;  // canonical KIF
    Atom atom;
  };

  Atom atoms = 0;  // highest atom number
  std::vector<Rule> rules;
  std::vector<std::int32_t> literals;  // +atom or -atom (negation as failure)

  std::vector<std::string> roles;
  std::vector<Fluent> fluents;
  std::vector<Move> moves;
  std::vector<int> initial;        // indices of fluents
  std::vector<Derivation> next;    // when a fluent holds next
  std::vector<Derivation> legal;   // when a move is legal
  std::vector<Goal> goals;
  std::vector<Percept> percepts;   // what a role may perceive of a joint move
  std::vector<Atom> terminal;      // each of them ends the game; empty: the game never ends
};

}  // namespace ggp

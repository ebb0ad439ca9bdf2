// Groups of fluents of which at most one, or exactly one, holds in every state that play can reach. Examples: the
// contents of a cell, the values of a counter, the role to move. Candidates come from structure and random play;
// induction proves them.
#pragma once

#include <cstdint>
#include <vector>

#include "network/circuit/network.hpp"

namespace ggp {

struct FluentGroup {
  std::vector<std::uint32_t> fluents;  // numbers, ascending; at most one holds
  bool exactly_one = false;            // and at least one
};

// Sets of fluents that may be groups. The fluents of a candidate agree in name and arguments except in some places, and
// random play found no two of them true together. A part of a candidate has only the members that agree in one more
// place.
class GroupCandidates {
 public:
  explicit GroupCandidates(const Network& network);

  // The candidates that are not contained in another candidate.
  std::vector<FluentGroup> largest() const;
  // The next smaller candidates inside a candidate.
  std::vector<FluentGroup> parts(const FluentGroup& whole) const;

 private:
  struct Candidate {
    FluentGroup group;
    std::uint32_t places;  // bit p: members differ in place p; place 0 is the name
    bool possible;
  };

  void collect(const Network& network);
  void play(const Network& network);

  std::vector<Candidate> candidates_;
  std::vector<std::vector<std::uint32_t>> of_fluent_;  // candidates of each fluent
};

// Returns the candidates, or parts of failed candidates, that induction proves: if all returned groups hold in a state,
// they hold in each successor by legal moves, one for each role. The proof uses unit propagation and case distinction
// over the gates. The limit of its effort is proportional to the size of the network.
std::vector<FluentGroup> prove_groups(const Network& network, const GroupCandidates& candidates);

// As above, for candidates that hold in the initial state.
std::vector<FluentGroup> prove_groups(const Network& network, std::vector<FluentGroup> candidates);

// Adds gates for moves that win at once and for moves that let other roles win at once (look_ahead.cpp). The groups
// contain fluents of this network.
void look_ahead(Network& network, const std::vector<FluentGroup>& groups);

}  // namespace ggp

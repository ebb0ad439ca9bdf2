// Groups of fluents of which at most one, or exactly one, holds in every state that play can reach: the contents of a
// cell, the values of a counter, whose turn it is. Found by structure and random play, proved by induction.
#pragma once

#include <cstdint>
#include <vector>

#include "network/network.hpp"

namespace ggp {

struct FluentGroup {
  std::vector<std::uint32_t> fluents;  // numbers, ascending; at most one holds
  bool exactly_one = false;            // and at least one
};

// Sets of fluents that may be groups: they share their name and arguments but for some places, and in random play never
// two of them held. `parts` of a candidate are the smaller ones that remain when one more place is shared.
class GroupCandidates {
 public:
  explicit GroupCandidates(const Network& network);

  // The candidates that are in no other one.
  std::vector<FluentGroup> largest() const;
  // The candidates next in size within one.
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
  std::vector<std::vector<std::uint32_t>> of_fluent_;  // candidates
};

// Keeps of the candidates (and the parts of those that fail) what induction proves: if all that is kept holds in a
// state, then it holds in every state that legal moves, one for each role, lead to. The proof is by unit propagation
// and case distinction over the gates; its effort is limited in proportion to the size of the network.
std::vector<FluentGroup> prove_groups(const Network& network, const GroupCandidates& candidates);

// As above, from a list that holds initially.
std::vector<FluentGroup> prove_groups(const Network& network, std::vector<FluentGroup> candidates);

// Adds gates that tell which moves win at once or let others do so (look_ahead.cpp). The groups are of the fluents of
// this network.
void look_ahead(Network& network, const std::vector<FluentGroup>& groups);

}  // namespace ggp

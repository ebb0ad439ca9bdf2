// What a tree knows of the states in it, as rows to learn from: a search that looks some plies ahead is a better judge of
// a state than an evaluation is at first (Veness, Silver, Uther and Blair, "Bootstrapping from Game Tree Search", NIPS
// 2009, whose TreeStrap learns from all nodes of a minimax tree).
#pragma once

#include <cstdint>
#include <vector>

#include "search/tree.hpp"

namespace ggp {

struct KnownNodes {
  std::vector<std::uint64_t> states;  // [nodes, state_words]
  std::vector<float> rewards;         // [nodes, roles], -1 .. 1
  std::vector<std::uint32_t> visits;  // [nodes]
};

// Returns the nodes below the root with so many observed visits or more, parents before children. The reward of a role is
// its mean over the visits, kept within what is proven of its goal.
KnownNodes known_nodes(const Tree& tree, std::uint32_t least_visits);

}  // namespace ggp

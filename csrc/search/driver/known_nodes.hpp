// The states of a tree with their values, as rows for learning: a search that looks some plies ahead estimates a state
// better than an evaluation does at first (Veness, Silver, Uther and Blair, "Bootstrapping from Game Tree Search", NIPS
// 2009, whose TreeStrap learns from all nodes of a minimax tree).
#pragma once

#include <cstdint>
#include <vector>

#include "search/tree/tree.hpp"

namespace ggp {

struct KnownNodes {
  std::vector<std::uint64_t> states;  // [nodes, state_words]
  std::vector<float> rewards;         // [nodes, roles], -1 .. 1
  std::vector<std::uint32_t> visits;  // [nodes]
};

// Returns the nodes below the root with at least `least_visits` observed visits, parents before children. The reward of
// a role is its mean over the visits, limited by the proven bounds of its goal.
KnownNodes known_nodes(const Tree& tree, std::uint32_t least_visits);

}  // namespace ggp

// What a search has found out, as plain values that outlive the tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/config.hpp"
#include "search/tree.hpp"

namespace ggp {

struct MoveStatistics {
  int move;
  std::uint64_t visits;
  double mean;    // reward of the role, 0 where there are no visits
  Bounds bounds;  // of its goal, as far as it is proven
  int plies;      // to the end by the best known way, where the bounds are settled
  // What is expected next, where the move leaves the choice to one role: that role and its best move; -1 elsewhere, and
  // of moves that come after kMostReplies others.
  int replying = -1;
  int reply = -1;
};

constexpr std::size_t kMostReplies = 40;

struct RoleStatistics {
  // Mean reward over all visits of the root; in a terminal root the reward of its goal. Where a goal is proven for the mover
  // of the root, that of the state behind its best move, and so on.
  double mean = 0;
  Bounds bounds = kUnknown;
  // Every legal move, best first. Moves that are proven to be worse than another move come last; where the goal of the role
  // is proven, these are all moves that do not guarantee it. The others are in the order of visits, then mean (the
  // higher first), then number (the lower first); with final_move = score the mean comes first. But a move that guarantees
  // the goal of the role comes before moves whose mean is lower. Among moves that guarantee it, those with the
  // shortest known way to the end come first if the goal is above 50, else those with the longest.
  std::vector<MoveStatistics> moves;
};

struct Statistics {
  bool terminal = false;
  std::uint64_t visits = 0;       // of the root, with those kept from earlier runs
  std::uint64_t simulations = 0;  // completed by the latest run
  std::uint64_t nodes = 0;
  std::uint64_t bytes = 0;        // of the tree
  std::uint32_t max_depth = 0;    // steps of the longest path of the latest run
  double seconds = 0;             // of the latest run
  std::uint64_t minimax_states = 0;  // successors that the minimax beside the search has made at this root
  double minimax_seconds = 0;        // processor time that it took
  FinalMove final_move = FinalMove::kVisits;
  std::vector<RoleStatistics> roles;
  // Best joint moves from the root on, as far as they were visited, at most kLongestVariation.
  std::vector<std::vector<int>> principal_variation;
};

constexpr int kLongestVariation = 32;

// Reads everything but the facts of the run, for a terminal outcome or a node of the tree that lists every legal move.
Statistics read_statistics(const Tree& tree, Index root, FinalMove final_move);

// What several searches of one position, at least one, have found out together: visits add up, means are weighted
// by them, and of the bounds the narrowest hold (root parallelization: Chaslot, Winands and van den Herik, "Parallel
// Monte-Carlo Tree Search", CG 2008).
Statistics merge(const std::vector<Statistics>& parts);

}  // namespace ggp

// The results of a search, as plain values that outlive the tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/config/config.hpp"
#include "search/tree/tree.hpp"

namespace ggp {

struct MoveStatistics {
  int move;
  std::uint64_t visits;
  double mean;    // reward of the role, 0 without visits
  Bounds bounds;  // proven bounds of its goal
  int plies;      // plies to the end by the best known line, if the bounds are equal
  // The expected reply if one role chooses after the move: this role and its best move. -1 in other states, and for
  // moves after the first kMostReplies.
  int replying = -1;
  int reply = -1;
  float probability = -1;  // of the network of PUCT, -1 without one
};

constexpr std::size_t kMostReplies = 40;

struct RoleStatistics {
  // Mean reward over all visits of the root; at a terminal root the reward of its goal. If the goal of the root's mover
  // is proven, the mean of the state after its best move, and so on.
  double mean = 0;
  Bounds bounds = kUnknown;
  // Every legal move, best first. Moves that are proven to be worse than another move come last; if the goal of the
  // role is proven, these are all moves that do not guarantee it. The other moves are ordered by visits, then mean (the
  // higher first), then number (the lower first); with final_move = score by the mean first. A move that guarantees the
  // goal of the role comes before moves with a lower mean. Among moves that guarantee the goal, the shortest known line
  // to the end comes first if the goal is above 50, otherwise the longest.
  std::vector<MoveStatistics> moves;
};

struct Statistics {
  bool terminal = false;
  std::uint64_t visits = 0;       // visits of the root, including earlier runs
  std::uint64_t simulations = 0;  // completed by the latest run
  std::uint64_t nodes = 0;
  std::uint64_t bytes = 0;        // memory of the tree
  std::uint32_t max_depth = 0;    // number of steps of the longest path of the latest run
  double seconds = 0;             // time of the latest run
  std::uint64_t minimax_states = 0;  // successors that the minimax has computed at this root
  double minimax_seconds = 0;        // processor time of the minimax
  FinalMove final_move = FinalMove::kVisits;
  std::vector<RoleStatistics> roles;
  // Best joint moves from the root on, as far as they were visited, at most kLongestVariation.
  std::vector<std::vector<int>> principal_variation;
};

constexpr int kLongestVariation = 32;

// Sums over simulations of a number x and the reward y of their goals for the role that chooses at the root.
struct SampleSums {
  double count = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;

  void add(double one, double reward) {
    count += 1;
    x += one;
    y += reward;
    xx += one * one;
    yy += reward * reward;
    xy += one * reward;
  }
};

// The simulations of a run that ended with goals: x is the number of plies from the root to the end, the reward that
// was backed up, and the quality of the win (of games that have one).
struct Samples {
  SampleSums plies, backed_up, quality;
};

// Reads everything except the data of the run, for a terminal outcome or a node that lists every legal move. Without
// `lines` the replies and the principal variation are left out: they take most of the time.
Statistics read_statistics(const Tree& tree, Index root, FinalMove final_move, bool lines = true);

// The states of a tree with their values, as rows for learning: a search that looks some plies ahead estimates a state
// better than an evaluation does at first (Veness, Silver, Uther and Blair, "Bootstrapping from Game Tree Search", NIPS
// 2009, whose TreeStrap learns from all nodes of a minimax tree).
struct KnownNodes {
  std::vector<std::uint64_t> states;  // [nodes, state_words]
  std::vector<float> rewards;         // [nodes, roles], -1 .. 1
  std::vector<std::uint32_t> visits;  // [nodes]
};

// Returns the nodes below the root with at least `least_visits` observed visits, parents before children. The reward of
// a role is its mean over the visits, limited by the proven bounds of its goal.
KnownNodes known_nodes(const Tree& tree, std::uint32_t least_visits);

// Merges the results of several searches of one position, at least one: visits are added, means are weighted by visits,
// and the narrowest bounds are taken (root parallelization: Chaslot, Winands and van den Herik, "Parallel Monte-Carlo
// Tree Search", CG 2008).
Statistics merge(const std::vector<Statistics>& parts);

}  // namespace ggp

// Complete histories that agree with all observations of a role, as a tree of choices.
//
// An edge of the tree is the move of one role that had several legal moves. Within a turn the roles are in ascending
// order. A leaf is a history that agrees with the observations. Each turn replaces every leaf by its successors that
// agree. If the joint moves of a leaf are few, all are played; otherwise a number of drawn joint moves.
//
// The mass of a history h is the probability that uniform choices of all other roles and chance complete it to a leaf:
//   m(leaf) = 1,   m(h) = sum over children c of m(c) / |A(h)|,   or m(h) = m(c) where the observing role chooses,
// whose move is given. |A(h)| is the number of legal moves.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "hidden/hidden_game.hpp"
#include "hidden/turn_player.hpp"

namespace ggp {

class ConsistentHistories {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  // The most leaves, and the most joint moves that a turn plays.
  static constexpr std::size_t kMostLeaves = std::size_t{1} << 14, kMostJointMoves = std::size_t{1} << 16;
  // The longest time for a turn.
  static constexpr auto kMostTime = std::chrono::seconds(1);

  struct Node {
    double mass;
    std::int32_t move;                     // the move that leads here
    std::uint32_t child, sibling;          // the first child, and the next child of the parent; or kNone
    std::uint32_t divisor;                 // |A|; 1 where the observing role chooses
  };

  ConsistentHistories(const HiddenGame& game, int role, std::uint64_t seed);

  // Processes a turn on the simulator of the game. If the own move is not known, all histories are lost.
  void observe(HiddenGame& game, const Observation& seen);

  // The node of the empty history; kNone if no history is known or no role had a choice.
  std::uint32_t root() const { return leaves_.empty() || nodes_[0].child == kNone ? kNone : 0; }
  const Node& node(std::uint32_t number) const { return nodes_[number]; }
  // The number of histories.
  std::size_t size() const { return leaves_.size(); }

 private:
  using Options = std::vector<std::vector<int>>;  // the legal moves of each role

  // Collects the joint moves of a leaf that play() will play: all joint moves, or `most` drawn ones.
  void add_joint_moves(HiddenGame& game, std::size_t leaf, const Options& options, std::size_t most,
                       const Observation& seen);
  void add_joint_move(std::size_t leaf, const Options& options, const std::vector<std::size_t>& places);
  // Plays the collected joint moves.
  void play(HiddenGame& game, const Observation& seen);
  std::uint32_t child(std::uint32_t parent, int move, std::uint32_t divisor, bool& is_new);
  // Keeps at most kMostLeaves leaves, and only the nodes that lead to leaves. Computes masses.
  void finish();
  // Loads leaves into the first lanes and evaluates them; mask_ gets the lanes that are not terminal.
  void load(HiddenGame& game, const std::size_t* which, int count);

  int role_, roles_, words_;
  std::uint64_t random_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> leaves_, next_leaves_;  // nodes
  std::vector<std::uint64_t> states_, next_states_;  // of the leaves
  // Joint moves to be played.
  std::vector<std::size_t> sources_;       // leaves
  std::vector<std::int32_t> joint_;        // [jobs][roles]
  std::vector<std::uint32_t> divisors_;    // [jobs][roles]; 0 for a forced move
  LaneMask mask_;
  std::vector<const std::uint64_t*> lane_states_;
  std::vector<std::uint64_t*> targets_;
  std::vector<std::uint64_t> stored_;
};

}  // namespace ggp

// The sequence form of a game of two players and perhaps chance (von Stengel, Games and Economic Behavior 1996).
//
// A sequence of a player is a move in an information state with a choice. It stands for all moves of the player up to
// this move. Sequence 0 is empty. A plan x gives each sequence the probability that the player makes its moves: x(0) =
// 1, and in each information state the sum over its moves is x(parent). The parent is the last sequence before the
// state. With plans x and y of the two players, the expected goal of player 0 is
//   sum over s, t:  A(s, t) x(s) y(t),     A(s, t) = sum over ends z with these last sequences:  c(z) goal(z)
// where c(z) is the probability of the moves of chance. Goals of both players have the same sum in every end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ggp {

// An information state in which a player has a choice.
struct DecisionPoint {
  std::uint64_t key;
  std::uint32_t parent;        // the last sequence before it
  std::uint32_t first, count;  // the sequences of its moves, ascending by move
};

// The information states and sequences of one player.
struct DecisionTree {
  std::vector<DecisionPoint> points;  // a point is after the points of its earlier moves
  std::vector<std::int32_t> moves{-1};                  // by sequence
  std::unordered_map<std::uint64_t, std::uint32_t> at;  // the number of the point by key
  std::unordered_map<std::uint64_t, std::int32_t> forced;  // the only move of other information states

  std::uint32_t sequences() const { return static_cast<std::uint32_t>(moves.size()); }
};

class SequenceForm {
 public:
  // An end of the game, or several with the same sequences.
  struct End {
    std::array<std::uint32_t, 2> sequences;
    double goal;    // of player 0, times the chance
    double chance;
  };

  // Stores the ends, in any order. `sum` is the sum of the goals of both players.
  SequenceForm(std::array<DecisionTree, 2> trees, std::vector<End> ends, int sum);

  const DecisionTree& tree(int player) const { return trees_[player]; }
  int sum() const { return sum_; }
  // The number of pairs of sequences with an end.
  std::size_t pairs() const { return lists_[0].columns.size(); }

  // Replaces out[s], for each sequence s of a player, by the goals of the player, times their probability, in ends with
  // the last sequence s, if the other player has a plan.
  void goals(int player, const std::vector<double>& other_plan, std::vector<double>& out) const;
  // As above for the probabilities alone.
  void reaches(int player, const std::vector<double>& other_plan, std::vector<double>& out) const;

 private:
  // The nonzero entries of a matrix, row by row, where the rows are the sequences of one player.
  struct Rows {
    std::vector<std::uint32_t> begins, columns;
    std::vector<double> goals, chances;
  };

  static Rows rows_of(int player, std::uint32_t count, const std::vector<End>& ends, int sum);

  std::array<DecisionTree, 2> trees_;
  std::array<Rows, 2> lists_;  // by player, with its goals
  int sum_;
};

// The highest expected goal of a player, 0..100, against a plan of the other player. `scratch` keeps its memory. The
// best response is exact, and is found from the last information states to the first ones:
//   v(s) = g(s) + sum over information states I with parent s:  max over moves m in I of v(I m)
// where g(s) are the goals of the player in ends with the last sequence s (SequenceForm::goals). v(0) is the result.
double best_response(const SequenceForm& form, int player, const std::vector<double>& other_plan,
                     std::vector<double>& scratch);

// The expected goal of player 0 if both players have plans.
double expected_goal(const SequenceForm& form, const std::vector<double>& plan, const std::vector<double>& other_plan,
                     std::vector<double>& scratch);

}  // namespace ggp

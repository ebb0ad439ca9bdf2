// The moves of each role in order of what they brought, for play-outs that choose by rank.
//
// The value of a move is its average over simulations (MAST, mast.hpp), drawn towards that of moves nothing is known of as
// if it had come `prior` more times with that result:
//
//     value(m) = (N(m) Q(m) + prior unknown) / (N(m) + prior),    unknown where both are 0
//
// With `adaptation` e above 0 the order is that of
//
//     (value(m) - mean) N(m)^e,    mean: the average of all choices of the role
//
// For e = 1 that is the sum of (reward - mean) over all simulations with m: the weight that play-out policy adaptation
// (Cazenave, "Playout policy adaptation for games", ACG 2015) gives a move, where each won play-out adds to the weights
// of its moves and takes off what was to be expected of the policy; what was to be expected is here how often the move was
// chosen (the gradient of REINFORCE, with the mean as its baseline: Williams, Machine Learning 8, 1992). So a move that
// comes often and is a little better than others stands before one that came twice and won. For e = 1/2 moves stand by how
// sure it is that they are better.
//
// Rank 0 has the highest value. Moves of the same value, such as those that nothing is known of, are in an order that is
// drawn once from the seed of the search, which no numbering of the rules can bias.
//
// The moves are sorted again when n, the simulations that were completed, has grown by a share of kGrowth, but at least by
// kLeastGrowth: about log(n / 1000) / log(1 + kGrowth) times in a long run, and at times that depend on n alone. Until the
// first time every legal move is equally probable. When a move is played, n and the averages keep `decay` of their weight;
// the order stays.
#pragma once

#include <cstdint>
#include <vector>

#include "rank_choice.hpp"
#include "search/archive.hpp"
#include "search/config.hpp"
#include "search/mast.hpp"

namespace ggp {

class MoveOrder {
 public:
  // `moves` are the numbers of moves by role.
  MoveOrder(const Config& config, const std::vector<int>& moves);
  MoveOrder(const MoveOrder&) = delete;
  MoveOrder& operator=(const MoveOrder&) = delete;

  // Forgets everything; a match begins.
  void reset();
  // A move was played at the root.
  void played();

  void archive(Archive& archive) {
    averages_.archive(archive);
    archive.fixed(orders_);  // order_of_ points into them
    archive.fixed(ranks_);
    archive(completed_, sort_at_, sorted_);
  }

  // What is learned of moves goes here.
  MoveAverages& averages() { return averages_; }
  const MoveAverages& averages() const { return averages_; }

  // A simulation was completed.
  void complete() { completed_ += 1; }
  // Whether it is time to sort.
  bool due() const { return completed_ >= sort_at_; }
  void sort();

  // How ranks are drawn at present.
  const RankDraw& draw() const { return sorted_ ? draw_ : even_; }
  // By role: its moves by rank; and the ranks of its moves.
  const std::uint32_t* const* orders() const { return order_of_.data(); }
  const std::uint32_t* ranks(int role) const { return ranks_[role].data(); }

  static constexpr double kGrowth = 0.06;
  static constexpr double kLeastGrowth = 64;

 private:
  void set_next_sort();
  double mean_of(int role) const;

  const double unknown_, prior_, adaptation_, decay_;
  RankDraw even_, draw_;
  std::vector<std::uint32_t> tails_;  // of a geometric draw
  MoveAverages averages_;
  std::vector<std::vector<std::uint32_t>> by_tie_;  // by role: its moves in the order of those that are alike
  std::vector<std::vector<std::uint32_t>> orders_, ranks_;
  std::vector<const std::uint32_t*> order_of_;
  std::vector<std::uint64_t> keys_;  // scratch
  double completed_ = 0;             // with decay
  double sort_at_ = 0;
  bool sorted_ = false;
};

}  // namespace ggp

// The moves of each role in the order of their values, for play-outs that choose by rank.
//
// The value of a move is its average over simulations (MAST, mast.hpp), shifted towards the value of unknown moves as
// if it had been chosen `prior` more times with that result:
//
//     value(m) = (N(m) Q(m) + prior unknown) / (N(m) + prior),    unknown if both are 0
//
// With `adaptation` e above 0 the order is by
//
//     (value(m) - mean) N(m)^e,    mean: the average of all choices of the role
//
// For e = 1 this is the sum of (reward - mean) over all simulations with m: the weight of a move in play-out policy
// adaptation (Cazenave, "Playout policy adaptation for games", ACG 2015). There each won play-out adds to the weights
// of its moves and subtracts the expectation of the policy; here the expectation is the frequency of the move (the
// gradient of REINFORCE, with the mean as its baseline: Williams, Machine Learning 8, 1992). So a frequent move that is
// slightly better than others ranks before a move that was chosen twice and won. For e = 1/2 moves are ordered by the
// certainty that they are better.
//
// Rank 0 has the highest value. Moves of equal value, such as unknown moves, are in a random order that is drawn once
// from the seed of the search, so that the numbering of moves in the rules cannot bias the search.
//
// The moves are sorted again when n, the number of completed simulations, has grown by a share of kGrowth, but at least
// by kLeastGrowth: about log(n / 1000) / log(1 + kGrowth) times in a long run, and at times that depend on n alone.
// Before the first sort every legal move is equally probable. When a move is played, n and the averages keep `decay` of
// their weight; the order stays, except with `decay` = 0.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rank_choice.hpp"
#include "search/config/config.hpp"
#include "search/playout/mast.hpp"
#include "search/tree/archive.hpp"

namespace ggp {

class MoveOrder {
 public:
  // `moves` are the numbers of moves by role.
  MoveOrder(const Config& config, const std::vector<int>& moves);
  MoveOrder(const MoveOrder&) = delete;
  MoveOrder& operator=(const MoveOrder&) = delete;

  // Clears everything; a match begins.
  void reset();
  // A move was played at the root.
  void played();

  void archive(Archive& archive) {
    averages_.archive(archive);
    archive.fixed(orders_);  // order_of_ points into them
    archive.fixed(ranks_);
    archive(completed_, sort_at_, sorted_);
  }

  // The averages, which the policy updates.
  MoveAverages& averages() { return averages_; }
  const MoveAverages& averages() const { return averages_; }

  // A simulation was completed.
  void complete() { completed_ += 1; }
  // Whether it is time to sort.
  bool due() const { return completed_ >= sort_at_; }
  void sort();

  // The present distribution of ranks.
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
  const std::vector<std::uint32_t> tails_;
  MoveAverages averages_;
  std::vector<std::vector<std::uint32_t>> by_tie_;  // by role: its moves in the order for ties
  std::vector<std::vector<std::uint32_t>> orders_, ranks_;
  std::vector<const std::uint32_t*> order_of_;
  std::vector<std::uint64_t> keys_;  // scratch
  double completed_ = 0;             // with decay
  double sort_at_ = 0;
  bool sorted_ = false;
};

}  // namespace ggp

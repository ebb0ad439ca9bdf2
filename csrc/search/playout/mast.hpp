// Move averages: the mean reward of each move over all states.
//
// MAST, the move-average sampling technique (Finnsson and Bjornsson, AAAI 2008). For a role and a move
//
//     Q(m) = (sum of the rewards of the role over the simulations in which it chose m) / N(m)
//
// counted once for every time that m was chosen, in the tree and in the play-out; N(m) is the number of these times. A
// move that was never chosen has a configured value. Forced moves (the only legal move) do not count.
//
// Decay ("Decaying simulation strategies", Tak, Winands and Bjornsson, IEEE TCIAIG 2014): between the
// moves of a match both sums are multiplied by gamma; averages stay until new simulations outweigh them.
// Sums below kForgotten visits are dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/tree/archive.hpp"

namespace ggp {

class MoveAverages {
 public:
  // `moves` are the numbers of moves by role.
  MoveAverages(const std::vector<int>& moves, double unknown);

  // Q by move, contiguous.
  const float* means(int role) const { return &means_[first_[role]]; }
  // The index of the move with the highest Q; each of n equal moves has probability 1 / n.
  std::uint32_t best_of(int role, const std::uint32_t* moves, std::uint32_t count, std::uint64_t random) const;
  // N, with decay.
  double visits(int role, int move) const { return sums_[first_[role] + move].visits; }

  void learn(int role, int move, double reward) { learn_many(role, move, reward, 1); }
  // Learns several simulations at once: the sum of their rewards, and their number.
  void learn_many(int role, int move, double rewards, double times) {
    const std::size_t at = first_[role] + move;
    sums_[at].reward += rewards;
    sums_[at].visits += times;
    means_[at] = static_cast<float>(sums_[at].reward / sums_[at].visits);
  }
  void decay(double gamma);
  void archive(Archive& archive) {
    archive.fixed(means_);
    archive.fixed(sums_);
  }
  void clear();

  static constexpr double kForgotten = 0.05;

 private:
  struct Sum {
    double reward = 0;
    double visits = 0;
  };

  float unknown_;
  std::vector<std::size_t> first_;  // by role
  std::vector<float> means_;
  std::vector<Sum> sums_;
};

}  // namespace ggp

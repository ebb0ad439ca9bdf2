// Determinised search: uniform play-outs from the particles of the belief, the same number for each legal move
// (perfect-information Monte Carlo; Ginsberg, JAIR 2001). The move with the highest mean is played.
//
// The search assumes that all roles know everything after the move. So it ignores questions and secrets, may plan
// different moves in positions that the role cannot distinguish, and never mixes. It serves for comparisons.
//
// The value of a move is p q + (1 - p) m, where p is the weight of the particles in which the move is legal, q the mean
// of the move, and m the mean of all moves: game managers replace an illegal move by some legal move.
#pragma once

#include "hidden/hidden_search.hpp"

namespace ggp {

class Determinised final : public HiddenSearch {
 public:
  explicit Determinised(std::uint64_t seed) : seed_(seed) {}
  HiddenResult run(Belief& belief, const HiddenLimits& limits) override;

 private:
  std::uint64_t seed_;
};

}  // namespace ggp

// Determinised search: uniform play-outs from the particles of the belief, the same number for each legal move
// (perfect-information Monte Carlo; Ginsberg, JAIR 2001). The move with the highest mean is played.
//
// It assumes that everybody will know everything after the move. So it values neither questions nor secrets, may plan
// different moves in positions that cannot be distinguished, and never mixes. It is the method for comparisons.
//
// A move that is legal in particles of the weight p has the value p q + (1 - p) m, where q is its mean and m the mean of
// all moves: game managers replace an illegal move by some legal one.
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

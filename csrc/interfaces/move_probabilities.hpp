// Optional interface of simulators: probabilities of moves that an evaluation has learned.
#pragma once

#include "interfaces/optional_interface.hpp"

namespace ggp {

class MoveProbabilities : public OptionalInterface<InterfaceId::kMoveProbabilities> {
 public:
  // Whether an evaluation (interfaces/evaluations.hpp) has probabilities.
  virtual bool has_probabilities(int evaluation) const = 0;
  // Writes the probability of moves[i] by an evaluation to out[i], for i < count; the sum is 1. The moves are legal
  // moves of the role. Since evaluate(), Evaluations::values() was called for this evaluation, and the mask of the
  // latest call contained the lane.
  virtual void probabilities(int evaluation, int lane, int role, const int* moves, int count, float* out) = 0;
};

}  // namespace ggp

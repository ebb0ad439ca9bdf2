// Optional interface of simulators: probabilities of moves that an evaluation has learned.
#pragma once

#include "interfaces/optional_interface.hpp"

namespace ggp {

class MoveProbabilities {
 public:
  static constexpr InterfaceId kId = InterfaceId::kMoveProbabilities;

  // Whether an evaluation (interfaces/evaluations.hpp) has probabilities.
  virtual bool has_probabilities(int evaluation) const = 0;
  // Writes the probabilities of some legal moves of a role by an evaluation, in their order; the sum is 1. The lane was in
  // the mask of the latest call of Evaluations::values() for this evaluation since evaluate(). `out` has room for `count`
  // numbers.
  virtual void probabilities(int evaluation, int lane, int role, const int* moves, int count, float* out) = 0;

 protected:
  ~MoveProbabilities() = default;
};

}  // namespace ggp

// The probabilities with which a role is assumed to choose its moves.
#pragma once

#include <cstdint>

namespace ggp {

class MovePolicy {
 public:
  virtual ~MovePolicy() = default;
  // Writes the probabilities of the legal moves of a role in an information state, ascending by number. Each
  // probability is positive, and the sum is 1. Returns false, without writing, if all moves have the same probability.
  virtual bool probabilities(int role, std::uint64_t key, const int* moves, int count, double* out) const = 0;
};

}  // namespace ggp

// An evaluation by weights of fluents: what a state s is worth to role r is
//
//     v(s, r) = tanh(bias(r) + sum of weight(f, r) over the fluents f that hold in s)
//
// so -1 .. 1, where the sum is 0 nobody is ahead. Whoever knows the weights hands them over, be they read from a file or
// found by learning; what scales them, and whether a weight for one role counts against the others, is in the numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ggp {

struct FluentWeights {
  std::vector<std::uint32_t> fluents;  // ascending places in the packed state
  std::vector<float> weights;          // finite; [i * roles + role] of fluents[i]
  std::vector<float> bias;             // by role, finite; fluents that always hold are in here

  std::size_t roles() const { return bias.size(); }
};

}  // namespace ggp

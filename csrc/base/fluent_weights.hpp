// An evaluation by weights of fluents. The value of a state s for role r is
//
//   v(s, r) = tanh(bias(r) + sum of weight(f, r) over the fluents f that hold in s)
//
// in -1 .. 1; 0 means that no role is ahead. The caller provides the weights, from a file or from learning. The weights
// include all scaling, and the effect of a fluent for one role on the values of the other roles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ggp {

struct FluentWeights {
  std::vector<std::uint32_t> fluents;  // indices of bits in the packed state, ascending
  std::vector<float> weights;          // finite; [i * roles + role] is the weight of fluents[i]
  std::vector<float> bias;             // by role, finite; includes fluents that always hold

  std::size_t roles() const { return bias.size(); }
};

}  // namespace ggp

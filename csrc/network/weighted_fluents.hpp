// The evaluations of a network by weights of fluents (fluent_weights.hpp), worked out for many lanes at once.
//
// The sums are made fluent by fluent in ascending order, so that a state has the same values in every lane, on every
// kernel and width.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fluent_weights.hpp"

namespace ggp {

class NetworkSimulator;

class WeightedFluents {
 public:
  // Takes an evaluation in, or lets it take the place of that of the same name; returns its number. Throws
  // std::invalid_argument where the weights are not those of so many fluents and roles.
  int add(const std::string& name, std::shared_ptr<const FluentWeights> weights, std::size_t fluents,
          std::size_t roles);
  std::vector<std::string> names() const;

  // Evaluations::values() of that simulator, whose lanes hold the states.
  void values(const NetworkSimulator& simulator, int evaluation, const std::uint64_t* mask, float* out) const;

 private:
  struct Named {
    std::string name;
    std::shared_ptr<const FluentWeights> weights;
  };
  std::vector<Named> all_;
};

}  // namespace ggp

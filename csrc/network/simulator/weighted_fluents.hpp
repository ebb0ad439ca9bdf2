// The evaluations of a network by weights of fluents (fluent_weights.hpp), computed for many lanes at once.
//
// The sums are computed fluent by fluent in ascending order, so that a state has the same values in every lane, on
// every kernel and width.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/fluent_weights.hpp"

namespace ggp {

class NetworkSimulator;

class WeightedFluents {
 public:
  // Adds an evaluation, or replaces the one of the same name; returns its number. Throws std::invalid_argument if the
  // weights do not match the numbers of fluents and roles.
  int add(const std::string& name, std::shared_ptr<const FluentWeights> weights, std::size_t fluents,
          std::size_t roles);
  std::vector<std::string> names() const;

  // Implements Evaluations::values() of the simulator.
  void values(const NetworkSimulator& simulator, int evaluation, const std::uint64_t* mask, float* out) const;

 private:
  struct Named {
    std::string name;
    std::shared_ptr<const FluentWeights> weights;
  };
  std::vector<Named> all_;
};

}  // namespace ggp

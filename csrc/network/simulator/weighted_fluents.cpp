#include "network/simulator/weighted_fluents.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "network/simulator/network_simulator.hpp"

namespace ggp {

namespace {

bool all_finite(const std::vector<float>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](float number) { return std::isfinite(number); });
}

}  // namespace

int WeightedFluents::add(const std::string& name, std::shared_ptr<const FluentWeights> weights, std::size_t fluents,
                         std::size_t roles) {
  const FluentWeights& given = *weights;
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("weights of fluents: " + what); };
  if (given.roles() != roles || given.weights.size() != given.fluents.size() * roles)
    refuse("a game of " + std::to_string(roles) + " roles needs a weight for each fluent and role, and a bias for each role");
  for (std::size_t i = 0; i < given.fluents.size(); ++i) {
    if (given.fluents[i] >= fluents) refuse("there is no fluent " + std::to_string(given.fluents[i]));
    if (i > 0 && given.fluents[i] <= given.fluents[i - 1]) refuse("the fluents are not in ascending order");
  }
  if (!all_finite(given.weights) || !all_finite(given.bias)) refuse("some are not finite numbers");
  const auto known = std::find_if(all_.begin(), all_.end(), [&](const Named& named) { return named.name == name; });
  if (known != all_.end()) {
    known->weights = std::move(weights);
    return static_cast<int>(known - all_.begin());
  }
  all_.push_back({name, std::move(weights)});
  return static_cast<int>(all_.size()) - 1;
}

std::vector<std::string> WeightedFluents::names() const {
  std::vector<std::string> names;
  for (const Named& named : all_) names.push_back(named.name);
  return names;
}

void WeightedFluents::values(const NetworkSimulator& simulator, int evaluation, const std::uint64_t* mask,
                             float* out) const {
  const FluentWeights& of = *all_[evaluation].weights;
  const int groups = simulator.groups();
  const std::size_t roles = of.roles();
  const auto each = [&](const std::uint64_t* within, auto visit) {
    for (int group = 0; group < groups; ++group)
      for (std::uint64_t left = mask[group] & within[group]; left != 0; left &= left - 1)
        visit(out + (64 * group + __builtin_ctzll(left)) * roles);
  };
  each(mask, [&](float* values) { std::copy_n(of.bias.data(), roles, values); });
  const float* weights = of.weights.data();
  for (const std::uint32_t fluent : of.fluents) {
    each(simulator.fluent(static_cast<int>(fluent)), [&](float* values) {
      for (std::size_t role = 0; role < roles; ++role) values[role] += weights[role];
    });
    weights += roles;
  }
  each(mask, [&](float* values) {
    for (std::size_t role = 0; role < roles; ++role) values[role] = std::tanh(values[role]);
  });
}

}  // namespace ggp

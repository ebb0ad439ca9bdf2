#include "search/selection.hpp"

#include <algorithm>
#include <cstring>

namespace ggp {

Uct::Uct(double exploration) : exploration_(static_cast<float>(exploration)), log_{}, inverse_root_{} {
  for (std::size_t n = 1; n < kTable; ++n) {
    log_[n] = std::log(static_cast<float>(n));
    inverse_root_[n] = 1.0f / std::sqrt(static_cast<float>(n));
  }
}

std::uint32_t Uct::select(const Node& node, const Choice& choice, const Action* actions) const {
  if (choice.tried < choice.count) return choice.tried;
  if (choice.count == 1) return 0;
  const float scale = exploration_ * std::sqrt(log(node.visits + node.unobserved));
  const float mean =
      node.visits > 0 ? static_cast<float>(choice.reward) / static_cast<float>(node.visits) : 0.5f;
  // The bits of floats that are not negative are in the order of their values: the maximum of (value,
  // complement of the place) needs no branch and prefers the lower place.
  std::uint64_t best = 0;
  for (std::uint32_t i = 0; i < choice.tried; ++i) {
    const Action& action = actions[i];
    const std::uint32_t visits = action.visits + action.unobserved;
    // Left behind by a simulation that was given up: it comes first.
    if (visits == 0) return i;
    const float value = action.visits > 0
                            ? static_cast<float>(action.reward) / static_cast<float>(action.visits)
                            : mean;
    const float bound = value + scale * inverse_root(visits);
    std::uint32_t bits;
    std::memcpy(&bits, &bound, sizeof bits);
    best = std::max(best, std::uint64_t{bits} << 32 | ~i);
  }
  return ~static_cast<std::uint32_t>(best);
}

std::unique_ptr<Selection> make_selection(const Config& config) {
  return std::make_unique<Uct>(config.exploration);
}

}  // namespace ggp

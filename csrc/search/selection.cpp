#include "search/selection.hpp"

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
  float mean = -1;
  float best_value = -1;
  std::uint32_t best = 0;
  for (std::uint32_t i = 0; i < choice.tried; ++i) {
    const Action& action = actions[i];
    float value;
    if (action.visits > 0) {
      value = static_cast<float>(action.reward) / static_cast<float>(action.visits);
    } else {
      if (mean < 0) {
        mean = node.visits > 0 ? static_cast<float>(choice.reward) / static_cast<float>(node.visits) : 0.5f;
      }
      value = mean;
    }
    // An action without any visit is left behind by a simulation that was given up: it comes first.
    const std::uint32_t visits = action.visits + action.unobserved;
    if (visits == 0) return i;
    value += scale * inverse_root(visits);
    if (value > best_value) {
      best_value = value;
      best = i;
    }
  }
  return best;
}

std::unique_ptr<Selection> make_selection(const Config& config) {
  return std::make_unique<Uct>(config.exploration);
}

}  // namespace ggp

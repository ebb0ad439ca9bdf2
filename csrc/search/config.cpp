#include "search/config.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace ggp {

Config checked(Config config, int lanes) {
  if (!std::isfinite(config.selection.exploration) || config.selection.exploration < 0) {
    throw std::invalid_argument("selection.exploration must be a finite number of at least 0, not " +
                                std::to_string(config.selection.exploration));
  }
  if (config.in_flight < 0 || config.in_flight > lanes) {
    throw std::invalid_argument("in_flight must be 1 .. " + std::to_string(lanes) +
                                ", the lanes of the simulator, not " + std::to_string(config.in_flight));
  }
  if (config.memory_bytes < kLeastMemory) {
    throw std::invalid_argument("memory_bytes must be at least " + std::to_string(kLeastMemory) + ", not " +
                                std::to_string(config.memory_bytes));
  }
  const auto check = [](const char* name, double value, double most) {
    if (value >= 0 && value <= most) return;
    throw std::invalid_argument(std::string(name) + " must be 0 .. " + std::to_string(most) + ", not " +
                                std::to_string(value));
  };
  check("reward.warm_up_share", config.reward.warm_up_share, 1);
  for (const BonusConfig& bonus : {config.reward.relative_bonus, config.reward.qualitative_bonus}) {
    check("the a of a bonus", bonus.a, 10);
    check("the k of a bonus", bonus.k, 1000);
  }
  if (config.playout.limit == 0) throw std::invalid_argument("playout.limit must be at least 1 ply, not 0");
  if (config.in_flight == 0) config.in_flight = lanes;
  return config;
}

}  // namespace ggp

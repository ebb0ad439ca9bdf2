#include "search/puct.hpp"

#include <cmath>
#include <limits>

namespace ggp {

std::uint32_t Puct::select(const Node& node, const Choice& choice, const Action* actions, const PriorView& priors,
                           std::uint64_t&) const {
  if (choice.count == 1) return 0;
  const std::uint32_t tried = choice.tried;
  // The places follow the table backwards: tried actions are at its end.
  const Prior* const table = priors.table;
  const auto visits = static_cast<float>(node.visits), all = visits + static_cast<float>(node.unobserved);
  const float c = (exploration_ + std::log((1 + all + base_) / base_)) * std::sqrt(1 + all);
  const float mean = (choice.mean * visits + table[0].value) / (visits + 1);
  float explored = 0;
  for (std::uint32_t i = 0; i < tried; ++i) explored += priors.of(i, tried).value;
  const float first_play = mean - first_play_ * std::sqrt(explored);
  float best = -std::numeric_limits<float>::infinity();
  std::uint32_t place = tried;
  for (std::uint32_t i = 0; i < tried; ++i) {
    const Action& action = actions[i];
    if (node.narrowed && is_closed(node, choice, action)) continue;
    const float value = action.visits > 0 ? action.mean : first_play;
    const float bound = value + c * priors.of(i, tried).value / static_cast<float>(1 + action.visits + action.unobserved);
    if (bound <= best) continue;
    best = bound;
    place = i;
  }
  // A settled node needs no further moves. `count` is less than the number of legal moves if memory is short.
  if (node.narrowed && choice.bounds.settled()) return place;
  for (std::uint32_t i = tried; i < choice.count; ++i) {
    const float bound = first_play + c * priors.of(i, tried).value;
    if (bound <= best) continue;
    best = bound;
    place = i;
  }
  return place;
}

}  // namespace ggp

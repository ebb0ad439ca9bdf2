#include "search/puct.hpp"

#include <cmath>
#include <limits>

namespace ggp {

std::uint32_t Puct::select(const Node& node, const Choice& choice, const Action* actions, const PriorView& priors,
                           std::uint64_t&) const {
  if (choice.count == 1) return 0;
  const std::uint32_t tried = choice.tried;
  // The table has the untried moves first, then the tried actions, the last one first.
  const Prior* const table = priors.table;
  const auto visits = static_cast<float>(node.visits), all = visits + static_cast<float>(node.unobserved);
  const float c = (exploration_ + std::log((1 + all + base_) / base_)) * std::sqrt(1 + all);
  const float mean = (choice.mean * visits + table[0].value) / (visits + 1);
  float explored = 0;
  const Prior* const first_tried = table + 1 + (priors.count - tried);
  for (const Prior* prior = first_tried; prior != first_tried + tried; ++prior) explored += prior->value;
  const float first_play = mean - first_play_ * std::sqrt(explored);
  float best = -std::numeric_limits<float>::infinity();
  std::uint32_t place = tried;
  for (std::uint32_t i = 0; i < tried; ++i) {
    const Action& action = actions[i];
    if (node.narrowed && is_closed(node, choice, action)) continue;
    const float value = action.visits > 0 ? action.mean : first_play;
    const auto n = static_cast<float>(1 + action.visits + action.unobserved);
    const float bound = value + c * first_tried[tried - 1 - i].value / n;
    if (bound <= best) continue;
    best = bound;
    place = i;
  }
  // A settled node needs no further moves. `count` is less than the number of legal moves if memory is short.
  if (node.narrowed && choice.bounds.settled()) return place;
  // All untried moves have the same value, so the most probable one is the best of them.
  float most = -1;
  std::uint32_t likeliest = tried;
  for (std::uint32_t i = 0; i < choice.count - tried; ++i) {
    if (table[1 + i].value <= most) continue;
    most = table[1 + i].value;
    likeliest = tried + i;
  }
  if (likeliest < choice.count && first_play + c * most > best) place = likeliest;
  return place;
}

}  // namespace ggp

#include "search/selection/puct.hpp"

#include <algorithm>
#include <cmath>

#include "search/playout/sampling.hpp"

namespace ggp {

std::uint32_t Puct::select(const Node& node, const Choice& choice, const Action* actions,
                           const KnownMoves& known, std::uint64_t& random) const {
  if (known.probabilities == nullptr) return without_probabilities_.select(node, choice, actions, known, random);
  if (choice.count == 1) return 0;
  const Probabilities& probabilities = *known.probabilities;
  const std::uint32_t tried = choice.tried;
  const auto visits = static_cast<float>(node.visits), all = visits + static_cast<float>(node.unobserved);
  const float c = (exploration_ + std::log((1 + all + base_) / base_)) * std::sqrt(1 + all);
  const float mean = (choice.mean * visits + probabilities.value) / (visits + 1);
  const float first_play = known.at_root ? mean : mean - first_play_ * std::sqrt(probabilities.explored);
  std::uint64_t best = 0;
  for (std::uint32_t i = 0; i < tried; ++i) {
    const Action& action = actions[i];
    if (node.narrowed && is_closed(node, choice, action)) continue;
    const float value = action.visits > 0 ? action.mean : first_play;
    const auto n = static_cast<float>(1 + action.visits + action.unobserved);
    best = std::max(best, rank(value + c * probabilities.of_action(i) / n, i));
  }
  // A settled node needs no further moves. `choice.count` is less than the number of legal moves if memory is short.
  const bool settled = node.narrowed && choice.bounds.settled();
  if (!settled && !choice.is_complete()) {
    // All untried moves have the same value, so the most probable one is the best of them.
    const std::uint32_t likeliest = probabilities.likeliest;
    best = std::max(best, rank(first_play + c * probabilities.of_moves()[likeliest], tried + likeliest));
  }
  return best == 0 ? tried : place_of_rank(best);
}

}  // namespace ggp

// UCT in vectors selects the same action as a loop over the actions.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "check.hpp"
#include "search/selection/uct_vectors.hpp"

namespace {

using namespace ggp;

// A node with a mover and its choice.
struct Example {
  Node node;
  Choice choice;
};
static_assert(offsetof(Example, choice) == sizeof(Node));

std::uint32_t expected(const Node& node, const Choice& choice, const std::vector<Action>& actions, float width) {
  std::uint32_t best = choice.tried;
  float highest = 0;
  for (std::uint32_t i = 0; i < choice.tried; ++i) {
    const Action& action = actions[i];
    if (node.narrowed && is_closed(node, choice, action)) continue;
    const std::uint32_t visits = action.visits + action.unobserved;
    if (visits == 0) return i;
    const float inverse_root = 1.0f / std::sqrt(static_cast<float>(visits));
    const float bound = (action.visits > 0 ? action.mean : choice.mean) + width * inverse_root;
    if (best == choice.tried || bound > highest) {
      best = i;
      highest = bound;
    }
  }
  return best;
}

Bounds random_bounds(std::uint64_t& random) {
  const std::uint32_t one = 50 * draw_below(random, 3), other = 50 * draw_below(random, 3);
  return {static_cast<std::uint8_t>(std::min(one, other)), static_cast<std::uint8_t>(std::max(one, other))};
}

void check_same_selection(SelectWithVectors select) {
  std::uint64_t random = 1;
  for (int trial = 0; trial < 20000; ++trial) {
    const std::uint32_t count = 1 + draw_below(random, 40);
    Example example{};
    example.node.narrowed = trial % 2 == 1;
    example.choice.count = example.choice.tried = count;
    example.choice.mean = 0.25f;
    example.choice.bounds = example.node.narrowed ? random_bounds(random) : kUnknown;
    std::vector<Action> actions(count + 8, kNewAction);
    const std::uint32_t most = draw_below(random, 4) == 0 ? 5000 : 4;  // often equal actions
    for (Action& action : actions) {
      action.visits = draw_below(random, most);
      action.unobserved = static_cast<std::uint16_t>(draw_below(random, 3) + (trial % 3 > 0));
      action.mean = action.visits == 0 ? 0.0f : (static_cast<float>(draw_below(random, 5)) - 2) / 2;
      action.bounds = example.node.narrowed ? random_bounds(random) : kUnknown;
    }
    const float width = static_cast<float>(draw_below(random, 3));
    CHECK_EQUAL(select(example.node, example.choice, actions.data(), width),
                expected(example.node, example.choice, actions, width));
  }
}

}  // namespace

TESTS(int, char**) {
  const SelectWithVectors select = select_with_vectors();
  if (select != nullptr) check_same_selection(select);
}

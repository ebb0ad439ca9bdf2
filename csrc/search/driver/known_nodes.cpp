#include "search/driver/known_nodes.hpp"

#include <algorithm>

#include "search/playout/reward.hpp"

namespace ggp {

KnownNodes known_nodes(const Tree& tree, std::uint32_t least_visits) {
  KnownNodes found;
  tree.for_each_node([&](Index index) {
    const Node& node = tree.node(index);
    if (index == tree.root() || node.visits == 0 || node.visits < least_visits) return;
    const std::vector<std::uint64_t> state = tree.state(index);
    found.states.insert(found.states.end(), state.begin(), state.end());
    for (int role = 0; role < tree.roles(); ++role) {
      const Bounds bounds = node.bounds(role);
      const auto least = static_cast<float>(reward_of_goal(bounds.pessimistic));
      const auto most = static_cast<float>(reward_of_goal(bounds.optimistic));
      found.rewards.push_back(std::clamp(node.mean(role), least, most));
    }
    found.visits.push_back(node.visits);
  });
  return found;
}

}  // namespace ggp

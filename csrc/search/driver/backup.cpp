// The backup of rewards along a path, and the withdrawal of a path (traversal.hpp).
#include <algorithm>
#include <limits>

#include "search/driver/traversal.hpp"
#include "search/playout/reward.hpp"

namespace ggp {

// If bounds of the mover's goal are proven, changes the rewards from the node upwards to agree with them. `mean` is the
// mean of the action taken.
void Traversal::correct(const Node& node, float mean, double* rewards) const {
  const Bounds bounds = node.choices()[0].bounds;
  const double least = reward_of_goal(bounds.pessimistic), most = reward_of_goal(bounds.optimistic);
  double& reward = rewards[node.mover];
  if (bounds.pessimistic > 0 && mean < least) {
    reward = least;
  } else if (bounds.optimistic < 100 && mean > most) {
    reward = most;
  } else {
    return;
  }
  if (tree_.roles() == 2 && tree_.constant_sum()) rewards[1 - node.mover] = -reward;
}

void Traversal::hand_up_maximum(const Node& node, double* rewards) const {
  const Choice& choice = node.choices()[0];
  const Actions actions = tree_.actions(choice);
  float most = -std::numeric_limits<float>::infinity();
  for (std::uint32_t i = 0; i < choice.tried; ++i) {
    const Action action = actions[i];
    if (action.visits > 0) most = std::max(most, action.mean);
  }
  rewards[node.mover] = most;
  if (tree_.roles() == 2 && tree_.constant_sum()) rewards[1 - node.mover] = -rewards[node.mover];
}

void Traversal::backup(const Path& path, const double* rewards) {
  const int roles = tree_.roles();
  std::copy(rewards, rewards + roles, rewards_.begin());
  for (std::size_t number = path.depth(); number-- > 0;) {
    const std::uint32_t* step = path.step(number);
    Node& node = tree_.node(step[0]);
    --node.unobserved;
    const std::uint32_t visits = ++node.visits;
    const float share = 1.0f / static_cast<float>(visits);
    if (node.mover != kSimultaneous) {
      Choice& choice = node.choices()[0];
      const Actions actions = tree_.actions(choice);
      actions.observe(step[1], rewards_[node.mover]);
      if (maximum_from_ > 0 && visits >= maximum_from_) hand_up_maximum(node, rewards_.data());
      if (node.narrowed) correct(node, actions[step[1]].mean, rewards_.data());
      Bystander* bystander = node.bystanders();
      if (roles == 2) {
        take_in_both(choice.mean, bystander->mean, rewards_[node.mover], rewards_[1 - node.mover], visits, share);
        continue;
      }
      take_in(choice.mean, rewards_[node.mover], visits, share);
      for (int role = 0; role < roles; ++role) {
        if (role != node.mover) take_in((bystander++)->mean, rewards_[role], visits, share);
      }
      continue;
    }
    for (int role = 0; role < roles; ++role) {
      Choice& choice = node.choices()[role];
      if (choice.count > 1) tree_.actions(choice).observe(step[2 + role], rewards_[role]);
      take_in(choice.mean, rewards_[role], visits, share);
    }
  }
}

void Traversal::withdraw(const Path& path) {
  const int roles = tree_.roles();
  const std::uint32_t* step = path.words.data();
  const std::uint32_t* end = step + path.words.size();
  while (step != end) {
    Node& node = tree_.node(step[0]);
    --node.unobserved;
    if (node.mover != kSimultaneous) {
      tree_.actions(node.choices()[0]).withdraw(step[1]);
      step += 2;
      continue;
    }
    if (step[1] != 0) --tree_.find_joint(node, step + 2)->visits;
    for (int role = 0; role < roles; ++role) {
      if (node.choices()[role].count > 1) tree_.actions(node.choices()[role]).withdraw(step[2 + role]);
    }
    step += 2 + roles;
  }
}

}  // namespace ggp

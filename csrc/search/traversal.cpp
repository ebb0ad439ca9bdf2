#include "search/traversal.hpp"

namespace ggp {

Traversal::Traversal(Tree& tree, const Selection& selection)
    : tree_(tree), selection_(selection), places_(tree.roles()) {}

// Finds the action that a role follows in a node, making it where it is new; false where memory for a
// new action is refused.
bool Traversal::take_action(Index index, int role, std::uint32_t& place) {
  const Node& node = tree_.node(index);
  const Choice& choice = node.choices()[role];
  place = selection_.select(node, choice, choice.tried > 0 ? tree_.actions(choice) : nullptr, random_);
  if (place < choice.tried) return true;
  const std::uint64_t random = draw(random_);
  if (order_ == nullptr || choice.count == 1) return tree_.add_action(index, role, random) >= 0;
  const std::uint32_t untried = choice.count - choice.tried;
  return tree_.add_untried(index, role, order_->first_to_try(role, tree_.untried_moves(choice), untried, random)) >= 0;
}

Edge Traversal::descend(Path& path, Index index) {
  const int roles = tree_.roles();
  for (;;) {
    Node& node = tree_.node(index);
    const std::size_t step = path.words.size();
    // Room for a whole step first, so that running out of memory leaves no half of one.
    if (path.words.capacity() - step < 2 + std::size_t(roles)) path.words.reserve(2 * step + 2 + roles);
    if (node.state != kNone) {
      path.stored = index;
      path.stored_at = step;
    }
    bool seen;
    Index child;
    if (node.mover != kSimultaneous) {
      std::uint32_t place;
      if (!take_action(index, node.mover, place)) return Edge::kNoMemory;
      path.words.push_back(index);
      path.words.push_back(place);
      Action& action = tree_.actions(node.choices()[node.mover])[place];
      seen = action.visits + action.unobserved > 0;
      child = action.child;
      ++action.unobserved;
    } else {
      for (int role = 0; role < roles; ++role) {
        places_[role] = 0;
        if (node.choices()[role].count > 1 && !take_action(index, role, places_[role])) return Edge::kNoMemory;
      }
      const Index joint = tree_.joint_action(index, places_.data());
      path.words.push_back(index);
      path.words.push_back(joint);
      path.words.insert(path.words.end(), places_.begin(), places_.end());
      for (int role = 0; role < roles; ++role) {
        Choice& choice = node.choices()[role];
        if (choice.count > 1) ++tree_.actions(choice)[places_[role]].unobserved;
      }
      seen = joint != kNone && tree_.joint(joint).visits++ > 0;
      child = joint != kNone ? tree_.joint(joint).child : kNone;
    }
    ++node.unobserved;
    path.last = step;
    ++path.depth;
    if (child == kNone) return seen ? Edge::kExpand : Edge::kFirstVisit;
    if (is_terminal(child)) return Edge::kTerminal;
    index = child;
  }
}

Index& Traversal::last_child(const Path& path) {
  const std::uint32_t* step = &path.words[path.last];
  Node& node = tree_.node(step[0]);
  if (node.mover != kSimultaneous) return tree_.actions(node.choices()[node.mover])[step[1]].child;
  if (step[1] != kNone) return tree_.joint(step[1]).child;
  unkept_ = kNone;
  return unkept_;
}

std::size_t Traversal::joint_move(const Path& path, std::size_t step, int* moves) const {
  const std::uint32_t* words = &path.words[step];
  const Node& node = tree_.node(words[0]);
  const bool simultaneous = node.mover == kSimultaneous;
  for (int role = 0; role < tree_.roles(); ++role) {
    const Choice& choice = node.choices()[role];
    std::uint32_t move = choice.moves;
    if (choice.count > 1) move = tree_.actions(choice)[words[simultaneous ? 2 + role : 1]].move;
    moves[role] = static_cast<int>(move);
  }
  return step + 2 + (simultaneous ? tree_.roles() : 0);
}

void Traversal::backup(const Path& path, const double* rewards) {
  const int roles = tree_.roles();
  auto observe = [&](Choice& choice, std::uint32_t place, double reward) {
    Action& action = tree_.actions(choice)[place];
    ++action.visits;
    --action.unobserved;
    action.reward += reward;
  };
  const std::uint32_t* step = path.words.data();
  const std::uint32_t* end = step + path.words.size();
  while (step != end) {
    Node& node = tree_.node(step[0]);
    Choice* choices = node.choices();
    ++node.visits;
    --node.unobserved;
    for (int role = 0; role < roles; ++role) choices[role].reward += rewards[role];
    if (node.mover != kSimultaneous) {
      observe(choices[node.mover], step[1], rewards[node.mover]);
      step += 2;
      continue;
    }
    for (int role = 0; role < roles; ++role) {
      if (choices[role].count > 1) observe(choices[role], step[2 + role], rewards[role]);
    }
    step += 2 + roles;
  }
}

void Traversal::withdraw(const Path& path) {
  const int roles = tree_.roles();
  const std::uint32_t* step = path.words.data();
  const std::uint32_t* end = step + path.words.size();
  while (step != end) {
    Node& node = tree_.node(step[0]);
    Choice* choices = node.choices();
    --node.unobserved;
    if (node.mover != kSimultaneous) {
      --tree_.actions(choices[node.mover])[step[1]].unobserved;
      step += 2;
      continue;
    }
    if (step[1] != kNone) --tree_.joint(step[1]).visits;
    for (int role = 0; role < roles; ++role) {
      if (choices[role].count > 1) --tree_.actions(choices[role])[step[2 + role]].unobserved;
    }
    step += 2 + roles;
  }
}

}  // namespace ggp

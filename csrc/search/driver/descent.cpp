// The descent of simulations through the tree (traversal.hpp).
#include "search/driver/traversal.hpp"

#include "search/selection/amaf.hpp"
#include "search/selection/heuristic.hpp"

namespace ggp {

namespace {

// Number of visits between two updates of a node from proofs that its edges do not show.
constexpr std::uint32_t kUpdateEvery = 64;

// Replaces the selected place by the place of the node's latest action if both are equal. The processor predicts this
// branch and reads the next node before the selection is computed, so a step does not wait for the previous step.
inline void predict(Node& node, std::uint32_t& place) {
  const std::uint32_t latest = node.latest;
  std::uint32_t predicted = latest;
  asm("" : "+r"(predicted));  // otherwise a compiler uses the computed place
  if (place == latest) {
    place = predicted;
  } else {
    node.latest = static_cast<std::uint16_t>(place);
  }
}

bool is_narrower(Bounds one, Bounds other) {
  return one.pessimistic > other.pessimistic || one.optimistic < other.optimistic;
}

}  // namespace

Traversal::Traversal(Tree& tree, const Selection& selection)
    : tree_(tree),
      selection_(selection),
      compares_untried_(tree.compares_untried()),
      knows_more_(compares_untried_),
      uct_(compares_untried_ ? nullptr : dynamic_cast<const UctSelection*>(&selection)),
      places_(tree.roles()),
      rewards_(tree.roles()) {}

void Traversal::find_known_moves(const Path& path, Index index, int role) {
  const Node& node = tree_.node(index);
  if (compares_untried_) {
    const Choice& choice = node.choice(role);
    known_.priors = {tree_.priors(index), choice.count};
    known_.probabilities = tree_.probabilities(index);
    known_.at_root = index == tree_.root();
    if (amaf_ != nullptr)
      known_.amaf = amaf_->view(path.reference, role, tree_.list_moves(choice, untried_), choice.count);
  }
  if (heuristic_ != nullptr)
    known_.heuristic = node.mover != kSimultaneous ? heuristic_->view(index) : HeuristicView{};
}

// Finds the action that a role follows in a node, and adds it if it is new. If memory for a new action is refused, the
// role selects among existing actions; returns false if all of them are closed.
bool Traversal::take_action(const Path& path, Index index, int role, std::uint32_t& place) {
  const Node& node = tree_.node(index);
  const Choice& choice = node.choice(role);
  if (knows_more_) find_known_moves(path, index, role);
  const auto select = [&](const Choice& among) {
    const Action* actions = tree_.make_full(index, role);
    return actions == nullptr ? among.tried : selection_.select(node, among, actions, known_, random_);
  };
  const bool compares_untried = compares_untried_ && known_.compares_untried();
  if (compares_untried && tree_.make_full(index, role) == nullptr) return false;
  // Single-visit actions are not compared if untried moves come first.
  place = compares_untried || choice.full || choice.bounds.settled() ? select(choice) : choice.tried;
  if (place < choice.tried) return true;
  if (!compares_untried) {
    if (add_action(index, role, choice)) return true;
  } else if (!choice.is_complete()) {
    const int made = tree_.add_untried(index, role, place - choice.tried);
    place = static_cast<std::uint32_t>(made);
    if (made >= 0) return true;
  }
  if (choice.tried == 0) return false;
  Choice tried = choice;
  tried.count = tried.tried;
  place = select(tried);
  return place < tried.tried;
}

// Adds the action of a move that was never tried; returns false if memory for it is refused.
bool Traversal::add_action(Index index, int role, const Choice& choice) {
  const std::uint64_t random = draw(random_);
  if (order_ == nullptr || choice.count == 1) return tree_.add_action(index, role, random) >= 0;
  const std::uint32_t* untried = tree_.list_moves(choice, untried_);
  const std::uint32_t count = choice.count - choice.tried;
  return tree_.add_untried(index, role, order_->first_to_try(role, untried, count, random)) >= 0;
}

Edge Traversal::descend(Path& path, Index index) {
  const int roles = tree_.roles();
  for (;;) {
    Node& node = tree_.node(index);
    const std::size_t step = path.words.size();
    // Reserves memory for a complete step first, so that an allocation failure leaves no partial step.
    path.words.reserve_more(2 + std::size_t(roles));
    path.begins.reserve_more(1);
    path.deepest = index;
    if (amaf_ != nullptr) amaf_->arrive(path, index);
    path.deepest_at = step;
    bool seen;
    Index child;
    Bounds known = kUnknown;
    if (node.mover != kSimultaneous) {
      std::uint32_t place;
      const Choice& choice = node.choices()[0];
      if (uct_ != nullptr && choice.full && choice.is_complete()) {
        const Action* const all = tree_.actions(choice).all();
        const Index expected = all[node.latest].child;
        if (is_node(expected)) tree_.expect(expected);
        place = uct_->select_tried(node, choice, all, random_);
      } else if (!take_action(path, index, node.mover, place)) {
        return Edge::kNoMemory;
      }
      predict(node, place);
      path.words.add(index);
      path.words.add(place);
      const Actions actions = tree_.actions(choice);
      if (choice.full) {
        Action& action = actions.all()[place];
        seen = action.visits + action.unobserved++ > 0;
        child = action.child;
        known = action.bounds;
      } else {
        seen = false;
        child = kNone;
        actions.begin(place);
      }
    } else {
      for (int role = 0; role < roles; ++role) {
        places_[role] = 0;
        if (node.choices()[role].count > 1 && !take_action(path, index, role, places_[role])) return Edge::kNoMemory;
      }
      JointAction* joint = tree_.joint_action(index, places_.data());
      path.words.add(index);
      path.words.add(joint != nullptr);
      for (const std::uint32_t place : places_) path.words.add(place);
      for (int role = 0; role < roles; ++role) {
        Choice& choice = node.choices()[role];
        if (choice.count > 1) tree_.actions(choice).begin(places_[role]);
      }
      seen = joint != nullptr && joint->visits++ > 0;
      child = joint != nullptr ? joint->child : kNone;
    }
    ++node.unobserved;
    node.round = tree_.round();
    path.begins.add(static_cast<std::uint32_t>(step));
    if (child == kNone) return seen ? Edge::kExpand : Edge::kFirstVisit;
    if (is_terminal(child)) return Edge::kTerminal;
    if (tree_.shares() && brings_news(node, known, child)) return Edge::kNews;
    index = child;
  }
}

// Whether simulations on other paths may have proven bounds of a shared child. The bounds of an action show such proofs
// for the mover only, and not in a simultaneous node.
bool Traversal::brings_news(const Node& node, Bounds known, const Node& below) const {
  const bool simultaneous = node.mover == kSimultaneous;
  if (!simultaneous && is_narrower(below.bounds(node.mover), known)) return true;
  const bool shows = !simultaneous && (tree_.roles() == 1 || (tree_.roles() == 2 && tree_.constant_sum()));
  return !shows && (node.visits + node.unobserved) % kUpdateEvery == 0;
}

Index Traversal::child(const Path& path) const {
  const std::uint32_t* step = path.last();
  const Node& node = tree_.node(step[0]);
  if (node.mover != kSimultaneous) return tree_.actions(node.choices()[0])[step[1]].child;
  return step[1] != 0 ? tree_.find_joint(node, step + 2)->child : kNone;
}

void Traversal::set_child(const Path& path, Index child) {
  const std::uint32_t* step = path.last();
  const Node& node = tree_.node(step[0]);
  if (node.mover == kSimultaneous) {
    if (step[1] != 0) tree_.find_joint(node, step + 2)->child = child;
  } else if (Action* actions = tree_.make_full(step[0], node.mover)) {
    actions[step[1]].child = child;
  }
}

std::size_t Traversal::joint_move(const Path& path, std::size_t step, int* moves) const {
  const std::uint32_t* words = path.words.data() + step;
  const Node& node = tree_.node(words[0]);
  const bool simultaneous = node.mover == kSimultaneous;
  for (int role = 0; role < tree_.roles(); ++role) {
    if (!node.chooses(role)) {
      moves[role] = tree_.only_move(node, role);
    } else {
      moves[role] = static_cast<int>(tree_.move(node.choice(role), words[simultaneous ? 2 + role : 1]));
    }
  }
  return step + 2 + (simultaneous ? tree_.roles() : 0);
}

}  // namespace ggp

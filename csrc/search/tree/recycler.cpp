#include "search/tree/recycler.hpp"

#include <algorithm>

namespace ggp {

void Recycler::reset() {
  way_.clear();
  threshold_ = kFirstThreshold;
  at_first_ = 0;
  owed_ = 0;
  refusals_ = tree_.refusals();
}

void Recycler::begin_round() {
  if (at_first_ == 0) {
    // Two new rounds, so that all existing visits are old enough.
    tree_.next_round();
  } else if (recycled_ < at_first_ / 8) {
    threshold_ = std::min(2 * threshold_, 1u << 30);
  } else if (recycled_ > at_first_ / 2) {
    threshold_ = std::max(threshold_ / 2, 2u);
  }
  tree_.next_round();
  at_first_ = tree_.nodes();
  recycled_ = 0;
  if (tree_.shares()) met_.clear(tree_.units());
  way_.push_back({tree_.root(), 0});
}

// Returns the next child reference of a node, null if there are no more.
Index* Recycler::next_child(Stage& stage) {
  const Node& node = tree_.node(stage.node);
  if (node.mover != kSimultaneous) {
    const Choice& choice = node.choices()[0];
    return choice.full && stage.next < choice.tried ? &tree_.actions(choice).all()[stage.next++].child : nullptr;
  }
  JointTable* table = tree_.joints(node);
  while (table != nullptr && stage.next < table->capacity) {
    Index* child = &table->entries()[stage.next++].child;
    if (*child != kVacant) return child;
  }
  return nullptr;
}

bool Recycler::is_useless(const Node& node) const {
  const auto age = static_cast<std::uint8_t>(tree_.round() - node.round);
  return node.visits < (age > 1 ? threshold_ : threshold_ / 8) && node.unobserved == 0;
}

void Recycler::make_room(std::size_t looks) {
  if (!is_node(tree_.root())) return;
  if (owed_ == 0 && (tree_.room() < reserve_ || tree_.refusals() != refusals_)) {
    owed_ = reserve_;
    refusals_ = tree_.refusals();
  }
  for (; owed_ > 0 && looks > 0; --looks) {
    if (tree_.has_discarded()) {
      const std::size_t bytes = tree_.bytes();
      tree_.free_discarded(1);
      owed_ -= std::min(owed_, bytes - tree_.bytes());
      continue;
    }
    if (way_.empty()) begin_round();
    Index* child = next_child(way_.back());
    if (child == nullptr) {
      way_.pop_back();
    } else if (is_node(*child) && is_useless(tree_.node(*child))) {
      recycle(*child);
    } else if (is_node(*child) && (!tree_.shares() || met_.is_first(*child))) {
      way_.push_back({*child, 0});
    }
  }
}

void Recycler::recycle(Index& child) {
  const std::size_t nodes = tree_.nodes(), bytes = tree_.bytes();
  tree_.discard(child);
  child = kNone;
  recycled_ += nodes - tree_.nodes();
  owed_ -= std::min(owed_, bytes - tree_.bytes());
}

}  // namespace ggp

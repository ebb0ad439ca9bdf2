#include "search/tree.hpp"

#include <algorithm>
#include <cstring>

#include "random.hpp"

namespace ggp {

namespace {

constexpr std::size_t kNodesPerChunk = 1 << 12;
constexpr std::size_t kActionsPerChunk = 1 << 13;
constexpr std::size_t kMovesPerChunk = 1 << 15;

// The part of the memory that is kept for the actions of nodes that exist already.
std::size_t node_budget(std::size_t memory_bytes) { return memory_bytes - memory_bytes / 8; }

// A block holds a power of two of actions, but never more than there are moves.
std::uint32_t block_size(std::uint32_t tried, std::uint32_t count) {
  std::uint32_t size = 2;
  while (size < tried) size *= 2;
  return std::min(size, count);
}

int log2_of(std::uint32_t power) { return __builtin_ctz(power); }

bool chooses(const Node& node, const Choice& choice, int role) {
  return node.mover == kSimultaneous ? choice.count > 1 : role == node.mover;
}

}  // namespace

std::uint64_t joint_code(const Node& node, const std::uint32_t* places, int roles) {
  std::uint64_t code = 0;
  std::uint64_t combinations = 1;
  bool overflow = false;
  for (int role = 0; role < roles; ++role) {
    std::uint64_t count = node.choices()[role].count;
    if (count == 1) continue;
    overflow |= __builtin_mul_overflow(combinations, count, &combinations);
    code = code * count + places[role];
  }
  if (!overflow) return code;
  code = 0;
  for (int role = 0; role < roles; ++role) {
    if (node.choices()[role].count > 1) code = mix64(code * 0x9E3779B97F4A7C15ull + places[role] + 1);
  }
  return code;
}

Tree::Tree(int roles, int state_words, int widest, std::size_t memory_bytes)
    : roles_(roles),
      state_words_(state_words),
      widest_(widest),
      memory_bytes_(memory_bytes),
      nodes_(sizeof(Node) + roles * sizeof(Choice), kNodesPerChunk),
      states_(state_words * sizeof(std::uint64_t), kNodesPerChunk),
      moves_(kMovesPerChunk, widest),
      actions_(kActionsPerChunk, widest) {
  free_blocks_.fill(kNone);
}

bool Tree::room_for(const LegalMoves& legal) const {
  std::size_t need = sizeof(Node) + roles_ * sizeof(Choice) + state_words_ * sizeof(std::uint64_t) +
                     legal.moves.size() * sizeof(std::uint32_t);
  return bytes() + need <= node_budget(memory_bytes_);
}

Index Tree::add_node(const LegalMoves& legal) {
  int choosers = 0;
  int mover = 0;
  for (int role = 0; role < roles_; ++role) {
    if (legal.count(role) > 1) {
      ++choosers;
      mover = role;
    }
  }
  Index state = states_.allocate(1);
  Index index = nodes_.allocate(1);
  Node& made = node(index);
  made = {0, 0, choosers > 1 ? kSimultaneous : static_cast<std::uint16_t>(mover), state, kNone};
  for (int role = 0; role < roles_; ++role) {
    const int* moves = legal.moves.data() + legal.begin[role];
    auto count = static_cast<std::uint32_t>(legal.count(role));
    std::uint32_t where = static_cast<std::uint32_t>(moves[0]);
    if (count > 1) {
      where = moves_.allocate(count);
      std::copy(moves, moves + count, moves_.at(where));
    }
    made.choices()[role] = {0.0, where, count, kNone, 0};
  }
  return index;
}

bool Tree::block_is_full(const Choice& choice) const {
  return choice.tried == 0 || block_size(choice.tried, choice.count) == choice.tried;
}

Index Tree::take_block(std::uint32_t items) {
  if ((items & (items - 1)) == 0) {
    Index& head = free_blocks_[log2_of(items)];
    if (head != kNone) {
      Index block = head;
      head = actions_.at(block)->child;
      return block;
    }
  }
  return actions_.allocate(items);
}

int Tree::add_action(Index index, int role, std::uint64_t random) {
  const Choice& choice = node(index).choices()[role];
  return add_untried(index, role, draw_below(random, choice.count - choice.tried));
}

int Tree::add_untried(Index index, int role, std::uint32_t which) {
  Choice& choice = node(index).choices()[role];
  std::uint32_t place = choice.tried;
  if (block_is_full(choice)) {
    std::uint32_t size = block_size(place + 1, choice.count);
    if (index != root_ && bytes() + size * sizeof(Action) > memory_bytes_) return -1;
    Index block = take_block(size);
    if (place > 0) {
      std::copy_n(actions(choice), place, actions_.at(block));
      actions(choice)->child = free_blocks_[log2_of(place)];
      free_blocks_[log2_of(place)] = choice.actions;
    }
    choice.actions = block;
  }
  std::uint32_t move = choice.moves;
  if (choice.count > 1) {
    std::uint32_t* moves = moves_.at(choice.moves);
    std::swap(moves[place], moves[place + which]);
    move = moves[place];
  }
  actions(choice)[place] = {0.0, 0, kNone, move, 0, 0};
  ++choice.tried;
  return static_cast<int>(place);
}

Index Tree::joint_action(Index index, const std::uint32_t* places) {
  Node& here = node(index);
  std::uint64_t code = joint_code(here, places, roles_);
  Index found = joints_.find(index, code);
  if (found != kNone) return found;
  if (index != root_ && bytes() + joints_.cost_of_add() > node_budget(memory_bytes_)) return kNone;
  return here.joints = joints_.add(index, code, here.joints);
}

Index Tree::terminal(const int* goals) {
  std::uint64_t key = 0;
  for (int role = 0; role < roles_; ++role) key = mix64(key + static_cast<std::uint64_t>(goals[role] + 2));
  auto [first, last] = outcome_by_hash_.equal_range(key);
  for (; first != last; ++first) {
    if (std::equal(goals, goals + roles_, this->goals(first->second))) return first->second;
  }
  Index reference = static_cast<Index>(outcomes_.size() / roles_) | kTerminalBit;
  outcomes_.insert(outcomes_.end(), goals, goals + roles_);
  outcome_by_hash_.emplace(key, reference);
  return reference;
}

Index Tree::child(Index index, const int* moves) const {
  const Node& from = node(index);
  std::vector<std::uint32_t> places(roles_, 0);
  for (int role = 0; role < roles_; ++role) {
    const Choice& choice = from.choices()[role];
    if (!chooses(from, choice, role)) continue;
    std::uint32_t place = 0;
    while (place < choice.tried && actions(choice)[place].move != static_cast<std::uint32_t>(moves[role])) ++place;
    if (place == choice.tried) return kNone;
    places[role] = place;
  }
  if (from.mover != kSimultaneous) return actions(from.choices()[from.mover])[places[from.mover]].child;
  Index joint = joints_.find(index, joint_code(from, places.data(), roles_));
  return joint == kNone ? kNone : joints_.at(joint).child;
}

Index Tree::copy_node(const Tree& from, const Node& source) {
  Index index = nodes_.allocate(1);
  Node& made = node(index);
  std::memcpy(static_cast<void*>(&made), &source, sizeof(Node) + roles_ * sizeof(Choice));
  made.joints = kNone;
  if (source.state != kNone) {
    made.state = states_.allocate(1);
    std::memcpy(states_.at(made.state), from.states_.at(source.state), state_words_ * sizeof(std::uint64_t));
  }
  for (int role = 0; role < roles_; ++role) {
    Choice& choice = made.choices()[role];
    const Choice& old = source.choices()[role];
    // A list of moves that were all tried is never asked again: the actions name them.
    if (choice.count > 1 && choice.tried < choice.count) {
      choice.moves = moves_.allocate(choice.count);
      std::copy_n(from.moves_.at(old.moves), old.count, moves_.at(choice.moves));
    }
    if (choice.tried > 0) {
      choice.actions = actions_.allocate(block_size(choice.tried, choice.count));
      std::copy_n(from.actions(old), old.tried, actions(choice));
    }
  }
  return index;
}

Tree Tree::extract(Index top) const {
  Tree kept(roles_, state_words_, widest_, memory_bytes_);
  kept.outcomes_ = outcomes_;
  kept.outcome_by_hash_ = outcome_by_hash_;
  // origin[i] is the node here that became node i there; copies are made in the order of the numbers.
  std::vector<Index> origin{top};
  std::vector<Index> joints;
  kept.root_ = kept.copy_node(*this, node(top));
  for (Index index = 0; index < origin.size(); ++index) {
    auto keep = [&](Index child) {
      if (!is_node(child)) return child;
      origin.push_back(child);
      return kept.copy_node(*this, node(child));
    };
    Node& copy = kept.node(index);
    if (copy.mover != kSimultaneous) {
      Choice& choice = copy.choices()[copy.mover];
      for (std::uint32_t i = 0; i < choice.tried; ++i) {
        Action& action = kept.actions(choice)[i];
        action.child = keep(action.child);
      }
      continue;
    }
    joints.clear();
    for (Index at = node(origin[index]).joints; at != kNone; at = joints_.at(at).next) joints.push_back(at);
    for (auto at = joints.rbegin(); at != joints.rend(); ++at) {
      const JointAction& old = joints_.at(*at);
      copy.joints = kept.joints_.add(index, old.code, copy.joints);
      JointAction& joint = kept.joints_.at(copy.joints);
      joint.visits = old.visits;
      joint.child = keep(old.child);
    }
  }
  return kept;
}

std::uint64_t Tree::hash() const {
  std::uint64_t sum = 0x67677074;
  auto add = [&sum](std::uint64_t value) { sum = mix64(sum * 0x9E3779B97F4A7C15ull + value); };
  auto add_reward = [&add](double reward) {
    std::uint64_t bits;
    std::memcpy(&bits, &reward, sizeof bits);
    add(bits);
  };
  std::vector<Index> open{root_};
  while (!open.empty()) {
    Index at = open.back();
    open.pop_back();
    if (at == kNone) {
      add(1);
      continue;
    }
    if (is_terminal(at)) {
      for (int role = 0; role < roles_; ++role) add(static_cast<std::uint64_t>(goals(at)[role] + 2));
      continue;
    }
    const Node& here = node(at);
    add(here.visits);
    add(here.unobserved);
    add(here.mover);
    for (int role = 0; role < roles_; ++role) {
      const Choice& choice = here.choices()[role];
      add_reward(choice.reward);
      add(choice.count);
      for (std::uint32_t i = 0; i < choice.tried; ++i) {
        const Action& action = actions(choice)[i];
        add(action.move);
        add(action.visits);
        add(action.unobserved);
        add_reward(action.reward);
        if (role == here.mover) open.push_back(action.child);
      }
    }
    for (Index joint = here.joints; joint != kNone; joint = joints_.at(joint).next) {
      add(joints_.at(joint).code);
      add(joints_.at(joint).visits);
      open.push_back(joints_.at(joint).child);
    }
  }
  return sum;
}

}  // namespace ggp

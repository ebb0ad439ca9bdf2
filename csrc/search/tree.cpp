#include "search/tree.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "random.hpp"

namespace ggp {

namespace {

// Rows of fewer words are kept as they are. The state is asked for by every simulation, and fewer words are a small part
// of a node; a set is asked for one move at a time, and every action block has one.
constexpr int kManyOfState = 8, kManyOfSet = 2;

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

Tree::Tree(int roles, int state_words, int widest, std::size_t memory_bytes, bool shares, std::size_t amaf_moves,
           bool evaluates)
    : roles_(roles),
      states_(state_words, kManyOfState),
      widest_(widest),
      legal_((widest + 63) / 64, kManyOfSet),
      memory_bytes_(memory_bytes),
      amaf_moves_(amaf_moves),
      values_(evaluates ? static_cast<std::uint32_t>(roles) + 1 : 0),
      shares_(shares),
      heap_(memory_bytes),
      outcomes_(roles),
      turns_(roles),
      turn_(roles),
      room_(state_words),
      set_(legal_.words()) {
  list_.reserve(widest);
}

// ---- the parts of a node

// The bytes before the state.
std::size_t Tree::head_bytes(bool simultaneous) const {
  const std::size_t roles = roles_;
  const std::size_t bytes = sizeof(Node) + (simultaneous ? roles * sizeof(Choice)
                                                         : sizeof(Choice) + (roles - 1) * sizeof(Bystander));
  return Heap::units_for(bytes) * Heap::kUnit;
}

std::size_t Tree::node_units(Index index) const {
  const std::uint8_t* state = packed(index);
  return Heap::units_for(state - reinterpret_cast<const std::uint8_t*>(heap_.at(index)) + states_.size(state));
}

// ---- growing

Index Tree::add_node(const LegalMoves& legal, const std::uint64_t* state, bool as_root) {
  int choosers = 0;
  int mover = 0;
  for (int role = 0; role < roles_; ++role) {
    const bool chooses = legal.count(role) > 1;
    turn_[role] = chooses ? -1 : legal.moves[legal.begin[role]];
    if (!chooses) continue;
    ++choosers;
    mover = role;
  }
  const Index turn = turns_.add(turn_.data());
  const bool simultaneous = choosers > 1;
  const std::size_t bytes = head_bytes(simultaneous) + slot_bytes() + states_.packed_bytes(state);
  const Index index = heap_.allocate(Heap::units_for(bytes), as_root);
  if (index == kNone) return kNone;
  Node& made = node(index);
  made = {0, 0, simultaneous ? kSimultaneous : static_cast<std::uint16_t>(mover), turn, kNone, 0, false, round_};
  if (amaf_moves_ > 0) amaf_slot(index) = kNone;
  states_.pack(state, packed(index));
  bool filled = true;
  for (int role = 0; role < roles_; ++role) {
    if (!made.has_choice(role)) {
      made.bystander(role) = {0.0f, kUnknown, 0};
    } else if (simultaneous && legal.count(role) == 1) {
      made.choice(role) = {0.0f, 1, 0, false, kNone, kUnknown, 0};
    } else if (filled) {
      filled = fill_choice(made.choice(role), &legal.moves[legal.begin[role]], legal.count(role), as_root);
    } else {
      made.choice(role).actions = kNone;
    }
  }
  made.parents() = 1;
  made.set_ply(0);
  ++nodes_;
  if (filled) return index;
  give_back(index);
  return kNone;
}

JointAction* Tree::find_joint(const Node& here, const std::uint32_t* places) const {
  JointTable* table = joints(here);
  JointAction* found = table == nullptr ? nullptr : table->find(joint_code(here, places, roles_));
  return found == nullptr || found->child == kVacant ? nullptr : found;
}

JointAction* Tree::joint_action(Index index, const std::uint32_t* places) {
  Node& here = node(index);
  const std::uint64_t code = joint_code(here, places, roles_);
  JointTable* table = joints(here);
  JointAction* found = table == nullptr ? nullptr : table->find(code);
  if (found != nullptr && found->child != kVacant) return found;
  if (table == nullptr || table->is_full()) {
    const std::uint32_t size = table == nullptr ? 1 : 2 * table->capacity;
    const Index block = heap_.allocate(JointTable::units(size), index == root_);
    if (block == kNone) return nullptr;
    JointTable* larger = reinterpret_cast<JointTable*>(heap_.at(block));
    larger->clear(size);
    if (table != nullptr) {
      for (std::uint32_t i = 0; i < table->capacity; ++i) {
        const JointAction& entry = table->entries()[i];
        if (entry.child != kVacant) *larger->find(entry.code) = entry;
      }
      larger->used = table->used;
      heap_.give_back(here.joints, JointTable::units(table->capacity));
    }
    here.joints = block;
    table = larger;
    found = table->find(code);
  }
  ++table->used;
  *found = {code, kNone, 0};
  return found;
}

AmafSum* Tree::add_amaf(Index index, bool needed) {
  if (!needed && (amaf_tables_ + 1) * amaf_moves_ * Heap::kUnit > memory_bytes_ / 2) return nullptr;
  const Index table = heap_.allocate(amaf_moves_, needed);
  if (table == kNone) return nullptr;
  ++amaf_tables_;
  amaf_slot(index) = table;
  std::fill_n(amaf(index), amaf_moves_, AmafSum{0.0f, 0});
  return amaf(index);
}

// ---- shrinking

// Gives back the blocks of a node alone.
void Tree::give_back(Index index) {
  Node& here = node(index);
  const bool simultaneous = here.mover == kSimultaneous;
  for (int i = 0; i < (simultaneous ? roles_ : 1); ++i) {
    const Choice& choice = here.choices()[i];
    if (choice.actions == kNone) continue;
    heap_.give_back(choice.actions, action_units(choice));
  }
  if (amaf(index) != nullptr) {
    heap_.give_back(amaf_slot(index), amaf_moves_);
    --amaf_tables_;
  }
  if (simultaneous && here.joints != kNone) heap_.give_back(here.joints, JointTable::units(joints(here)->capacity));
  heap_.give_back(index, node_units(index));
  --nodes_;
}

void Tree::discard(Index top) {
  if (--node(top).parents() > 0) return;
  // The doomed are linked through a field that none of them needs any more.
  Index doomed = top;
  node(top).turn = kNone;
  while (doomed != kNone) {
    const Index index = doomed;
    doomed = node(index).turn;
    for_each_child(node(index), [this, &doomed](Index child) {
      if (!is_node(child) || --node(child).parents() > 0) return;
      node(child).turn = doomed;
      doomed = child;
    });
    if (shares_ && node(index).ply() < kMostPly) {
      table_.remove(tag(state(index, room_.data()), node(index).ply()), index);
    }
    give_back(index);
  }
}

// ---- reading

std::vector<std::uint64_t> Tree::state(Index index) const {
  std::vector<std::uint64_t> copy(state_words());
  if (const std::uint64_t* kept = state(index, copy.data()); kept != copy.data()) std::copy_n(kept, copy.size(), copy.data());
  return copy;
}

Index Tree::child(Index index, const int* moves) const {
  const Node& from = node(index);
  std::vector<std::uint32_t> places(roles_, 0);
  for (int role = 0; role < roles_; ++role) {
    if (!from.chooses(role)) {
      // Legal moves that are no part of the search are not in the node: those beside one that wins at once.
      if (only_move(from, role) != moves[role]) return kNone;
      continue;
    }
    const Choice& choice = from.choice(role);
    places[role] = place_of(choice, static_cast<std::uint32_t>(moves[role]));
    if (places[role] == choice.tried) return kNone;
  }
  if (from.mover != kSimultaneous) return actions(from.choices()[0])[places[from.mover]].child;
  const JointAction* joint = find_joint(from, places.data());
  return joint == nullptr ? kNone : joint->child;
}

// ---- copying

Index Tree::copy_block(const Tree& from, Index block, std::size_t units) {
  const Index copy = heap_.allocate(units, true);
  std::memcpy(heap_.at(copy), from.heap_.at(block), units * Heap::kUnit);
  return copy;
}

Index Tree::copy_node(const Tree& from, Index source) {
  const bool simultaneous = from.node(source).mover == kSimultaneous;
  const Index index = copy_block(from, source, from.node_units(source));
  ++nodes_;
  Node& made = node(index);
  made.round = 0;
  made.parents() = 1;
  for (int i = 0; i < (simultaneous ? roles_ : 1); ++i) {
    Choice& choice = made.choices()[i];
    if (choice.actions == kNone) continue;
    choice.actions = copy_block(from, choice.actions, from.action_units(choice));
  }
  if (from.amaf(source) != nullptr) {
    amaf_slot(index) = copy_block(from, from.amaf_slot(source), amaf_moves_);
    ++amaf_tables_;
  }
  if (simultaneous && made.joints != kNone) {
    made.joints = copy_block(from, made.joints, JointTable::units(from.joints(from.node(source))->capacity));
  }
  return index;
}

// Copies a node for one edge to lead to, or adds an edge to the copy that is there.
Index Tree::copy_or_share(const Tree& from, Index source) {
  const Node& here = from.node(source);
  const bool enters = shares_ && here.ply() < kMostPly;
  const std::uint64_t* state = enters ? from.state(source, room_.data()) : nullptr;
  const std::uint32_t tag = enters ? this->tag(state, here.ply()) : 0;
  if (enters && here.parents() > 1) {
    const Index copy = find(tag, state, here.ply());
    if (copy != kNone) {
      ++node(copy).parents();
      return copy;
    }
  }
  if (enters) make_room_in_table(true);
  const Index copy = copy_node(from, source);
  if (enters) table_.enter(tag, copy);
  return copy;
}

Tree Tree::extract(Index top) const {
  Tree kept(roles_, state_words(), widest_, memory_bytes_, shares_, amaf_moves_, values_ > 0);
  kept.outcomes_ = outcomes_;
  kept.turns_ = turns_;
  kept.constant_sum_ = constant_sum_;
  kept.root_ = kept.copy_node(*this, top);
  // Nodes there whose children are still those here, in two generations.
  std::vector<Index> open{kept.root_}, next;
  while (!open.empty()) {
    next.clear();
    for (const Index index : open) {
      kept.for_each_child(kept.node(index), [&](Index& child) {
        if (!is_node(child)) return;
        const std::size_t before = kept.nodes_;
        child = kept.copy_or_share(*this, child);
        if (kept.nodes_ > before) next.push_back(child);
      });
    }
    open.swap(next);
  }
  return kept;
}

std::uint64_t Tree::hash() const {
  std::uint64_t sum = 0x67677074;
  auto add = [&sum](std::uint64_t value) { sum = mix64(sum * 0x9E3779B97F4A7C15ull + value); };
  auto add_mean = [&add](float mean, Bounds bounds) {
    std::uint32_t bits;
    std::memcpy(&bits, &mean, sizeof bits);
    add(bits | std::uint64_t{bounds.pessimistic} << 32 | std::uint64_t{bounds.optimistic} << 40);
  };
  std::unordered_map<Index, std::uint64_t> shared;  // in the order in which they are met
  std::vector<Index> open{root_};
  std::vector<std::uint32_t> room;
  while (!open.empty()) {
    const Index at = open.back();
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
    if (here.parents() > 1) {
      const auto [met, first] = shared.emplace(at, shared.size());
      if (!first) {
        add(2);
        add(met->second);
        continue;
      }
    }
    add(here.visits);
    add(here.unobserved);
    add(here.mover);
    add(here.plies);
    const AmafSum* sums = amaf(at);
    for (std::size_t move = 0; sums != nullptr && move < amaf_moves_; ++move) {
      std::uint32_t bits;
      std::memcpy(&bits, &sums[move].reward, sizeof bits);
      if (sums[move].count > 0) add(bits | std::uint64_t{sums[move].count} << 32);
    }
    for (int role = 0; role < roles_; ++role) {
      add_mean(here.mean(role), here.bounds(role));
      if (!here.chooses(role)) continue;
      const Choice& choice = here.choice(role);
      add(choice.count);
      const std::uint32_t* moves = list_moves(choice, room);
      for (std::uint32_t i = 0; i < choice.tried; ++i) {
        const Action action = actions(choice)[i];
        add(moves[choice.count - 1 - i]);
        add(action.visits);
        add(action.unobserved);
        add_mean(action.mean, action.bounds);
        for (std::uint32_t value = 0; value < values_; ++value) {
          add_mean(values(choice)[i * values_ + value], kUnknown);
        }
        if (role == here.mover) open.push_back(action.child);
      }
    }
    if (here.mover != kSimultaneous || here.joints == kNone) continue;
    const JointTable& table = *joints(here);
    for (std::uint32_t i = 0; i < table.capacity; ++i) {
      const JointAction& joint = table.entries()[i];
      if (joint.child == kVacant) continue;
      add(joint.code);
      add(joint.visits);
      open.push_back(joint.child);
    }
  }
  return sum;
}

}  // namespace ggp

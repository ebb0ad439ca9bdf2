#include "search/tree.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "random.hpp"

namespace ggp {

namespace {

// The actions that the block of a choice has room for: 1, 2, 3, 4, 6, 8, 10 .. 16, 20 .. 32, 40 .., never more than there
// are moves.
std::uint32_t capacity(std::uint32_t tried, std::uint32_t count) {
  if (tried == count) return count;
  if (tried <= 4) return std::min(std::max(tried, 1u), count);
  const std::uint32_t power = 1u << (31 - __builtin_clz(tried - 1)), step = std::max(2u, power / 4);
  return std::min((tried + step - 1) & ~(step - 1), count);
}

// Rows of fewer words are kept as they are. The state is asked for by every simulation, and fewer words are a small part
// of a node; a set is asked for one move at a time, and every action block has one.
constexpr int kManyOfState = 8, kManyOfSet = 2;

std::size_t units_of(std::size_t bytes) { return (bytes + Heap::kUnit - 1) / Heap::kUnit; }

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
  return units_of(bytes) * Heap::kUnit;
}

std::size_t Tree::node_units(Index index) const {
  const std::uint8_t* state = packed(index);
  return units_of(state - reinterpret_cast<const std::uint8_t*>(heap_.at(index)) + states_.size(state));
}

// A block of actions goes on with their values, and then, while some moves were not tried, with the places from which
// the others were taken and the set of legal moves; once all were, with the moves of the actions.
float* Tree::values(const Choice& choice) const {
  return reinterpret_cast<float*>(heap_.at(choice.actions) +
                                  capacity(choice.tried, choice.count) * Actions::bytes_each(choice.whole));
}

// The bytes of a block before the moves, or before the places from which they were taken.
std::size_t Tree::moves_from(const Choice& choice) const {
  return capacity(choice.tried, choice.count) * (Actions::bytes_each(choice.whole) + values_ * sizeof(float));
}

// The bytes before the set of legal moves, or of the whole block where it has none.
std::size_t Tree::set_from(const Choice& choice) const {
  const std::uint32_t limit = choice.is_complete() ? widest_ : choice.count;
  return moves_from(choice) + capacity(choice.tried, choice.count) * ShortNumbers::bytes_each(limit);
}

std::size_t Tree::action_units(const Choice& choice) const {
  return units_of(set_from(choice) + (choice.is_complete() ? 0 : legal_.size(legal_set(choice))));
}

ShortNumbers Tree::moves(const Choice& choice) const {
  return {heap_.at(choice.actions) + moves_from(choice), static_cast<std::uint32_t>(widest_)};
}

TakenPlaces Tree::taken(const Choice& choice) const {
  return {heap_.at(choice.actions) + moves_from(choice), choice.count};
}

std::uint8_t* Tree::legal_set(const Choice& choice) const {
  return reinterpret_cast<std::uint8_t*>(heap_.at(choice.actions) + set_from(choice));
}

// ---- growing

// Makes a choice among moves; false where memory is refused.
bool Tree::fill_choice(Choice& choice, const int* moves, std::size_t count, bool beyond) {
  // Where untried moves do not come first, a move may be taken again at once.
  choice = {0.0f, static_cast<std::uint32_t>(count), 0, amaf_moves_ > 0, kNone, kUnknown, 0};
  std::fill(set_.begin(), set_.end(), 0);
  for (std::size_t i = 0; i < count;) {
    // Those of one word in a register, since each would wait for the last to reach memory.
    const int word = moves[i] / 64;
    std::uint64_t bits = 0;
    for (; i < count && moves[i] / 64 == word; ++i) bits |= std::uint64_t{1} << moves[i] % 64;
    set_[word] |= bits;
  }
  choice.actions = heap_.allocate(units_of(set_from(choice) + legal_.packed_bytes(set_.data())), beyond);
  if (choice.actions == kNone) return false;
  legal_.pack(set_.data(), legal_set(choice));
  return true;
}

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
  const Index index = heap_.allocate(units_of(bytes), as_root);
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

// ---- sharing

Index Tree::add_child(const Node& from, const LegalMoves& legal, const std::uint64_t* state) {
  if (shares_ && !make_room_in_table(false)) return kNone;
  const Index index = add_node(legal, state);
  if (index == kNone) return kNone;
  if (!shares_) return index;
  const std::uint32_t ply = std::min(from.ply() + 1, kMostPly);
  node(index).set_ply(ply);
  if (ply < kMostPly) table_.enter(tag(state, ply), index);
  return index;
}

Index Tree::known(const Node& from, const std::uint64_t* state) const {
  const std::uint32_t ply = from.ply() + 1;
  if (!shares_ || ply >= kMostPly) return kNone;
  return find(tag(state, ply), state, ply);
}

std::vector<std::uint64_t> Tree::state(Index index) const {
  std::vector<std::uint64_t> copy(state_words());
  if (const std::uint64_t* kept = state(index, copy.data()); kept != copy.data()) std::copy_n(kept, copy.size(), copy.data());
  return copy;
}

bool Tree::add_parent(Index index) {
  std::uint16_t& parents = node(index).parents();
  if (parents == kMostParents) return false;
  ++parents;
  return true;
}

// Counts the plies of all nodes from the root on and enters them in the table, of those with one state the one with the
// most visits, the first of several. Returns how many are not entered because of that.
std::size_t Tree::enter_all() {
  std::size_t left_out = 0;
  table_ = Transpositions();
  for_each_node([this, &left_out](Index index) {
    const std::uint32_t ply = node(index).ply();
    for_each_child(node(index), [this, ply](Index child) {
      if (is_node(child)) node(child).set_ply(std::min(ply + 1, kMostPly));
    });
    if (index == root_ || ply >= kMostPly) return;
    const std::uint64_t* state = this->state(index, room_.data());
    const std::uint32_t tag = this->tag(state, ply);
    const Index other = find(tag, state, ply);
    left_out += other != kNone;
    if (other != kNone && node(other).visits >= node(index).visits) return;
    if (other != kNone) table_.remove(tag, other);
    if (table_.is_full()) table_.grow();
    table_.enter(tag, index);
  });
  return left_out;
}

double Tree::repeated() {
  if (shares_ || !is_node(root_)) return 0;
  const std::size_t again = enter_all();
  table_ = Transpositions();
  return static_cast<double>(again) / static_cast<double>(nodes_);
}

void Tree::share() {
  if (shares_ || !is_node(root_)) return;
  enter_all();
  shares_ = true;
  Marks met;
  met.clear(units());
  std::vector<Index> open{root_};
  for (std::size_t next = 0; next < open.size(); ++next) {
    for_each_child(node(open[next]), [&](Index& child) {
      if (!is_node(child)) return;
      if (node(child).ply() < kMostPly) {
        const std::uint64_t* state = this->state(child, room_.data());
        const std::uint32_t tag = this->tag(state, node(child).ply());
        const Index kept = find(tag, state, node(child).ply());
        if (kept == kNone) {
          // That which was entered has gone with its parent.
          table_.enter(tag, child);
        } else if (kept != child && add_parent(kept)) {
          discard(std::exchange(child, kept));
        }
      }
      if (met.is_first(child)) open.push_back(child);
    });
  }
  heap_.set_most(memory_bytes_ - std::min(memory_bytes_, table_.bytes()));
}

Index Tree::find(std::uint32_t tag, const std::uint64_t* state, std::uint32_t ply) const {
  return table_.find(tag, [this, state, ply](Index index) {
    return node(index).ply() == ply && states_.is_packed_from(packed(index), state);
  });
}

// Makes room for one more node in the table; false where memory is refused.
bool Tree::make_room_in_table(bool beyond) {
  if (!table_.is_full()) return true;
  if (!beyond && heap_.extent() + table_.bytes_once_grown() > memory_bytes_) {
    ++table_refusals_;
    return false;
  }
  table_.grow();
  heap_.set_most(memory_bytes_ - std::min(memory_bytes_, table_.bytes()));
  return true;
}

// ---- growing within a node

int Tree::add_action(Index index, int role, std::uint64_t random) {
  const Choice& choice = node(index).choice(role);
  const std::uint32_t left = choice.count - choice.tried;
  return add_untried(index, role, left > 1 ? draw_below(random, left) : 0);
}

// Moves what a choice has to a block for so many actions, whole ones or trials; false where memory is refused.
bool Tree::move_actions(Choice& choice, std::uint32_t tried, bool whole, bool beyond) {
  Choice moved = choice;
  moved.tried = tried;
  moved.whole = whole;
  const std::size_t set_bytes = moved.is_complete() ? 0 : legal_.size(legal_set(choice));
  moved.actions = heap_.allocate(units_of(set_from(moved) + set_bytes), beyond);
  if (moved.actions == kNone) return false;
  if (whole == choice.whole) {
    std::memcpy(heap_.at(moved.actions), heap_.at(choice.actions), choice.tried * Actions::bytes_each(whole));
  } else {
    const Actions trials = actions(choice);
    Action* made = actions(moved).all();
    for (std::uint32_t i = 0; i < choice.tried; ++i) made[i] = trials[i];
  }
  if (values_ > 0) std::memcpy(values(moved), values(choice), choice.tried * values_ * sizeof(float));
  if (moved.is_complete()) {
    const std::uint32_t* list = list_moves(choice, list_);
    ShortNumbers kept = moves(moved);
    for (std::uint32_t i = 0; i < choice.count; ++i) kept.set(i, list[choice.count - 1 - i]);
  } else {
    std::memcpy(heap_.at(moved.actions) + moves_from(moved), heap_.at(choice.actions) + moves_from(choice),
                choice.tried * ShortNumbers::bytes_each(choice.count));
    std::memcpy(legal_set(moved), legal_set(choice), set_bytes);
  }
  heap_.give_back(choice.actions, action_units(choice));
  choice = moved;
  return true;
}

int Tree::add_untried(Index index, int role, std::uint32_t which) {
  Choice& choice = node(index).choice(role);
  const std::uint32_t place = choice.tried;
  const bool completes = place + 1 == choice.count;
  if (completes || place == capacity(place, choice.count)) {
    if (!move_actions(choice, place + 1, choice.whole || completes, index == root_)) return -1;
  } else {
    ++choice.tried;
  }
  if (!completes) taken(choice).set(place, which);
  actions(choice).add(place);
  if (values_ > 0) std::fill_n(values(choice) + place * values_, values_, std::numeric_limits<float>::quiet_NaN());
  return static_cast<int>(place);
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

const std::uint32_t* Tree::list_moves(const Choice& choice, std::vector<std::uint32_t>& room) const {
  if (choice.is_complete()) {
    const ShortNumbers moves = this->moves(choice);
    room.resize(choice.count);
    for (std::uint32_t i = 0; i < choice.count; ++i) room[choice.count - 1 - i] = moves[i];
  } else {
    ggp::list_moves(legal_, legal_set(choice), taken(choice), choice.tried, room);
  }
  return room.data();
}

std::uint32_t Tree::place_of(const Choice& choice, std::uint32_t move) const {
  std::vector<std::uint32_t> room;
  const std::uint32_t* end = list_moves(choice, room) + choice.count;
  std::uint32_t place = 0;
  while (place < choice.tried && *--end != move) ++place;
  return place;
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

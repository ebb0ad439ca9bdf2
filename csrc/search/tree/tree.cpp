#include "search/tree/tree.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "base/random.hpp"

namespace ggp {

namespace {

// Rows of fewer words are stored unchanged. The state is read by every simulation, and few words are a small part of a
// node; a set is read one move at a time, and every block of actions has one.
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
           bool evaluates, MoveTables tables, const StoredLegality* legality)
    : roles_(roles),
      states_(state_words, kManyOfState),
      widest_(widest),
      legal_((widest + 63) / 64, kManyOfSet),
      legality_(states_.is_plain() ? legality : nullptr),
      memory_bytes_(memory_bytes),
      amaf_moves_(amaf_moves),
      values_(evaluates ? static_cast<std::uint32_t>(roles) + 1 : 0),
      tables_(tables),
      slot_bytes_(evaluates ? 2 * Heap::kUnit : compares_untried() ? Heap::kUnit : 0),
      shares_(shares),
      heap_(memory_bytes),
      outcomes_(roles),
      turns_(roles),
      turn_(roles),
      room_(state_words),
      set_(legal_.words()) {
  list_.reserve(widest);
}

void Tree::archive(Archive& archive) {
  // Another version of these structures cannot be read.
  constexpr std::uint32_t kWithoutSets = 1 << 16;
  const std::uint32_t choice = sizeof(Choice) | (legality_ == nullptr ? 0 : kWithoutSets);
  const std::uint32_t expected[] = {sizeof(Node), choice, sizeof(Action), sizeof(Bystander), sizeof(JointAction)};
  std::uint32_t sizes[std::size(expected)];
  std::copy(std::begin(expected), std::end(expected), sizes);
  archive(sizes);
  if (!std::equal(std::begin(expected), std::end(expected), sizes)) throw ArchiveError("nodes have another form");
  archive(root_, discarded_, nodes_, amaf_tables_, round_, constant_sum_, shares_, table_refusals_);
  heap_.archive(archive);
  table_.archive(archive);
  outcomes_.archive(archive);
  turns_.archive(archive);
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
  const std::size_t bytes = head_bytes(simultaneous) + slot_bytes_ + states_.packed_bytes(state);
  const Index index = heap_.allocate(Heap::units_for(bytes), as_root);
  if (index == kNone) return kNone;
  Node& made = node(index);
  made = {0,     0, simultaneous ? kSimultaneous : static_cast<std::uint16_t>(mover), turn, {kNone}, 0, false,
          legal.winner, round_};
  if (!simultaneous) made.latest = 0;
  if (slot_bytes_ > 0) amaf_slot(index) = moves_slot(index) = kNone;
  if (values_ > 0) values_slot(index) = kNone;
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

bool Tree::add_priors(Index index, const float* values, const std::uint32_t* visits, bool as_root) {
  const std::uint32_t count = node(index).choices()[0].count;
  const Index table = heap_.allocate(moves_table_units(count), as_root);
  if (table == kNone) return false;
  moves_slot(index) = table;
  Prior* const priors = prior_table(index);
  priors[0] = {0, 0};
  for (std::uint32_t i = 0; i < count; ++i) {
    priors[1 + i] = {values[i], visits[i]};
    // The sum stays a 32-bit number for any numbers of visits.
    priors[0].visits = std::min<std::uint64_t>(std::uint64_t{priors[0].visits} + visits[i], 1u << 31);
  }
  return true;
}

bool Tree::add_probabilities(Index index, float value, const float* of_moves, bool as_root) {
  const std::uint32_t count = node(index).choices()[0].count;
  const Index table = heap_.allocate(moves_table_units(count), as_root);
  if (table == kNone) return false;
  moves_slot(index) = table;
  Probabilities& made = *probability_table(index);
  made = {value, 0, count, 0};
  std::copy_n(of_moves, count, made.of_moves());
  made.find_likeliest(count);
  return true;
}

void Tree::mix_probabilities(Index index, const float* others, float weight) {
  Probabilities& table = *probability_table(index);
  float* const of_moves = table.of_moves();
  for (std::uint32_t i = 0; i < table.count; ++i) of_moves[i] += weight * (others[i] - of_moves[i]);
  const std::uint32_t untried = table.count - node(index).choices()[0].tried;
  table.explored = std::accumulate(of_moves + untried, of_moves + table.count, 0.0f);
  table.find_likeliest(untried);
}

bool Tree::add_values(Index index, const float* evaluations, bool as_root) {
  const Index table = heap_.allocate(values_units(index), as_root);
  if (table == kNone) return false;
  values_slot(index) = table;
  const Node& made = node(index);
  float* to = values(index);
  for (std::uint32_t i = 0; i < made.choices()[0].count; ++i, evaluations += roles_) {
    *to++ = evaluations[made.mover];
    to = std::copy_n(evaluations, roles_, to);
  }
  return true;
}

// ---- shrinking

// Frees only the blocks of a node.
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
  if (tables_ != MoveTables::kNone && moves_slot(index) != kNone)
    heap_.give_back(moves_slot(index), moves_table_units(here.choices()[0].count));
  if (values(index) != nullptr) heap_.give_back(values_slot(index), values_units(index));
  if (simultaneous && here.joints != kNone) heap_.give_back(here.joints, JointTable::units(joints(here)->capacity));
  heap_.give_back(index, node_units(index));
  --nodes_;
}

// Removes an edge. Without edges the node joins the list of nodes to be freed, which is linked through an unused field;
// known() no longer finds the node.
void Tree::remove_edge(Index index) {
  Node& here = node(index);
  if (--here.parents() > 0) return;
  if (shares_ && here.ply() < kMostPly) table_.remove(tag(state(index, room_.data()), here.ply()), index);
  here.turn = discarded_;
  discarded_ = index;
}

void Tree::free_next() {
  const Index index = discarded_;
  discarded_ = node(index).turn;
  for_each_child(node(index), [this](Index child) {
    if (is_node(child)) remove_edge(child);
  });
  give_back(index);
}

void Tree::discard(Index top) {
  const Index later = discarded_;
  remove_edge(top);
  while (discarded_ != later) free_next();
}

void Tree::free_discarded(std::size_t nodes) {
  for (; nodes > 0 && discarded_ != kNone; --nodes) free_next();
}

// ---- reading

std::vector<std::uint64_t> Tree::state(Index index) const {
  std::vector<std::uint64_t> copy(state_words());
  if (const std::uint64_t* kept = state(index, copy.data()); kept != copy.data()) std::copy_n(kept, copy.size(), copy.data());
  return copy;
}

// The child reference of an edge; null if the edge was never taken.
Index* Tree::edge(Index index, const int* moves) const {
  const Node& from = node(index);
  std::vector<std::uint32_t> places(roles_, 0);
  for (int role = 0; role < roles_; ++role) {
    if (!from.chooses(role)) {
      // A node with a move that wins at once does not contain the other legal moves.
      if (only_move(from, role) != moves[role]) return nullptr;
      continue;
    }
    const Choice& choice = from.choice(role);
    places[role] = place_of(choice, static_cast<std::uint32_t>(moves[role]));
    if (places[role] == choice.tried) return nullptr;
  }
  if (from.mover != kSimultaneous) {
    const Choice& choice = from.choices()[0];
    return choice.full ? &actions(choice).all()[places[from.mover]].child : nullptr;
  }
  JointAction* joint = find_joint(from, places.data());
  return joint == nullptr ? nullptr : &joint->child;
}

Index Tree::child(Index index, const int* moves) const {
  const Index* found = edge(index, moves);
  return found == nullptr ? kNone : *found;
}

// ---- another root

void Tree::set_root(Index root) {
  const Index before = std::exchange(root_, root);
  if (is_node(before)) remove_edge(before);
}

void Tree::advance_root(const int* moves) {
  // The edge from the old root becomes the external edge.
  set_root(std::exchange(*edge(root_, moves), kNone));
}

void Tree::take_over_win(const Tree& from, Index index) {
  const Node& won = from.node(index);
  if (won.winner == kSeveralWinners) return;
  const int winner = won.winner - 1;
  const auto move = static_cast<std::uint32_t>(from.only_move(won, winner));
  const Choice& choice = node(root_).choice(winner);
  const std::uint32_t* moves = list_moves(choice, list_);
  const auto which = static_cast<std::uint32_t>(std::find(moves, moves + choice.count, move) - moves);
  const int place = add_untried(root_, winner, which);
  Action& action = make_full(root_, winner)[place];
  Node& made = node(root_);
  for (int role = 0; role < roles_; ++role) made.bounds(role) = won.bounds(role);
  made.narrowed = won.narrowed;
  made.plies = won.plies;
  action.bounds = won.bounds(winner);
  if (made.mover == kSimultaneous) return;
  made.visits = action.visits = won.visits;
  action.mean = won.mean(winner);
  made.choice(winner).mean = won.mean(winner);
  for (int role = 0; role < roles_; ++role) {
    if (role != winner) made.bystander(role).mean = won.mean(role);
  }
  const Choice& taken = won.choices()[0];
  const Index child = won.mover != kSimultaneous && taken.full ? from.actions(taken).all()[0].child : kNone;
  if (child != kNone && is_terminal(child)) action.child = terminal(from.goals(child));
}

// ---- hash

// Marks the nodes below a node to which several edges from below it lead.
Marks Tree::shared_below(Index from) const {
  Marks shared, met;
  if (!shares_ || !is_node(from)) return shared;
  shared.clear(units());
  met.clear(units());
  std::vector<Index> open{from};
  while (!open.empty()) {
    const Index at = open.back();
    open.pop_back();
    for_each_child(node(at), [&](Index child) {
      if (!is_node(child)) return;
      if (met.is_first(child)) {
        open.push_back(child);
      } else {
        shared.is_first(child);
      }
    });
  }
  return shared;
}

std::uint64_t Tree::hash(Index from) const {
  std::uint64_t sum = 0x67677074;
  auto add = [&sum](std::uint64_t value) { sum = mix64(sum * 0x9E3779B97F4A7C15ull + value); };
  auto add_mean = [&add](float mean, Bounds bounds) {
    std::uint32_t bits;
    std::memcpy(&bits, &mean, sizeof bits);
    add(bits | std::uint64_t{bounds.pessimistic} << 32 | std::uint64_t{bounds.optimistic} << 40);
  };
  const Marks several_edges = shared_below(from);
  std::unordered_map<Index, std::uint64_t> shared;  // in the order of their first visit
  std::vector<Index> open{from};
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
    if (several_edges.has(at)) {
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
    const Prior* priors = prior_table(at);
    for (std::uint32_t i = 1; priors != nullptr && i <= here.choices()[0].count; ++i) {
      add_mean(priors[i].value, kUnknown);
      add(priors[i].visits);
    }
    const Probabilities* probabilities = this->probabilities(at);
    for (std::uint32_t i = 0; probabilities != nullptr && i < probabilities->count; ++i) {
      add_mean(probabilities->of_moves()[i], kUnknown);
    }
    const float* values = this->values(at);
    for (std::uint32_t i = 0; values != nullptr && i < here.choices()[0].count * values_; ++i) {
      add_mean(values[i], kUnknown);
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

// The choices of nodes: blocks of actions, which grow as moves are tried (tree.hpp lists their sizes).
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/random.hpp"
#include "search/tree/tree.hpp"

namespace ggp {

namespace {

// The number of actions for which the block of a choice has space: 1, 2, 3, 4, 6, 8, 10 .. 16, 20 .. 32, 40 .., at most
// the number of moves.
std::uint32_t capacity(std::uint32_t tried, std::uint32_t count) {
  if (tried == count) return count;
  if (tried <= 4) return std::min(std::max(tried, 1u), count);
  const std::uint32_t power = 1u << (31 - __builtin_clz(tried - 1)), step = std::max(2u, power / 4);
  return std::min((tried + step - 1) & ~(step - 1), count);
}

}  // namespace

// ---- the parts of a block

// With untried moves:     actions | indices from which the tried moves were taken | set of legal moves
// Without untried moves:  actions | moves of the actions

// The bytes of a block before the moves, or before the indices from which they were taken.
std::size_t Tree::moves_from(const Choice& choice) const {
  return capacity(choice.tried, choice.count) * Actions::bytes_each(choice.full);
}

// The bytes before the set of legal moves, or of the whole block if it has no set.
std::size_t Tree::set_from(const Choice& choice) const {
  const std::uint32_t limit = choice.is_complete() ? widest_ : choice.count;
  return moves_from(choice) + capacity(choice.tried, choice.count) * ShortNumbers::bytes_each(limit);
}

std::size_t Tree::action_units(const Choice& choice) const {
  return Heap::units_for(set_from(choice) + set_bytes(choice));
}

// The bytes of the set of legal moves.
std::size_t Tree::set_bytes(const Choice& choice) const {
  return choice.is_complete() || !has_set(choice) ? 0 : legal_.size(legal_set(choice));
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

void Probabilities::find_likeliest(std::uint32_t untried) {
  const float* const of = of_moves();
  likeliest = 0;
  for (std::uint32_t i = 1; i < untried; ++i)
    if (of[i] > of[likeliest]) likeliest = i;
}

// ---- growing

// Initialises a choice among moves; returns false if memory is refused.
bool Tree::fill_choice(Choice& choice, const int* moves, std::size_t count, bool beyond) {
  choice = {0.0f, static_cast<std::uint32_t>(count), 0, compares_untried(), kNone, kUnknown, 0};
  if (!has_set(choice)) {
    choice.actions = heap_.allocate(Heap::units_for(set_from(choice)), beyond);
    return choice.actions != kNone;
  }
  std::fill(set_.begin(), set_.end(), 0);
  for (std::size_t i = 0; i < count;) {
    // A register collects the bits of a word: each write to memory would wait for the previous write.
    const int word = moves[i] / 64;
    std::uint64_t bits = 0;
    for (; i < count && moves[i] / 64 == word; ++i) bits |= std::uint64_t{1} << moves[i] % 64;
    set_[word] |= bits;
  }
  choice.actions = heap_.allocate(Heap::units_for(set_from(choice) + legal_.packed_bytes(set_.data())), beyond);
  if (choice.actions == kNone) return false;
  legal_.pack(set_.data(), legal_set(choice));
  return true;
}

int Tree::add_action(Index index, int role, std::uint64_t random) {
  const Choice& choice = node(index).choice(role);
  const std::uint32_t left = choice.count - choice.tried;
  return add_untried(index, role, left > 1 ? draw_below(random, left) : 0);
}

// Moves the actions of a choice to a block for `tried` full or single-visit actions.
// Returns false if memory is refused.
bool Tree::move_actions(Choice& choice, std::uint32_t tried, bool full, bool beyond) {
  Choice moved = choice;
  moved.tried = tried;
  moved.full = full;
  const std::size_t bytes_of_set = moved.is_complete() ? 0 : set_bytes(choice);
  moved.actions = heap_.allocate(Heap::units_for(set_from(moved) + bytes_of_set), beyond);
  if (moved.actions == kNone) return false;
  if (full == choice.full) {
    std::memcpy(heap_.at(moved.actions), heap_.at(choice.actions), choice.tried * Actions::bytes_each(full));
  } else {
    const Actions single = actions(choice);
    Action* made = actions(moved).all();
    for (std::uint32_t i = 0; i < choice.tried; ++i) made[i] = single[i];
  }
  if (moved.is_complete()) {
    const std::uint32_t* list = list_moves(choice, list_);
    ShortNumbers kept = moves(moved);
    for (std::uint32_t i = 0; i < choice.count; ++i) kept.set(i, list[choice.count - 1 - i]);
  } else {
    std::memcpy(heap_.at(moved.actions) + moves_from(moved), heap_.at(choice.actions) + moves_from(choice),
                choice.tried * ShortNumbers::bytes_each(choice.count));
    std::memcpy(legal_set(moved), legal_set(choice), bytes_of_set);
  }
  heap_.give_back(choice.actions, action_units(choice));
  choice = moved;
  return true;
}

// Exchanges an untried move with the last untried move, the move of a new action, in the tables of a node. The tables
// follow the order of the list.
void Tree::reorder_tables(Index index, std::uint32_t which, std::uint32_t last) {
  if (Prior* const priors = prior_table(index)) std::swap(priors[1 + which], priors[1 + last]);
  if (Probabilities* const table = probability_table(index)) {
    std::swap(table->of_moves()[which], table->of_moves()[last]);
    table->explored += table->of_moves()[last];
    table->find_likeliest(last);
  }
  if (float* const values = this->values(index); values != nullptr && which != last)
    std::swap_ranges(values + which * values_, values + (which + 1) * values_, values + last * values_);
}

int Tree::add_untried(Index index, int role, std::uint32_t which) {
  Choice& choice = node(index).choice(role);
  const std::uint32_t place = choice.tried;
  const bool completes = place + 1 == choice.count;
  if (completes || place == capacity(place, choice.count)) {
    if (!move_actions(choice, place + 1, choice.full || completes, index == root_)) return -1;
  } else {
    ++choice.tried;
  }
  if (!completes) taken(choice).set(place, which);
  if (slot_bytes_ > 0) reorder_tables(index, which, choice.count - 1 - place);
  actions(choice).add(place);
  return static_cast<int>(place);
}

// ---- reading

const std::uint32_t* Tree::list_moves(const Choice& choice, std::vector<std::uint32_t>& room) const {
  if (choice.is_complete()) {
    const ShortNumbers moves = this->moves(choice);
    room.resize(choice.count);
    for (std::uint32_t i = 0; i < choice.count; ++i) room[choice.count - 1 - i] = moves[i];
    return room.data();
  }
  if (has_set(choice)) {
    ggp::list_moves(legal_, legal_set(choice), room);
  } else {
    room.resize(choice.count + StoredLegality::kSpare);
    legality_->legal_in(state_beside(choice), reinterpret_cast<int*>(room.data()));
    room.resize(choice.count);
  }
  move_tried_back(taken(choice), choice.tried, room);
  return room.data();
}

std::uint32_t Tree::place_of(const Choice& choice, std::uint32_t move) const {
  std::vector<std::uint32_t> room;
  const std::uint32_t* end = list_moves(choice, room) + choice.count;
  std::uint32_t place = 0;
  while (place < choice.tried && *--end != move) ++place;
  return place;
}

}  // namespace ggp

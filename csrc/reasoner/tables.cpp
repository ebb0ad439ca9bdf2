#include "reasoner/tables.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "base/random.hpp"

namespace ggp {
namespace {

// Tables with more answers than this use a hash to find them.
constexpr std::uint32_t kFew = 8;

std::uint32_t hash_of(std::uint32_t first, const Term* terms, std::uint32_t count) {
  std::uint64_t hash = (first + 1) * 0x9E3779B97F4A7C15ull;
  for (std::uint32_t i = 0; i < count; ++i) hash = (hash ^ (hash >> 32) ^ terms[i]) * 0xBF58476D1CE4E5B9ull;
  return static_cast<std::uint32_t>((hash ^ (hash >> 29)) >> 16);
}

// For a few terms a loop is faster than a call.
bool same(const Term* left, const Term* right, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i)
    if (left[i] != right[i]) return false;
  return true;
}

// Doubles an open addressing table; slots of other generations are free.
template <class Slot>
void grow(std::vector<Slot>& slots, std::uint32_t generation) {
  std::vector<Slot> old(std::max<std::size_t>(256, 2 * slots.size()));
  old.swap(slots);
  for (const Slot& slot : old) {
    if (slot.generation != generation) continue;
    std::size_t place = slot.hash & (slots.size() - 1);
    while (slots[place].generation == generation) place = (place + 1) & (slots.size() - 1);
    slots[place] = slot;
  }
}

}  // namespace

// Throws if `more` additional bytes exceed the limit.
void Tables::check(std::size_t more) const {
  if (bytes() + more > most_bytes_)
    throw std::overflow_error("the rules need more than " + std::to_string(most_bytes_ >> 20) +
                              " MB for the tables of one state");
}

std::size_t Tables::bytes() const {
  return tables_.capacity() * sizeof(Table) + words_.capacity() * sizeof(Term) + goals_.capacity() * sizeof(Slot) +
         answers_.capacity() * sizeof(AnswerSlot);
}

std::uint32_t Tables::reserve(std::size_t words) {
  const std::size_t place = words_.size();
  if (place + words > words_.capacity()) {
    const std::size_t capacity = std::max(2 * words_.capacity(), place + words);
    check(capacity * sizeof(Term));
    words_.reserve(capacity);
  }
  words_.resize(place + words);
  return static_cast<std::uint32_t>(place);
}

bool Tables::is_goal(const Slot& slot, std::uint32_t mode, const Term* key, std::uint32_t keys) const {
  const std::uint32_t* goal = &words_[slot.goal];
  return *goal == mode && same(key, goal + 1, keys);
}

std::uint32_t Tables::find(std::uint32_t mode, const Term* key, std::uint32_t keys) const {
  if (goals_.empty()) return kNoTable;
  const std::uint32_t hash = hash_of(mode, key, keys);
  for (std::size_t place = hash & (goals_.size() - 1);; place = (place + 1) & (goals_.size() - 1)) {
    const Slot& slot = goals_[place];
    if (slot.generation != generation_) return kNoTable;
    if (slot.hash == hash && is_goal(slot, mode, key, keys)) return slot.number;
  }
}

std::uint32_t Tables::find_or_add(std::uint32_t mode, const Term* key, std::uint32_t keys) {
  if (2 * (tables_.size() + 1) > goals_.size()) {
    check(2 * goals_.size() * sizeof(Slot));
    grow(goals_, generation_);
  }
  const std::uint32_t hash = hash_of(mode, key, keys);
  std::size_t place = hash & (goals_.size() - 1);
  for (;; place = (place + 1) & (goals_.size() - 1)) {
    const Slot& slot = goals_[place];
    if (slot.generation != generation_) break;
    if (slot.hash == hash && is_goal(slot, mode, key, keys)) return slot.number;
  }
  const auto number = static_cast<std::uint32_t>(tables_.size());
  Table table{};
  table.mode = mode;
  const std::uint32_t goal = reserve(1 + std::size_t{keys});
  words_[goal] = mode;
  for (std::uint32_t i = 0; i < keys; ++i) words_[goal + 1 + i] = key[i];
  table.key = goal + 1;
  tables_.push_back(table);
  goals_[place] = {generation_, hash, number, goal};
  return number;
}

bool Tables::add(std::uint32_t number, const Term* answer, std::uint32_t width) {
  const Table& table = tables_[number];
  if (width == 0) {
    if (table.count > 0) return false;
    append(number, answer, 0);
    return true;
  }
  if (table.count <= kFew) {
    const Term* known = &words_[table.answers];
    for (std::uint32_t i = 0; i < table.count; ++i, known += width)
      if (same(answer, known, width)) return false;
    append(number, answer, width);
    if (tables_[number].count > kFew)
      for (std::uint32_t i = 0; i < tables_[number].count; ++i)
        remember(number, i, hash_of(number, this->answer(tables_[number], i, width), width));
    return true;
  }
  const std::uint32_t hash = hash_of(number, answer, width);
  for (std::size_t place = hash & (answers_.size() - 1);; place = (place + 1) & (answers_.size() - 1)) {
    const AnswerSlot& slot = answers_[place];
    if (slot.generation != generation_) break;
    if (slot.hash == hash && slot.table == number &&
        same(answer, this->answer(table, slot.number, width), width))
      return false;
  }
  remember(number, table.count, hash);
  append(number, answer, width);
  return true;
}

void Tables::remember(std::uint32_t number, std::uint32_t answer, std::uint32_t hash) {
  if (2 * ++answers_used_ > answers_.size()) {
    check(2 * answers_.size() * sizeof(AnswerSlot));
    grow(answers_, generation_);
  }
  std::size_t place = hash & (answers_.size() - 1);
  while (answers_[place].generation == generation_) place = (place + 1) & (answers_.size() - 1);
  answers_[place] = {generation_, hash, number, answer};
}

void Tables::append(std::uint32_t number, const Term* answer, std::uint32_t width) {
  if (tables_[number].count == tables_[number].room && width > 0) {
    const std::uint32_t room = std::max<std::uint32_t>(2, 2 * tables_[number].room);
    const std::uint32_t place = reserve(std::size_t{room} * width);
    Table& table = tables_[number];
    std::copy_n(&words_[table.answers], std::size_t{table.count} * width, &words_[place]);
    table.answers = place;
    table.room = room;
  }
  Table& table = tables_[number];
  Term* target = &words_[table.answers + std::size_t{table.count} * width];
  for (std::uint32_t i = 0; i < width; ++i) target[i] = answer[i];
  ++table.count;
}

void Tables::set_indexed(std::uint32_t mode) {
  if (mode >= indexed_.size()) indexed_.resize(mode + 1, 0);
  indexed_[mode] = generation_;
}

void Tables::clear() {
  tables_.clear();
  words_.resize(1);
  answers_used_ = 0;
  if (++generation_ == 0) {
    generation_ = 1;
    std::fill(goals_.begin(), goals_.end(), Slot{});
    std::fill(answers_.begin(), answers_.end(), AnswerSlot{});
    std::fill(indexed_.begin(), indexed_.end(), 0);
  }
}

void Tables::release() { *this = Tables(most_bytes_); }

}  // namespace ggp

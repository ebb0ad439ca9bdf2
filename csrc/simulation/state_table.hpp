// Packed states in the order of discovery, each with the number of its predecessor and the move between.
//
// The table contains the numbers of the states, by open addressing over 64-bit keys. Two states are equal if they agree
// in the bits of a mask. Address space for all states is reserved at once: unused parts take no memory, and nothing
// moves when the table grows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.hpp"

namespace ggp {

class StateTable {
 public:
  using Number = std::uint32_t;

  // States have `words` words, and so has the mask; at most max_states are stored, between 1 and 2^32 - 2.
  StateTable(std::size_t words, const std::uint64_t* mask, std::size_t max_states)
      : words_(words),
        max_states_(std::min<std::size_t>(std::max<std::size_t>(max_states, 1), 0xFFFFFFFEu)),
        mask_(mask, mask + words),
        table_(std::size_t{1} << 12, 0) {
    states_.reserve(max_states_ * words_);
    parents_.reserve(max_states_);
    moves_.reserve(max_states_);
  }

  std::size_t size() const { return parents_.size(); }
  const std::uint64_t* at(Number number) const { return states_.data() + std::size_t{number} * words_; }

  std::uint64_t key(const std::uint64_t* state) const {
    std::uint64_t key = 0;
    for (std::size_t i = 0; i < words_; ++i) key = mix64(key * 0x9E3779B97F4A7C15ull + (state[i] & mask_[i]) + 1);
    return key;
  }

  // Adds a state that is not in the table. Returns false if the table has no space for the state. `state` must not be
  // memory of the table.
  bool add(const std::uint64_t* state, Number parent, int move) {
    const std::size_t last = table_.size() - 1;
    std::size_t slot = key(state) & last;
    for (; table_[slot] != 0; slot = (slot + 1) & last)
      if (equal(state, at(table_[slot] - 1))) return true;
    if (size() == max_states_) return false;
    states_.insert(states_.end(), state, state + words_);
    parents_.push_back(parent);
    moves_.push_back(move);
    table_[slot] = static_cast<Number>(size());
    if (2 * size() > table_.size()) grow();
    return true;
  }

  // Removes all states except the first.
  void clear() {
    states_.resize(words_);
    parents_.resize(1);
    moves_.resize(1);
    std::fill(table_.begin(), table_.end(), 0);
    table_[key(at(0)) & (table_.size() - 1)] = 1;
  }

  // The moves from the first state to another state.
  std::vector<int> line(Number state) const {
    std::vector<int> moves;
    for (; state != 0; state = parents_[state]) moves.push_back(moves_[state]);
    std::reverse(moves.begin(), moves.end());
    return moves;
  }

 private:
  bool equal(const std::uint64_t* a, const std::uint64_t* b) const {
    for (std::size_t i = 0; i < words_; ++i)
      if (((a[i] ^ b[i]) & mask_[i]) != 0) return false;
    return true;
  }

  void grow() {
    std::vector<Number>(2 * table_.size(), 0).swap(table_);
    const std::size_t last = table_.size() - 1;
    for (std::size_t number = 0; number < size(); ++number) {
      std::size_t slot = key(at(static_cast<Number>(number))) & last;
      while (table_[slot] != 0) slot = (slot + 1) & last;
      table_[slot] = static_cast<Number>(number + 1);
    }
  }

  std::size_t words_;
  std::size_t max_states_;
  std::vector<std::uint64_t> mask_;
  std::vector<std::uint64_t> states_;
  std::vector<Number> parents_;
  std::vector<int> moves_;
  std::vector<Number> table_;  // number of a state plus 1; 0 is empty
};

}  // namespace ggp

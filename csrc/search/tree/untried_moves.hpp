// The untried moves of a choice, in the order from which the next one is drawn.
//
// A tree stores the set of legal moves, one bit for each move of the game (packed_bits.hpp): 14 bytes if 81 of 81 moves
// are legal, while a list takes 162 bytes. The set never changes. If a role may have thousands of moves, the simulator
// can compute the legal moves of a state again (StoredLegality), and the tree stores no set. The list of untried moves
// begins as the list of all legal moves in ascending order. The last move of the list replaces each tried move
// (Durstenfeld, "Random permutation", CACM 1964). So the indices from which moves were taken determine the list and the
// order of trial. An index takes one byte if a role has at most 256 moves, else two or four.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "search/tree/packed_bits.hpp"

namespace ggp {

// Numbers below a limit, in one, two or four bytes each.
class ShortNumbers {
 public:
  // Uses the numbers at an address, each less than `limit`.
  ShortNumbers(void* numbers, std::uint32_t limit) : numbers_(numbers), limit_(limit) {}

  static std::size_t bytes_each(std::uint32_t limit) { return limit <= 1u << 8 ? 1 : limit <= 1u << 16 ? 2 : 4; }

  std::uint32_t operator[](std::uint32_t i) const {
    return visit([i](const auto* numbers) -> std::uint32_t { return numbers[i]; });
  }
  void set(std::uint32_t i, std::uint32_t number) {
    visit([i, number](auto* numbers) {
      return numbers[i] = static_cast<std::remove_pointer_t<decltype(numbers)>>(number);
    });
  }

 protected:
  // Calls visit(numbers) with a pointer to their type.
  template <class Visit>
  std::uint32_t visit(Visit visit) const {
    switch (bytes_each(limit_)) {
      case 1: return visit(static_cast<std::uint8_t*>(numbers_));
      case 2: return visit(static_cast<std::uint16_t*>(numbers_));
      default: return visit(static_cast<std::uint32_t*>(numbers_));
    }
  }

  void* numbers_;
  std::uint32_t limit_;
};

// The indices from which the moves of a choice among `count` moves were taken.
class TakenPlaces : public ShortNumbers {
 public:
  using ShortNumbers::ShortNumbers;

  // The rank, among the legal moves, of the move at an index of the list after `taken` moves were taken. The i-th empty
  // index was filled with the move at index count - 1 - i, so the loop goes back from the last to the first.
  std::uint32_t rank_at(std::uint32_t place, std::uint32_t taken) const {
    return visit([this, place, taken](const auto* places) {
      std::uint32_t at = place;
      for (std::uint32_t i = taken; i-- > 0;) {
        if (places[i] == at) at = limit_ - 1 - i;
      }
      return at;
    });
  }
};

// Writes the moves of a set to `list`.
inline void list_moves(const PackedBits& bits, const std::uint8_t* set, std::vector<std::uint32_t>& list) {
  list.clear();
  bits.for_each_word(set, [&list](int i, std::uint64_t word) {
    for (; word != 0; word &= word - 1) list.push_back(64 * i + __builtin_ctzll(word));
  });
}

// Changes the list of all legal moves to untried moves in their order, then tried moves, the last first.
inline void move_tried_back(const TakenPlaces& taken, std::uint32_t tried, std::vector<std::uint32_t>& list) {
  for (std::uint32_t i = 0; i < tried; ++i) std::swap(list[taken[i]], list[list.size() - 1 - i]);
}

}  // namespace ggp

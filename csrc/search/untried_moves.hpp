// The moves of a choice that were not tried yet, in the order from which the next is drawn.
//
// Of the legal moves a tree keeps the set, a bit for each move of the game (packed_bits.hpp): 14 bytes where 81 of 81 are
// legal, 162 as a list. It never changes. The list of what is left is at first that of all legal moves in ascending
// order; each move that is tried leaves its place to the last of the list (Durstenfeld, "Random permutation", CACM 1964).
// So the places from which moves were taken tell the list, and which moves were tried when: a byte for each where there
// are 256 moves at most, else two or four.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "search/packed_bits.hpp"
#include "search/short_numbers.hpp"

namespace ggp {

// The places from which the moves of a choice among `count` were taken.
class TakenPlaces : public ShortNumbers {
 public:
  using ShortNumbers::ShortNumbers;

  // The rank, among the legal moves, of what stands at a place of the list after so many were taken: what the i-th left
  // empty was filled with what stood at count - 1 - i, so the walk goes back from the last to the first.
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

// Writes the moves of a set to `list`: those that were not taken in their order, then those that were, the last first.
inline void list_moves(const PackedBits& bits, const std::uint8_t* set, const TakenPlaces& taken, std::uint32_t tried,
                       std::vector<std::uint32_t>& list) {
  list.clear();
  bits.for_each_word(set, [&list](int i, std::uint64_t word) {
    for (; word != 0; word &= word - 1) list.push_back(64 * i + __builtin_ctzll(word));
  });
  for (std::uint32_t i = 0; i < tried; ++i) std::swap(list[taken[i]], list[list.size() - 1 - i]);
}

}  // namespace ggp

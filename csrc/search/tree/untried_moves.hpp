// The untried moves of a choice, in the order from which the next one is drawn.
//
// A tree stores the set of legal moves, one bit for each move of the game (packed_bits.hpp): 14 bytes if 81 of 81 moves
// are legal, while a list takes 162 bytes. The set never changes. If a role may have thousands of moves, the simulator
// can compute the legal moves of a state again (StoredLegality), and the tree stores no set. The list of untried moves
// begins as the list of all legal moves in ascending order. The last move of the list replaces each tried move
// (Durstenfeld, "Random permutation", CACM 1964). So the indices from which moves were taken determine the list and the
// order of trial. An index takes one byte if a role has at most 256 moves, else two or four.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "search/tree/packed_bits.hpp"
#include "search/tree/short_numbers.hpp"

namespace ggp {

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

// The moves of a choice that were not tried yet, in the order from which the next is drawn.
//
// Of the legal moves a tree keeps the set, a bit for each move of the game (packed_bits.hpp): 14 bytes where 81 of 81 are
// legal, 162 as a list. It never changes. The list of what is left is at first that of all legal moves in ascending
// order; each move that is tried leaves its place to the last of the list (Durstenfeld, "Random permutation", CACM 1964).
// So the places from which moves were taken tell the list: a byte for each where there are 256 moves at most, else two
// or four.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "search/packed_bits.hpp"

namespace ggp {

// The places from which the moves of a choice among `count` were taken.
class TakenPlaces {
 public:
  TakenPlaces(void* places, std::uint32_t count) : places_(places), count_(count) {}

  static std::size_t bytes_each(std::uint32_t count) { return count <= 1u << 8 ? 1 : count <= 1u << 16 ? 2 : 4; }

  std::uint32_t operator[](std::uint32_t i) const {
    return visit([i](const auto* places) -> std::uint32_t { return places[i]; });
  }
  void set(std::uint32_t i, std::uint32_t place) {
    visit([i, place](auto* places) { return places[i] = static_cast<std::remove_pointer_t<decltype(places)>>(place); });
  }
  // The rank, among the legal moves, of what stands at a place of the list after so many were taken: what the i-th left
  // empty was filled with what stood at count - 1 - i, so the walk goes back from the last to the first.
  std::uint32_t rank_at(std::uint32_t place, std::uint32_t taken) const {
    return visit([this, place, taken](const auto* places) {
      std::uint32_t at = place;
      for (std::uint32_t i = taken; i-- > 0;) {
        if (places[i] == at) at = count_ - 1 - i;
      }
      return at;
    });
  }

 private:
  template <class Visit>
  std::uint32_t visit(Visit visit) const {
    switch (bytes_each(count_)) {
      case 1: return visit(static_cast<std::uint8_t*>(places_));
      case 2: return visit(static_cast<std::uint16_t*>(places_));
      default: return visit(static_cast<std::uint32_t*>(places_));
    }
  }

  void* places_;
  std::uint32_t count_;
};

// Writes the moves of a set that were not taken, in their order, to `list`.
inline void list_untried(const PackedBits& bits, const std::uint8_t* set, const TakenPlaces& taken, std::uint32_t tried,
                         std::vector<std::uint32_t>& list) {
  list.clear();
  bits.for_each_word(set, [&list](int i, std::uint64_t word) {
    for (; word != 0; word &= word - 1) list.push_back(64 * i + __builtin_ctzll(word));
  });
  for (std::uint32_t i = 0; i < tried; ++i) {
    list[taken[i]] = list.back();
    list.pop_back();
  }
}

}  // namespace ggp

// The moves of a choice that were not tried yet, in the order from which the next is drawn.
//
// Of the legal moves a tree keeps the set, a bit for each move of the game (packed_bits.hpp): 12 bytes where 81 of 81 are
// legal, 162 as a list. It never changes. The list of what is left is made when it is asked for: at first all
// legal moves in ascending order; each that is tried leaves its place to the last of the list (Durstenfeld, "Random
// permutation", CACM 1964). Actions stand in the order of trial, so the list is the same whenever it is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/packed_bits.hpp"

namespace ggp {

class UntriedMoves {
 public:
  // Returns those of a set that are not among the tried actions; until the next call.
  template <class Action>
  const std::uint32_t* list(const PackedBits& bits, const std::uint8_t* set, const Action* actions,
                            std::uint32_t tried) {
    moves_.resize(64 * std::size_t(bits.words()));
    places_.resize(moves_.size());
    std::uint32_t left = 0;
    bits.for_each_word(set, [this, &left](int i, std::uint64_t word) {
      for (; word != 0; word &= word - 1) {
        const std::uint32_t move = 64 * i + __builtin_ctzll(word);
        places_[move] = left;
        moves_[left++] = move;
      }
    });
    for (std::uint32_t i = 0; i < tried; ++i) {
      const std::uint32_t place = places_[actions[i].move], last = moves_[--left];
      moves_[place] = last;
      places_[last] = place;
    }
    return moves_.data();
  }

  // The move at a place of that list. Most stand where they stood at first: a move whose own place is not beyond the end
  // was never put elsewhere.
  template <class Action>
  std::uint32_t at(std::uint32_t place, const PackedBits& bits, const std::uint8_t* set, const Action* actions,
                   std::uint32_t tried) {
    const std::uint32_t move = bits.nth(set, place);
    for (std::uint32_t i = 0; i < tried; ++i) {
      if (actions[i].move == move) return list(bits, set, actions, tried)[place];
    }
    return move;
  }

 private:
  std::vector<std::uint32_t> moves_;
  std::vector<std::uint32_t> places_;  // of the legal moves in the list
};

}  // namespace ggp

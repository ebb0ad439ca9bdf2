// Choosing one of several moves by their values.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/choices.hpp"
#include "base/random.hpp"

namespace ggp {

// Returns whether a move is drawn uniformly instead of the best one (epsilon-greedy), with probability p, given as p *
// 2^32. Uses the upper half of `random`.
inline bool explores(std::uint64_t random, std::uint64_t p) { return (random >> 32) < p; }

// A whole number with the same order as the float: the bits have this order, except for the sign.
inline std::int32_t order_key(float value) {
  std::int32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits ^ (bits >> 31 & 0x7FFFFFFF);
}

// A number that is greater for a greater bound, and for equal bounds greater for the lower place; never 0. A maximum of
// such numbers needs no branch.
inline std::uint64_t rank(float bound, std::uint32_t place) {
  const std::uint32_t key = static_cast<std::uint32_t>(order_key(bound)) ^ 0x80000000u;
  return std::uint64_t{key} << 32 | static_cast<std::uint32_t>(~place);
}
inline std::uint32_t place_of_rank(std::uint64_t rank) { return ~static_cast<std::uint32_t>(rank); }

// Uniform in 0 .. count - 1, from the lower half of `random`.
inline std::uint32_t even_place(std::uint64_t random, std::uint32_t count) {
  return static_cast<std::uint32_t>(((random & 0xFFFFFFFFu) * count) >> 32);
}

// In byte i: the number of set bits of the word in bytes 0 .. i. Needs no special instruction.
inline std::uint64_t ones_up_to_bytes(std::uint64_t word) {
  word -= word >> 1 & 0x5555555555555555;
  word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
  return ((word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101;
}

// The index of the k-th set bit of a word, from 0; k < 64.
inline std::uint32_t place_of_one(std::uint64_t word, std::uint64_t ones, std::uint32_t k) {
  // The bytes before the byte of this bit have sums up to k.
  const std::uint64_t before = ((k * 0x0101010101010101 | 0x8080808080808080) - ones) & 0x8080808080808080;
  const auto shift = static_cast<std::uint32_t>((before >> 7) * 0x0101010101010101 >> 56) * 8;
  k -= static_cast<std::uint32_t>((ones << 8) >> shift & 0xFF);
  std::uint64_t rest = word >> shift;
  for (; k > 0; --k) rest &= rest - 1;
  return shift + static_cast<std::uint32_t>(__builtin_ctzll(rest));
}

// The legal moves of the role that chooses in a lane: their number, and the move at an index.
inline std::uint32_t count_moves(const Choices& choices, int lane) {
  std::uint32_t count = 0;
  for (int block = 0; block < choices.blocks; ++block) {
    count += static_cast<std::uint32_t>(ones_up_to_bytes(choices.word(lane, block)) >> 56);
  }
  return count;
}
inline std::uint32_t move_at(const Choices& choices, int lane, std::uint32_t place) {
  for (int block = 0;; ++block) {
    const std::uint64_t word = choices.word(lane, block), ones = ones_up_to_bytes(word);
    const auto here = static_cast<std::uint32_t>(ones >> 56);
    if (place < here) return static_cast<std::uint32_t>(64 * block) + place_of_one(word, ones, place);
    place -= here;
  }
}

// A uniform legal move, from the lower half of `random`.
inline std::uint32_t any_move(const Choices& choices, int lane, std::uint64_t random) {
  return move_at(choices, lane, even_place(random, count_moves(choices, lane)));
}

// The index of the highest key, count >= 1; uniform among ties, from the lower half of `random`. The loops have no
// branches inside, so that a compiler can vectorise them.
template <class Key>
std::uint32_t best_place(const Key* keys, std::uint32_t count, Key best, std::uint64_t random) {
  std::uint32_t alike = 0;
  std::uint32_t places = 0;  // their sum
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t is_best = keys[i] == best ? ~0u : 0u;
    alike -= is_best;
    places += is_best & i;
  }
  if (alike == 1) return places;
  std::uint32_t left = even_place(random, alike);
  for (std::uint32_t i = 0;; ++i) {
    if (keys[i] == best && left-- == 0) return i;
  }
}
inline std::uint32_t best_place(const std::int32_t* keys, std::uint32_t count, std::uint64_t random) {
  std::int32_t best = keys[0];
  for (std::uint32_t i = 1; i < count; ++i) best = keys[i] > best ? keys[i] : best;
  return best_place(keys, count, best, random);
}

// Four independent chains, because one chain would wait for every result.
inline float highest(const float* values, std::uint32_t count) {
  float best[4] = {values[0], values[0], values[0], values[0]};
  std::uint32_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (std::uint32_t k = 0; k < 4; ++k) best[k] = values[i + k] > best[k] ? values[i + k] : best[k];
  }
  for (; i < count; ++i) best[0] = values[i] > best[0] ? values[i] : best[0];
  for (std::uint32_t k = 1; k < 4; ++k) best[0] = best[k] > best[0] ? best[k] : best[0];
  return best[0];
}

}  // namespace ggp

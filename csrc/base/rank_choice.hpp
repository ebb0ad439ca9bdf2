// The choice of a move by its rank. An order of all moves of a role gives its n legal moves the ranks 0 .. n - 1; rank
// 0 is first. The rank r is drawn again for each choice:
//
//     uniform:     P(r) = 1 / n
//     geometric:   P(r) = (1 - q) q^r / (1 - q^n), q = 1 - sharpness: proportional to q^r, cut off at n
//
// Numbers come from the stream of a lane (random.hpp). u stands for the upper 32 bits of one draw.
//
//     uniform:     floor(u n / 2^32)
//     geometric:   with tails T(r) = floor(q^r 2^32) and v = T(n) + u - floor(u T(n) / 2^32), uniform between T(n) and
//                  2^32: the number of r >= 1 with T(r) > v. It is below n, because v >= T(n); P(r) is exact to 2^-30.
//
// The kernels of networks draw the same ranks for many lanes at once (network/program/lane_choice.inl).
#pragma once

#include <cstdint>

#include "base/random.hpp"

namespace ggp {

struct RankDraw {
  enum class Kind : std::uint8_t { kUniform, kGeometric };
  Kind kind = Kind::kUniform;
  const std::uint32_t* tails = nullptr;  // geometric: T(r) for 0 < r < 2^tail_bits, the last of them 0
  int tail_bits = 0;
};

// A choice by rank for all lanes together; see ChoiceByRank::choose_by_rank().
struct RankedChoice {
  RankDraw draw;
  const std::uint32_t* const* orders;  // by role: all its moves in the order of ranks
  // Output: for each role, by move, a mask of the lanes that chose this move among several moves. Lanes are added to
  // the existing masks. Aligned to 64 bytes.
  std::uint64_t* const* occurred;
  const std::uint64_t* noted;  // the lanes that are added to `occurred`
};

// Counts how often the moves of a role have occurred in some classes of lanes.
struct OccurredCount {
  std::uint32_t moves;
  std::uint64_t* occurred;        // the masks of RankedChoice; `lanes` are removed from them
  const std::uint64_t* lanes;     // a mask
  int classes;
  const std::uint64_t* of_class;  // a mask for each class; together at most `lanes`
  std::uint32_t* counts;          // output: for each move one number for each class
};

// T(n) for any n.
inline std::uint32_t tail_of(const RankDraw& by, std::uint64_t n) {
  const std::uint64_t last = (std::uint64_t{1} << by.tail_bits) - 1;
  return by.tails[n < last ? n : last];
}

// The rank for u, by bisection; n < 2^bits.
inline std::uint32_t geometric_rank(const RankDraw& by, std::uint64_t u, std::uint64_t n, int bits) {
  const std::uint64_t cut = tail_of(by, n);
  const std::uint64_t v = cut + u - (u * cut >> 32);
  std::uint32_t rank = 0;
  for (int bit = (bits < by.tail_bits ? bits : by.tail_bits) - 1; bit >= 0; --bit) {
    const std::uint32_t further = rank + (1u << bit);
    rank = by.tails[further] > v ? further : rank;
  }
  return rank;
}

// Draws the rank of a move among n > 0 moves.
inline std::uint32_t draw_rank(const RankDraw& by, std::uint64_t& stream, std::uint32_t n) {
  if (by.kind == RankDraw::Kind::kUniform) return draw_below(stream, n);
  return geometric_rank(by, draw(stream) >> 32, n, 32);
}

}  // namespace ggp

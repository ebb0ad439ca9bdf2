// The best legal moves of Amazons by values of all moves, found without a list of the legal moves.
//
// Moves with equal from and to form a pair, with at most 35 shots on 10x10. For each pair the highest value of its
// moves, legal or not, and the set of shots with this value are stored. In a position, for each pair p of its amazons,
//
//     h(p)  the highest value of the moves of p; b(p) the shots with that value; s(p) the legal shots
//     v(p)  h(p) if b(p) and s(p) have a shot in common; else the highest value of s(p)
//
// The best moves are the moves with the highest v(p). Pairs are visited in descending order of h, until h is below the
// highest v so far. So only few pairs are visited. The result is exact: each legal move with the highest value has the
// same probability, as with a list of all moves (compared in tests/csrc/games/test_move_ranking.cpp).
//
// The set of squares that a queen reaches is a word of four lines of kSize bits: row, column and diagonals through the
// square of the queen, with bits as in AmazonsRules::State::lines. A table of 20 KB gives the reach along a line.
// Values are stored in the order of these bits, 160 bytes for each pair on 10x10. So vector instructions find the
// highest value of a set.
#pragma once

#include <limits>

#include "games/amazons/amazons_rules.hpp"

namespace ggp {

template <int kSize>
struct AmazonsPairs {
  using Rules = AmazonsRules<kSize>;
  using Square = typename Rules::Square;
  using Reach = std::uint64_t;
  static constexpr int kBits = 4 * kSize;
  static constexpr float kNothing = -std::numeric_limits<float>::infinity();  // value of squares that no queen reaches

  struct Tables {
    std::uint16_t reach[std::size_t{kSize} << kSize];  // by bit and line: the bits that a queen reaches
    Square square[Rules::kCodes][kBits];               // the square of each bit
  };
  // The pairs with the same from, by the bit of to: h, b, and the values by the bit of the shot.
  struct Pairs {
    alignas(32) float highest[kBits];
    alignas(32) float values[kBits][kBits];
    Reach best[kBits];
  };
  static constexpr unsigned index(unsigned square) { return (square >> 4) * kSize + (square & 15); }

  const Tables* tables;
  Pairs of[Rules::kRoles][kSize * kSize];
};

// Draws one of the best moves of the role to move, uniformly, by the lower half of `random`.
template <int kSize>
using BestAmazonsMove = typename AmazonsRules<kSize>::Move (*)(const AmazonsPairs<kSize>&,
                                                               const typename AmazonsRules<kSize>::State&,
                                                               std::uint64_t random);

// The implementations: for any processor, and for processors with AVX2 and FastBits.
namespace portable {
AmazonsRules<6>::Move best_move(const AmazonsPairs<6>&, const AmazonsRules<6>::State&, std::uint64_t random);
AmazonsRules<8>::Move best_move(const AmazonsPairs<8>&, const AmazonsRules<8>::State&, std::uint64_t random);
AmazonsRules<10>::Move best_move(const AmazonsPairs<10>&, const AmazonsRules<10>::State&, std::uint64_t random);
}  // namespace portable
namespace avx2 {
AmazonsRules<6>::Move best_move(const AmazonsPairs<6>&, const AmazonsRules<6>::State&, std::uint64_t random);
AmazonsRules<8>::Move best_move(const AmazonsPairs<8>&, const AmazonsRules<8>::State&, std::uint64_t random);
AmazonsRules<10>::Move best_move(const AmazonsPairs<10>&, const AmazonsRules<10>::State&, std::uint64_t random);
}  // namespace avx2

}  // namespace ggp

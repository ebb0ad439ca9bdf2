// The best legal moves of Amazons by values of all moves, found without a list of the legal ones.
//
// Moves with the same from and to make a pair, 35 shots at most on 10x10. Of each pair the highest value of its moves
// is kept, legal or not, and the set of shots that have it. In a position, for the pairs p that an amazon can make,
//
//     h(p)  the highest value of the moves of p; b(p) the shots with that value; s(p) the legal shots
//     v(p)  h(p), where b(p) and s(p) have a shot in common; else the highest value of s(p)
//
// The best moves are those of highest v(p). Pairs are looked at from the highest h on, until h is below the highest v
// so far: few they are. So the answer is exact: each of the legal moves of highest value has the same probability, as
// from a list of all, which tests/csrc/test_move_ranking.cpp holds it against.
//
// Sets of squares that a queen gets to are words of four lines of kSize bits: row, column and diagonals through the
// square where it stands, with bits as in AmazonsRules::State::lines. What it reaches along one is a look into a table
// of 20 KB. Values are kept in the order of these bits, those of a pair in 160 bytes on 10x10, so that the highest of a
// set is found by vectors.
#pragma once

#include <limits>

#include "games/amazons_rules.hpp"

namespace ggp {

template <int kSize>
struct AmazonsPairs {
  using Rules = AmazonsRules<kSize>;
  using Square = typename Rules::Square;
  using Reach = std::uint64_t;
  static constexpr int kBits = 4 * kSize;
  static constexpr float kNothing = -std::numeric_limits<float>::infinity();  // of what no queen gets to

  struct Tables {
    std::uint16_t reach[std::size_t{kSize} << kSize];  // by bit and line: the bits that a queen gets to
    Square square[Rules::kCodes][kBits];               // by bit
  };
  // Those of one square to leave from, by the bit of the square to go to: h, b, and the values by the bit of the shot.
  struct Pairs {
    alignas(32) float highest[kBits];
    alignas(32) float values[kBits][kBits];
    Reach best[kBits];
  };
  static constexpr unsigned index(unsigned square) { return (square >> 4) * kSize + (square & 15); }

  const Tables* tables;
  Pairs of[Rules::kRoles][kSize * kSize];
};

// One of the best moves of the role whose turn it is, each with the same probability by the lower half of `random`.
template <int kSize>
using BestAmazonsMove = typename AmazonsRules<kSize>::Move (*)(const AmazonsPairs<kSize>&,
                                                               const typename AmazonsRules<kSize>::State&,
                                                               std::uint64_t random);

// The way of any processor, and that of those with AVX2 and FastBits.
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

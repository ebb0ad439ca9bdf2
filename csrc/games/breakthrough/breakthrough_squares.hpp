// The board of Breakthrough in a word: bit 8 * row + column, in the view of the role to move. Row 0 is its own home
// row, so pieces always move to higher rows. The view is flipped after every move (the order of rows is reversed by
// swapping the bytes of a word), so no step depends on the role to move.
#pragma once

#include <cstdint>

namespace ggp {

struct BreakthroughState {
  std::uint64_t mine, theirs;  // squares, in the view of the role to move
  std::uint64_t hash;
  std::uint64_t mover;         // 0 or 1
};

template <int kSize>
struct BreakthroughSquares {
  static constexpr std::uint64_t kRow = (std::uint64_t{1} << kSize) - 1;
  static constexpr std::uint64_t kFarRow = kRow << (8 * (kSize - 1));
  static constexpr std::uint64_t kFirst = 0x0101010101010101, kLast = kFirst << (kSize - 1);  // columns

  static constexpr int kUnused = 8 * (8 - kSize);  // bits above the board
  static std::uint64_t turned(std::uint64_t squares) { return __builtin_bswap64(squares) >> kUnused; }
};

}  // namespace ggp

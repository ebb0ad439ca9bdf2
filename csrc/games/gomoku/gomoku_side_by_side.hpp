// Many games of Gomoku on small boards side by side, played at random by vectors of boards, one board in each word of
// 64 bits. For one board, see Gomoku::random_move(). The results are the same, including the order of moves and the
// numbers drawn from the random stream of each board.
#pragma once

#include <array>
#include <cstdint>

#include "base/vector_kernels.hpp"

namespace ggp {

// A row of the board takes 16 bits of a word. The last of these bits is never set. Four rows make a word; row 0 is at
// the bottom, and columns are counted from a.
template <int kSize>
struct GomokuShape {
  static constexpr int kRowBits = 16, kRowsOfWord = 4;
  static constexpr int kPoints = kSize * kSize, kDiagonals = 2 * kSize - 1;
  static constexpr int kWords = (kSize + kRowsOfWord - 1) / kRowsOfWord;
  using Stones = std::array<std::uint64_t, kWords>;

  static constexpr int word_of(int row) { return row / kRowsOfWord; }
  static constexpr int place_of(int row, int column) { return kRowBits * (row % kRowsOfWord) + column; }
  static constexpr int rising_of(int row, int column) { return column - row + kSize - 1; }
  static constexpr int falling_of(int row, int column) { return column + row; }
};

// The number of moves and `five` follow from the stones. They are stored because play-outs need them quickly.
template <int kSize>
struct GomokuState {
  typename GomokuShape<kSize>::Stones stones[2];
  std::uint64_t hash;
  std::uint32_t moves;  // number of moves so far
  std::uint32_t five;   // 0 or 1
};

template <int kSize>
struct GomokuSideBySide {
  using Shape = GomokuShape<kSize>;
  static constexpr int kMost = 64, kPoints = Shape::kPoints;
  static constexpr int kStride = 8;  // bits of a row, of which the last is never set
  static_assert(kSize < kStride);
  static constexpr std::uint64_t kRow = (1 << kSize) - 1, kAll = 0x0101010101010101 * kRow >> kStride * (8 - kSize);

  alignas(64) std::uint64_t mine[kMost] = {}, theirs[kMost] = {};  // stones of the role to move, and of the other role
  alignas(64) std::uint64_t left[kMost] = {};                      // number of empty points
  std::uint64_t fives = 0;                                         // one bit for each board

  void set(int board, const GomokuState<kSize>& state) {
    const int mover = static_cast<int>(state.moves & 1);
    mine[board] = theirs[board] = 0;
    for (int row = 0; row < kSize; ++row) {
      mine[board] |= (row_of(state.stones[mover], row) & kRow) << kStride * row;
      theirs[board] |= (row_of(state.stones[1 - mover], row) & kRow) << kStride * row;
    }
    left[board] = kPoints - state.moves;
    fives = (fives & ~(std::uint64_t{1} << board)) | std::uint64_t{state.five} << board;
  }
  // Without the hash, which is not maintained here.
  GomokuState<kSize> get(int board) const {
    GomokuState<kSize> state{};
    state.moves = static_cast<std::uint32_t>(kPoints - left[board]);
    state.five = fives >> board & 1;
    const int mover = static_cast<int>(state.moves & 1);
    for (int row = 0; row < kSize; ++row) {
      const int word = Shape::word_of(row), place = Shape::place_of(row, 0);
      state.stones[mover][word] |= (mine[board] >> kStride * row & kRow) << place;
      state.stones[1 - mover][word] |= (theirs[board] >> kStride * row & kRow) << place;
    }
    return state;
  }

 private:
  static std::uint64_t row_of(const typename Shape::Stones& stones, int row) {
    return stones[Shape::word_of(row)] >> Shape::place_of(row, 0);
  }
};

// Plays a move, drawn from the stream of the board, on each board of `which`, whose games have not ended. Returns the
// boards whose game ends.
template <int kSize>
using PlayGomoku = std::uint64_t (*)(GomokuSideBySide<kSize>&, std::uint64_t which, std::uint64_t* random);

GGP_DECLARE_KERNELS(
  std::uint64_t play(GomokuSideBySide<5>&, std::uint64_t which, std::uint64_t* random);
  std::uint64_t play(GomokuSideBySide<7>&, std::uint64_t which, std::uint64_t* random);)

}  // namespace ggp

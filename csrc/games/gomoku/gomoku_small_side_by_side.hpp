// Many games of Gomoku on small boards side by side, played at random by vectors of boards, one in each word of 64 bits;
// see Gomoku::random_move() for one board. The results are the same as for one board, including the order of moves and
// the numbers drawn from the random stream of each board.
#pragma once

#include <cstdint>

#include "games/gomoku/gomoku_side_by_side.hpp"

namespace ggp {

template <int kSize>
struct GomokuSmallSideBySide {
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

// As PlayGomoku.
template <int kSize>
using PlaySmallGomoku = std::uint64_t (*)(GomokuSmallSideBySide<kSize>&, std::uint64_t which, std::uint64_t* random);

// The kernels; call them only if the processor has the instruction set.
namespace avx2 {
std::uint64_t play(GomokuSmallSideBySide<5>&, std::uint64_t which, std::uint64_t* random);
std::uint64_t play(GomokuSmallSideBySide<7>&, std::uint64_t which, std::uint64_t* random);
}  // namespace avx2
namespace avx512 {
std::uint64_t play(GomokuSmallSideBySide<5>&, std::uint64_t which, std::uint64_t* random);
std::uint64_t play(GomokuSmallSideBySide<7>&, std::uint64_t which, std::uint64_t* random);
}  // namespace avx512

}  // namespace ggp

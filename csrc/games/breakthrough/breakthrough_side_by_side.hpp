// Many games of Breakthrough side by side, played at random by vectors of boards, one in each word of 64 bits; see
// Breakthrough::random_move() for one board. There are no branches. The results are the same as for one board,
// including the order of moves and the numbers drawn from the random stream of each board.
#pragma once

#include <cstdint>

#include "base/vector_kernels.hpp"
#include "games/breakthrough/breakthrough_squares.hpp"

namespace ggp {

template <int kSize>
struct BreakthroughSideBySide {
  static constexpr int kMost = 64;
  alignas(64) std::uint64_t mine[kMost] = {}, theirs[kMost] = {};
  std::uint64_t movers = 0;  // one bit for each board

  void set(int board, const BreakthroughState& state) {
    mine[board] = state.mine;
    theirs[board] = state.theirs;
    movers = (movers & ~(std::uint64_t{1} << board)) | state.mover << board;
  }
  // Without the hash, which is not maintained here.
  BreakthroughState get(int board) const { return {mine[board], theirs[board], 0, movers >> board & 1}; }
};

// Plays a move, drawn from the stream of the board, on each board of `which`. Returns the boards whose game ends.
template <int kSize>
using PlayBreakthrough = std::uint64_t (*)(BreakthroughSideBySide<kSize>&, std::uint64_t which, std::uint64_t* random);

// The kernels; call them only if the processor has the instruction set.
namespace avx2 {
std::uint64_t play(BreakthroughSideBySide<6>&, std::uint64_t which, std::uint64_t* random);
std::uint64_t play(BreakthroughSideBySide<8>&, std::uint64_t which, std::uint64_t* random);
}  // namespace avx2
namespace avx512 {
std::uint64_t play(BreakthroughSideBySide<6>&, std::uint64_t which, std::uint64_t* random);
std::uint64_t play(BreakthroughSideBySide<8>&, std::uint64_t which, std::uint64_t* random);
}  // namespace avx512

}  // namespace ggp

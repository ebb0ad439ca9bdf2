// Many games of Breakthrough side by side, played at random by vectors of boards, one in each word of 64 bits; see
// Breakthrough::random_move() for one board. Nothing branches: moves of all boards are found, counted, drawn and
// played, and ends noticed, as for one board, down to the order of moves and to what is drawn from the stream of each.
#pragma once

#include <cstdint>

#include "games/breakthrough_squares.hpp"
#include "games/vector_kernels.hpp"

namespace ggp {

template <int kSize>
struct BreakthroughSideBySide {
  static constexpr int kMost = 64;
  alignas(64) std::uint64_t mine[kMost] = {}, theirs[kMost] = {};
  std::uint64_t movers = 0;  // a bit of each board

  void set(int board, const BreakthroughState& state) {
    mine[board] = state.mine;
    theirs[board] = state.theirs;
    movers = (movers & ~(std::uint64_t{1} << board)) | state.mover << board;
  }
  // But for its hash, which nobody keeps here.
  BreakthroughState get(int board) const { return {mine[board], theirs[board], 0, movers >> board & 1}; }
};

// Plays a move on each board of `which`, drawn from the stream of the board; those on which the game ends by it.
template <int kSize>
using PlayBreakthrough = std::uint64_t (*)(BreakthroughSideBySide<kSize>&, std::uint64_t which, std::uint64_t* random);

// The kernels, to be called where the processor has the instruction set.
namespace avx2 {
std::uint64_t play(BreakthroughSideBySide<6>&, std::uint64_t which, std::uint64_t* random);
std::uint64_t play(BreakthroughSideBySide<8>&, std::uint64_t which, std::uint64_t* random);
}  // namespace avx2
namespace avx512 {
std::uint64_t play(BreakthroughSideBySide<6>&, std::uint64_t which, std::uint64_t* random);
std::uint64_t play(BreakthroughSideBySide<8>&, std::uint64_t which, std::uint64_t* random);
}  // namespace avx512

}  // namespace ggp

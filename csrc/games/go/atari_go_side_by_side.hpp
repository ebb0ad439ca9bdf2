// Many games of Atari Go side by side, played at random by vectors of boards, one board in each word of 64 bits. For
// one board, see AtariGo::random_move(). The results are the same, including the order of moves and the numbers drawn
// from the random stream of each board.
#pragma once

#include <cstdint>

#include "base/vector_kernels.hpp"
#include "games/go/go_board.hpp"

namespace ggp {

struct AtariGoState {
  std::uint64_t mine, theirs;  // stones of the role to move, and of the other role
  std::uint64_t hash;
  std::uint64_t moves;         // number of moves so far, one stone each
  std::uint64_t ended;         // 1 if the latest move captured stones, 2 if only its own group is dead, else 0
};

using AtariGoBoard = GoBoard<7>;

struct AtariGoSideBySide {
  static constexpr int kMost = 64;
  alignas(64) std::uint64_t mine[kMost] = {}, theirs[kMost] = {}, moves[kMost] = {};
  // One bit for each board: whether the latest move captured stones, and whether its own group is dead.
  std::uint64_t captured = 0, died = 0;

  void set(int board, const AtariGoState& state) {
    mine[board] = state.mine;
    theirs[board] = state.theirs;
    moves[board] = state.moves;
    const std::uint64_t bit = std::uint64_t{1} << board;
    captured = state.ended == 1 ? captured | bit : captured & ~bit;
    died = state.ended == 2 ? died | bit : died & ~bit;
  }
  // Without the hash, which is not maintained here.
  AtariGoState get(int board) const {
    const std::uint64_t ended = captured >> board & 1 ? 1 : 2 * (died >> board & 1);
    return {mine[board], theirs[board], 0, moves[board], ended};
  }
};

// Plays a move, drawn from the stream of the board, on each board of `which`, whose games have not ended. Returns the
// boards whose game ends.
using PlayAtariGo = std::uint64_t (*)(AtariGoSideBySide&, std::uint64_t which, std::uint64_t* random);

GGP_DECLARE_KERNELS(
  std::uint64_t play(AtariGoSideBySide&, std::uint64_t which, std::uint64_t* random);)

}  // namespace ggp

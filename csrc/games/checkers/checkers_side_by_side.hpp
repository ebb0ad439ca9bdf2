// Many games of checkers side by side, played at random by vectors of boards. Checkers::random_move() plays one board.
//
// An instruction on a word of 32 bits costs the same as on a vector of 8 or 16 of these words. Moves of all boards of a
// vector are found, counted, drawn and played, and ends are detected, with masks instead of branches. The results are
// the same as for one board, including the order of moves and the numbers drawn from the random stream of each board.
// Only walks of several jumps (4 positions of a hundred) are listed board by board.
#pragma once

#include <cstdint>

#include "base/vector_kernels.hpp"
#include "games/checkers/checkers_squares.hpp"

namespace ggp {

struct CheckersSideBySide {
  static constexpr int kMost = 64;
  alignas(64) std::uint32_t mine[kMost] = {}, theirs[kMost] = {}, kings[kMost] = {};
  alignas(64) std::uint32_t mover[kMost] = {}, quiet[kMost] = {};
  std::uint32_t quiet_end = checkers_squares::kUsualQuietEnd;

  void set(int board, const CheckersState& state) {
    mine[board] = state.mine;
    theirs[board] = state.theirs;
    kings[board] = state.kings;
    mover[board] = state.mover;
    quiet[board] = state.quiet;
  }
  // Without the hash, which is not maintained here.
  CheckersState get(int board) const {
    return {mine[board], theirs[board], kings[board], static_cast<std::uint16_t>(mover[board]),
            static_cast<std::uint16_t>(quiet[board]), 0};
  }
};

// Draws a capture in a position in which a walk may continue after a jump.
using DrawCapture = CheckersMove (*)(const CheckersState&, std::uint64_t& random);
// Plays a move, drawn from the stream of the board, on each board of `which`. Returns the boards whose game ends.
using PlayCheckers = std::uint64_t (*)(CheckersSideBySide&, std::uint64_t which, std::uint64_t* random, DrawCapture);

GGP_DECLARE_KERNELS(
  std::uint64_t play(CheckersSideBySide&, std::uint64_t which, std::uint64_t* random, DrawCapture);)

}  // namespace ggp

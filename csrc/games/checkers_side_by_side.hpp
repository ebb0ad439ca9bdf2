// Many games of checkers side by side, played at random by vectors of boards; see Checkers::random_move() for one
// board.
//
// What a processor does with a word of 32 bits it does with a vector of 8 or 16 of them at the same price. Moves of all
// boards of a vector are found, counted, drawn, played, and ends noticed, with masks in the place of branches; all is
// as for one board, down to the order of moves and to what is drawn from the stream of each. Walks of several jumps
// alone (4 positions of a hundred) have to be listed, board by board.
#pragma once

#include <cstdint>

#include "games/checkers_squares.hpp"
#include "games/vector_kernels.hpp"

namespace ggp {

struct CheckersSideBySide {
  static constexpr int kMost = 64;
  alignas(64) std::uint32_t mine[kMost] = {}, theirs[kMost] = {}, kings[kMost] = {};
  alignas(64) std::uint32_t mover[kMost] = {}, quiet[kMost] = {};

  void set(int board, const CheckersState& state) {
    mine[board] = state.mine;
    theirs[board] = state.theirs;
    kings[board] = state.kings;
    mover[board] = state.mover;
    quiet[board] = state.quiet;
  }
  // But for its hash, which nobody keeps here.
  CheckersState get(int board) const {
    return {mine[board], theirs[board], kings[board], static_cast<std::uint16_t>(mover[board]),
            static_cast<std::uint16_t>(quiet[board]), 0};
  }
};

// A capture, drawn from all of a position in which one may go on after a jump.
using DrawCapture = CheckersMove (*)(const CheckersState&, std::uint64_t& random);
// Plays a move on each board of `which`, drawn from the stream of the board; those on which the game ends by it.
using PlayCheckers = std::uint64_t (*)(CheckersSideBySide&, std::uint64_t which, std::uint64_t* random, DrawCapture);

// The kernels, to be called where the processor has the instruction set.
namespace avx2 {
std::uint64_t play(CheckersSideBySide&, std::uint64_t which, std::uint64_t* random, DrawCapture);
}
namespace avx512 {
std::uint64_t play(CheckersSideBySide&, std::uint64_t which, std::uint64_t* random, DrawCapture);
}

}  // namespace ggp

// Many games of Chinese Checkers side by side, played by vectors of boards, at random or by the policy; see
// ChineseCheckers::random_move() and policy_move() for one board. At random, the pieces of a board are taken one after the other, those of all
// boards of a vector at once: their chains of hops are followed until the longest ends. By the policy a piece is drawn
// first, and its chains alone are followed. All is as for one board, down to the order of moves and to what is drawn
// from the stream of each.
#pragma once

#include <cstdint>

#include "games/star_cells.hpp"
#include "games/vector_kernels.hpp"

namespace ggp {

struct ChineseCheckersState {
  star::Cells pieces[2];  // by role
  std::uint64_t hash;
  std::uint64_t moves;    // so far; the first role moves where it is even
};

struct ChineseCheckersSideBySide {
  static constexpr int kMost = 64;
  // Pieces of the role whose turn it is and of the other, in even rows and in odd ones.
  alignas(64) std::uint64_t mine[2][kMost] = {}, theirs[2][kMost] = {}, moves[kMost] = {};

  void set(int board, const ChineseCheckersState& state) {
    const star::Cells own = state.pieces[state.moves & 1], other = state.pieces[~state.moves & 1];
    mine[0][board] = star::even_rows(own);
    mine[1][board] = star::odd_rows(own);
    theirs[0][board] = star::even_rows(other);
    theirs[1][board] = star::odd_rows(other);
    moves[board] = state.moves;
  }
  // But for its hash, which nobody keeps here.
  ChineseCheckersState get(int board) const {
    ChineseCheckersState state{};
    state.moves = moves[board];
    state.pieces[state.moves & 1] = star::joined(mine[0][board], mine[1][board]);
    state.pieces[~state.moves & 1] = star::joined(theirs[0][board], theirs[1][board]);
    return state;
  }
};

// What is asked of one board.
struct ChineseCheckersRules {
  const star::Cells* forward;                     // of star::Tables, those of one role behind those of the other
  bool (*can_move)(const ChineseCheckersState&);  // asked where no piece outside its goal has a step
  // A move by the policy; whether the game ends by it.
  bool (*play_by_policy)(ChineseCheckersState&, std::uint64_t& random);
};
ChineseCheckersRules chinese_checkers_rules();

// Plays a move on each board of `which`, drawn from the stream of the board; those on which the game ends by it.
using PlayChineseCheckers = std::uint64_t (*)(ChineseCheckersSideBySide&, std::uint64_t which, std::uint64_t* random,
                                              const ChineseCheckersRules&);

// The kernels, to be called where the processor has the instruction set.
namespace avx2 {
std::uint64_t play(ChineseCheckersSideBySide&, std::uint64_t which, std::uint64_t* random, const ChineseCheckersRules&);
std::uint64_t play_by_policy(ChineseCheckersSideBySide&, std::uint64_t which, std::uint64_t* random,
                             const ChineseCheckersRules&);
}
namespace avx512 {
std::uint64_t play(ChineseCheckersSideBySide&, std::uint64_t which, std::uint64_t* random, const ChineseCheckersRules&);
std::uint64_t play_by_policy(ChineseCheckersSideBySide&, std::uint64_t which, std::uint64_t* random,
                             const ChineseCheckersRules&);
}

}  // namespace ggp

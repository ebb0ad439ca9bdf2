// Many games of Chinese Checkers side by side, played by vectors of boards, at random or by the policy. For one board,
// see ChineseCheckers::random_move() and policy_move().
//
// At random, the pieces of a board are processed one after the other, on all boards of a vector together: their chains
// of hops are followed until the longest chain ends. By the policy, a piece is drawn first, and only its chains are
// followed. The results are the same as for one board, including the order of moves and the numbers drawn from the
// random stream of each board.
#pragma once

#include <cstdint>

#include "base/vector_kernels.hpp"
#include "games/chinese_checkers/star_cells.hpp"

namespace ggp {

struct ChineseCheckersState {
  star::Cells pieces[2];  // by role
  std::uint64_t hash;
  std::uint64_t moves;    // number of moves so far; the first role moves if it is even
};

struct ChineseCheckersSideBySide {
  static constexpr int kMost = 64;
  // Pieces of the role to move and of the other role, in even rows and in odd rows.
  alignas(64) std::uint64_t mine[2][kMost] = {}, theirs[2][kMost] = {}, moves[kMost] = {};

  void set(int board, const ChineseCheckersState& state) {
    const star::Cells own = state.pieces[state.moves & 1], other = state.pieces[~state.moves & 1];
    mine[0][board] = star::even_rows(own);
    mine[1][board] = star::odd_rows(own);
    theirs[0][board] = star::even_rows(other);
    theirs[1][board] = star::odd_rows(other);
    moves[board] = state.moves;
  }
  // Without the hash, which is not maintained here.
  ChineseCheckersState get(int board) const {
    ChineseCheckersState state{};
    state.moves = moves[board];
    state.pieces[state.moves & 1] = star::joined(mine[0][board], mine[1][board]);
    state.pieces[~state.moves & 1] = star::joined(theirs[0][board], theirs[1][board]);
    return state;
  }
};

// Functions and tables for one board.
struct ChineseCheckersRules {
  const star::Cells* forward;                     // of star::Tables: cells of role 0, then of role 1
  bool (*can_move)(const ChineseCheckersState&);  // called if no piece outside its goal has a step
  // Plays a move by the policy; returns whether the game ends.
  bool (*play_by_policy)(ChineseCheckersState&, std::uint64_t& random);
};
ChineseCheckersRules chinese_checkers_rules();

// Plays a move, drawn from the stream of the board, on each board of `which`. Returns the boards whose game ends.
using PlayChineseCheckers = std::uint64_t (*)(ChineseCheckersSideBySide&, std::uint64_t which, std::uint64_t* random,
                                              const ChineseCheckersRules&);

GGP_DECLARE_KERNELS(
  std::uint64_t play(ChineseCheckersSideBySide&, std::uint64_t which, std::uint64_t* random,
                     const ChineseCheckersRules&);
  std::uint64_t play_by_policy(ChineseCheckersSideBySide&, std::uint64_t which, std::uint64_t* random,
                               const ChineseCheckersRules&);)

}  // namespace ggp

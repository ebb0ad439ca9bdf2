// What stones take on many Go boards at a time, by vectors of boards; see GoBoard::taken_by() for one board.
//
// The stones with air are those beside an empty point and what they reach through stones of their colour. Grown step by
// step from the empty points, that set has no branch that depends on a board, so that a vector of 4 boards grows in
// as many instructions as one. A board is done when the set has all of the other side's stones beside the new one, or
// grows no more: what is left outside is taken. Where nothing is, the new stone's own group grows from it until it
// meets air, and is taken where it never does. Most boards are done after two steps: all of them take these, without a
// branch, and those that are not done then are put together in vectors of their own.
#pragma once

#include <cstdint>

#include "games/go_board.hpp"
#include "games/vector_kernels.hpp"

namespace ggp {

// Sets of points of up to kMost boards, words of equal rank side by side.
template <int kSize>
struct GoCaptures {
  using Board = GoBoard<kSize>;
  static constexpr int kMost = 64;
  using Sets = std::uint64_t[Board::kWords][kMost];

  // Of the side that moves, of the other side; the empty point of the new stone.
  alignas(64) Sets mine, theirs;
  alignas(64) std::uint64_t point[kMost];
  // What it takes, as GoBoard::Taken.
  alignas(64) Sets taken_mine, taken_theirs;

  void set(int board, const typename Board::Packed& own, const typename Board::Packed& other, int where) {
    for (int i = 0; i < Board::kWords; ++i) {
      mine[i][board] = own[i];
      theirs[i][board] = other[i];
    }
    point[board] = static_cast<std::uint64_t>(where);
  }
  typename Board::Taken taken(int board) const {
    typename Board::Packed of_theirs, of_mine;
    for (int i = 0; i < Board::kWords; ++i) {
      of_theirs[i] = taken_theirs[i][board];
      of_mine[i] = taken_mine[i][board];
    }
    return {Board::unpack(of_theirs), Board::unpack(of_mine)};
  }
};

// A bit for each of the boards where anything is taken: by `takes`, or by `alone` where it is the new stone and no other.
struct CapturedBoards {
  std::uint64_t takes, alone;
};

// Finds what is taken on the first so many boards. On those without a bit of `takes` taken_mine and taken_theirs say
// nothing.
template <int kSize>
using FindCaptures = CapturedBoards (*)(GoCaptures<kSize>&, int boards);

// The kernels, to be called where the processor has the instruction set.
namespace avx2 {
CapturedBoards find_captures(GoCaptures<5>& captures, int boards);
CapturedBoards find_captures(GoCaptures<9>& captures, int boards);
CapturedBoards find_captures(GoCaptures<19>& captures, int boards);
}  // namespace avx2
namespace avx512 {
CapturedBoards find_captures(GoCaptures<5>& captures, int boards);
CapturedBoards find_captures(GoCaptures<9>& captures, int boards);
CapturedBoards find_captures(GoCaptures<19>& captures, int boards);
}  // namespace avx512

}  // namespace ggp

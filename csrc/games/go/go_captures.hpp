// Captures on many Go boards together, by vectors of boards; see GoBoard::taken_by() for one board.
//
// Stones with air are the stones adjacent to an empty point, and all stones of their colour that they reach. This set
// grows step by step from the empty points. No branch depends on a board, so a vector of 4 boards takes as many
// instructions as one board. A board is done when the set does not grow any more, or contains all stones of the other
// side that are adjacent to the new stone. The stones outside the set are captured. If nothing is captured, the group
// of the new stone grows until it meets air; a group that never meets air is captured. Most boards are done after two
// steps. All boards take two steps without a branch; the remaining boards are collected in vectors of their own.
#pragma once

#include <cstdint>

#include "base/vector_kernels.hpp"
#include "games/go/go_board.hpp"

namespace ggp {

// Sets of points of up to kMost boards, words with the same index side by side.
template <int kSize>
struct GoCaptures {
  using Board = GoBoard<kSize>;
  static constexpr int kMost = 64;
  using Sets = std::uint64_t[Board::kWords][kMost];

  // Stones of the side that moves and of the other side; the empty point of the new stone.
  alignas(64) Sets mine, theirs;
  alignas(64) std::uint64_t point[kMost];
  // The captured stones, as in GoBoard::Taken.
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

// One bit for each board with a capture: in `alone` if only the new stone is captured, else in `takes`.
struct CapturedBoards {
  std::uint64_t takes, alone;
};

// Finds the captures on the first `count` boards. taken_mine and taken_theirs are undefined on boards without a bit of
// `takes`.
template <int kSize>
using FindCaptures = CapturedBoards (*)(GoCaptures<kSize>&, int boards);

GGP_DECLARE_KERNELS(
  CapturedBoards find_captures(GoCaptures<5>& captures, int boards);
  CapturedBoards find_captures(GoCaptures<9>& captures, int boards);
  CapturedBoards find_captures(GoCaptures<19>& captures, int boards);)

}  // namespace ggp

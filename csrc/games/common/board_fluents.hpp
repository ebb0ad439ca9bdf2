// The fluents of a position on a board, numbered as ggp_agent/game/native/board_game.py names them: for each kind of
// piece, all cells in the order in which they are printed; the role to move; and a counter, given by its binary digits
// that are 1, or by its value.
#pragma once

#include <cstdint>

namespace ggp {

// kCounted: the number of fluents of the counter (digits or values), 0 without a counter.
template <int kKinds, int kCells, int kCounted = 0>
struct BoardFluents {
  static constexpr int kTurn = kKinds * kCells, kCounter = kTurn + 2, kCount = kCounter + kCounted;

  static constexpr int piece(int kind, int cell) { return kCells * kind + cell; }
  static constexpr int turn(int role) { return kTurn + role; }
  static constexpr int value(std::uint64_t count) { return kCounter + static_cast<int>(count); }
  template <class See>
  static void digits(std::uint64_t count, See&& see) {
    for (; count != 0; count &= count - 1) see(kCounter + __builtin_ctzll(count));
  }
};

// Binary digits of the numbers up to the greatest.
constexpr int digits_up_to(std::uint64_t greatest) { return greatest == 0 ? 0 : 1 + digits_up_to(greatest / 2); }

}  // namespace ggp

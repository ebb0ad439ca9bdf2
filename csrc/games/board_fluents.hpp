// The facts of a position on a board, numbered as ggp_agent/game/native/board_game.py names them: what stands where, a kind of
// piece after the other, each on all cells in the order in which they are printed; whose turn it is; and a counter, which is
// told by the binary digits that are 1, or by its value.
#pragma once

#include <cstdint>

namespace ggp {

// `counted` facts of the counter: its digits, its values, or 0 for none.
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

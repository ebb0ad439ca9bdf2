// Many games of Gomoku on large boards side by side, played at random; see Gomoku::random_move() for one board. The results are the
// same as for one board, including the order of moves and the numbers drawn from the random stream of each board.
//
// Only the lines through the last stone can have a new five. Rows of 16 bits of a board fill one vector of 256 bits,
// from which the column and the diagonals of the stone are read by three masks; the lines of several boards, 16 bits
// each, are then examined together.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "base/vector_kernels.hpp"

namespace ggp {

// A row of the board takes 16 bits of a word, of which the last is never set; four rows make a word, row 0 is at the
// bottom, columns are counted from a.
template <int kSize>
struct GomokuShape {
  static constexpr int kRowBits = 16, kRowsOfWord = 4;
  static constexpr int kPoints = kSize * kSize, kDiagonals = 2 * kSize - 1;
  static constexpr int kWords = (kSize + kRowsOfWord - 1) / kRowsOfWord;
  using Stones = std::array<std::uint64_t, kWords>;

  static constexpr int word_of(int row) { return row / kRowsOfWord; }
  static constexpr int place_of(int row, int column) { return kRowBits * (row % kRowsOfWord) + column; }
  static constexpr int rising_of(int row, int column) { return column - row + kSize - 1; }
  static constexpr int falling_of(int row, int column) { return column + row; }
};

// The number of moves and `five` could be derived from the stones; they are stored because play-outs need them quickly.
template <int kSize>
struct GomokuState {
  typename GomokuShape<kSize>::Stones stones[2];
  std::uint64_t hash;
  std::uint32_t moves;  // number of moves so far
  std::uint32_t five;   // 0 or 1
};

template <int kSize>
struct GomokuSideBySide : private GomokuShape<kSize> {
  using Shape = GomokuShape<kSize>;
  using Shape::kDiagonals, Shape::kPoints;
  static constexpr int kMost = 64, kRows = 16;
  static constexpr int kWords = (kPoints + 63) / 64;  // of a set of points by number
  using Rows = std::array<std::uint16_t, kRows>;

  alignas(64) std::uint64_t empty[kWords][kMost] = {};  // points by number
  alignas(64) std::uint64_t left[kMost] = {};           // number of empty points
  alignas(64) Rows stones[2 * kMost] = {};              // by board and role
  std::uint64_t fives = 0;                              // one bit for each board

  void set(int board, const GomokuState<kSize>& state) {
    for (int word = 0; word < kWords; ++word) empty[word][board] = 0;
    for (int role = 0; role < 2; ++role)
      std::memcpy(&stones[2 * board + role], &state.stones[role], sizeof state.stones[role]);
    for (int row = 0; row < kSize; ++row) {
      const int stones_there = stones[2 * board][row] | stones[2 * board + 1][row], first = kSize * row;
      const auto free = static_cast<std::uint64_t>(~stones_there & ((1 << kSize) - 1));
      empty[first / 64][board] |= free << first % 64;
      if (first % 64 + kSize > 64) empty[first / 64 + 1][board] |= free >> (64 - first % 64);
    }
    left[board] = kPoints - state.moves;
    fives = (fives & ~(std::uint64_t{1} << board)) | std::uint64_t{state.five} << board;
  }
  // Without the hash, which is not maintained here.
  GomokuState<kSize> get(int board) const {
    GomokuState<kSize> state{};
    for (int role = 0; role < 2; ++role)
      std::memcpy(&state.stones[role], &stones[2 * board + role], sizeof state.stones[role]);
    state.moves = static_cast<std::uint32_t>(kPoints - left[board]);
    state.five = fives >> board & 1;
    return state;
  }

  // The lines through a point: its row; indices of masks; and its bits in the lines: 16 bits each for its row, its
  // column and its diagonals.
  struct Lines {
    std::uint16_t row, column, rising, falling;
    std::uint64_t bits;
  };
  // The points of columns and diagonals; the lines through each point.
  struct Tables {
    alignas(32) Rows masks[kSize + 2 * kDiagonals];
    Lines lines[kPoints];
  };
  static constexpr Tables made() {
    Tables tables{};
    for (int row = 0; row < kSize; ++row)
      for (int column = 0; column < kSize; ++column) {
        const int rising = kSize + Shape::rising_of(row, column);
        const int falling = kSize + kDiagonals + Shape::falling_of(row, column);
        for (const int line : {column, rising, falling})
          tables.masks[line][row] = static_cast<std::uint16_t>(tables.masks[line][row] | 1 << column);
        tables.lines[kSize * row + column] = {static_cast<std::uint16_t>(row), static_cast<std::uint16_t>(column),
                                              static_cast<std::uint16_t>(rising), static_cast<std::uint16_t>(falling),
                                              std::uint64_t{1} << column | std::uint64_t{0x1000100010000} << row};
      }
    return tables;
  }
  static constexpr Tables kTables = made();
};

// Plays a move, drawn from the stream of the board, on each board of `which`, whose games have not ended. Returns the
// boards whose game ends.
template <int kSize>
using PlayGomoku = std::uint64_t (*)(GomokuSideBySide<kSize>&, std::uint64_t which, std::uint64_t* random);

// The kernels; call them only if the processor has the instruction set.
namespace avx2 {
std::uint64_t play(GomokuSideBySide<9>&, std::uint64_t which, std::uint64_t* random);
std::uint64_t play(GomokuSideBySide<11>&, std::uint64_t which, std::uint64_t* random);
std::uint64_t play(GomokuSideBySide<15>&, std::uint64_t which, std::uint64_t* random);
}  // namespace avx2
namespace avx512 {
std::uint64_t play(GomokuSideBySide<9>&, std::uint64_t which, std::uint64_t* random);
std::uint64_t play(GomokuSideBySide<11>&, std::uint64_t which, std::uint64_t* random);
std::uint64_t play(GomokuSideBySide<15>&, std::uint64_t which, std::uint64_t* random);
}  // namespace avx512

}  // namespace ggp

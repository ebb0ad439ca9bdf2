// The board of checkers in words of 32 bits, one for each dark square.
//
// A square is a bit in the byte of its diagonal; the bit is its column. Diagonals that go up to the right are counted
// modulo 4, so two short diagonals share a byte. A step is a rotation by 1 or 7 from every square. A step over the edge
// ends on a row or column that no such step can reach on the board.
#pragma once

#include <cstdint>

namespace ggp {

// One bit each, except for the victims.
struct CheckersMove {
  std::uint32_t from, to, victims;
};

struct CheckersState {
  std::uint32_t mine, theirs;  // squares of the role to move and of the other role
  std::uint32_t kings;         // of both roles
  std::uint16_t mover;         // 0 or 1
  std::uint16_t quiet;         // number of turns since the last capture or move of a man
  std::uint64_t hash;
};

namespace checkers_squares {

// The number of turns without a capture or a move of a man that is a draw, unless a variant has another number.
constexpr std::uint32_t kUsualQuietEnd = 50;

// Squares are counted row by row from the side of black; row 0 has squares in the columns 1, 3, 5 and 7.
constexpr int kSquares = 32;
constexpr int row_of(int square) { return square / 4; }
constexpr int column_of(int square) { return 2 * (square % 4) + (row_of(square) % 2 == 0); }
constexpr std::uint32_t one_at(int square) {
  const int diagonal = (row_of(square) - column_of(square) + 9) / 2 % 4;
  return std::uint32_t{1} << (8 * diagonal + column_of(square));
}
constexpr std::uint32_t line_of(bool is_row, int number) {
  std::uint32_t line = 0;
  for (int square = 0; square < kSquares; ++square)
    if ((is_row ? row_of(square) : column_of(square)) == number) line |= one_at(square);
  return line;
}
// By role: its initial squares, and the squares where its men become kings.
constexpr std::uint32_t kHome[2] = {line_of(true, 0) | line_of(true, 1) | line_of(true, 2),
                                    line_of(true, 5) | line_of(true, 6) | line_of(true, 7)};
constexpr std::uint32_t kFarRow[2] = {line_of(true, 7), line_of(true, 0)};

// Directions: up left, up right, down right, down left. Men of role 0 move in the first two, men of role 1 in the
// others. The tables contain the number of bits to rotate, and the squares that can be reached.
constexpr int kWays = 4;
constexpr int kRotation[kWays] = {7, 1, 25, 31};
constexpr std::uint32_t kReached[kWays] = {
    ~(line_of(true, 0) | line_of(false, 7)), ~(line_of(true, 0) | line_of(false, 0)),
    ~(line_of(true, 7) | line_of(false, 0)), ~(line_of(true, 7) | line_of(false, 7))};

// One step in a direction.
constexpr std::uint32_t on(std::uint32_t word, int way) {
  return (word << kRotation[way] | word >> (32 - kRotation[way])) & kReached[way];
}
constexpr std::uint32_t back(std::uint32_t word, int way) { return on(word, way ^ 2); }

}  // namespace checkers_squares
}  // namespace ggp

// The board of checkers in words of 32 bits, one for each dark square.
//
// A square is a bit of the byte of its diagonal, at its column; the diagonals that go up to the right are counted
// modulo 4, so that two which meet at the ends of the board share a byte. So a step is a rotation by 1 or 7 from every
// square, and what leaves the board arrives at a row or a column that no such step can lead to.
#pragma once

#include <cstdint>

namespace ggp {

// One square each, but for the victims.
struct CheckersMove {
  std::uint32_t from, to, victims;
};

struct CheckersState {
  std::uint32_t mine, theirs;  // squares of the role whose turn it is and of the other
  std::uint32_t kings;         // of both
  std::uint16_t mover;         // 0 or 1
  std::uint16_t quiet;         // turns without a capture or a man's move, up to now
  std::uint64_t hash;
};

namespace checkers_squares {

constexpr std::uint32_t kQuietEnd = 50;  // so many turns without a capture or a man's move are a draw

// Squares are counted row by row from the side of black; those of row 0 are in the columns 1, 3, 5 and 7.
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
// By role: where it starts, where its men become kings.
constexpr std::uint32_t kHome[2] = {line_of(true, 0) | line_of(true, 1) | line_of(true, 2),
                                    line_of(true, 5) | line_of(true, 6) | line_of(true, 7)};
constexpr std::uint32_t kFarRow[2] = {line_of(true, 7), line_of(true, 0)};

// Up to the left, up to the right, down to the right, down to the left: men of role 0 go the first two ways, of role 1
// the others. By how many bits squares are rotated, and the squares that can be reached.
constexpr int kWays = 4;
constexpr int kRotation[kWays] = {7, 1, 25, 31};
constexpr std::uint32_t kReached[kWays] = {
    ~(line_of(true, 0) | line_of(false, 7)), ~(line_of(true, 0) | line_of(false, 0)),
    ~(line_of(true, 7) | line_of(false, 0)), ~(line_of(true, 7) | line_of(false, 7))};

// One step on.
constexpr std::uint32_t on(std::uint32_t word, int way) {
  return (word << kRotation[way] | word >> (32 - kRotation[way])) & kReached[way];
}
constexpr std::uint32_t back(std::uint32_t word, int way) { return on(word, way ^ 2); }

}  // namespace checkers_squares
}  // namespace ggp

// The board of Cannon: squares as bits, kinds of moves, and the lines on which towns can be hit; see cannon.cpp.
#pragma once

#include "games/common/wide_bits.hpp"

namespace ggp::cannon_squares {

using Board = WideWord;

constexpr int kSize = 10, kWidth = 11, kSoldiers = 15;
constexpr int kEast = 1, kNorth = kWidth, kNorthEast = kWidth + 1, kNorthWest = kWidth - 1;
// By kind of move, for the first role: a step or capture forward or aside, a retreat, a jump of a cannon.
constexpr int kDeltas[16] = {kNorthWest,      kNorth,      kNorthEast,      -kEast,      kEast,
                             -2 * kNorthEast, -2 * kNorth, -2 * kNorthWest, 3 * kEast,   -3 * kEast,
                             3 * kNorth,      -3 * kNorth, 3 * kNorthEast,  -3 * kNorthEast, 3 * kNorthWest,
                             -3 * kNorthWest};
constexpr int kFoot = 5, kRetreats = 5, kJumps = 8, kShot = 16, kKinds = 17;

constexpr int place_of(int row, int column) { return kWidth * row + column; }
constexpr bool is_square(int row, int column) { return row >= 0 && row < kSize && column >= 0 && column < kSize; }
constexpr int kLastPlace = place_of(kSize - 1, kSize - 1);
constexpr int kLongest = 1000;  // moves of a game
constexpr Board bit(int place) { return Board{1} << place; }
constexpr Board all_squares() {
  Board squares = 0;
  for (int row = 0; row < kSize; ++row)
    for (int column = 0; column < kSize; ++column) squares |= bit(place_of(row, column));
  return squares;
}
constexpr Board kSquares = all_squares();
constexpr int dense(int place) { return place / kWidth * kSize + place % kWidth; }
constexpr int place_of_dense(int square) { return place_of(square / kSize, square % kSize); }

inline int soldiers_in(Board squares) { return static_cast<int>(count_of<PlainBits>(squares)); }

// The threats to a town: a soldier near it, or a cannon behind a gate.
struct Watch {
  struct Line {
    Board gate, cannon;
    int direction;  // one of the first five kinds
  };
  Board near = 0, zone = 0;  // zone: squares from which an enemy soldier may take part in an attack
  Line lines[10] = {};
  int count = 0;
};
struct Watches {
  Watch of[2][kSize];
};
constexpr Watches watches() {
  Watches made{};
  constexpr int kRowStep[kFoot] = {1, 1, 1, 0, 0}, kColumnStep[kFoot] = {-1, 0, 1, -1, 1};
  for (int role = 0; role < 2; ++role)
    for (int column = 0; column < kSize; ++column) {
      Watch& watch = made.of[role][column];
      for (int direction = 0; direction < kFoot; ++direction) {
        const int sign = role == 0 ? 1 : -1, home = role == 0 ? 0 : kSize - 1;
        const auto is_on = [&](int steps) {
          return is_square(home + sign * steps * kRowStep[direction], column + sign * steps * kColumnStep[direction]);
        };
        const auto at = [&](int steps) { return bit(place_of(home, column) + sign * steps * kDeltas[direction]); };
        if (is_on(1)) watch.near |= at(1);
        for (int gate = 1; gate <= 2; ++gate) {
          if (!is_on(gate + 3)) continue;
          const Board cannon = at(gate + 1) | at(gate + 2) | at(gate + 3);
          watch.lines[watch.count++] = {at(gate), cannon, direction};
          watch.zone |= cannon;
        }
      }
      watch.zone |= watch.near;
    }
  return made;
}
constexpr Watches kWatches = watches();

}  // namespace ggp::cannon_squares

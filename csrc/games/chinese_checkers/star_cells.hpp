// The cells of the star of Chinese Checkers as bits, hops and steps of many cells at once, and the numbers of moves.
//
// The rows of the star are sheared until the three axes are straight. Hops stay in rows of one parity, so even rows and
// odd rows are two words. With q = column - row / 2, cell (row, column) is bit 11 * (row / 2) + q - 5 of the word of
// the even rows, or bit 11 * (row / 2) + q - 4 of the word of the odd rows. With eleven places for each row, no step or
// hop over an edge leads to a bit of another cell; fewer places are not enough.
//
// Hops of all cells of a frontier are computed together. For each direction, a set contains the cells from which a hop
// is possible, with an adjacent occupied cell and an empty cell behind it. The set does not change along a chain: hops
// are two cells long, so no chain of a piece passes over the cell where it began.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "base/bits.hpp"

namespace ggp::star {

__extension__ using Cells = unsigned __int128;  // a set: the word of the even rows, then that of the odd rows
using Word = std::uint64_t;

constexpr int kRows = 13, kColumns = 10;
constexpr int kBits = 116;
constexpr int kPieces = 6;  // of each side, always
constexpr std::uint64_t kMostMoves = 1000;
constexpr int kFirst[kRows] = {5, 4, 4, 0, 1, 1, 2, 1, 1, 0, 4, 4, 5};
constexpr int kLast[kRows] = {5, 5, 6, 9, 9, 8, 8, 8, 9, 9, 6, 5, 5};

constexpr Cells one(int bit) { return Cells{1} << bit; }
constexpr int bit_of(int row, int column) {
  return 11 * (row / 2) + column - row / 2 + (row % 2 == 0 ? -5 : 64 - 4);
}
constexpr bool is_cell(int row, int column) {
  return row >= 0 && row < kRows && column >= kFirst[row] && column <= kLast[row];
}
constexpr int row_of(int bit) {
  int row = bit / 64;
  while (bit > bit_of(row, kLast[row])) row += 2;
  return row;
}
constexpr int column_of(int bit) { return bit - bit_of(row_of(bit), 0); }
constexpr Cells rows(int from, int to) {
  Cells cells = 0;
  for (int row = from; row <= to; ++row)
    for (int column = kFirst[row]; column <= kLast[row]; ++column) cells |= one(bit_of(row, column));
  return cells;
}
constexpr int count_cells() {
  int count = 0;
  for (int row = 0; row < kRows; ++row) count += kLast[row] - kFirst[row] + 1;
  return count;
}
constexpr int kCells = count_cells();
constexpr Cells kBoard = rows(0, kRows - 1);
constexpr Cells kTip[2] = {rows(0, 2), rows(10, 12)};  // the tip where a role starts; its target is the other tip

constexpr Word even_rows(Cells cells) { return static_cast<Word>(cells); }
constexpr Word odd_rows(Cells cells) { return static_cast<Word>(cells >> 64); }
constexpr Cells joined(Word even, Word odd) { return Cells{odd} << 64 | even; }
// All bits or none. For unpredictable conditions a mask is faster than a branch.
constexpr Word mask_if(bool condition) { return 0 - Word{condition}; }
inline int lowest(Cells cells) {
  const Word none = mask_if(even_rows(cells) == 0);
  return static_cast<int>(64 & none) + __builtin_ctzll(even_rows(cells) | (odd_rows(cells) & none));
}
template <class Bits>
std::uint32_t count_of(Cells cells) {
  return Bits::count(even_rows(cells)) + Bits::count(odd_rows(cells));
}
// The k-th cell, from 0. In one of the two words the shift is out of range.
template <class Bits>
int pick(Cells cells, std::uint32_t place) {
  const Word here = Word{1} << place, evens = even_rows(cells);
  return lowest(joined(Bits::deposit(here, evens), Bits::deposit(here >> Bits::count(evens), odd_rows(cells))));
}

// The cells of a word from which a hop is possible, by direction.
struct Hops {
  Word right, left, down, up, down_left, up_right;

  Word any() const { return right | left | down | up | down_left | up_right; }
  // Only hops of a role that do not go backwards.
  Word ahead(int role) const {
    const Word is_first = mask_if(role == 0);
    return right | left | ((down | down_left) & is_first) | ((up | up_right) & ~is_first);
  }
  // The ends of hops from these cells.
  Word ends(Word cells) const {
    return (cells & right) << 2 | (cells & left) >> 2 | (cells & down) << 11 | (cells & up) >> 11 |
           (cells & down_left) << 9 | (cells & up_right) >> 9;
  }
  // The starts of hops that end on these cells.
  Word starts(Word cells) const {
    return (cells >> 2 & right) | (cells << 2 & left) | (cells >> 11 & down) | (cells << 11 & up) |
           (cells >> 9 & down_left) | (cells << 9 & up_right);
  }
};
inline Hops hops_in_even_rows(Cells all, Cells empty) {
  const Word even = even_rows(all), odd = odd_rows(all), free = even_rows(empty);
  return {even >> 1 & free >> 2, even << 1 & free << 2, odd >> 1 & free >> 11,
          odd << 10 & free << 11, odd & free >> 9, odd << 9 & free << 9};
}
inline Hops hops_in_odd_rows(Cells all, Cells empty) {
  const Word even = even_rows(all), odd = odd_rows(all), free = odd_rows(empty);
  return {odd >> 1 & free >> 2, odd << 1 & free << 2, even >> 10 & free >> 11,
          even << 1 & free << 11, even >> 9 & free >> 9, even & free << 9};
}
// The cells adjacent to some cells; also sets bits off the board.
inline Cells steps(Cells cells) {
  const Word even = even_rows(cells), odd = odd_rows(cells);
  return joined(even << 1 | even >> 1 | odd >> 1 | odd << 10 | odd | odd << 9,
                odd << 1 | odd >> 1 | even >> 10 | even << 1 | even >> 9 | even);
}

// Tables of cells, and the numbers of moves: from every cell to its neighbours and to all possible ends of hops.
struct Tables {
  static constexpr int kMoves = 1656;
  static constexpr int kMostHops = 24;  // more than any chain has, because it visits a cell once

  Cells beside[kBits] = {};
  // By role: the cells to which a piece may ever go, and the part of these cells that is not backwards.
  Cells open[2][kBits] = {}, forward[2][kBits] = {};
  std::int16_t number[kBits][kBits];
  std::int16_t from[kMoves], to[kMoves];
  // floor(2^16 / (1 + hops)) + 1: multiplying by it and shifting by 16 divides numbers below 2^16 / 25 by 1 + hops.
  std::uint32_t reciprocal[kMostHops];

  Tables() {
    for (std::uint32_t hops = 0; hops < kMostHops; ++hops) reciprocal[hops] = (1u << 16) / (1 + hops) + 1;
    std::fill(&number[0][0], &number[0][0] + kBits * kBits, std::int16_t{-1});
    int count = 0;
    for (int bit = 0; bit < kBits; ++bit) {
      if ((kBoard & one(bit)) == 0) continue;
      beside[bit] = steps(one(bit)) & kBoard;
      for (int role = 0; role < 2; ++role) {
        const Cells goal = kTip[1 - role];
        open[role][bit] = (goal & one(bit)) != 0 ? goal : kBoard;
        forward[role][bit] = open[role][bit] & (role == 0 ? rows(row_of(bit), kRows - 1) : rows(0, row_of(bit)));
      }
      const Hops hops = bit < 64 ? hops_in_even_rows(kBoard, kBoard) : hops_in_odd_rows(kBoard, kBoard);
      Word chains = Word{1} << bit % 64;
      while (const Word more = hops.ends(chains) & ~chains) chains |= more;
      const Cells reached = bit < 64 ? joined(chains, 0) : joined(0, chains);
      for (Cells left = (reached & ~one(bit)) | beside[bit]; left != 0; left &= left - 1) {
        number[bit][lowest(left)] = static_cast<std::int16_t>(count);
        if (count < kMoves) {
          from[count] = static_cast<std::int16_t>(bit);
          to[count] = static_cast<std::int16_t>(lowest(left));
        }
        ++count;
      }
    }
    if (count != kMoves) throw std::logic_error("chinese checkers has " + std::to_string(count) + " moves");
  }
};

}  // namespace ggp::star

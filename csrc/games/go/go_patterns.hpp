// The 3x3 patterns of Go play-outs (S. Gelly, Y. Wang, R. Munos and O. Teytaud, "Modification of UCT with patterns in
// Monte-Carlo Go", INRIA report 6062, 2006, section 3.2): hane, two kinds of cuts, and moves on the edge.
//
// The surroundings of an empty point are eight cells, by bit: 0 .. 2 the row below from the left, 3 left, 4 right,
// 5 .. 7 the row above from the left. A cell outside the board has its bit in both sets. Patterns count in all rotations
// and reflections, and for both colours, except one that is for the side to move. They match inside the board, or on an
// edge, but not in a corner.
#pragma once

#include <cstdint>

namespace ggp {

class GoPatterns {
 public:
  // Whether the side to move has a pattern at a point: the cells with its stones and with the other side's stones.
  bool matches(unsigned mine, unsigned theirs) const {
    const unsigned index = mine | theirs << 8;
    return bits_[index / 64] >> (index % 64) & 1;
  }

 private:
  friend const GoPatterns& go_patterns();
  GoPatterns();
  void add(const char* pattern, int symmetry, bool swapped, int cell, unsigned mine, unsigned theirs);

  std::uint64_t bits_[(1 << 16) / 64] = {};
};

// The table, which the first call makes.
const GoPatterns& go_patterns();

}  // namespace ggp

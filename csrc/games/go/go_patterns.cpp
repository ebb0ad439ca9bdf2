#include "games/go/go_patterns.hpp"

#include <utility>

namespace ggp {

namespace {

// Three rows of a pattern, from the top; the point itself is *. X and O: stones of the two sides; .: empty; x: not X;
// o: not O; ?: any; #: outside the board. Cells that are not # are inside it.
struct Pattern {
  const char* rows;
  bool for_mover;                      // X must be the side to move
  const char* except[2] = {"", ""};    // not if one of these matches in the same orientation
};

constexpr Pattern kPatterns[] = {
    {"XOX.*.???", false},                                 // hane that encloses
    {"XO..*.?.?", false},                                 // hane that does not cut
    {"XO?X*.?.?", false},                                 // magari
    {"XOO.*.?.?", true},                                  // hane at the head of two stones
    {"XO?O*????", false, {"XO?O*O?.?", "XO?O*.?O?"}},     // cut 1, unless the cut is protected
    {"?X?O*Oooo", false},                                 // cut 2
    {"X.?O*?###", false},                                 // edge: chase
    {"OX?X*O###", false},                                 // edge: block a cut
    {"?X?x*O###", false},                                 // edge: block a connection
    {"?XOx*x###", false},                                 // edge: sagari
    {"?OXX*O###", false},                                 // edge: cut
};

// Columns and rows of the cells by bit, from the lower left.
constexpr int kColumn[8] = {0, 1, 2, 0, 2, 0, 1, 2};
constexpr int kRow[8] = {0, 0, 0, 1, 1, 2, 2, 2};

// The character of a pattern at a cell, after one of the eight symmetries.
char at(const char* rows, int symmetry, int cell) {
  int column = kColumn[cell], row = kRow[cell];
  if (symmetry & 4) std::swap(column, row);
  if (symmetry & 1) column = 2 - column;
  if (symmetry & 2) row = 2 - row;
  return rows[3 * (2 - row) + column];
}

enum Content { kEmpty, kX, kO, kOutside };

bool allows(char wanted, Content content) {
  switch (wanted) {
    case 'X': return content == kX;
    case 'O': return content == kO;
    case '.': return content == kEmpty;
    case 'x': return content == kEmpty || content == kO;
    case 'o': return content == kEmpty || content == kX;
    case '?': return content != kOutside;
    default: return content == kOutside;
  }
}

Content content(unsigned mine, unsigned theirs, bool swapped, int cell) {
  const unsigned x = (swapped ? theirs : mine) >> cell & 1, o = (swapped ? mine : theirs) >> cell & 1;
  return x && o ? kOutside : x ? kX : o ? kO : kEmpty;
}

bool fits(const char* rows, int symmetry, unsigned mine, unsigned theirs, bool swapped) {
  if (*rows == 0) return false;
  for (int cell = 0; cell < 8; ++cell)
    if (!allows(at(rows, symmetry, cell), content(mine, theirs, swapped, cell))) return false;
  return true;
}

}  // namespace

// Enumerates the surroundings that match, cell by cell.
void GoPatterns::add(const char* pattern, int symmetry, bool swapped, int cell, unsigned mine, unsigned theirs) {
  if (cell == 8) {
    for (const Pattern& each : kPatterns)
      if (each.rows == pattern)
        for (const char* except : each.except)
          if (fits(except, symmetry, mine, theirs, swapped)) return;
    const unsigned index = mine | theirs << 8;
    bits_[index / 64] |= std::uint64_t{1} << (index % 64);
    return;
  }
  const unsigned bit = 1u << cell;
  for (const auto& [more_mine, more_theirs] :
       {std::pair{0u, 0u}, std::pair{bit, 0u}, std::pair{0u, bit}, std::pair{bit, bit}})
    if (allows(at(pattern, symmetry, cell), content(mine | more_mine, theirs | more_theirs, swapped, cell)))
      add(pattern, symmetry, swapped, cell + 1, mine | more_mine, theirs | more_theirs);
}

GoPatterns::GoPatterns() {
  for (const Pattern& pattern : kPatterns)
    for (int symmetry = 0; symmetry < 8; ++symmetry) {
      add(pattern.rows, symmetry, false, 0, 0, 0);
      if (!pattern.for_mover) add(pattern.rows, symmetry, true, 0, 0, 0);
    }
}

const GoPatterns& go_patterns() {
  static const GoPatterns made;
  return made;
}

}  // namespace ggp

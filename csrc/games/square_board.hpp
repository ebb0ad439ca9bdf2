// Boards of squares as text:
//
//     3 . w .
//     2 . . b
//     1 w . .
//       a b c
//     white to move
//
// Rows are numbered from the bottom, columns are letters. What is read may lack the row numbers, the letters below and
// the blanks between squares; empty lines count for nothing. Where rules count moves, a line "moves: 17" comes before
// the last one; take_count() reads it.
//
// Boards of hexagons have rows of different lengths, each half a cell to the side of the next; letters then name the
// lines that run down to the right, where they stand below or at the end of a row:
//
//     3   . . .
//     2  . . . .
//     1   . . . d
//          a b c
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ggp {

struct SquareBoard {
  std::string squares;  // row by row from the top, one character each
  int mover = 0;        // a role
  int moves = -1;       // so far, to be printed; -1 where nothing is said of them
};
constexpr std::string_view kMovesLabel = "moves:";

std::string print_board(const SquareBoard& board, int columns, const std::vector<std::string>& roles);
// With a width for each row from the top.
std::string print_hexagons(const SquareBoard& board, const std::vector<int>& widths,
                           const std::vector<std::string>& roles);

// Throws std::invalid_argument, one line, where the text has other than rows * columns squares, characters other than
// the known ones, or does not say whose turn it is.
SquareBoard read_board(std::string_view text, int rows, int columns, std::string_view known,
                       const std::vector<std::string>& roles);
SquareBoard read_hexagons(std::string_view text, const std::vector<int>& widths, std::string_view known,
                          const std::vector<std::string>& roles);

// Takes the line "LABEL N", where there is one, out of a text: N, or -1. The label ends with a colon. Throws
// std::invalid_argument, one line, where N is no number from 0 to `most`.
int take_count(std::string& text, std::string_view label, int most);

// The name of a square, such as a1; row 0 is at the bottom.
inline std::string square_name(int row, int column) {
  return static_cast<char>('a' + column) + std::to_string(row + 1);
}
// Reads the name of a square at the beginning of a text and removes it; false where there is none.
bool take_square(std::string_view& text, int rows, int columns, int& row, int& column);
// The place, row by row from the bottom, of the square that a text names on a board of size x size, or -1.
int read_square(std::string_view text, int size);

}  // namespace ggp

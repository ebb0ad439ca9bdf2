// Boards of squares as text:
//
//     3 . w .
//     2 . . b
//     1 w . .
//       a b c
//     white to move
//
// Rows are numbered from the bottom, columns are letters. The input may lack the row numbers, the letters below and the
// blanks between squares; empty lines are ignored. If the rules count moves, a line "moves: 17" comes before the last
// one.
//
// Boards of hexagons have rows of different lengths, each shifted by half a cell from the next. Letters name the lines
// that run down to the right; a letter is below the board or at the end of a row:
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
  int moves = -1;       // number of moves so far; -1 if it is not part of the text
};
constexpr std::string_view kMovesLabel = "moves:";

std::string print_board(const SquareBoard& board, int columns, const std::vector<std::string>& roles);
// With a width for each row from the top.
std::string print_hexagons(const SquareBoard& board, const std::vector<int>& widths,
                           const std::vector<std::string>& roles);

// Throws std::invalid_argument with one line if the text does not have rows * columns squares, contains unknown
// characters, or does not contain the role to move. If `max_moves` is not negative, the text may contain the number of
// moves.
SquareBoard read_board(std::string_view text, int rows, int columns, std::string_view known,
                       const std::vector<std::string>& roles, int max_moves = -1);
SquareBoard read_hexagons(std::string_view text, const std::vector<int>& widths, std::string_view known,
                          const std::vector<std::string>& roles, int max_moves = -1);

// The number of moves of a board whose pieces need at least `fewest` moves; the lowest possible number if the board has
// none. Refuses an impossible number: `impossible` names the reason, and `needs` comes before the lowest number.
int moves_of(const SquareBoard& board, int fewest, const std::vector<std::string>& roles, const std::string& impossible,
             const std::string& needs = ", it needs at least ");

// Removes the first line from a text and returns the line.
std::string_view take_line(std::string_view& text);
// Removes the line "LABEL N" from a text and returns N; -1 if there is no such line. The label ends with a colon.
// Throws std::invalid_argument with one line if N is not a number from 0 to `most`.
int take_count(std::string& text, std::string_view label, int most);

// Refuses a position in a text: throws std::invalid_argument.
[[noreturn]] void refuse(const std::string& what);

// The name of a square, such as a1; row 0 is at the bottom.
inline std::string square_name(int row, int column) {
  return static_cast<char>('a' + column) + std::to_string(row + 1);
}
// Reads the name of a square at the beginning of a text and removes it; returns false if there is none.
bool take_square(std::string_view& text, int rows, int columns, int& row, int& column);
// Reads a text of two squares with one of the characters `between` them, such as a2-b3; returns false for other texts.
struct Step {
  int row, column, to_row, to_column;
};
bool read_step(std::string_view text, int rows, int columns, std::string_view between, Step& step);
// The index, row by row from the bottom, of the square named by a text on a board of size x size, or -1.
int read_square(std::string_view text, int size);

}  // namespace ggp

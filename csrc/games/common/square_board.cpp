#include "games/common/square_board.hpp"

#include <algorithm>
#include <stdexcept>

namespace ggp {
namespace {

constexpr std::string_view kToMove = " to move";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string without_blanks(std::string_view text) {
  std::string kept;
  for (const char c : text)
    if (c != ' ' && c != '\t' && c != '\r') kept += c;
  return kept;
}

int role_called(std::string_view name, const std::vector<std::string>& roles) {
  const auto found = std::find(roles.begin(), roles.end(), name);
  if (found == roles.end())
    refuse("no role is called " + std::string(name) + "; write '" + roles[0] + " to move' or '" + roles[1] +
           " to move' below the board");
  return static_cast<int>(found - roles.begin());
}

std::string print_end(const SquareBoard& board, const std::vector<std::string>& roles) {
  std::string text;
  if (board.moves >= 0) text = std::string(kMovesLabel) + ' ' + std::to_string(board.moves) + '\n';
  return text + roles[board.mover] + std::string(kToMove) + '\n';
}

}  // namespace

std::string print_board(const SquareBoard& board, int columns, const std::vector<std::string>& roles) {
  const int rows = static_cast<int>(board.squares.size()) / columns;
  const std::size_t width = std::to_string(rows).size();
  std::string text;
  for (int row = 0; row < rows; ++row) {
    const std::string label = std::to_string(rows - row);
    text += std::string(width - label.size(), ' ') + label;
    for (int column = 0; column < columns; ++column) text += {' ', board.squares[row * columns + column]};
    text += '\n';
  }
  text += std::string(width, ' ');
  for (int column = 0; column < columns; ++column) text += {' ', static_cast<char>('a' + column)};
  return text + '\n' + print_end(board, roles);
}

std::string print_hexagons(const SquareBoard& board, const std::vector<int>& widths,
                           const std::vector<std::string>& roles) {
  const int rows = static_cast<int>(widths.size());
  const int widest = *std::max_element(widths.begin(), widths.end());
  const std::size_t width = std::to_string(rows).size();
  std::string text;
  char letter = static_cast<char>('a' + widest - 1);
  int next = 0;
  for (int row = 0; row < rows; ++row) {
    const std::string label = std::to_string(rows - row);
    text += std::string(width - label.size(), ' ') + label + std::string(widest - widths[row], ' ');
    for (int column = 0; column < widths[row]; ++column) text += {' ', board.squares[next++]};
    if (row > 0 && widths[row] < widths[row - 1]) text += {' ', letter--};
    text += '\n';
  }
  text += std::string(width + 1 + widest - widths.back(), ' ');
  for (int column = 0; column < widths.back(); ++column) text += {' ', static_cast<char>('a' + column)};
  return text + '\n' + print_end(board, roles);
}

SquareBoard read_board(std::string_view text, int rows, int columns, std::string_view known,
                       const std::vector<std::string>& roles, int max_moves) {
  return read_hexagons(text, std::vector<int>(rows, columns), known, roles, max_moves);
}

SquareBoard read_hexagons(std::string_view all, const std::vector<int>& widths, std::string_view known,
                          const std::vector<std::string>& roles, int max_moves) {
  SquareBoard board;
  std::string rest(all);
  if (max_moves >= 0) board.moves = take_count(rest, kMovesLabel, max_moves);
  std::string_view text = rest;
  const int rows = static_cast<int>(widths.size());
  std::string letters;
  for (int column = 0; column < widths.back(); ++column) letters += static_cast<char>('a' + column);
  bool has_mover = false;
  int read = 0;
  while (!text.empty()) {
    const std::string_view line = trimmed(take_line(text));
    if (line.size() > kToMove.size() && line.substr(line.size() - kToMove.size()) == kToMove) {
      board.mover = role_called(trimmed(line.substr(0, line.size() - kToMove.size())), roles);
      has_mover = true;
      continue;
    }
    std::string squares = without_blanks(line);
    if (squares.empty() || squares == letters) continue;
    // A line with the wrong length may begin with the number of its row, and end with the letter of a line.
    const std::string label = std::to_string(rows - read);
    const std::size_t width = widths[std::min(read, rows - 1)];
    const bool narrows = read > 0 && read < rows && widths[read] < widths[read - 1];
    if (squares.compare(0, label.size(), label) == 0 && squares.size() != width) squares.erase(0, label.size());
    if (narrows && squares.size() == width + 1 && squares.back() >= 'a' && squares.back() <= 'z') squares.pop_back();
    ++read;
    if (squares.size() != width)
      refuse("row " + std::to_string(read) + " from the top has " + std::to_string(squares.size()) +
             " squares, not " + std::to_string(width));
    for (const char c : squares)
      if (known.find(c) == std::string_view::npos)
        refuse("row " + std::to_string(read) + " from the top has a '" + std::string(1, c) + "'; allowed are " +
               std::string(known));
    board.squares += squares;
  }
  if (read != rows) refuse("the board has " + std::to_string(read) + " rows, not " + std::to_string(rows));
  if (!has_mover)
    refuse("the role to move is missing: write '" + roles[0] + " to move' or '" + roles[1] +
           " to move' below the board");
  return board;
}

int moves_of(const SquareBoard& board, int fewest, const std::vector<std::string>& roles, const std::string& impossible,
             const std::string& needs) {
  fewest += (fewest ^ board.mover) & 1;
  const int moves = board.moves < 0 ? fewest : board.moves;
  const std::string after = " after " + std::to_string(moves) + " moves";
  if (moves % 2 != board.mover) refuse(roles[board.mover] + " is not to move" + after);
  if (moves < fewest) refuse(impossible + " is impossible" + after + needs + std::to_string(fewest));
  return moves;
}

std::string_view take_line(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

int take_count(std::string& text, std::string_view label, int most) {
  std::size_t begin = 0;
  for (; begin < text.size(); begin = std::min(text.find('\n', begin), text.size() - 1) + 1) {
    const std::string_view rest = std::string_view(text).substr(begin);
    const std::string_view line = trimmed(rest.substr(0, rest.find('\n')));
    if (line.substr(0, label.size()) != label) continue;
    const std::string_view number = trimmed(line.substr(label.size()));
    int count = 0;
    for (const char c : number) count = std::min(10 * count + (c - '0'), most + 1);
    if (number.empty() || count > most || number.find_first_not_of("0123456789") != std::string_view::npos)
      refuse(std::string(label) + " is followed by a number from 0 to " + std::to_string(most) + ", not '" +
             std::string(number) + "'");
    text.erase(begin, rest.find('\n') == std::string_view::npos ? text.size() : rest.find('\n') + 1);
    return count;
  }
  return -1;
}

void refuse(const std::string& what) { throw std::invalid_argument(what); }

bool take_square(std::string_view& text, int rows, int columns, int& row, int& column) {
  if (text.size() < 2) return false;
  const char letter = static_cast<char>(text[0] | 0x20);
  std::size_t digits = 1;
  int number = 0;
  for (; digits < text.size() && digits < 3 && text[digits] >= '0' && text[digits] <= '9'; ++digits)
    number = 10 * number + (text[digits] - '0');
  if (letter < 'a' || letter >= 'a' + columns || text[1] == '0' || number < 1 || number > rows) return false;
  column = letter - 'a';
  row = number - 1;
  text.remove_prefix(digits);
  return true;
}

bool read_step(std::string_view text, int rows, int columns, std::string_view between, Step& step) {
  if (!take_square(text, rows, columns, step.row, step.column) || text.empty()) return false;
  if (between.find(text[0]) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return take_square(text, rows, columns, step.to_row, step.to_column) && text.empty();
}

int read_square(std::string_view text, int size) {
  int row, column;
  return take_square(text, size, size, row, column) && text.empty() ? row * size + column : -1;
}

}  // namespace ggp

// Checkers as a native game; the rules are in checkers_rules.hpp. Moves are numbered by a table of all steps and all
// walks on an empty board.

#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "games/checkers/checkers_rules.hpp"
#include "games/common/board_game.hpp"
#include "games/common/module_of.hpp"

namespace ggp {
namespace {

using namespace checkers_squares;

// The square of each bit.
constexpr std::array<int, kSquares> squares_of_bits() {
  std::array<int, kSquares> squares{};
  for (int square = 0; square < kSquares; ++square) {
    int bit = 0;
    while (one_at(square) >> bit != 1) ++bit;
    squares[bit] = square;
  }
  return squares;
}
constexpr std::array<int, kSquares> kSquareOf = squares_of_bits();
constexpr int square_of(std::uint32_t one) { return kSquareOf[__builtin_ctz(one)]; }

// ---- numbers of moves

// All possible steps and walks of jumps, ordered by their start.
class Numbering {
 public:
  static constexpr int kMoves = 1034;

  Numbering() {
    slots_.fill({0, -1});
    for (int square = 0; square < kSquares; ++square) {
      const std::uint32_t from = one_at(square);
      for (int way = 0; way < kWays; ++way)
        if (const std::uint32_t to = on(from, way); to != 0) add({from, to, 0}, name(from) + "-" + name(to));
      walk({from, from, 0}, name(from));
    }
    if (count_ != kMoves) throw std::logic_error("checkers has " + std::to_string(count_) + " moves");
  }

  const CheckersMove& move(int number) const { return moves_[number]; }
  const std::string& text(int number) const { return texts_[number]; }
  // Returns -1 if there is no such move.
  int number(const CheckersMove& move) const { return slots_[slot(key(move))].number; }

 private:
  static constexpr int kSlots = 4096;
  struct Slot {
    std::uint64_t key;
    int number;
  };

  static std::string name(std::uint32_t one) { return std::to_string(square_of(one) + 1); }
  static std::uint64_t key(const CheckersMove& move) {
    return move.victims | static_cast<std::uint64_t>(square_of(move.from)) << 32 |
           static_cast<std::uint64_t>(square_of(move.to)) << 40 | std::uint64_t{1} << 63;
  }
  // The slot where a key is, or would be inserted.
  int slot(std::uint64_t key) const {
    int at = static_cast<int>(mix64(key) % kSlots);
    while (slots_[at].number >= 0 && slots_[at].key != key) at = (at + 1) % kSlots;
    return at;
  }
  void add(const CheckersMove& move, const std::string& text) {
    const std::uint64_t key = Numbering::key(move);
    Slot& here = slots_[slot(key)];
    if (here.number >= 0) return;  // the same move along another path
    here = {key, count_};
    if (count_ < kMoves) {
      moves_[count_] = move;
      texts_[count_] = text;
    }
    ++count_;
  }
  void walk(const CheckersMove& move, const std::string& text) {
    if (move.victims != 0) add(move, text);
    for (int way = 0; way < kWays; ++way) {
      const std::uint32_t over = on(move.to, way) & ~move.victims;
      const std::uint32_t to = on(over, way);
      if (to != 0) walk({move.from, to, move.victims | over}, text + "x" + name(to));
    }
  }

  int count_ = 0;
  std::array<CheckersMove, kMoves> moves_;
  std::array<std::string, kMoves> texts_;
  std::array<Slot, kSlots> slots_;
};

const Numbering& numbering() {
  static const Numbering made;
  return made;
}

template <std::uint32_t kQuietEnd>
struct Checkers : CheckersRules<kQuietEnd>, BoardGame<Checkers<kQuietEnd>> {
  using Rules = CheckersRules<kQuietEnd>;
  using State = CheckersState;
  using Move = CheckersMove;
  using Rules::hash, Rules::mover;
  static constexpr int kMoves = Numbering::kMoves;

  static int number(const State&, const Move& move) { return numbering().number(move); }
  static Move move(const State&, int number) { return numbering().move(number); }
  template <class Bits>
  static LeafCounts count(const State& state) {
    return count_by_playing<Checkers>(state);
  }

  // ---- policy and evaluation

  template <class Bits>
  static Drawn<Move> policy_move(const State& state, std::uint64_t& random) {
    return {Rules::template random_move<Bits>(state, random), false};
  }

  // The number of pieces of the winner (a king counts as one) divided by the number at the start.
  static double quality(const State& state, int winner) {
    const std::uint32_t pieces = winner == Rules::mover(state) ? state.mine : state.theirs;
    return __builtin_popcount(pieces) / static_cast<double>(kPieces);
  }

  // tanh(D / 10), D: the difference of 1 for each piece and 5 more for each king.
  static double evaluation(const State& state, int) {
    const auto worth = [&](std::uint32_t pieces) {
      return __builtin_popcount(pieces) + 5 * __builtin_popcount(pieces & state.kings);
    };
    const double value = std::tanh((worth(state.mine) - worth(state.theirs)) / 10.0);
    return state.mover == 0 ? value : -value;
  }

  // ---- text

  static ModuleFacts facts() {
    const std::string name = kQuietEnd == kUsualQuietEnd ? "checkers" : "checkers_" + std::to_string(kQuietEnd);
    return {name, name, 8, {"black", "white"}, {"pieces"}};
  }
  static std::string move_text(int, int number) { return numbering().text(number); }

  // Removes the number of a square from the beginning of a text and returns its bit; 0 if there is no number.
  static std::uint32_t take_square(std::string_view& text) {
    int number = 0;
    std::size_t digits = 0;
    for (; digits < text.size() && digits < 2 && text[digits] >= '0' && text[digits] <= '9'; ++digits)
      number = 10 * number + (text[digits] - '0');
    if (number < 1 || number > kSquares || text[0] == '0') return 0;
    text.remove_prefix(digits);
    return one_at(number - 1);
  }
  static int read_move(int, std::string_view text) {
    Move move{};
    move.from = move.to = take_square(text);
    if (move.from == 0) return -1;
    const bool steps = !text.empty() && text[0] == '-';
    while (!text.empty()) {
      if (text[0] != (steps ? '-' : 'x')) return -1;
      text.remove_prefix(1);
      const std::uint32_t to = take_square(text);
      if (to == 0) return -1;
      if (!steps) {
        std::uint32_t over = 0;
        for (int way = 0; way < kWays; ++way)
          if (on(on(move.to, way), way) == to) over = on(move.to, way);
        if (over == 0 || (move.victims & over) != 0) return -1;
        move.victims |= over;
      } else if (move.to != move.from) {
        return -1;  // only one step is allowed
      }
      move.to = to;
    }
    return numbering().number(move);
  }

  // The index of a square in a text, row by row from the top.
  static int place(int square) { return 8 * (7 - square / 4) + 2 * (square % 4) + (square / 4 % 2 == 0); }
  static constexpr std::string_view kQuietLabel = "quiet:";

  // Every row begins with the number of its first dark square.
  static constexpr char kLetters[] = "bBwW";
  using Fluents = BoardFluents<4, 64, Counter::kDigits, kQuietEnd>;
  template <class See>
  static void for_each_piece(const State& state, See&& see) {
    for (int square = 0; square < kSquares; ++square) {
      const std::uint32_t one = one_at(square);
      if (((state.mine | state.theirs) & one) == 0) continue;
      const bool black = ((state.mine & one) != 0) == (state.mover == 0);
      see((black ? 0 : 2) + ((state.kings & one) != 0), place(square));
    }
  }
  static std::uint64_t counter(const State& state) { return state.quiet; }
  static std::string board(const State& state) {
    const std::string cells = BoardGame<Checkers>::squares(state).squares;
    std::string text;
    for (int row = 0; row < 8; ++row) {
      const int number = 29 - 4 * row;
      text += (number < 10 ? " " : "") + std::to_string(number);
      for (int column = 0; column < 8; ++column) text += {' ', cells[8 * row + column]};
      text += '\n';
    }
    if (state.quiet != 0) text += std::string(kQuietLabel) + " " + std::to_string(state.quiet) + "\n";
    return text + facts().roles[state.mover] + " to move\n";
  }
  static State read_board(std::string_view text) {
    State state{};
    std::string rest(text);
    state.quiet = static_cast<std::uint16_t>(std::max(0, take_count(rest, kQuietLabel, kQuietEnd)));
    const SquareBoard board = ggp::read_board(unnumbered(rest), 8, 8, ".bBwW", facts().roles);
    state.mover = static_cast<std::uint16_t>(board.mover);
    std::string squares = board.squares;
    for (int square = 0; square < kSquares; ++square) {
      const char letter = std::exchange(squares[place(square)], '.');
      if (letter == '.') continue;
      const bool black = letter == 'b' || letter == 'B';
      (black == (state.mover == 0) ? state.mine : state.theirs) |= one_at(square);
      if (letter == 'B' || letter == 'W') state.kings |= one_at(square);
    }
    if (const auto at = squares.find_first_not_of('.'); at != std::string::npos)
      refuse("row " + std::to_string(at / 8 + 1) + " from the top has a piece on a light square");
    require(state);
    state.hash = hash(state);
    return state;
  }
  // Returns the text without the numbers at the beginning of lines.
  static std::string unnumbered(std::string_view text) {
    std::string rows;
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      rows += std::string(line.substr(std::min(line.find_first_not_of(" \t0123456789"), line.size()))) + "\n";
    }
    return rows;
  }
  // Rejects positions that cannot arise.
  static void require(const State& state) {
    const std::vector<std::string> roles = facts().roles;
    const std::string& own = roles[state.mover];
    const std::string& other = roles[1 - state.mover];
    for (const bool mine : {true, false}) {
      const std::uint32_t pieces = mine ? state.mine : state.theirs;
      const std::uint32_t role = mine ? state.mover : 1 - state.mover;
      if (__builtin_popcount(pieces) > kPieces)
        refuse(roles[role] + " has " + std::to_string(__builtin_popcount(pieces)) + " pieces, at most " +
               std::to_string(kPieces) + " are possible");
      if ((pieces & ~state.kings & kFarRow[role]) != 0) refuse(roles[role] + " has a man on the far row");
    }
    if (state.theirs == 0) refuse(other + " has no piece and " + own + " is to move: the game was over before");
    if ((state.quiet > 0 && (state.theirs & state.kings) == 0) || (state.quiet > 1 && (state.mine & state.kings) == 0))
      refuse(std::to_string(state.quiet) + " quiet turns are impossible without a king that can move");
  }
};

}  // namespace

void add_checkers(Modules& modules) { add_modules<Checkers<kUsualQuietEnd>, Checkers<25>>(modules); }

}  // namespace ggp

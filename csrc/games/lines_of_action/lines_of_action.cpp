// The board is two words of squares: bit 8 * row + column, row 0 at the bottom, columns from a. A piece has at most one
// move in each direction. The length of the move is the number of pieces on its line. So pairs of a piece and a
// direction are drawn until a pair is legal.
//
// Moves are numbered by a table of all pairs of squares on a common line, and one number more for passing.

#include <algorithm>
#include <array>
#include <cmath>

#include "games/common/board_game.hpp"
#include "games/common/module_of.hpp"

namespace ggp {
namespace {

constexpr int kSize = 8;
constexpr int kSquares = 64;
constexpr int kPieces = 12;   // at most, for each side
constexpr int kLongest = 50;  // maximal number of turns of a game

constexpr std::uint64_t kFirstColumn = 0x0101010101010101, kLastColumn = kFirstColumn << 7;
constexpr std::uint64_t kHome[2] = {0x7E0000000000007E, 0x0081818181818100};  // black, white

constexpr std::uint64_t one_at(int square) { return std::uint64_t{1} << square; }

// ---- lines

// Directions are in pairs along the same line: towards higher squares, then back.
constexpr int kWays = 8;
constexpr int kColumns[kWays] = {1, -1, 0, 0, 1, -1, -1, 1};
constexpr int kRows[kWays] = {0, 0, 1, -1, 1, -1, 1, -1};
constexpr int step_of(int way) { return 8 * kRows[way] + kColumns[way]; }

struct Lines {
  std::uint64_t ahead[kSquares][kWays];     // the squares ahead of a square
  std::uint64_t whole[kSquares][kWays / 2];  // the lines through a square, including it
};
constexpr Lines lines() {
  Lines made{};
  for (int square = 0; square < kSquares; ++square)
    for (int way = 0; way < kWays; ++way) {
      int column = square % 8 + kColumns[way], row = square / 8 + kRows[way];
      made.whole[square][way / 2] |= one_at(square);
      for (; column >= 0 && column < 8 && row >= 0 && row < 8; column += kColumns[way], row += kRows[way]) {
        made.ahead[square][way] |= one_at(8 * row + column);
        made.whole[square][way / 2] |= one_at(8 * row + column);
      }
    }
  return made;
}
constexpr Lines kLines = lines();

// ---- groups

// The squares adjacent to a set of squares; they may include squares of the set.
constexpr std::uint64_t beside(std::uint64_t squares) {
  const std::uint64_t sides = (squares & ~kLastColumn) << 1 | (squares & ~kFirstColumn) >> 1;
  const std::uint64_t rows = squares | sides;
  return sides | rows << 8 | rows >> 8;
}
// The group of a piece.
std::uint64_t group_of(std::uint64_t piece, std::uint64_t pieces) {
  for (;;) {
    const std::uint64_t more = (piece | beside(piece)) & pieces;
    if (more == piece) return piece;
    piece = more;
  }
}
bool is_united(std::uint64_t pieces) {
  const std::uint64_t first = pieces & -pieces;
  if ((pieces & ~beside(pieces)) != 0) return pieces == first;  // one piece stands alone
  return group_of(first, pieces) == pieces;
}
int largest_group(std::uint64_t pieces) {
  int largest = 0;
  for (std::uint64_t left = pieces; left != 0;) {
    const std::uint64_t group = group_of(left & -left, left);
    largest = std::max(largest, __builtin_popcountll(group));
    left &= ~group;
  }
  return largest;
}

// ---- numbers of moves

class Numbering {
 public:
  static constexpr int kLines = 1456;  // pairs of squares on a common line
  static constexpr int kPass = kLines;

  Numbering() {
    numbers_.fill(-1);
    int count = 0;
    for (int from = 0; from < kSquares; ++from)
      for (int to = 0; to < kSquares; ++to) {
        bool on_line = false;
        for (int way = 0; way < kWays; ++way) on_line = on_line || (ggp::kLines.ahead[from][way] & one_at(to)) != 0;
        if (!on_line) continue;
        numbers_[kSquares * from + to] = static_cast<std::int16_t>(count);
        moves_[count++] = {from, to};
      }
  }
  struct Squares {
    int from, to;
  };
  Squares squares(int number) const { return moves_[number]; }
  // Returns -1 if the squares are not on a common line.
  int number(int from, int to) const { return numbers_[kSquares * from + to]; }

 private:
  std::array<Squares, kLines> moves_{};
  std::array<std::int16_t, kSquares * kSquares> numbers_{};
};
const Numbering& numbering() {
  static const Numbering made;
  return made;
}

struct LinesOfAction : BoardGame<LinesOfAction> {
  struct State {
    std::uint64_t mine, theirs;  // squares of the role to move, and of the other role
    std::uint64_t hash;
    std::uint64_t turns;         // number of turns so far
  };
  // One bit each; 0 to pass.
  struct Move {
    std::uint64_t from, to;
  };
  static constexpr int kRoles = 2;
  static constexpr int kMoves = Numbering::kPass + 1;

  // ---- hash: the sum, bit by bit, of one random word for each piece on its square (Zobrist 1970), and one for the
  // number of turns, which includes the role to move

  struct Keys {
    std::uint64_t of[2][kSquares], turns[kLongest + 1];
  };
  static const Keys kKeys;
  static std::uint64_t keys_of(int role, std::uint64_t pieces) {
    std::uint64_t sum = 0;
    for (; pieces != 0; pieces &= pieces - 1) sum ^= kKeys.of[role][__builtin_ctzll(pieces)];
    return sum;
  }
  static std::uint64_t hash(const State& state) {
    return keys_of(mover(state), state.mine) ^ keys_of(1 - mover(state), state.theirs) ^ kKeys.turns[state.turns];
  }

  // ---- rules

  static State initial() {
    State state{};
    state.mine = kHome[0];
    state.theirs = kHome[1];
    state.hash = hash(state);
    return state;
  }
  static int mover(const State& state) { return static_cast<int>(state.turns & 1); }
  static bool terminal(const State& state) {
    return state.turns >= kLongest || is_united(state.theirs) || is_united(state.mine);
  }
  static int goal(const State& state, int role) {
    const bool mine = is_united(state.mine), theirs = is_united(state.theirs);
    if (mine == theirs) return 50;
    return mine == (role == mover(state)) ? 100 : 0;
  }

  template <bool kHashed>
  static void play(State& state, Move move) {
    const std::uint64_t mine = state.mine ^ move.from ^ move.to;
    if constexpr (kHashed) {
      const int role = mover(state);
      state.hash ^= keys_of(role, move.from) ^ keys_of(role, move.to) ^ keys_of(1 - role, state.theirs & move.to) ^
                    kKeys.turns[state.turns] ^ kKeys.turns[state.turns + 1];
    }
    state.mine = state.theirs & ~move.to;
    state.theirs = mine;
    ++state.turns;
  }

  // The target of a piece in one direction; 0 if it cannot move.
  template <class Bits>
  static std::uint64_t target(const State& state, int square, int way) {
    const auto pieces = static_cast<int>(Bits::count((state.mine | state.theirs) & kLines.whole[square][way / 2]));
    const std::uint64_t ahead = kLines.ahead[square][way];
    // A shift beyond the board wraps to a square that is not ahead.
    const std::uint64_t to = one_at((square + pieces * step_of(way)) & 63) & ahead & ~state.mine;
    if (to == 0) return 0;
    const std::uint64_t lower = to - 1;
    const std::uint64_t between = ahead & (way % 2 == 0 ? lower : ~(lower | to));
    return (between & state.theirs) == 0 ? to : 0;
  }
  // Visits the moves of pieces, without passing.
  template <class Bits, class Visit>
  static void for_each_step(const State& state, Visit&& visit) {
    for (std::uint64_t left = state.mine; left != 0; left &= left - 1)
      for (int way = 0; way < kWays; ++way)
        if (const std::uint64_t to = target<Bits>(state, __builtin_ctzll(left), way); to != 0)
          visit(Move{left & -left, to});
  }
  template <class Visit>
  static void for_each_move(const State& state, Visit&& visit) {
    bool any = false;
    for_each_step<PlainBits>(state, [&](Move move) {
      any = true;
      visit(move);
    });
    if (!any) visit(Move{0, 0});
  }
  static int number(const State&, Move move) {
    if (move.from == 0) return Numbering::kPass;
    return numbering().number(__builtin_ctzll(move.from), __builtin_ctzll(move.to));
  }
  static Move move(const State&, int number) {
    if (number == Numbering::kPass) return {0, 0};
    const auto [from, to] = numbering().squares(number);
    return {one_at(from), one_at(to)};
  }
  template <class Bits>
  static LeafCounts count(const State& state) {
    return count_by_playing<LinesOfAction>(state);
  }

  // The list of moves of a position.
  struct MoveList {
    std::uint32_t count = 0;
    Move of[kPieces * kWays];
  };
  template <class Bits>
  static void list(const State& state, MoveList& moves) {
    for_each_step<Bits>(state, [&](Move move) { moves.of[moves.count++] = move; });
    if (moves.count == 0) moves.of[moves.count++] = {0, 0};
  }
  // Draws a piece and a direction until the move is legal (about one in three); after kTries, draws from the list.
  static constexpr int kTries = 24;
  template <class Bits>
  static Move random_move(const State& state, std::uint64_t& random) {
    const std::uint32_t all = kWays * Bits::count(state.mine);
    for (int i = 0; i < kTries; ++i) {
      const std::uint32_t place = draw_below(random, all);
      const std::uint64_t piece = Bits::deposit(one_at(static_cast<int>(place / kWays)), state.mine);
      const std::uint64_t to = target<Bits>(state, __builtin_ctzll(piece), static_cast<int>(place % kWays));
      if (to != 0) return {piece, to};
    }
    MoveList moves;
    list<Bits>(state, moves);
    return moves.of[moves.count == 1 ? 0 : draw_below(random, moves.count)];
  }

  // ---- policy and evaluation

  // Whether one more move may unite the pieces: a piece joins at most four groups, so there are at most five groups.
  static bool may_unite(std::uint64_t pieces) {
    int groups = 0;
    for (std::uint64_t left = pieces; left != 0; ++groups) {
      if (groups == 5) return false;
      left &= ~group_of(left & -left, left);
    }
    return true;
  }
  // A move that wins at once; else moves are drawn, up to kDraws times, until one captures a piece or moves closer to
  // the centre of the own pieces.
  static constexpr int kDraws = 3;
  template <class Bits>
  static Drawn<Move> policy_move(const State& state, std::uint64_t& random) {
    if (may_unite(state.mine)) {
      Drawn<Move> found{{0, 0}, false};
      for_each_step<Bits>(state, [&](Move move) {
        if (!found.forced && is_united(state.mine ^ move.from ^ move.to) && !is_united(state.theirs & ~move.to))
          found = {move, true};
      });
      if (found.forced) return found;
    }
    const Centre centre = centre_of(state.mine);
    Move move = random_move<Bits>(state, random);
    for (int i = 1; i < kDraws && move.from != 0; ++i) {
      if ((move.to & state.theirs) != 0) break;
      if (distance(centre, __builtin_ctzll(move.to)) < distance(centre, __builtin_ctzll(move.from))) break;
      move = random_move<Bits>(state, random);
    }
    return {move, false};
  }

  // The centre of pieces: the mean of their columns and rows.
  struct Centre {
    float column, row;
  };
  static Centre centre_of(std::uint64_t pieces) {
    int columns = 0, rows = 0;
    const int count = __builtin_popcountll(pieces);
    for (; pieces != 0; pieces &= pieces - 1) {
      const int square = __builtin_ctzll(pieces);
      columns += square % 8;
      rows += square / 8;
    }
    const auto mean = [&](int sum) { return static_cast<float>(sum) / static_cast<float>(count); };
    return {mean(columns), mean(rows)};
  }
  // The distance in steps of a king.
  static float distance(Centre centre, int square) {
    return std::max(std::abs(static_cast<float>(square % 8) - centre.column),
                    std::abs(static_cast<float>(square / 8) - centre.row));
  }

  // The number of the loser's pieces outside its largest group, divided by 12.
  static double quality(const State& state, int winner) {
    const std::uint64_t loser = winner == mover(state) ? state.theirs : state.mine;
    return (__builtin_popcountll(loser) - largest_group(loser)) / static_cast<double>(kPieces);
  }

  // concentration: tanh(D / 2), D: the difference of the dispersions. The dispersion of a side is the mean distance of
  // its pieces from their centre, minus the least possible for its number of pieces around a square, as in Winands's
  // MIA. position: tanh(D / 2 + E / 10), E: the difference of the mean distances from the middle of the board.
  static double evaluation(const State& state, int which) {
    const double apart = apartness(state.theirs) - apartness(state.mine);
    const double outside = which == 0 ? 0 : outsideness(state.theirs) - outsideness(state.mine);
    const double value = std::tanh(apart / 2 + outside / 10);
    return mover(state) == 0 ? value : -value;
  }
  static double apartness(std::uint64_t pieces) {
    const int count = __builtin_popcountll(pieces);
    const int least = count <= 9 ? count - 1 : 8 + 2 * (count - 9);
    return mean_distance(centre_of(pieces), pieces) - static_cast<double>(least) / count;
  }
  static double outsideness(std::uint64_t pieces) { return mean_distance({3.5F, 3.5F}, pieces); }
  static double mean_distance(Centre centre, std::uint64_t pieces) {
    const int count = __builtin_popcountll(pieces);
    double sum = 0;
    for (; pieces != 0; pieces &= pieces - 1) sum += distance(centre, __builtin_ctzll(pieces));
    return sum / count;
  }

  // ---- text

  static ModuleFacts facts() {
    return {"lines_of_action", "lines_of_action", kSize, {"black", "white"}, {"concentration", "position"}};
  }
  static std::string text(int number, char between) {
    if (number == Numbering::kPass) return "pass";
    const auto [from, to] = numbering().squares(number);
    return square_name(from / 8, from % 8) + between + square_name(to / 8, to % 8);
  }
  static std::string move_text(int, int number) { return text(number, '-'); }
  static std::string move_in(const State& state, int number) {
    return text(number, (state.theirs & move(state, number).to) != 0 ? 'x' : '-');
  }
  static int read_move(int, std::string_view text) {
    if (text == "pass") return Numbering::kPass;
    Step step;
    if (!read_step(text, kSize, kSize, "-x", step)) return -1;
    return numbering().number(8 * step.row + step.column, 8 * step.to_row + step.to_column);
  }

  static constexpr char kLetters[] = "wb";
  using Fluents = BoardFluents<2, kSquares, Counter::kValue, kLongest>;
  template <class See>
  static void for_each_piece(const State& state, See&& see) {
    for (int square = 0; square < kSquares; ++square) {
      const bool mine = (state.mine & one_at(square)) != 0, theirs = (state.theirs & one_at(square)) != 0;
      if (mine || theirs) see(mine == (mover(state) == 0) ? 1 : 0, (7 - square / 8) * 8 + square % 8);
    }
  }
  static std::uint64_t counter(const State& state) { return state.turns; }
  // If the text does not contain the number of turns, it is the lowest possible number.
  static State read_board(std::string_view text) {
    const std::vector<std::string> roles = facts().roles;
    const SquareBoard board = ggp::read_board(text, kSize, kSize, ".bw", roles, kLongest);
    std::uint64_t pieces[2] = {};
    for (int i = 0; i < kSquares; ++i)
      if (board.squares[i] != '.') pieces[board.squares[i] == 'w'] |= one_at(8 * (7 - i / 8) + i % 8);
    for (int role = 0; role < kRoles; ++role) {
      const int count = __builtin_popcountll(pieces[role]);
      if (count > kPieces) refuse(roles[role] + " has " + std::to_string(count) + " pieces, at most 12 are possible");
      if (count == 0) refuse(roles[role] + " has no piece: the game ends with the last one");
    }
    // Black moves on the odd turns; a turn captures at most one piece.
    const int by_black = kPieces - __builtin_popcountll(pieces[1]);
    const int by_white = kPieces - __builtin_popcountll(pieces[0]);
    const int turns = moves_of(board, std::max(2 * by_black - 1, 2 * by_white), roles, "this number of pieces");
    if (turns == 0 && (pieces[0] != kHome[0] || pieces[1] != kHome[1])) refuse("pieces have moved after 0 moves");
    State state{pieces[board.mover], pieces[1 - board.mover], 0, static_cast<std::uint64_t>(turns)};
    state.hash = hash(state);
    return state;
  }
};

const LinesOfAction::Keys LinesOfAction::kKeys = random_keys<Keys>();

}  // namespace

void add_lines_of_action(Modules& modules) { add_modules<LinesOfAction>(modules); }

}  // namespace ggp

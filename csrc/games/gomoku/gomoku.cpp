// A row of the board takes 16 bits of a word. The last of these bits is never set. Four rows make a word; row 0 is at
// the bottom, and columns are counted from a. A move has the number row * size + column.
//
// Only the stone that was placed last can have made a five. The four lines through it are gathered into one word, 16
// bits each, and examined together. A run of at least five begins at bit i if bits i .. i + 4 are set. The run has
// exactly five if the bits before and after are not set. Bit 15, which is empty, separates the lines.
//
// To gather a line with one point in each row, a multiplication of each row by a power of two (all rows together) moves
// its point to the last bit of the row. The last bits are then collected. Without instructions for this, the points of
// the line are masked. Adding 0x7FFF to each row sets its last bit if the row has a stone, independent of the column.
// One multiplication brings the 16 bits together.

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "games/common/board_game.hpp"
#include "games/common/module_of.hpp"

namespace ggp {
namespace {

constexpr int kInARow = 5;
constexpr std::uint64_t kAllButLast = 0x7FFF7FFF7FFF7FFF, kLast = 0x8000800080008000;
// Moves bit 16 j + 4 w, of row j of word w, to bit 45 + 4 w + j.
constexpr std::uint64_t kGather = 1 | std::uint64_t{1} << 15 | std::uint64_t{1} << 30 | std::uint64_t{1} << 45;

// Whether one of four lines of 16 bits has a run of exactly five.
constexpr bool has_five(std::uint64_t lines) {
  const std::uint64_t two = lines & lines >> 1, five = two & two >> 2 & lines >> 4;
  return (five & ~(lines << 1) & ~(lines >> kInARow)) != 0;
}

// A line with at most one point in a row.
template <int kWords>
struct Line {
  std::array<std::uint64_t, kWords> points{};
  std::int16_t to_last[16] = {};  // by row: factor that moves the point to the last bit; 0 without a point
};

template <int kSize>
struct Board {
  static constexpr int kRowBits = 16, kRowsOfWord = 4;
  static constexpr int kPoints = kSize * kSize, kDiagonals = 2 * kSize - 1;
  static constexpr int kWords = (kSize + kRowsOfWord - 1) / kRowsOfWord;
  using Stones = std::array<std::uint64_t, kWords>;

  static constexpr int word_of(int row) { return row / kRowsOfWord; }
  static constexpr int place_of(int row, int column) { return kRowBits * (row % kRowsOfWord) + column; }
  static constexpr int rising_of(int row, int column) { return column - row + kSize - 1; }
  static constexpr int falling_of(int row, int column) { return column + row; }

  Stones all{};
  Line<kWords> columns[kSize] = {}, rising[kDiagonals] = {}, falling[kDiagonals] = {};

  static constexpr Board made() {
    Board board{};
    for (int row = 0; row < kSize; ++row)
      for (int column = 0; column < kSize; ++column) {
        const std::uint64_t bit = std::uint64_t{1} << place_of(row, column);
        board.all[word_of(row)] |= bit;
        for (Line<kWords>* line : {&board.columns[column], &board.rising[rising_of(row, column)],
                                   &board.falling[falling_of(row, column)]}) {
          line->points[word_of(row)] |= bit;
          // 2^15 exceeds the type, so the number with the same bits is used.
          line->to_last[row] = static_cast<std::int16_t>(column == 0 ? -0x8000 : 1 << (kRowBits - 1 - column));
        }
      }
    return board;
  }

  static std::uint64_t in_row(const Stones& stones, int row) {
    return stones[word_of(row)] >> place_of(row, 0) & 0xFFFF;
  }
  // The stones on a line: bit i stands for row i.
  static std::uint64_t on_line(const Stones& stones, const Line<kWords>& line) {
#if defined(__SSE2__)
    const auto* from = reinterpret_cast<const __m128i*>(stones.data());
    const auto* by = reinterpret_cast<const __m128i*>(line.to_last);
    const __m128i low = _mm_mullo_epi16(_mm_loadu_si128(from), _mm_loadu_si128(by));
    __m128i high = _mm_setzero_si128();
    if constexpr (kWords == 4) high = _mm_mullo_epi16(_mm_loadu_si128(from + 1), _mm_loadu_si128(by + 1));
    if constexpr (kWords == 3) high = _mm_mullo_epi16(_mm_loadl_epi64(from + 1), _mm_loadu_si128(by + 1));
    return static_cast<std::uint64_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
#else
    std::uint64_t found = 0;
    for (int word = 0; word < kWords; ++word)
      found |= (((stones[word] & line.points[word]) + kAllButLast) & kLast) >> (kRowBits - 1 - kRowsOfWord * word);
    return found * kGather >> 45 & 0xFFFF;
#endif
  }
};
template <int kSize>
constexpr Board<kSize> kBoard = Board<kSize>::made();

// The number of moves and `five` follow from the stones. They are stored because play-outs need them quickly.
template <int kSize>
struct GomokuState {
  typename Board<kSize>::Stones stones[2];
  std::uint64_t hash;
  std::uint32_t moves;  // number of moves so far
  std::uint32_t five;   // 0 or 1
};

template <int kSize>
struct Gomoku : BoardGame<Gomoku<kSize>> {
  using Shape = Board<kSize>;
  using Stones = typename Shape::Stones;
  using State = GomokuState<kSize>;
  static constexpr int kRowBits = Shape::kRowBits, kRowsOfWord = Shape::kRowsOfWord, kWords = Shape::kWords;
  static constexpr int kPoints = Shape::kPoints;

  struct Move {
    std::uint32_t word, place;
  };
  static constexpr int kRoles = 2;
  static constexpr int kMoves = kPoints;

  static int row_of(Move move) { return static_cast<int>(kRowsOfWord * move.word + move.place / kRowBits); }
  static int column_of(Move move) { return static_cast<int>(move.place % kRowBits); }
  static Move move_at(int row, int column) {
    return {static_cast<std::uint32_t>(Shape::word_of(row)), static_cast<std::uint32_t>(Shape::place_of(row, column))};
  }
  static bool has(const Stones& stones, Move move) { return stones[move.word] >> move.place & 1; }
  static void put(Stones& stones, Move move) { stones[move.word] |= std::uint64_t{1} << move.place; }
  // Calls visit(move) for each point of a set, in ascending order of numbers.
  template <class Visit>
  static void for_each_point(const Stones& points, Visit&& visit) {
    for (std::uint32_t word = 0; word < kWords; ++word)
      for (std::uint64_t left = points[word]; left != 0; left &= left - 1)
        visit(Move{word, static_cast<std::uint32_t>(__builtin_ctzll(left))});
  }
  static bool any(const Stones& points) {
    return std::any_of(points.begin(), points.end(), [](std::uint64_t word) { return word != 0; });
  }
  template <class Bits>
  static std::uint32_t count_of(const Stones& points) {
    std::uint32_t count = 0;
    for (const std::uint64_t word : points) count += Bits::count(word);
    return count;
  }

  // ---- hash: the sum, bit by bit, of one random word for each stone on its point (Zobrist 1970)

  struct Keys {
    std::uint64_t of[2][kPoints];
  };
  static const Keys kKeys;
  static std::uint64_t hash(const State& state) {
    std::uint64_t sum = 0;
    for (int role = 0; role < 2; ++role)
      for_each_point(state.stones[role], [&](Move move) { sum ^= kKeys.of[role][number(state, move)]; });
    return sum;
  }

  // ---- rules

  static State initial() { return {}; }
  static int mover(const State& state) { return static_cast<int>(state.moves & 1); }
  static Stones free(const State& state) {
    Stones points;
    for (int word = 0; word < kWords; ++word)
      points[word] = kBoard<kSize>.all[word] & ~(state.stones[0][word] | state.stones[1][word]);
    return points;
  }
  // Whether an existing stone is in a row of exactly five.
  static bool is_in_five(const Stones& stones, int row, int column) {
    const Shape& board = kBoard<kSize>;
    return has_five(Shape::in_row(stones, row) | Shape::on_line(stones, board.columns[column]) << 16 |
                    Shape::on_line(stones, board.rising[Shape::rising_of(row, column)]) << 32 |
                    Shape::on_line(stones, board.falling[Shape::falling_of(row, column)]) << 48);
  }
  static bool terminal(const State& state) { return state.five != 0 || state.moves == kPoints; }
  static int goal(const State& state, int role) {
    if (state.five == 0) return 50;
    return role == mover(state) ? 0 : 100;
  }

  template <bool kHashed>
  static void play(State& state, Move move) {
    const int role = mover(state);
    Stones& own = state.stones[role];
    put(own, move);
    if constexpr (kHashed) state.hash ^= kKeys.of[role][number(state, move)];
    ++state.moves;
    state.five = is_in_five(own, row_of(move), column_of(move));
  }

  template <class Visit>
  static void for_each_move(const State& state, Visit&& visit) {
    for_each_point(free(state), visit);
  }
  static int number(const State&, Move move) { return kSize * row_of(move) + column_of(move); }
  static Move move(const State&, int number) { return move_at(number / kSize, number % kSize); }
  // The points where a side can make a five.
  static Stones winning(const Stones& own, const Stones& points) {
    Stones found{};
    for_each_point(points, [&](Move move) {
      Stones after = own;
      put(after, move);
      if (is_in_five(after, row_of(move), column_of(move))) put(found, move);
    });
    return found;
  }
  // Whether the role has at least four stones, which a five needs.
  static bool may_win(const State& state, int role) {
    return state.moves >= static_cast<std::uint32_t>(2 * (kInARow - 1) + role);
  }
  template <class Bits>
  static LeafCounts count(const State& state) {
    const std::uint32_t left = kPoints - state.moves;
    if (left == 1) return {1, 1};
    const int role = mover(state);
    return {left, may_win(state, role) ? count_of<Bits>(winning(state.stones[role], free(state))) : 0};
  }

  // The k-th point of a set, from 0.
  template <class Bits>
  static Move nth(const Stones& points, std::uint32_t before) {
    std::uint32_t word = 0, skipped = 0, sum = 0;
    for (int each = 0; each + 1 < kWords; ++each) {
      sum += Bits::count(points[each]);
      const bool beyond = before >= sum;
      word += beyond;
      skipped = beyond ? sum : skipped;
    }
    const std::uint64_t bit = Bits::deposit(std::uint64_t{1} << (before - skipped), points[word]);
    return {word, static_cast<std::uint32_t>(__builtin_ctzll(bit))};
  }
  template <class Bits>
  static Move draw_of(const Stones& points, std::uint32_t count, std::uint64_t& random) {
    return nth<Bits>(points, count == 1 ? 0 : draw_below(random, count));
  }
  template <class Bits>
  static Move random_move(const State& state, std::uint64_t& random) {
    return draw_of<Bits>(free(state), kPoints - state.moves, random);
  }

  // ---- policy and evaluation

  // The points next to stones, orthogonally or diagonally.
  static Stones near(const State& state) {
    Stones wide;
    for (int word = 0; word < kWords; ++word) {
      const std::uint64_t stones = state.stones[0][word] | state.stones[1][word];
      wide[word] = stones | stones << 1 | (stones >> 1 & kAllButLast);
    }
    Stones points;
    for (int word = 0; word < kWords; ++word) {
      points[word] = wide[word] | wide[word] << kRowBits | wide[word] >> kRowBits;
      if (word > 0) points[word] |= wide[word - 1] >> (64 - kRowBits);
      if (word + 1 < kWords) points[word] |= wide[word + 1] << (64 - kRowBits);
    }
    const Stones empty = free(state);
    for (int word = 0; word < kWords; ++word) points[word] &= empty[word];
    return points;
  }
  // A point that wins at once; else a point where the other side would win; else a point next to a stone. On the empty
  // board the point in the middle.
  template <class Bits>
  static Drawn<Move> policy_move(const State& state, std::uint64_t& random) {
    const int role = mover(state);
    const Stones empty = free(state);
    if (may_win(state, role)) {
      const Stones wins = winning(state.stones[role], empty);
      if (any(wins)) return {nth<Bits>(wins, 0), true};
    }
    if (may_win(state, 1 - role)) {
      const Stones losses = winning(state.stones[1 - role], empty);
      if (any(losses)) return {draw_of<Bits>(losses, count_of<Bits>(losses), random), false};
    }
    const Stones points = near(state);
    if (any(points)) return {draw_of<Bits>(points, count_of<Bits>(points), random), false};
    if (state.moves == 0) return {move_at(kSize / 2, kSize / 2), false};
    return {random_move<Bits>(state, random), false};
  }

  // Calls visit(stones of black, stones of white) for each five points in a row.
  template <class Visit>
  static void for_each_window(const State& state, Visit visit) {
    const auto look = [&](std::uint64_t points, std::uint64_t black, std::uint64_t white) {
      constexpr std::uint64_t kWindow = (1 << kInARow) - 1;
      for (int first = 0; first + kInARow <= kSize; ++first)
        if ((points >> first & kWindow) == kWindow)
          visit(static_cast<int>(PlainBits::count(black >> first & kWindow)),
                static_cast<int>(PlainBits::count(white >> first & kWindow)));
    };
    const Shape& board = kBoard<kSize>;
    const auto look_along = [&](const Line<kWords>& line) {
      look(Shape::on_line(board.all, line), Shape::on_line(state.stones[0], line),
           Shape::on_line(state.stones[1], line));
    };
    for (int row = 0; row < kSize; ++row)
      look(Shape::in_row(board.all, row), Shape::in_row(state.stones[0], row), Shape::in_row(state.stones[1], row));
    for (const Line<kWords>& line : board.columns) look_along(line);
    for (const Line<kWords>& line : board.rising) look_along(line);
    for (const Line<kWords>& line : board.falling) look_along(line);
  }

  // (5 - n) / 5, n: the most stones of the loser in five points in a row without a stone of the winner.
  static double quality(const State& state, int winner) {
    int most = 0;
    for_each_window(state, [&](int black, int white) {
      const int own = winner == 0 ? white : black, other = winner == 0 ? black : white;
      if (other == 0) most = std::max(most, own);
    });
    return (kInARow - most) / static_cast<double>(kInARow);
  }

  // windows: tanh(D / 64), D: the difference of the sums of 4^(n - 1) over all five points in a row on which a side has
  // n stones and the other none.
  static double evaluation(const State& state, int) {
    constexpr int kWorth[kInARow + 1] = {0, 1, 4, 16, 64, 256};
    int difference = 0;
    for_each_window(state, [&](int black, int white) {
      if (white == 0) difference += kWorth[black];
      if (black == 0) difference -= kWorth[white];
    });
    return std::tanh(difference / 64.0);
  }

  // ---- text

  static ModuleFacts facts() {
    const std::string name = "gomoku_" + std::to_string(kSize) + "x" + std::to_string(kSize);
    return {name, kSize == 15 ? "gomoku" : name, kSize, {"black", "white"}, {"windows"}};
  }
  static std::string move_text(int, int number) { return square_name(number / kSize, number % kSize); }
  static int read_move(int, std::string_view text) { return read_square(text, kSize); }

  static constexpr char kLetters[] = "bw";
  using Fluents = BoardFluents<2, kPoints>;
  template <class See>
  static void for_each_piece(const State& state, See&& see) {
    for (int role = 0; role < 2; ++role)
      for_each_point(state.stones[role],
                     [&](Move move) { see(role, kSize * (kSize - 1 - row_of(move)) + column_of(move)); });
  }
  static State read_board(std::string_view text) {
    const SquareBoard board = ggp::read_board(text, kSize, kSize, ".bw", facts().roles);
    State state{};
    for (int i = 0; i < kPoints; ++i)
      if (board.squares[i] != '.')
        put(state.stones[board.squares[i] == 'w'], move_at(kSize - 1 - i / kSize, i % kSize));
    const std::uint32_t black = count_of<PlainBits>(state.stones[0]), white = count_of<PlainBits>(state.stones[1]);
    state.moves = black + white;
    state.five = fives(state.stones[1 - board.mover]) > 0;
    require(state, board.mover, black, white);
    state.hash = hash(state);
    return state;
  }
  // The number of stones in a row of exactly five.
  static int fives(const Stones& stones) {
    int count = 0;
    for_each_point(stones, [&](Move move) { count += is_in_five(stones, row_of(move), column_of(move)); });
    return count;
  }
  // Rejects positions that cannot arise.
  static void require(const State& state, int mover, std::uint32_t black, std::uint32_t white) {
    const std::vector<std::string> roles = facts().roles;
    if (black + white != 2 * white + static_cast<std::uint32_t>(mover))
      refuse("there are " + std::to_string(black) + " black stones and " + std::to_string(white) + " white ones: " +
             roles[mover] + " is not to move");
    if (fives(state.stones[mover]) > 0)
      refuse(roles[mover] + " has five in a row and is to move: the game was over before");
    if (state.five == 0) return;
    const Stones& last = state.stones[1 - mover];
    bool one_made_it = false;
    for_each_point(last, [&](Move move) {
      Stones before = last;
      before[move.word] ^= std::uint64_t{1} << move.place;
      one_made_it = one_made_it || fives(before) == 0;
    });
    if (!one_made_it) refuse("no single stone made the fives of " + roles[1 - mover] + ": the game was over before");
  }
};

template <int kSize>
const typename Gomoku<kSize>::Keys Gomoku<kSize>::kKeys = random_keys<Keys>();

}  // namespace

void add_gomoku(Modules& modules) { add_modules<Gomoku<5>, Gomoku<7>, Gomoku<9>, Gomoku<11>, Gomoku<15>>(modules); }

}  // namespace ggp

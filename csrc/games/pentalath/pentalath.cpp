// A cell is a bit of a word that is a ring of 61. The board has 9 lines that run down to the right, a to i, and 9 rows.
// The index of a cell in the ring is (line + 13 * row) modulo 61, different for each cell (hexagons tile the plane in a
// lattice, of which the board is a quotient). A step to a neighbour rotates the ring by 1, 13 or 14 places in one of
// two directions, for all stones together. Cells that are reached over an edge are masked.
//
// A group of stones is alive while it has air, that is, an adjacent empty cell. The living stones are found by
// spreading from the stones with air through stones of their colour; groups are not followed one by one.
//
// A move has the number of its cell.

#include <array>
#include <cmath>

#include "games/common/board_game.hpp"
#include "games/common/module_of.hpp"

namespace ggp {
namespace {

constexpr int kCells = 61, kRows = 9, kSide = 5;
constexpr std::uint64_t kAll = (std::uint64_t{1} << kCells) - 1;
constexpr int kSteps[3] = {1, 13, 14};

constexpr bool is_cell(int line, int row) {
  return line >= 0 && line < kRows && row >= 0 && row < kRows && line - row < kSide && row - line < kSide;
}
constexpr int place_of(int line, int row) { return (line + 13 * row) % kCells; }
constexpr std::uint64_t bit_of(int line, int row) { return std::uint64_t{1} << place_of(line, row); }

// Rotates the ring forward.
template <int kBy>
constexpr std::uint64_t turned(std::uint64_t cells) {
  return cells << kBy | cells >> (kCells - kBy);
}

struct Geometry {
  std::uint64_t leads[3] = {};    // the cells from which a step of each kind leads to a cell
  std::uint64_t arrives[3] = {};  // the cells at which a step of each kind arrives
  std::uint64_t around[kCells] = {};
  std::uint64_t inner = 0;        // cells with six neighbours
  int line[kCells] = {}, row[kCells] = {};
};
constexpr Geometry geometry() {
  Geometry made{};
  constexpr int kLineStep[3] = {1, 0, 1}, kRowStep[3] = {0, 1, 1};
  for (int row = 0; row < kRows; ++row)
    for (int line = 0; line < kRows; ++line) {
      if (!is_cell(line, row)) continue;
      const int place = place_of(line, row);
      made.line[place] = line;
      made.row[place] = row;
      int neighbours = 0;
      for (int step = 0; step < 3; ++step)
        for (const int sign : {1, -1}) {
          const int to_line = line + sign * kLineStep[step], to_row = row + sign * kRowStep[step];
          if (!is_cell(to_line, to_row)) continue;
          (sign > 0 ? made.leads : made.arrives)[step] |= bit_of(line, row);
          made.around[place] |= bit_of(to_line, to_row);
          ++neighbours;
        }
      if (neighbours == 6) made.inner |= bit_of(line, row);
    }
  return made;
}
constexpr Geometry kBoard = geometry();

// The cells adjacent to a set of cells.
std::uint64_t beside(std::uint64_t cells) {
  return (turned<1>(cells) & kBoard.arrives[0]) | (turned<60>(cells) & kBoard.leads[0]) |
         (turned<13>(cells) & kBoard.arrives[1]) | (turned<48>(cells) & kBoard.leads[1]) |
         (turned<14>(cells) & kBoard.arrives[2]) | (turned<47>(cells) & kBoard.leads[2]);
}

// The first cells of five in a row in steps of this kind.
template <int kKind>
std::uint64_t fives(std::uint64_t cells) {
  constexpr int kStep = kSteps[kKind];
  const std::uint64_t two = cells & turned<kCells - kStep>(cells) & kBoard.leads[kKind];
  const std::uint64_t three = two & turned<kCells - kStep>(two);
  return three & turned<kCells - 2 * kStep>(three);
}
bool has_five(std::uint64_t cells) { return (fives<0>(cells) | fives<1>(cells) | fives<2>(cells)) != 0; }

// The length of the longest row of stones within five or more cells without a stone of the other side.
template <int kKind>
int longest_row(std::uint64_t own, std::uint64_t other) {
  constexpr int kStep = kSteps[kKind];
  std::uint64_t open = fives<kKind>(kAll & ~other);
  for (int i = 1; i < 5; ++i) open |= turned<kStep>(open) & kAll;
  int length = 0;
  for (std::uint64_t left = own & open; left != 0; ++length)
    left &= turned<kCells - kStep>(left) & kBoard.leads[kKind];
  return length;
}
int longest_row(std::uint64_t own, std::uint64_t other) {
  return std::max({longest_row<0>(own, other), longest_row<1>(own, other), longest_row<2>(own, other)});
}

// The groups that contain a suspect and have no air, given the empty cells.
std::uint64_t breathless(std::uint64_t suspects, std::uint64_t stones, std::uint64_t empty) {
  if (suspects == 0) return 0;
  const std::uint64_t air = beside(empty);
  if ((suspects & ~air) == 0) return 0;
  std::uint64_t living = stones & air;
  for (;;) {
    const std::uint64_t more = living | (beside(living) & stones);
    if ((suspects & ~more) == 0) return 0;
    if (more == living) return stones & ~living;
    living = more;
  }
}

struct Pentalath : BoardGame<Pentalath> {
  struct State {
    std::uint64_t mine, theirs;  // stones of the role to move, and of the other role
    std::uint64_t hash;
    std::uint64_t moves;         // number of moves so far
  };
  struct Move {
    std::uint64_t cell;
  };
  static constexpr int kRoles = 2;
  static constexpr int kMoves = kCells;
  static constexpr int kLongest = 200;  // maximal number of moves of a game
  // With more empty cells, two are adjacent: rows have room for 3 3 4 4 5 4 4 3 3 empty cells without neighbours.
  static constexpr std::uint32_t kRoomy = 34;

  // ---- hash: the sum, bit by bit, of one random word for each stone on its cell (Zobrist 1970), and one for the
  // number of moves, which includes the role to move

  struct Keys {
    std::uint64_t of[2][kCells], moves[kLongest + 1];
  };
  static Keys keys() {
    Keys keys{};
    for (int role = 0; role < 2; ++role)
      for (int cell = 0; cell < kCells; ++cell) keys.of[role][cell] = mix64(64 * role + cell + 1);
    for (int moves = 0; moves <= kLongest; ++moves) keys.moves[moves] = mix64(1000 + moves);
    return keys;
  }
  static const Keys kKeys;
  static std::uint64_t keys_of(int role, std::uint64_t stones) {
    std::uint64_t sum = 0;
    for (; stones != 0; stones &= stones - 1) sum ^= kKeys.of[role][__builtin_ctzll(stones)];
    return sum;
  }
  static std::uint64_t hash(const State& state) {
    return keys_of(mover(state), state.mine) ^ keys_of(1 - mover(state), state.theirs) ^ kKeys.moves[state.moves];
  }

  // ---- rules

  static State initial() {
    State state{};
    state.hash = hash(state);
    return state;
  }
  static int mover(const State& state) { return static_cast<int>(state.moves & 1); }
  static std::uint64_t empty(const State& state) { return kAll & ~(state.mine | state.theirs); }

  // Whether a stone may be put on an empty cell.
  static bool is_legal(const State& state, std::uint64_t cell) {
    const std::uint64_t left = empty(state) & ~cell, around = kBoard.around[__builtin_ctzll(cell)];
    if ((around & left) != 0) return true;
    // It is alive if it joins a living group, or captures a group.
    return breathless(cell, state.mine | cell, left) == 0 ||
           breathless(state.theirs & around, state.theirs, left) != 0;
  }
  static bool may_replace(const State& state) { return state.moves == 1; }
  static std::uint64_t legal(const State& state) {
    const std::uint64_t free = empty(state);
    std::uint64_t cells = free & beside(free);
    for (std::uint64_t left = free & ~cells; left != 0; left &= left - 1)
      if (const std::uint64_t cell = left & -left; is_legal(state, cell)) cells |= cell;
    return may_replace(state) ? cells | state.theirs : cells;
  }
  static bool is_stuck(const State& state) {
    const std::uint64_t free = empty(state);
    if ((free & turned<1>(free) & kBoard.arrives[0]) != 0) return false;  // two adjacent cells
    return legal(state) == 0;
  }

  static bool terminal(const State& state) {
    return has_five(state.theirs) || state.moves == kLongest || is_stuck(state);
  }
  static int goal(const State& state, int role) {
    if (!has_five(state.theirs)) return 50;
    return role == mover(state) ? 0 : 100;
  }

  template <bool kHashed>
  static void play(State& state, Move move) {
    const int place = __builtin_ctzll(move.cell);
    const std::uint64_t mine = state.mine | move.cell;
    const std::uint64_t theirs = state.theirs & ~move.cell;
    const std::uint64_t taken = breathless(theirs & kBoard.around[place], theirs, kAll & ~(mine | theirs));
    if constexpr (kHashed) {
      const int role = mover(state);
      state.hash ^= kKeys.of[role][place] ^ keys_of(1 - role, taken | (state.theirs & move.cell)) ^
                    kKeys.moves[state.moves] ^ kKeys.moves[state.moves + 1];
    }
    state.mine = theirs & ~taken;
    state.theirs = mine;
    ++state.moves;
  }

  template <class Visit>
  static void for_each_move(const State& state, Visit&& visit) {
    for (std::uint64_t left = legal(state); left != 0; left &= left - 1) visit(Move{left & -left});
  }
  static int number(const State&, Move move) { return __builtin_ctzll(move.cell); }
  static Move move(const State&, int number) { return {std::uint64_t{1} << number}; }

  template <class Bits>
  static LeafCounts count(const State& state) {
    // The game cannot end with fewer than four stones to make five of, while the other side has legal moves.
    if (Bits::count(state.mine) >= 4 || Bits::count(empty(state)) <= kRoomy || state.moves + 1 == kLongest)
      return count_by_playing<Pentalath>(state);
    return {Bits::count(legal(state)), 0};
  }

  // Draws cells with their weights (2 for heavy cells, 1 for others) until one is legal: the first legal one has the
  // same distribution as a draw among the legal cells only.
  template <class Bits>
  static Move draw_cell(const State& state, std::uint64_t heavy, std::uint64_t& random) {
    if (may_replace(state)) return {draw_of<Bits>(kAll, heavy, random)};
    for (std::uint64_t cells = empty(state);;) {
      const std::uint64_t cell = draw_of<Bits>(cells, heavy, random);
      if (is_legal(state, cell)) return {cell};
      cells &= ~cell;
    }
  }
  template <class Bits>
  static std::uint64_t draw_of(std::uint64_t cells, std::uint64_t heavy, std::uint64_t& random) {
    if ((cells & (cells - 1)) == 0) return cells;
    const std::uint32_t all = Bits::count(cells);
    const std::uint32_t place = draw_below(random, all + Bits::count(cells & heavy));
    if (place < all) return Bits::deposit(std::uint64_t{1} << place, cells);
    return Bits::deposit(std::uint64_t{1} << (place - all), cells & heavy);
  }
  template <class Bits>
  static Move random_move(const State& state, std::uint64_t& random) {
    return draw_cell<Bits>(state, 0, random);
  }

  // ---- policy and evaluation

  // Cells at the edge have weight 1, all others 2.
  template <class Bits>
  static Drawn<Move> policy_move(const State& state, std::uint64_t& random) {
    return {draw_cell<Bits>(state, kBoard.inner, random), false};
  }

  // (5 - n) / 5, n: the longest row of the loser that can still become five.
  static double quality(const State& state, int winner) {
    const bool moves = winner == mover(state);
    return (5 - (moves ? longest_row(state.theirs, state.mine) : longest_row(state.mine, state.theirs))) / 5.0;
  }

  // rows: tanh(D / 3), D: the difference of the longest rows that can still become five.
  // position: tanh(D / 10), D: the difference of 2 for each stone of such a row, 1 for each stone and 1/2 for each
  // empty cell adjacent to a stone.
  static double evaluation(const State& state, int which) {
    const double own = which == 0 ? longest_row(state.mine, state.theirs) : standing(state.mine, state.theirs);
    const double other = which == 0 ? longest_row(state.theirs, state.mine) : standing(state.theirs, state.mine);
    const double value = std::tanh((own - other) / (which == 0 ? 3 : 10));
    return mover(state) == 0 ? value : -value;
  }
  static double standing(std::uint64_t own, std::uint64_t other) {
    return 2 * longest_row(own, other) + __builtin_popcountll(own) +
           0.5 * __builtin_popcountll(beside(own) & ~(own | other));
  }

  // ---- text

  static ModuleFacts facts() {
    return {"pentalath", "pentalath", kSide, {"white", "black"}, {"rows", "position"}};
  }
  static std::string move_text(int, int number) { return square_name(kBoard.row[number], kBoard.line[number]); }
  static int read_move(int, std::string_view text) {
    int row, line;
    if (!take_square(text, kRows, kRows, row, line) || !text.empty() || !is_cell(line, row)) return -1;
    return place_of(line, row);
  }

  static std::vector<int> widths() {
    std::vector<int> widths;
    for (int row = kRows - 1; row >= 0; --row) widths.push_back(kRows - std::abs(row - (kSide - 1)));
    return widths;
  }
  // The cells row by row from the top.
  static std::array<std::uint64_t, kCells> in_order() {
    std::array<std::uint64_t, kCells> cells{};
    int next = 0;
    for (int row = kRows - 1; row >= 0; --row)
      for (int line = 0; line < kRows; ++line)
        if (is_cell(line, row)) cells[next++] = bit_of(line, row);
    return cells;
  }

  static constexpr char kLetters[] = "wb";
  using Fluents = BoardFluents<2, kCells, Counter::kDigits, kLongest>;
  template <class See>
  static void for_each_piece(const State& state, See&& see) {
    static const auto kInOrder = in_order();
    for (int i = 0; i < kCells; ++i) {
      if ((state.mine & kInOrder[i]) != 0) see(mover(state), i);
      if ((state.theirs & kInOrder[i]) != 0) see(1 - mover(state), i);
    }
  }
  static std::uint64_t counter(const State& state) { return state.moves; }
  static std::string board(const State& state) {
    return print_hexagons(squares(state), widths(), facts().roles);
  }
  // If the text does not contain the number of moves, it is the lowest possible number.
  static State read_board(std::string_view text) {
    const SquareBoard board = read_hexagons(text, widths(), ".wb", facts().roles, kLongest);
    State state{};
    const char own = board.mover == 0 ? 'w' : 'b';
    const auto cells = in_order();
    for (int i = 0; i < kCells; ++i)
      if (board.squares[i] != '.') (board.squares[i] == own ? state.mine : state.theirs) |= cells[i];
    const int stones[2] = {__builtin_popcountll(board.mover == 0 ? state.mine : state.theirs),
                           __builtin_popcountll(board.mover == 0 ? state.theirs : state.mine)};
    const int fewest = std::max(2 * stones[0] - 1, 2 * stones[1]);
    state.moves = static_cast<std::uint64_t>(moves_of(board, fewest, facts().roles, "this number of stones"));
    require(state);
    state.hash = hash(state);
    return state;
  }
  // Rejects positions that cannot arise.
  static void require(const State& state) {
    const std::vector<std::string> roles = facts().roles;
    const std::string& own = roles[mover(state)];
    const std::string& other = roles[1 - mover(state)];
    if (state.moves > 0 && state.theirs == 0) refuse(other + " has just moved and has no stone");
    if (has_five(state.mine)) refuse(own + " has five in a row and is to move: the game was over before");
    for (const bool mine : {true, false}) {
      const std::uint64_t stones = mine ? state.mine : state.theirs;
      if (breathless(stones, stones, empty(state)) != 0)
        refuse("a group of " + (mine ? own : other) + " has no empty adjacent cell");
    }
  }
};

const Pentalath::Keys Pentalath::kKeys = Pentalath::keys();

}  // namespace

void add_pentalath(Modules& modules) { add_modules<Pentalath>(modules); }

}  // namespace ggp

// A square is a bit of a word: bit 8 * row + column, in the view of the role to move. Row 0 is the home row of this
// role, so pieces always move to higher rows. The view is flipped after every move: swapping the bytes of a word
// reverses the order of rows. So no step depends on the role to move.
//
// A move has the number 3 * from + direction, with the square in the view of its role; direction 0 is towards the first
// column, 1 straight, 2 towards the last.

#include <array>
#include <cmath>

#include "games/common/board_game.hpp"
#include "games/common/module_of.hpp"

namespace ggp {
namespace {

template <int kSize>
struct Breakthrough : BoardGame<Breakthrough<kSize>> {
  struct State {
    std::uint64_t mine, theirs;  // squares, in the view of the role to move
    std::uint64_t hash;
    std::uint64_t mover;         // 0 or 1
  };
  // One square each, in the view of its role.
  struct Move {
    std::uint64_t from, to;
  };
  static constexpr int kRoles = 2;
  static constexpr int kMoves = 3 * 8 * kSize;
  static constexpr int kPieces = 2 * kSize;

  // ---- squares

  static constexpr std::uint64_t kRow = (std::uint64_t{1} << kSize) - 1;
  static constexpr std::uint64_t kFarRow = kRow << (8 * (kSize - 1));
  static constexpr std::uint64_t kFirst = 0x0101010101010101, kLast = kFirst << (kSize - 1);  // columns

  static constexpr int kUnused = 8 * (8 - kSize);  // bits above the board
  static std::uint64_t turned(std::uint64_t squares) { return __builtin_bswap64(squares) >> kUnused; }

  // The targets of a step from these squares in each direction.
  static std::uint64_t to_first(std::uint64_t squares) { return (squares & ~kFirst) << 7; }
  static std::uint64_t ahead(std::uint64_t squares) { return squares << 8; }
  static std::uint64_t to_last(std::uint64_t squares) { return (squares & ~kLast) << 9; }
  // The squares on which the other side could capture.
  static std::uint64_t attacked(std::uint64_t theirs) { return (theirs & ~kLast) >> 7 | (theirs & ~kFirst) >> 9; }

  // The target squares of moves, by direction.
  struct Targets {
    std::uint64_t first, ahead, last;
  };
  static Targets targets(const State& state) {
    return {to_first(state.mine) & ~state.mine, ahead(state.mine) & ~(state.mine | state.theirs),
            to_last(state.mine) & ~state.mine};
  }

  // ---- hash: the sum, bit by bit, of one random word for each piece on its square (Zobrist 1970)

  // By side (mine or theirs) and square, in the view of the role to move.
  struct Keys {
    std::uint64_t of[2][2][64], turn;
  };
  static constexpr int seen_from(int role, int square) {
    return role == 0 ? square : 8 * (kSize - 1) - (square & ~7) + (square & 7);
  }
  static const Keys& keys() {
    static const Keys made = [] {
      Keys keys{};
      for (int view = 0; view < 2; ++view)
        for (int side = 0; side < 2; ++side)
          for (int square = 0; square < 8 * kSize; ++square)
            keys.of[view][side][square] = mix64((view ^ side) * 64 + seen_from(view, square) + 1);
      keys.turn = mix64(1000);
      return keys;
    }();
    return made;
  }
  static std::uint64_t hash(const State& state) {
    std::uint64_t hash = state.mover != 0 ? kKeys.turn : 0;
    for (std::uint64_t left = state.mine; left != 0; left &= left - 1)
      hash ^= kKeys.of[state.mover][0][__builtin_ctzll(left)];
    for (std::uint64_t left = state.theirs; left != 0; left &= left - 1)
      hash ^= kKeys.of[state.mover][1][__builtin_ctzll(left)];
    return hash;
  }
  static const Keys kKeys;

  // ---- rules

  static State initial() {
    State state{};
    state.mine = kRow | kRow << 8;
    state.theirs = turned(state.mine);
    state.hash = hash(state);
    return state;
  }
  static int mover(const State& state) { return static_cast<int>(state.mover); }
  // The role that moved last has won: a piece has reached the far row, or the other role has no pieces.
  static bool terminal(const State& state) { return (state.theirs & kRow) != 0 || state.mine == 0; }
  static int goal(const State& state, int role) { return role == mover(state) ? 0 : 100; }

  template <bool kHashed>
  static void play(State& state, Move move) {
    if constexpr (kHashed) {
      const auto& keys = kKeys.of[state.mover];
      const int from = __builtin_ctzll(move.from), to = __builtin_ctzll(move.to);
      state.hash ^= keys[0][from] ^ keys[0][to] ^ kKeys.turn;
      if ((state.theirs & move.to) != 0) state.hash ^= keys[1][to];
    }
    const std::uint64_t mine = state.mine ^ move.from ^ move.to;
    state.mine = turned(state.theirs & ~move.to);
    state.theirs = turned(mine);
    state.mover ^= 1;
  }

  template <class Visit>
  static void for_each_move(const State& state, Visit&& visit) {
    const Targets to = targets(state);
    const std::uint64_t first = to.first >> 7, ahead = to.ahead >> 8, last = to.last >> 9;  // where moves start
    for (std::uint64_t left = first | ahead | last; left != 0; left &= left - 1) {
      const std::uint64_t piece = left & -left;
      if (piece & first) visit(Move{piece, piece << 7});
      if (piece & ahead) visit(Move{piece, piece << 8});
      if (piece & last) visit(Move{piece, piece << 9});
    }
  }
  // Every number is written; the next number overwrites it if it is not a move. Branches here would be unpredictable.
  static int list(const State& state, int* out) {
    const Targets to = targets(state);
    const std::uint64_t first = to.first >> 7, ahead = to.ahead >> 8, last = to.last >> 9;
    int count = 0;
    for (std::uint64_t left = first | ahead | last; left != 0; left &= left - 1) {
      const int from = __builtin_ctzll(left);
      out[count] = 3 * from;
      count += static_cast<int>(first >> from & 1);
      out[count] = 3 * from + 1;
      count += static_cast<int>(ahead >> from & 1);
      out[count] = 3 * from + 2;
      count += static_cast<int>(last >> from & 1);
    }
    return count;
  }
  static int number(const State&, Move move) {
    return 2 * __builtin_ctzll(move.from) + __builtin_ctzll(move.to) - 7;
  }
  static Move move(const State&, int number) {
    const std::uint64_t piece = std::uint64_t{1} << (number / 3);
    return {piece, piece << (7 + number % 3)};
  }

  // The target squares that end the game: the far row, and the square of the last enemy.
  static std::uint64_t winning(const State& state) {
    return (state.theirs & (state.theirs - 1)) == 0 ? kFarRow | state.theirs : kFarRow;
  }
  template <class Bits>
  static LeafCounts count(const State& state) {
    const Targets to = targets(state);
    LeafCounts counts;
    counts.moves = Bits::count(to.first) + Bits::count(to.ahead) + Bits::count(to.last);
    const std::uint64_t wins = winning(state);
    counts.ends = Bits::count(to.first & wins) + Bits::count(to.ahead & wins) + Bits::count(to.last & wins);
    return counts;
  }

  // The move with a number below the sum of the counts, ordered by direction and then by square. A single bit is moved
  // to the square with that index in each direction; two of the three shifts are out of range, so there is no branch.
  template <class Bits>
  static Move pick(const Targets& to, std::uint32_t firsts, std::uint32_t aheads, std::uint32_t place) {
    const std::uint64_t one = std::uint64_t{1} << place;
    const std::uint64_t first = Bits::deposit(one, to.first);
    const std::uint64_t ahead = Bits::deposit(one >> firsts, to.ahead);
    const std::uint64_t last = Bits::deposit(one >> (firsts + aheads), to.last);
    return {first >> 7 | ahead >> 8 | last >> 9, first | ahead | last};
  }
  template <class Bits>
  static Move any_of(const Targets& to, std::uint64_t& random) {
    const std::uint32_t firsts = Bits::count(to.first), aheads = Bits::count(to.ahead);
    const std::uint32_t all = firsts + aheads + Bits::count(to.last);
    return pick<Bits>(to, firsts, aheads, all == 1 ? 0 : draw_below(random, all));
  }
  template <class Bits>
  static Move random_move(const State& state, std::uint64_t& random) {
    return any_of<Bits>(targets(state), random);
  }

  // ---- policy and evaluation

  static Targets only(const Targets& to, std::uint64_t squares) {
    return {to.first & squares, to.ahead & squares, to.last & squares};
  }
  static bool any(const Targets& to) { return (to.first | to.ahead | to.last) != 0; }

  // A move that wins at once; else a capture from the own home row; else any move, with weight 1 for a move without
  // capture, 2 for a capture, and 5 for a capture on a square that the other side does not attack.
  template <class Bits>
  static Drawn<Move> policy_move(const State& state, std::uint64_t& random) {
    const Targets to = targets(state);
    if (const Targets wins = only(to, winning(state)); any(wins)) return {any_of<Bits>(wins, random), true};
    const std::uint64_t home = state.mine & kRow;
    const Targets defence{to_first(home) & state.theirs, 0, to_last(home) & state.theirs};
    if (any(defence)) return {any_of<Bits>(defence, random), true};

    const std::uint64_t guarded = attacked(state.theirs);
    const Targets quiet = only(to, ~state.theirs), risky = only(to, state.theirs & guarded);
    const Targets safe = only(to, state.theirs & ~guarded);
    const std::uint32_t quiet_firsts = Bits::count(quiet.first), aheads = Bits::count(quiet.ahead);
    const std::uint32_t risky_firsts = Bits::count(risky.first), safe_firsts = Bits::count(safe.first);
    const std::uint32_t of_safe = 5 * (safe_firsts + Bits::count(safe.last));
    const std::uint32_t of_risky = 2 * (risky_firsts + Bits::count(risky.last));
    const std::uint32_t all = of_safe + of_risky + quiet_firsts + aheads + Bits::count(quiet.last);
    std::uint32_t place = all == 1 ? 0 : draw_below(random, all);
    if (place < of_safe) return {pick<Bits>(safe, safe_firsts, 0, place / 5), false};
    place -= of_safe;
    if (place < of_risky) return {pick<Bits>(risky, risky_firsts, 0, place / 2), false};
    return {pick<Bits>(quiet, quiet_firsts, aheads, place - of_risky), false};
  }

  // (pieces of the winner - pieces of the loser) / pieces at the start; 0 if the winner has fewer.
  static double quality(const State& state, int winner) {
    const int more = __builtin_popcountll(state.theirs) - __builtin_popcountll(state.mine);
    return std::max(0, winner == mover(state) ? -more : more) / static_cast<double>(kPieces);
  }

  // pieces: tanh(D / 60), D: the difference of 10 for each piece and 2.5 for each row that the furthest piece has
  // advanced. squares: tanh(D / 100), D: the difference of the values of the occupied squares.
  // safety: a win in sight is 1; else as `squares`, but an unsafe piece counts half. After Lorentz and Horey,
  // Programming Breakthrough, CG 2013, whose evaluation uses squares, the safety of pieces and decided races.
  static double evaluation(const State& state, int which) {
    const double value = which == 0   ? of_worth(worth(state.mine) - worth(turned(state.theirs)))
                         : which == 1 ? std::tanh((standing(state.mine) - standing(turned(state.theirs))) / 100)
                                      : safety(state);
    return state.mover == 0 ? value : -value;
  }
  // In units of 2.5.
  static int worth(std::uint64_t pieces) {
    const int row = pieces == 0 ? 0 : (63 - __builtin_clzll(pieces)) / 8;
    return 4 * __builtin_popcountll(pieces) + row;
  }
  // tanh(D / 60) of a difference in these units, from a table: play-outs by evaluation need dozens of values per ply.
  static double of_worth(int difference) {
    constexpr int kMost = 4 * kPieces + kSize - 1;
    static const std::array<double, 2 * kMost + 1> kValues = [] {
      std::array<double, 2 * kMost + 1> values{};
      for (int i = -kMost; i <= kMost; ++i) values[i + kMost] = std::tanh(2.5 * i / 60);
      return values;
    }();
    return kValues[difference + kMost];
  }
  static double standing(std::uint64_t pieces) {
    static constexpr int kValues[8][8] = {
        {5, 15, 15, 5, 5, 15, 15, 5},     {2, 3, 3, 3, 3, 3, 3, 2},         {4, 6, 6, 6, 6, 6, 6, 4},
        {7, 10, 10, 10, 10, 10, 10, 7},   {11, 15, 15, 15, 15, 15, 15, 11}, {16, 21, 21, 21, 21, 21, 21, 16},
        {20, 28, 28, 28, 28, 28, 28, 20}, {36, 36, 36, 36, 36, 36, 36, 36},
    };
    double sum = 0;
    for (; pieces != 0; pieces &= pieces - 1) {
      const int square = __builtin_ctzll(pieces);
      sum += kValues[square / 8][square % 8];
    }
    return sum;
  }


  // For one side, in the view of the mover: the squares attacked along each diagonal.
  struct Reach {
    std::uint64_t one, other;
  };
  static Reach reach_up(std::uint64_t pieces) { return {to_first(pieces), to_last(pieces)}; }
  static Reach reach_down(std::uint64_t pieces) { return {(pieces & ~kLast) >> 7, (pieces & ~kFirst) >> 9}; }

  // A piece is safe if it has at least as many defenders as attackers.
  static std::uint64_t unsafe(std::uint64_t pieces, Reach enemies, Reach friends) {
    const std::uint64_t undefended = ~(friends.one | friends.other), once = ~(friends.one & friends.other);
    return pieces & (((enemies.one | enemies.other) & undefended) | ((enemies.one & enemies.other) & once));
  }
  static double safety(const State& state) {
    if (const int sight = win_in_sight(state); sight != 0) return sight;
    const Reach mine = reach_up(state.mine), theirs = reach_down(state.theirs);
    const double own = standing(state.mine) - standing(unsafe(state.mine, theirs, mine)) / 2;
    const double other =
        standing(turned(state.theirs)) - standing(turned(unsafe(state.theirs, mine, theirs))) / 2;
    return std::tanh((own - other) / 100);
  }

  // 1 if the mover is sure to win, -1 if the other side is, as far as can be decided without a search:
  //   a move wins at once; or the other side has two pieces one step from its goal, or one that cannot be captured;
  //   or a piece runs free, and the other side cannot reach its goal before it. A piece runs free if no own piece is in
  //   its way and every enemy ahead of it is more columns to the side than rows ahead, so that none can reach its way.
  static int win_in_sight(const State& state) {
    if (terminal(state)) return -1;
    if (any(only(targets(state), winning(state)))) return 1;
    const std::uint64_t mine = state.mine, theirs = state.theirs;
    const std::uint64_t threats = theirs & kRow << 8;
    const Reach takes = reach_up(mine);
    if ((threats & (threats - 1)) != 0 || (threats & ~(takes.one | takes.other)) != 0) return -1;

    std::uint64_t up = mine, down = theirs;  // squares in reach; below: also the ways behind them
    std::uint64_t above = theirs, below = mine;
    for (int row = 1; row < kSize; ++row) {
      up |= to_first(up) | ahead(up) | to_last(up);
      down |= (down & ~kLast) >> 7 | down >> 8 | (down & ~kFirst) >> 9;
      above |= above << 8;
      below |= below >> 8;
    }
    const std::uint64_t my_runners = mine & ~down & ~(below >> 8), their_runners = theirs & ~up & ~(above << 8);
    const auto my_steps = [](std::uint64_t pieces) { return kSize - 1 - (63 - __builtin_clzll(pieces)) / 8; };
    const auto their_steps = [](std::uint64_t pieces) { return __builtin_ctzll(pieces) / 8; };
    if (my_runners != 0 && my_steps(my_runners) <= their_steps(theirs)) return 1;
    if (their_runners != 0 && their_steps(their_runners) < my_steps(mine)) return -1;
    return 0;
  }

  // ---- text

  static ModuleFacts facts() {
    const std::string size = std::to_string(kSize);
    const std::string name = kSize == 8 ? "breakthrough" : "breakthrough_" + size + "x" + size;
    std::vector<std::string> evaluations{"pieces"};
    if (kSize == 8) evaluations.insert(evaluations.end(), {"squares", "safety"});
    return {name, name, kSize, {"white", "black"}, evaluations};
  }
  static std::string text(int role, int number, char between) {
    const auto name = [&](int square) {
      const int seen = seen_from(role, square);
      return square_name(seen / 8, seen % 8);
    };
    return name(number / 3) + between + name(number / 3 + 7 + number % 3);
  }
  static std::string move_text(int role, int number) {
    const int column = number / 3 % 8, to_column = column + number % 3 - 1;
    const bool is_move = column < kSize && to_column >= 0 && to_column < kSize && number / 24 < kSize - 1;
    return is_move ? text(role, number, '-') : "";
  }
  static std::string move_in(const State& state, int number) {
    return text(mover(state), number, (state.theirs & move(state, number).to) != 0 ? 'x' : '-');
  }
  static int read_move(int role, std::string_view text) {
    Step step;
    if (!read_step(text, kSize, kSize, "-x", step)) return -1;
    const int from = seen_from(role, 8 * step.row + step.column), to = seen_from(role, 8 * step.to_row + step.to_column);
    const int direction = step.to_column - step.column + 1;
    if (to / 8 != from / 8 + 1 || direction < 0 || direction > 2) return -1;
    return 3 * from + direction;
  }

  static constexpr char kLetters[] = "wb";
  using Fluents = BoardFluents<2, kSize * kSize>;
  template <class See>
  static void for_each_piece(const State& state, See&& see) {
    const auto see_all = [&](int role, std::uint64_t pieces) {
      for (; pieces != 0; pieces &= pieces - 1) {
        const int square = seen_from(mover(state), __builtin_ctzll(pieces));
        see(role, (kSize - 1 - square / 8) * kSize + square % 8);
      }
    };
    see_all(mover(state), state.mine);
    see_all(1 - mover(state), state.theirs);
  }
  static State read_board(std::string_view text) {
    const SquareBoard board = ggp::read_board(text, kSize, kSize, ".wb", facts().roles);
    State state{};
    state.mover = static_cast<std::uint64_t>(board.mover);
    const char own = board.mover == 0 ? 'w' : 'b';
    for (int i = 0; i < kSize * kSize; ++i) {
      if (board.squares[i] == '.') continue;
      const int square = seen_from(board.mover, 8 * (kSize - 1 - i / kSize) + i % kSize);
      (board.squares[i] == own ? state.mine : state.theirs) |= std::uint64_t{1} << square;
    }
    require(state);
    state.hash = hash(state);
    return state;
  }
  // Rejects positions that cannot arise.
  static void require(const State& state) {
    const std::vector<std::string> roles = facts().roles;
    const std::string& own = roles[state.mover];
    const std::string& other = roles[1 - state.mover];
    for (const bool mine : {true, false}) {
      const int pieces = __builtin_popcountll(mine ? state.mine : state.theirs);
      if (pieces > kPieces)
        refuse((mine ? own : other) + " has " + std::to_string(pieces) + " pieces, at most " + std::to_string(kPieces) +
               " are possible");
    }
    if (state.theirs == 0) refuse(other + " has no piece and " + own + " is to move: the game was over before");
    if ((state.mine & kFarRow) != 0) refuse(own + " is on the far row and to move: the game was over before");
    if (state.mine == 0 && (state.theirs & kRow) != 0)
      refuse(own + " has no piece and " + other + " is on the far row: the game ends with either");
    if (__builtin_popcountll(state.theirs & kRow) > 1)
      refuse(other + " is on the far row twice: the game ends with the first");
  }
};

template <int kSize>
const typename Breakthrough<kSize>::Keys Breakthrough<kSize>::kKeys = Breakthrough<kSize>::keys();

}  // namespace

void add_breakthrough(Modules& modules) { add_modules<Breakthrough<8>, Breakthrough<6>>(modules); }

}  // namespace ggp

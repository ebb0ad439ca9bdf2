// Stones are never removed: the game ends with the first group without an empty adjacent point. After the last empty
// point is filled, no group has an empty adjacent point. So every game has a winner.
//
// A move has the number of its point, row by row from the bottom.

#include <cmath>

#include "games/common/board_game.hpp"
#include "games/common/module_of.hpp"
#include "games/go/go_board.hpp"

namespace ggp {
namespace {

constexpr int kSize = 7;
using Board = GoBoard<kSize>;

struct AtariGoState {
  std::uint64_t mine, theirs;  // stones of the role to move, and of the other role
  std::uint64_t hash;
  std::uint64_t moves;         // number of moves so far, one stone each
  std::uint64_t ended;         // 1 if the latest move captured stones, 2 if only its own group is dead, else 0
};

struct AtariGo : BoardGame<AtariGo> {
  using State = AtariGoState;
  struct Move {
    int point;
  };
  static constexpr int kRoles = 2;
  static constexpr int kMoves = Board::kPoints;

  static std::uint64_t hash(const State& state) {
    return mix64(state.mine + mix64(state.theirs + mix64(state.moves + 1)));
  }

  // ---- rules

  static State initial() {
    State state{};
    state.hash = hash(state);
    return state;
  }
  static int mover(const State& state) { return static_cast<int>(state.moves & 1); }
  static bool terminal(const State& state) { return state.ended != 0; }
  static int goal(const State& state, int role) { return (role == mover(state)) == (state.ended == 2) ? 100 : 0; }

  static WideWord empty(const State& state) {
    return Board::kGeometry.all & ~(WideWord{state.mine} | WideWord{state.theirs});
  }
  template <bool kHashed>
  static void play(State& state, Move move) {
    const Board::Taken taken = Board::taken_by(move.point, state.mine, state.theirs);
    const std::uint64_t mine = state.mine | std::uint64_t{1} << move.point;
    state.mine = state.theirs;
    state.theirs = mine;
    ++state.moves;
    state.ended = any_of(taken.theirs) ? 1 : any_of(taken.mine) ? 2 : 0;
    if constexpr (kHashed) state.hash = hash(state);
  }
  template <class Visit>
  static void for_each_move(const State& state, Visit&& visit) {
    for_each_bit(empty(state), [&](int point) { visit(Move{point}); });
  }
  static int number(const State&, Move move) { return Board::number_of(move.point); }
  static Move move(const State&, int number) { return {Board::point_of(number)}; }
  template <class Bits>
  static LeafCounts count(const State& state) {
    return count_by_playing<AtariGo>(state);
  }

  template <class Bits>
  static Move draw_point(WideWord points, std::uint64_t& random) {
    const std::uint32_t all = count_of<Bits>(points);
    return {nth<Bits>(points, all == 1 ? 0 : draw_below(random, all))};
  }
  template <class Bits>
  static Move random_move(const State& state, std::uint64_t& random) {
    return draw_point<Bits>(empty(state), random);
  }

  // ---- policy and evaluation

  // The points that are the last empty point next to a group of these stones.
  static WideWord last_air(WideWord stones, WideWord empty) {
    WideWord last = 0;
    while (stones != 0) {
      const WideWord group = Board::flooded(stones & -stones, stones);
      const WideWord air = Board::beside(group) & empty;
      if ((air & (air - 1)) == 0) last |= air;
      stones &= ~group;
    }
    return last;
  }
  // A move that captures stones; else a move on the last empty point next to an own group; else any move.
  template <class Bits>
  static Drawn<Move> policy_move(const State& state, std::uint64_t& random) {
    const WideWord free = empty(state), wins = last_air(state.theirs, free);
    if (wins != 0) return {draw_point<Bits>(wins, random), true};
    const WideWord saves = last_air(state.mine, free);
    return {draw_point<Bits>(saves != 0 ? saves : free, random), false};
  }

  // The number of empty points divided by the number of all points.
  static double quality(const State& state, int) {
    return count_of<PlainBits>(empty(state)) / static_cast<double>(Board::kPoints);
  }

  // air: tanh(D / 10), D: the difference of the empty points next to the stones of each side.
  static double evaluation(const State& state, int) {
    const WideWord free = empty(state);
    const double own = count_of<PlainBits>(Board::beside(state.mine) & free);
    const double value = std::tanh((own - count_of<PlainBits>(Board::beside(state.theirs) & free)) / 10);
    return mover(state) == 0 ? value : -value;
  }

  // ---- text

  static ModuleFacts facts() { return {"atari_go", "atari_go", kSize, {"black", "white"}, {"air"}}; }
  static std::string move_text(int, int number) { return square_name(number / kSize, number % kSize); }
  static int read_move(int, std::string_view text) { return read_square(text, kSize); }

  // The index in a printed board of the number of a move.
  static int place_of(int number) { return (kSize - 1 - number / kSize) * kSize + number % kSize; }
  static constexpr char kLetters[] = "bw";
  using Fluents = BoardFluents<2, Board::kPoints>;
  template <class See>
  static void for_each_piece(const State& state, See&& see) {
    for (const bool own : {true, false})
      for_each_bit(own ? state.mine : state.theirs, [&](int point) {
        see(own == (mover(state) == 0) ? 0 : 1, place_of(Board::number_of(point)));
      });
  }
  static State read_board(std::string_view text) {
    const SquareBoard board = ggp::read_board(text, kSize, kSize, ".bw", facts().roles);
    State state{};
    const char own = board.mover == 0 ? 'b' : 'w';
    for (int number = 0; number < Board::kPoints; ++number)
      if (const char stone = board.squares[place_of(number)]; stone != '.')
        (stone == own ? state.mine : state.theirs) |= std::uint64_t{1} << Board::point_of(number);
    require(state, board.mover);
    state.moves = count_of<PlainBits>(state.mine) + count_of<PlainBits>(state.theirs);
    const WideWord air = Board::beside(empty(state));
    if (any_of(Board::breathless(state.mine, state.mine, air)))
      state.ended = 1;
    else if (any_of(Board::breathless(state.theirs, state.theirs, air)))
      state.ended = 2;
    state.hash = hash(state);
    return state;
  }
  // Rejects positions that cannot arise.
  static void require(const State& state, int mover) {
    const std::vector<std::string> roles = facts().roles;
    const auto own = count_of<PlainBits>(state.mine), other = count_of<PlainBits>(state.theirs);
    if (other != own + static_cast<std::uint32_t>(mover))
      refuse("it is not the turn of " + roles[mover] + " with " + std::to_string(own) +
                                  " stones of its own and " + std::to_string(other) + " of " + roles[1 - mover]);
  }
};

}  // namespace

void add_atari_go(Modules& modules) { add_modules<AtariGo>(modules); }

}  // namespace ggp

// Drawing a move. The amazons have D destinations; from destination d, S(d) shots are possible. The number of moves is
// the sum of all S(d), but a draw does not need the sum. Let M be the most shots on an empty board. A number below D *
// M gives a destination d and a number below M. A number below S(d) is the shot; otherwise another number is drawn
// (rejection, von Neumann 1951). A few draws are enough. If D is small, or after some failures, the shots of all
// destinations are counted.

#include <algorithm>
#include <cmath>

#include "games/amazons/amazons_ranking.hpp"
#include "games/amazons/amazons_rules.hpp"
#include "games/common/board_game.hpp"
#include "games/common/module_of.hpp"

namespace ggp {
namespace {

template <int kSize>
struct Amazons : AmazonsRules<kSize>, BoardGame<Amazons<kSize>> {
  using Rules = AmazonsRules<kSize>;
  using typename Rules::Move, typename Rules::Reached, typename Rules::Square, typename Rules::State;
  using Rules::empty, Rules::for_each_square, Rules::hash, Rules::is_amazon, Rules::kAmazons, Rules::kMostShots,
      Rules::kNone, Rules::kNumbers, Rules::kRoles, Rules::mover, Rules::number, Rules::occupied, Rules::rays,
      Rules::reached, Rules::shots, Rules::squares_of, Rules::toggle;
  using Ranking = AmazonsRanking<kSize>;

  // ---- chance

  // The destinations of some amazons of the side to move: their rays, and running sums of their squares.
  struct Choice {
    std::uint64_t open[kAmazons];
    unsigned sums[kAmazons + 1];
  };
  static Choice choice(const State& state) {
    Choice choice;
    choice.sums[0] = 0;
    for (int i = 0; i < kAmazons; ++i) {
      choice.open[i] = rays(state, state.amazons[state.mover][i]);
      choice.sums[i + 1] = choice.sums[i] + squares_of(choice.open[i]);
    }
    return choice;
  }
  struct Destination {
    unsigned from, to;
    std::uint64_t shots;
  };
  // By its index, which is below the last of the sums.
  template <class Bits>
  static Destination destination(const State& state, const Choice& choice, unsigned place) {
    int i = 0;
    for (int k = 1; k < kAmazons; ++k) i += place >= choice.sums[k];
    const unsigned from = state.amazons[state.mover][i];
    const Reached to = Rules::template reached<Bits>(from, choice.open[i], place - choice.sums[i]);
    return {from, to.square, shots(state, choice.open[i], to)};
  }
  template <class Bits>
  static Move shooting(const Destination& way, unsigned place) {
    const Reached shot = Rules::template reached<Bits>(way.to, way.shots, place);
    return {static_cast<Square>(way.from), static_cast<Square>(way.to), static_cast<Square>(shot.square)};
  }

  static constexpr unsigned kFew = 3;    // up to this number of destinations all shots are counted
  static constexpr int kAttempts = 16;

  // Draws one of the moves to the destinations begin .. end - 1, uniformly.
  template <class Bits>
  static Move any_of(const State& state, const Choice& choice, unsigned begin, unsigned end, std::uint64_t& random) {
    if (end - begin > kFew)
      for (int attempt = 0; attempt < kAttempts; ++attempt) {
        const std::uint32_t drawn = draw_below(random, (end - begin) * kMostShots);
        const Destination way = destination<Bits>(state, choice, begin + drawn / kMostShots);
        const unsigned place = drawn % kMostShots;
        if (place < squares_of(way.shots)) return shooting<Bits>(way, place);
      }
    unsigned moves = 0;
    for (unsigned i = begin; i < end; ++i) moves += squares_of(destination<Bits>(state, choice, i).shots);
    unsigned place = moves == 1 ? 0 : draw_below(random, moves);
    for (unsigned i = begin;; ++i) {
      const Destination way = destination<Bits>(state, choice, i);
      const unsigned squares = squares_of(way.shots);
      if (place < squares) return shooting<Bits>(way, place);
      place -= squares;
    }
  }
  template <class Bits>
  static Move random_move(const State& state, std::uint64_t& random) {
    const Choice all = choice(state);
    return any_of<Bits>(state, all, 0, all.sums[kAmazons], random);
  }

  // ---- policy and evaluation

  // Draws one of the amazons that can move, uniformly; then one of its moves, uniformly.
  template <class Bits>
  static Drawn<Move> policy_move(const State& state, std::uint64_t& random) {
    const Choice all = choice(state);
    int amazon = 0;
    if (all.sums[kAmazons] == 1)
      while (all.open[amazon] == 0) ++amazon;
    else
      do amazon = static_cast<int>(draw(random) >> 32) & (kAmazons - 1);
      while (all.open[amazon] == 0);
    return {any_of<Bits>(state, all, all.sums[amazon], all.sums[amazon + 1], random), false};
  }

  // The moves of one drawn amazon. It stands for all amazons, so each of its moves counts equally often.
  static State only_with(State state, Move move) {
    for (auto& amazon : state.amazons[state.mover]) amazon = move.from;
    return state;
  }

  // Number of squares that the amazons of a role can go to, counted for each amazon separately.
  static int mobility(const State& state, int role) {
    unsigned sum = 0;
    for (int i = 0; i < kAmazons; ++i) sum += squares_of(rays(state, state.amazons[role][i]));
    return static_cast<int>(sum);
  }
  // The number of destinations of the winner's amazons, divided by 16; at most 1.
  static double quality(const State& state, int winner) { return std::min(16, mobility(state, winner)) / 16.0; }
  // mobility: tanh(D / 20), D: the destinations of the first role minus the destinations of the second.
  static double evaluation(const State& state, int) {
    return std::tanh((mobility(state, 0) - mobility(state, 1)) / 20.0);
  }

  // ---- text

  static ModuleFacts facts() {
    const std::string size = std::to_string(kSize);
    const std::string name = kSize == 10 ? "amazons" : "amazons_" + size + "x" + size;
    return {name, name, kSize, {"white", "black"}, {"mobility"}};
  }
  static std::string name_of(int square) { return square_name(square >> 4, square & 15); }
  static std::string move_text(int, int number) {
    const Move move = kNumbers.moves[number];
    return name_of(move.from) + '-' + name_of(move.to) + '/' + name_of(move.shot);
  }
  static int read_move(int, std::string_view text) {
    int squares[3];
    for (int i = 0; i < 3; ++i) {
      int row, column;
      if (i > 0) {
        if (text.empty() || text[0] != "-/"[i - 1]) return -1;
        text.remove_prefix(1);
      }
      if (!take_square(text, kSize, kSize, row, column)) return -1;
      squares[i] = 16 * row + column;
    }
    const auto [from, to, shot] = squares;
    if (!text.empty() || kNumbers.place[from][to] == kNone || kNumbers.place[to][shot] == kNone) return -1;
    return number({}, {static_cast<Square>(from), static_cast<Square>(to), static_cast<Square>(shot)});
  }

  static constexpr char kLetters[] = "wbx";
  using Fluents = BoardFluents<3, kSize * kSize>;
  template <class See>
  static void for_each_piece(const State& state, See&& see) {
    for (int row = kSize - 1, cell = 0; row >= 0; --row)
      for (int square = 16 * row; square < 16 * row + kSize; ++square, ++cell)
        if (occupied(state, square)) see(is_amazon(state, 0, square) ? 0 : is_amazon(state, 1, square) ? 1 : 2, cell);
  }
  // Rejects positions that cannot arise: every turn shoots one arrow.
  static State read_board(std::string_view text) {
    const std::vector<std::string> roles = facts().roles;
    const SquareBoard board = ggp::read_board(text, kSize, kSize, ".wbx", roles);
    for (int role = 0; role < kRoles; ++role) {
      const auto found = std::count(board.squares.begin(), board.squares.end(), "wb"[role]);
      if (found != kAmazons)
        refuse(roles[role] + " has " + std::to_string(found) + " amazons, not " + std::to_string(kAmazons));
    }
    const auto arrows = std::count(board.squares.begin(), board.squares.end(), 'x');
    if (arrows % 2 != board.mover)
      refuse("after " + std::to_string(arrows) + " arrows it is the turn of " + roles[1 - board.mover]);
    State state = empty();
    state.mover = static_cast<std::uint32_t>(board.mover);
    int found[2] = {};
    for_each_square([&](int square) {
      const char piece = board.squares[(kSize - 1 - (square >> 4)) * kSize + (square & 15)];
      if (piece == '.') return;
      toggle(state, square);
      if (piece == 'x') return;
      const int role = piece == 'w' ? 0 : 1;
      state.amazons[role][found[role]++] = static_cast<Square>(square);
    });
    state.hash = hash(state);
    return state;
  }
};

}  // namespace

void add_amazons(Modules& modules) { add_modules<Amazons<10>, Amazons<8>, Amazons<6>>(modules); }

}  // namespace ggp

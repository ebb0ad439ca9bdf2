// Tromp-Taylor rules (J. Tromp and W. Taylor, "The Game of Go", https://tromp.github.io/go.html). A stone on an empty
// point captures the groups of the other side that have no empty adjacent point, then the own group if it has none. No
// move except a pass may repeat an earlier position of stones (positional superko). Two passes end the game; the area
// decides.
//
// Superko. The state contains the Zobrist keys (Zobrist 1970, 64 bits) of all positions of its game, in order, and a
// filter with some bits of each, so that one word nearly always shows that a position is new. Moves of play-outs are
// checked in the same way as moves of the tree. A game has a maximal length, which bounds the number of keys. Two
// different positions count as equal with a probability of 2^-64. A position that is read from text has no history.
//
// Without superko, every empty point would be legal. So random moves are drawn from the empty points and the pass, and
// drawn again if the position would repeat.
//
// A move has the number of its point, row by row from the bottom; the last number is the pass.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "games/common/board_game.hpp"
#include "games/common/module_of.hpp"
#include "games/go/go_board.hpp"
#include "games/go/go_draws.hpp"

namespace ggp {
namespace {

constexpr std::string_view kPassesLabel = "passes:";

template <int kSize>
struct Go : BoardGame<Go<kSize>> {
  static constexpr int kEdge = kSize;
  using Board = GoBoard<kSize>;
  using Set = typename Board::Set;
  static constexpr int kLongest = 2 * kSize * kSize;  // maximal number of moves of a game, including passes
  static constexpr int kTwiceKomi = 15;
  static constexpr int kFilterWords = kSize <= 5 ? 4 : kSize <= 9 ? 16 : 64;

  struct State {
    typename Board::Packed stones[2];     // stones of black and of white
    std::uint64_t hash;
    std::uint64_t position;               // the key of the stones
    std::uint64_t moves, passes;          // number of moves so far; number of consecutive passes at the end, at most 2
    std::uint64_t latest;                 // 1 + the point of the last move; 0 if it was a pass or is not known
    std::uint64_t positions;              // number of positions in the lists that follow
    std::uint64_t filter[kFilterWords];   // contains two bits of a word for each position
    std::uint64_t keys[kLongest];
  };
  static constexpr int kPass = -1;
  struct Move {
    int point = kPass;
    typename Board::Taken taken{};
    std::uint64_t position = 0;  // the key after the move
  };
  static constexpr int kRoles = 2;
  static constexpr int kMoves = Board::kPoints + 1;
  static constexpr int kPassNumber = Board::kPoints;

  // ---- keys: the bitwise sum of one random word for each stone on its point

  struct Keys {
    std::uint64_t of[2][Board::kBits];
  };
  static Keys make_keys() {
    Keys made{};
    for (int role = 0; role < 2; ++role)
      for (int point = 0; point < Board::kBits; ++point) made.of[role][point] = mix64(512 * role + point + 1);
    return made;
  }
  static const Keys kKeys;
  // Points by number; other bits are the unused bits at the ends of rows.
  static constexpr unsigned kPassBit = kSize;
  struct Points {
    std::uint16_t of[kMoves + 1];
  };
  static constexpr Points make_points() {
    Points made{};
    for (int number = 0; number < Board::kPoints; ++number)
      made.of[number] = static_cast<std::uint16_t>(Board::point_of(number));
    made.of[kPassNumber] = kPassBit;
    made.of[kMoves] = kPassBit + Board::kStride;
    return made;
  }
  static constexpr Points kPoints = make_points();
  static std::uint64_t key_of(int role, const Set& stones) {
    std::uint64_t key = 0;
    for_each_bit(stones, [&](int point) { key ^= kKeys.of[role][point]; });
    return key;
  }
  static Set stones(const State& state, int role) { return Board::unpack(state.stones[role]); }
  static std::uint64_t hash_with(const State& state, std::uint64_t position) {
    return mix64(position ^ mix64(4 * state.moves + state.passes + 1));
  }
  static std::uint64_t hash(const State& state) {
    return hash_with(state, key_of(0, stones(state, 0)) ^ key_of(1, stones(state, 1)));
  }

  // ---- superko

  static std::uint64_t filter_bits(std::uint64_t position) {
    return std::uint64_t{1} << (position >> 8 & 63) | std::uint64_t{1} << (position >> 16 & 63);
  }
  static bool was_there(const State& state, std::uint64_t position) {
    if (position == state.position) return true;  // a stone that captured only itself
    const std::uint64_t bits = filter_bits(position);
    if ((state.filter[position % kFilterWords] & bits) != bits) return false;
    return std::find(state.keys, state.keys + state.positions, position) != state.keys + state.positions;
  }
  static void remember(State& state, std::uint64_t position) {
    if (state.positions == kLongest) return;  // after the last move of a game
    state.filter[position % kFilterWords] |= filter_bits(position);
    state.keys[state.positions++] = position;
  }

  // ---- rules

  static State initial() {
    State state{};
    remember(state, 0);
    state.hash = hash(state);
    return state;
  }
  static int last(const State& state) { return static_cast<int>(state.latest) - 1; }
  static int mover(const State& state) { return static_cast<int>(state.moves & 1); }
  static bool terminal(const State& state) { return (state.passes == 2) | (state.moves == kLongest); }
  // 2 * (points of black - points of white).
  static int twice_lead(const State& state) {
    return 2 * Board::lead(stones(state, 0), stones(state, 1)) - kTwiceKomi;
  }
  static int goal(const State& state, int role) { return (twice_lead(state) > 0) == (role == 0) ? 100 : 0; }

  // Places a stone on an empty point; the caller checks superko.
  static Move put(const State& state, int point) {
    const int role = mover(state);
    return taking(state, point, Board::taken_by(point, stones(state, role), stones(state, 1 - role)));
  }
  static Move taking(const State& state, int point, const typename Board::Taken& taken) {
    const int role = mover(state);
    Move move{point, taken, state.position ^ kKeys.of[role][point]};
    if (any_of(taken.theirs | taken.mine)) move.position ^= key_of(1 - role, taken.theirs) ^ key_of(role, taken.mine);
    return move;
  }
  template <bool kHashed>
  static void play(State& state, const Move& move) {
    const int role = mover(state);
    ++state.moves;
    state.latest = static_cast<std::uint64_t>(move.point + 1);
    if (move.point == kPass) {
      ++state.passes;
    } else {
      state.passes = 0;
      const auto point = static_cast<unsigned>(move.point);
      state.stones[role][point / 64] |= std::uint64_t{1} << (point % 64);
      if (any_of(move.taken.theirs | move.taken.mine)) {
        state.stones[role] = Board::pack(stones(state, role) & ~move.taken.mine);
        state.stones[1 - role] = Board::pack(stones(state, 1 - role) & ~move.taken.theirs);
      }
      state.position = move.position;
      remember(state, move.position);
    }
    if constexpr (kHashed) state.hash = hash_with(state, state.position);
  }

  static Set empty(const State& state) { return Board::kGeometry.all & ~(stones(state, 0) | stones(state, 1)); }
  template <class Visit>
  static void for_each_move(const State& state, Visit&& visit) {
    for_each_bit(empty(state), [&](int point) {
      const Move move = put(state, point);
      if (!was_there(state, move.position)) visit(move);
    });
    visit(Move{});
  }
  static int number(const State&, const Move& move) {
    return move.point == kPass ? kPassNumber : Board::number_of(move.point);
  }
  static Move move(const State& state, int number) {
    return number == kPassNumber ? Move{} : put(state, Board::point_of(number));
  }
  // GoBoard::quiet() finds points where a stone surely captures nothing, for the whole board together. On these points,
  // only superko is checked. If no stone was ever captured, even superko needs no check, because then the number of
  // stones always grows. Other points are checked one by one. Policies pass if they have no other move.
  template <class Bits>
  static std::uint32_t find_legal(const State& state, MoveDraw by, const std::uint32_t* numbers, std::uint32_t count,
                                  std::uint32_t* places) {
    const int role = mover(state);
    const Set mine = stones(state, role), theirs = stones(state, 1 - role), empty = Go::empty(state);
    const GoTactics<kSize> tactics(mine, theirs);
    const bool by_policy = by != MoveDraw::kUniform;
    Set quiet = Board::quiet(empty, mine, theirs);
    if (by_policy) quiet = quiet & (Board::beside(empty) | Board::beside(theirs));  // other points may be eyes
    if (by == MoveDraw::kPolicy) quiet = quiet & tactics.airy();                    // others may be self-atari
    const bool took = count_of<Bits>(mine | theirs) + 1 != state.positions;
    const Set passes = by_policy ? Set{} : Board::one(kPassBit);
    const typename Board::Packed all = Board::pack(empty | passes), sure = Board::pack(quiet | passes);
    std::uint32_t found = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const unsigned point = kPoints.of[std::min(numbers[i], static_cast<std::uint32_t>(kMoves))];
      places[found] = i;
      found += static_cast<std::uint32_t>(all[point / 64] >> (point % 64) & 1);
    }
    std::uint32_t legal = 0;
    for (std::uint32_t k = 0; k < found; ++k) {
      const std::uint32_t i = places[k];
      const unsigned point = kPoints.of[numbers[i]];
      bool is_legal = sure[point / 64] >> (point % 64) & 1;
      if (!is_legal) {
        const int at = static_cast<int>(point);
        if (by == MoveDraw::kUniform || (by == MoveDraw::kLight && !Board::is_eye(at, mine, theirs)) ||
            (by == MoveDraw::kPolicy && GoDraws<Go>::may_play_by_policy(tactics, at))) {
          const Move move = put(state, static_cast<int>(point));
          is_legal = !was_there(state, move.position) && !(by_policy && any_of(move.taken.mine));
        }
      } else if (took && point != kPassBit) {
        is_legal = !was_there(state, state.position ^ kKeys.of[role][point]);
      }
      places[legal] = i;
      legal += is_legal;
    }
    return legal;
  }
  template <class Bits>
  static LeafCounts count(const State& state) {
    LeafCounts counts;
    for_each_move(state, [&](const Move&) { ++counts.moves; });
    counts.ends = state.moves + 1 == kLongest ? counts.moves : state.passes;
    return counts;
  }

  // ---- drawing; see go_draws.hpp

  template <class Bits>
  static Move random_move(const State& state, std::uint64_t& random) {
    return GoDraws<Go>::template drawn<Bits, false>(state, empty(state), random);
  }
  template <class Bits>
  static Drawn<Move> policy_move(const State& state, std::uint64_t& random) {
    return {GoDraws<Go>::template by_policy<Bits>(state, random), false};
  }
  template <class Bits>
  static Move light_move(const State& state, std::uint64_t& random) {
    return GoDraws<Go>::template drawn<Bits, true>(state, empty(state), random);
  }
  template <MoveDraw by, class Accept>
  static bool draw_many(Vectors vectors, const State* states, std::uint64_t which, const std::uint64_t* random,
                        Accept&& accept) {
    if constexpr (by == MoveDraw::kPolicy)
      return false;
    else
      return GoDraws<Go>::template draw_many<by == MoveDraw::kLight>(vectors, states, which, random, accept);
  }
  static void move_priors(const State& state, const int* moves, int count, bool locality, float* values,
                          std::uint32_t* visits) {
    GoDraws<Go>::move_priors(state, moves, count, locality, values, visits);
  }

  // ---- quality and evaluation

  // The lead of the winner in points, with komi, divided by the number of points; at most 1.
  static double quality(const State& state, int winner) {
    const int lead = winner == 0 ? twice_lead(state) : -twice_lead(state);
    return std::clamp(lead / (2.0 * Board::kPoints), 0.0, 1.0);
  }

  // area: tanh(D / 20), D: the lead of black in points, with komi, if the game ended now.
  static double evaluation(const State& state, int) { return std::tanh(twice_lead(state) / 40.0); }

  // ---- text

  static ModuleFacts facts() {
    const std::string size = std::to_string(kSize);
    return {"go_" + size + "x" + size, "", kSize, {"black", "white"}, {"area"}};
  }
  static std::string move_text(int, int number) {
    return number == kPassNumber ? "pass" : square_name(number / kSize, number % kSize);
  }
  static int read_move(int, std::string_view text) {
    return text == "pass" ? kPassNumber : read_square(text, kSize);
  }

  // The index in a printed board of the number of a move.
  static int place_of(int number) { return (kSize - 1 - number / kSize) * kSize + number % kSize; }
  static constexpr char kLetters[] = "bw";
  using Fluents = BoardFluents<2, Board::kPoints, Counter::kValue, kLongest>;
  template <class See>
  static void for_each_piece(const State& state, See&& see) {
    for (int role = 0; role < kRoles; ++role)
      for_each_bit(stones(state, role), [&](int point) { see(role, place_of(Board::number_of(point))); });
  }
  static std::uint64_t counter(const State& state) { return state.moves; }
  static std::string board(const State& state) {
    std::string text = BoardGame<Go>::board(state);
    if (state.passes == 0) return text;
    const std::string passes = std::string(kPassesLabel) + ' ' + std::to_string(state.passes) + '\n';
    return text.insert(text.rfind('\n', text.size() - 2) + 1, passes);
  }
  // If the text does not contain the number of moves, it is the lowest possible number.
  static State read_board(std::string_view text) {
    std::string rest(text);
    const int passes = std::max(0, take_count(rest, kPassesLabel, 2));
    const SquareBoard board = ggp::read_board(rest, kSize, kSize, ".bw", facts().roles, kLongest);
    Set found[2] = {};
    for (int number = 0; number < Board::kPoints; ++number)
      if (const char stone = board.squares[place_of(number)]; stone != '.')
        found[stone == 'w'] = found[stone == 'w'] | Board::one(Board::point_of(number));
    const int stones[2] = {static_cast<int>(count_of<PlainBits>(found[0])),
                           static_cast<int>(count_of<PlainBits>(found[1]))};
    const int fewest = std::max(2 * stones[0] - 1, 2 * stones[1]) + passes;
    const int moves = moves_of(board, fewest, facts().roles, "this number of stones and passes");
    require(found, moves);
    State state = initial();
    for (int role = 0; role < kRoles; ++role) state.stones[role] = Board::pack(found[role]);
    state.position = key_of(0, found[0]) ^ key_of(1, found[1]);
    if (state.position != 0) remember(state, state.position);
    state.moves = static_cast<std::uint64_t>(moves);
    state.passes = static_cast<std::uint64_t>(passes);
    state.hash = hash(state);
    return state;
  }
  // Rejects positions that cannot arise.
  static void require(const Set* found, int moves) {
    const std::vector<std::string> roles = facts().roles;
    if (moves > kLongest)
      refuse("this number of stones is impossible: a game ends after " + std::to_string(kLongest) + " moves");
    const Set air = Board::beside(Board::kGeometry.all & ~(found[0] | found[1]));
    for (int role = 0; role < kRoles; ++role)
      if (any_of(Board::breathless(found[role], found[role], air)))
        refuse("a group of " + roles[role] + " has no empty adjacent point");
  }
};

template <int kSize>
const typename Go<kSize>::Keys Go<kSize>::kKeys = Go<kSize>::make_keys();

}  // namespace

void add_go(Modules& modules) { add_modules<Go<19>, Go<9>, Go<5>>(modules); }

}  // namespace ggp

// The rules of checkers on one board: moves, walks of jumps, ends, and random moves.
//
// Men that move up and men that move down are two sets, one for each side. Nothing else depends on the role to move.
//
// A capture may be a walk of several jumps. Walks are one move if they have equal start, captured pieces and end.
// Pieces may be removed at the end of the walk: no walk can land on a square that another jump of the walk passes, so
// the passed pieces block no jump.
//
// The board is a word of 32 bits, one for each dark square. A square is a bit in the byte of its diagonal; the bit is
// its column. Diagonals that go up to the right are counted modulo 4, so two short diagonals share a byte. A step is a
// rotation by 1 or 7 from every square. A step over the edge ends on a row or column that no such step can reach on the
// board.
#pragma once

#include <cstdint>

#include "base/random.hpp"

namespace ggp {

// One bit each, except for the victims.
struct CheckersMove {
  std::uint32_t from, to, victims;
};

struct CheckersState {
  std::uint32_t mine, theirs;  // squares of the role to move and of the other role
  std::uint32_t kings;         // of both roles
  std::uint16_t mover;         // 0 or 1
  std::uint16_t quiet;         // number of turns since the last capture or move of a man
  std::uint64_t hash;
};

namespace checkers_squares {

// The number of turns without a capture or a move of a man that is a draw, unless a variant has another number.
constexpr std::uint32_t kUsualQuietEnd = 50;

// Squares are counted row by row from the side of black; row 0 has squares in the columns 1, 3, 5 and 7.
constexpr int kSquares = 32;
constexpr int row_of(int square) { return square / 4; }
constexpr int column_of(int square) { return 2 * (square % 4) + (row_of(square) % 2 == 0); }
constexpr std::uint32_t one_at(int square) {
  const int diagonal = (row_of(square) - column_of(square) + 9) / 2 % 4;
  return std::uint32_t{1} << (8 * diagonal + column_of(square));
}
constexpr std::uint32_t line_of(bool is_row, int number) {
  std::uint32_t line = 0;
  for (int square = 0; square < kSquares; ++square)
    if ((is_row ? row_of(square) : column_of(square)) == number) line |= one_at(square);
  return line;
}
// By role: its initial squares, and the squares where its men become kings.
constexpr std::uint32_t kHome[2] = {line_of(true, 0) | line_of(true, 1) | line_of(true, 2),
                                    line_of(true, 5) | line_of(true, 6) | line_of(true, 7)};
constexpr std::uint32_t kFarRow[2] = {line_of(true, 7), line_of(true, 0)};

// Directions: up left, up right, down right, down left. Men of role 0 move in the first two, men of role 1 in the
// others. The tables contain the number of bits to rotate, and the squares that can be reached.
constexpr int kWays = 4;
constexpr int kRotation[kWays] = {7, 1, 25, 31};
constexpr std::uint32_t kReached[kWays] = {
    ~(line_of(true, 0) | line_of(false, 7)), ~(line_of(true, 0) | line_of(false, 0)),
    ~(line_of(true, 7) | line_of(false, 0)), ~(line_of(true, 7) | line_of(false, 7))};

// One step in a direction.
constexpr std::uint32_t on(std::uint32_t word, int way) {
  return (word << kRotation[way] | word >> (32 - kRotation[way])) & kReached[way];
}
constexpr std::uint32_t back(std::uint32_t word, int way) { return on(word, way ^ 2); }

constexpr int kPieces = 12;  // at most, for each side

// All bits or none. For unpredictable conditions a mask is faster than a branch.
constexpr std::uint32_t mask_if(bool condition) { return 0 - std::uint32_t{condition}; }

// kQuietEnd: the number of turns without a capture or a move of a man that is a draw.
template <std::uint32_t kQuietEnd = kUsualQuietEnd>
struct CheckersRules {
  using State = CheckersState;
  using Move = CheckersMove;
  static constexpr int kRoles = 2;

  // ---- hash: the sum, bit by bit, of one random word for each piece on its square (Zobrist 1970), and one for `quiet`

  struct Keys {
    std::uint64_t of[2][2][kSquares];  // by role, king or not, bit
    std::uint64_t quiet[kQuietEnd + 1], turn;
  };
  static Keys keys() {
    Keys keys{};
    std::uint64_t next = 0;
    for (auto& of_role : keys.of)
      for (auto& of_kind : of_role)
        for (std::uint64_t& key : of_kind) key = mix64(++next);
    for (std::uint32_t quiet = 1; quiet <= kQuietEnd; ++quiet) keys.quiet[quiet] = mix64(++next);
    keys.turn = mix64(++next);
    return keys;
  }
  static const Keys kKeys;

  static std::uint64_t hash(const State& state) {
    std::uint64_t hash = kKeys.quiet[state.quiet] ^ (state.mover != 0 ? kKeys.turn : 0);
    for (std::uint32_t left = state.mine | state.theirs; left != 0; left &= left - 1) {
      const std::uint32_t one = left & -left;
      const std::uint32_t role = (state.mine & one) != 0 ? state.mover : 1 - state.mover;
      hash ^= kKeys.of[role][(state.kings & one) != 0][__builtin_ctz(one)];
    }
    return hash;
  }

  // ---- rules

  static std::uint32_t empty(const State& state) { return ~(state.mine | state.theirs); }
  // All bits if the men of the role to move go in this direction.
  static std::uint32_t men_go(const State& state, int way) {
    const std::uint32_t up = std::uint32_t{state.mover} - 1;
    return way < 2 ? up : ~up;
  }
  // The pieces that may go in one of the four directions.
  static std::uint32_t goers(const State& state, int way) { return state.mine & (state.kings | men_go(state, way)); }

  // The target squares of steps and first jumps, by direction.
  struct Targets {
    std::uint32_t of[kWays];
    std::uint32_t any() const { return of[0] | of[1] | of[2] | of[3]; }
    // Calls see(square, way), direction by direction; two directions in one loop, for fewer unpredictable branches.
    template <class See>
    void for_each(See&& see) const {
      for (int ways = 0; ways < kWays; ways += 2)
        for (std::uint64_t left = of[ways] | std::uint64_t{of[ways + 1]} << 32; left != 0; left &= left - 1) {
          const int bit = __builtin_ctzll(left);
          see(std::uint32_t{1} << (bit & 31), ways + (bit >> 5));
        }
    }
  };
  static Targets steps(const State& state) {
    Targets to;
    for (int way = 0; way < kWays; ++way) to.of[way] = on(goers(state, way), way) & empty(state);
    return to;
  }
  static Targets jumps(const State& state) {
    Targets to;
    for (int way = 0; way < kWays; ++way)
      to.of[way] = on(on(goers(state, way), way) & state.theirs, way) & empty(state);
    return to;
  }

  // The walks of jumps in a position. From one square there are at most 51, even on a board full of enemy pieces.
  struct Captures {
    int count = 0;
    Move of[51 * kPieces];

    void add(const Move& move) {
      // Only a walk around four victims can be reached along two paths.
      std::uint32_t beyond_three = move.victims;
      for (int i = 0; i < 3; ++i) beyond_three &= beyond_three - 1;
      if (beyond_three != 0)
        for (int i = 0; i < count; ++i)
          if (of[i].victims == move.victims && of[i].from == move.from && of[i].to == move.to) return;
      of[count++] = move;
    }
  };
  // Continues a walk until no further jump is possible.
  static void walk(const State& state, std::uint32_t kings, const Move& move, Captures& found) {
    const std::uint32_t victims = state.theirs & ~move.victims, free = empty(state) | move.from;
    Targets next;
    for (int way = 0; way < kWays; ++way)
      next.of[way] = on(on(move.to & (kings | men_go(state, way)), way) & victims, way) & free;
    if (next.any() == 0) return found.add(move);
    next.for_each([&](std::uint32_t to, int way) {
      walk(state, kings, {move.from, to, move.victims | back(to, way)}, found);
    });
  }
  static void captures(const State& state, const Targets& first, Captures& found) {
    first.for_each([&](std::uint32_t to, int way) {
      const std::uint32_t over = back(to, way), from = back(over, way);
      walk(state, mask_if((state.kings & from) != 0), {from, to, over}, found);
    });
  }

  static State initial() {
    State state{};
    state.mine = kHome[0];
    state.theirs = kHome[1];
    state.hash = hash(state);
    return state;
  }
  static int mover(const State& state) { return static_cast<int>(state.mover); }
  static bool can_move(const State& state) { return steps(state).any() != 0 || jumps(state).any() != 0; }
  static bool one_king_each(const State& state) {
    return (state.mine & (state.mine - 1)) == 0 && (state.theirs & (state.theirs - 1)) == 0 &&
           (state.mine | state.theirs) == state.kings;
  }
  static bool terminal(const State& state) {
    return state.quiet >= kQuietEnd || one_king_each(state) || !can_move(state);
  }
  // A role that cannot move has lost; all other ends are draws.
  static int goal(const State& state, int role) {
    if (can_move(state)) return 50;
    return role == mover(state) ? 0 : 100;
  }

  template <bool kHashed>
  static void play(State& state, const Move& move) {
    const std::uint32_t king = mask_if((state.kings & move.from) != 0);
    const std::uint32_t path = move.from ^ move.to;  // 0 if a walk returns to its start
    const std::uint32_t mine = state.mine ^ path;
    const std::uint32_t kings = ((state.kings ^ (path & king)) & ~move.victims) | (mine & kFarRow[state.mover]);
    const auto quiet = static_cast<std::uint16_t>((state.quiet + 1u) & king & mask_if(move.victims == 0));
    if constexpr (kHashed) {
      state.hash ^= kKeys.of[state.mover][king != 0][__builtin_ctz(move.from)] ^
                    kKeys.of[state.mover][(kings & move.to) != 0][__builtin_ctz(move.to)] ^ kKeys.turn ^
                    kKeys.quiet[state.quiet] ^ kKeys.quiet[quiet];
      for (std::uint32_t left = move.victims; left != 0; left &= left - 1)
        state.hash ^= kKeys.of[1 - state.mover][(state.kings & left & -left) != 0][__builtin_ctz(left)];
    }
    state.mine = state.theirs & ~move.victims;
    state.theirs = mine;
    state.kings = kings;
    state.quiet = quiet;
    state.mover ^= 1;
  }

  template <class Visit>
  static void for_each_move(const State& state, Visit&& visit) {
    if (const Targets first = jumps(state); first.any() != 0) {
      Captures found;
      captures(state, first, found);
      for (int i = 0; i < found.count; ++i) visit(found.of[i]);
      return;
    }
    steps(state).for_each([&](std::uint32_t to, int way) { visit(Move{back(to, way), to, 0}); });
  }

  // Whether a first jump may be followed by a second jump; may also be true without a second jump.
  static bool may_go_on(const State& state, std::uint32_t landings) {
    const std::uint32_t kings = mask_if((state.mine & state.kings) != 0);
    std::uint32_t further = 0;
    for (int way = 0; way < kWays; ++way)
      further |= on(on(landings & (kings | men_go(state, way)), way) & state.theirs, way);
    return (further & empty(state)) != 0;
  }
  // Precondition: the position has jumps.
  static Move random_capture(const State& state, std::uint64_t& random) {
    Captures found;
    captures(state, jumps(state), found);
    return found.of[found.count == 1 ? 0 : draw_below(random, static_cast<std::uint32_t>(found.count))];
  }
  // Steps and single jumps are drawn in the same way, without branches; positions with longer walks are rare.
  template <class Bits>
  static Move random_move(const State& state, std::uint64_t& random) {
    const Targets jumped = jumps(state), stepped = steps(state);
    const std::uint32_t jumping = mask_if(jumped.any() != 0);
    if (may_go_on(state, jumped.any())) return random_capture(state, random);
    std::uint32_t to[kWays];
    std::uint32_t before[kWays + 1] = {};  // number of moves in the directions before each
    for (int way = 0; way < kWays; ++way) {
      to[way] = jumped.of[way] | (stepped.of[way] & ~jumping);
      before[way + 1] = before[way] + Bits::count(to[way]);
    }
    const std::uint64_t not_drawn = random;
    const std::uint64_t one = std::uint64_t{1} << draw_below(random, before[kWays]);
    random = before[kWays] == 1 ? not_drawn : random;
    // The bit reaches a square in one direction; in all other directions the shift is out of range.
    Move move{};
    std::uint32_t beside = 0, behind = 0;
    for (int way = 0; way < kWays; ++way) {
      const auto target = static_cast<std::uint32_t>(Bits::deposit(one >> before[way], to[way]));
      move.to |= target;
      beside |= back(target, way);
      behind |= back(back(target, way), way);
    }
    move.from = (behind & jumping) | (beside & ~jumping);
    move.victims = beside & jumping;
    return move;
  }
};

template <std::uint32_t kQuietEnd>
inline const typename CheckersRules<kQuietEnd>::Keys CheckersRules<kQuietEnd>::kKeys = CheckersRules<kQuietEnd>::keys();

}  // namespace checkers_squares
}  // namespace ggp

// The best legal moves of Amazons by values of all moves, found without a list of the legal ones.
//
// Moves with the same from and to make a pair; their numbers follow one another, 35 on 10x10 at most. Of each pair the
// highest value of its moves is kept, legal or not, and the set of shots that have it. In a position, for the pairs p that
// an amazon can make,
//
//     h(p)  the highest value of the moves of p; b(p) the shots with that value; s(p) the legal shots
//     v(p)  h(p), where b(p) and s(p) have a shot in common; else the highest value of the legal shots, one by one
//     q     a pair with the highest h
//
// The best moves are those of highest v(p); only pairs with h(p) >= v(q) can have it, and few they are. So the answer is
// exact: each of the legal moves of highest value has the same probability, as from a list of all, which
// tests/csrc/test_move_ranking.cpp holds it against.
//
// Sets of squares that a queen gets to are words of four lines of kSize bits: row, column and diagonals through the square
// where it stands, with bits as in AmazonsRules::State::lines. What it reaches along one is a look into a table of 20 KB.
#pragma once

#include <algorithm>
#include <limits>

#include "games/amazons_rules.hpp"
#include "games/bits.hpp"
#include "simulator.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace ggp {

template <int kSize>
class AmazonsRanking final : public MoveRanking {
  using Rules = AmazonsRules<kSize>;
  using State = typename Rules::State;
  using Move = typename Rules::Move;
  using Square = typename Rules::Square;
  using Reach = std::uint64_t;
  static constexpr int kBits = 4 * kSize;

 public:
  // `values` are those of the moves of each role by number; they stay with the caller.
  explicit AmazonsRanking(const float* const* values) : values_{values[0], values[1]} {
    for (auto& of_role : pairs_)
      for (Pairs& pairs : of_role) std::fill_n(pairs.highest, kBits, kNothing);
    refresh();
  }

  void refresh() override {
    for (int role = 0; role < Rules::kRoles; ++role)
      Rules::for_each_square([&](unsigned from) {
        for (int i = 0; i < kTables.count[from]; ++i) look_at(role, from, kTables.bit[from][i]);
      });
  }
  void changed(int role, int number) override {
    if (number >= Rules::kMoves) return;  // waiting
    const auto [from, to, shot] = Rules::kNumbers.moves[number];
    const unsigned bit = kTables.bit[from][Rules::kNumbers.place[from][to]];
    const Reach one = Reach{1} << kTables.bit[to][Rules::kNumbers.place[to][shot]];
    const float value = values_[role][number];
    Pairs& pairs = pairs_[role][index(from)];
    if (value > pairs.highest[bit]) {
      pairs.highest[bit] = value;
      pairs.best[bit] = one;
    } else if (value == pairs.highest[bit]) {
      pairs.best[bit] |= one;
    } else if ((pairs.best[bit] &= ~one) == 0) {
      look_at(role, from, bit);
    }
  }

  // One of the best moves of the role whose turn it is, each with the same probability by the lower half of `random`.
  template <class Bits>
  Move best_move(const State& state, std::uint64_t random) const {
    const Square* amazons = state.amazons[state.mover];
    Reach reached[Rules::kAmazons];
    float highest = kNothing;
    for (int i = 0; i < Rules::kAmazons; ++i) {
      reached[i] = reach(state, amazons[i]);
      highest = std::max(highest, highest_of(pairs_of(state, amazons[i]).highest, reached[i]));
    }
    State board = state;  // without the amazon that moves
    float value = bound(board, reached, highest);

    Best best[kMostPairs];
    int bests = 0;
    std::uint32_t alike = 0;
    for (int i = 0; i < Rules::kAmazons; ++i) {
      const Pairs& pairs = pairs_of(state, amazons[i]);
      Reach left = reached[i] & not_below(pairs.highest, value);
      if (left == 0) continue;
      Rules::toggle(board, amazons[i]);
      for (; left != 0; left &= left - 1) {
        const unsigned bit = lowest(left);
        const Square to = kTables.square[amazons[i]][bit];
        const Reach legal = reach(board, to);
        float here = pairs.highest[bit];
        Reach shots = pairs.best[bit] & legal;
        if (shots == 0) {
          if (here <= value) continue;  // its legal shots are worth less
          const float* values = values_of(state.mover, amazons[i], bit);
          here = highest_legal(values, to, legal);
          if (here < value) continue;
          for (Reach rest = legal; rest != 0; rest &= rest - 1)
            shots |= Reach{values[kTables.place[to][lowest(rest)]] == here} << lowest(rest);
        }
        if (here < value) continue;
        if (here > value) bests = 0, alike = 0;
        value = here;
        best[bests++] = {amazons[i], to, shots};
        alike += Bits::count(shots);
      }
      Rules::toggle(board, amazons[i]);
    }
    auto place = static_cast<std::uint32_t>(((random & 0xFFFFFFFFu) * alike) >> 32);
    int at = 0;
    for (std::uint32_t here; place >= (here = Bits::count(best[at].shots)); ++at) place -= here;
    const auto [from, to, shots] = best[at];
    return {from, to, kTables.square[to][lowest(Bits::deposit(std::uint64_t{1} << place, shots))]};
  }

 private:
  static constexpr int kMostPairs = 4 * Rules::kMostShots;  // of one position
  static constexpr float kNothing = -std::numeric_limits<float>::infinity();

  // By the bit of to: h and b. Where no queen gets h is kNothing.
  struct Pairs {
    float highest[kBits];
    Reach best[kBits];
  };
  // A pair with the best of its legal shots.
  struct Best {
    Square from, to;
    Reach shots;
  };

  static unsigned lowest(Reach squares) { return static_cast<unsigned>(__builtin_ctzll(squares)); }
  static unsigned index(unsigned square) { return (square >> 4) * kSize + (square & 15); }

  // ---- tables

  struct Tables {
    std::uint16_t reach[std::size_t{kSize} << kSize];  // by bit and line: the bits that a queen gets to
    std::uint8_t count[Rules::kCodes];                 // squares that a queen gets to on the empty board
    std::uint8_t bit[Rules::kCodes][36];               // of them, by the place that AmazonsRules::Numbers has for each
    std::uint8_t place[Rules::kCodes][kBits];          // and back
    Square square[Rules::kCodes][kBits];               // by bit

    Tables() {
      for (int at = 0; at < kSize; ++at)
        for (int line = 0; line < 1 << kSize; ++line) {
          const int open = Rules::kOpen[at << kSize | line], lower = open & 15, higher = open >> 4;
          reach[at << kSize | line] =
              static_cast<std::uint16_t>((((1 << (lower + higher + 1)) - 1) << (at - lower)) ^ (1 << at));
        }
      const State empty = Rules::empty();
      Rules::for_each_square([&](int from) {
        std::uint8_t places = 0;
        Rules::for_each_reached(from, Rules::rays(empty, from), [&](unsigned to, unsigned ray) {
          // Rays 0 and 4 are the row, 1 and 5 the column, the others diagonals, whose bits are columns.
          const unsigned line = ray % 4, at = kSize * line + (line == 1 ? to >> 4 : to & 15);
          bit[from][places] = static_cast<std::uint8_t>(at);
          place[from][at] = places++;
          square[from][at] = static_cast<Square>(to);
        });
        count[from] = places;
      });
    }
  };
  static const Tables kTables;

  // Where a queen on a square gets to.
  static Reach reach(const State& board, unsigned square) {
    const unsigned column = square & 15, row = square >> 4;
    const std::uint16_t* by_column = &kTables.reach[column << kSize];
    return by_column[board.lines[row]] |
           Reach{kTables.reach[row << kSize | board.lines[Rules::kColumns + column]]} << kSize |
           Reach{by_column[board.lines[Rules::kFalling + column + row]]} << 2 * kSize |
           Reach{by_column[board.lines[Rules::rising(column, row)]]} << 3 * kSize;
  }

  // ---- values

  const Pairs& pairs_of(const State& state, unsigned from) const { return pairs_[state.mover][index(from)]; }
  // Those of the moves of a pair, in the order of their numbers.
  const float* values_of(unsigned role, unsigned from, unsigned bit) const {
    return values_[role] + Rules::kNumbers.first[from][kTables.place[from][bit]];
  }
  // Looks at the values of all moves of a pair.
  void look_at(int role, unsigned from, unsigned bit) {
    const unsigned to = kTables.square[from][bit];
    const float* values = values_of(role, from, bit);
    const int count = kTables.count[to];
    float highest = values[0];
    for (int i = 1; i < count; ++i) highest = std::max(highest, values[i]);
    Reach best = 0;
    for (int i = 0; i < count; ++i) best |= Reach{values[i] == highest} << kTables.bit[to][i];
    Pairs& pairs = pairs_[role][index(from)];
    pairs.highest[bit] = highest;
    pairs.best[bit] = best;
  }
  float highest_legal(const float* values, unsigned to, Reach legal) const {
    const std::uint8_t* place = kTables.place[to];
    // Two chains, for one would wait for every result.
    float one = kNothing, other = kNothing;
    for (Reach left = legal; left != 0; left &= left - 1) {
      one = std::max(one, values[place[lowest(left)]]);
      left &= left - 1;
      other = std::max(other, values[place[lowest(left != 0 ? left : legal)]]);
    }
    return std::max(one, other);
  }
  // A value that the best moves have at least: h, where one of the pairs with the highest h has a best shot that is
  // legal, else what one of them is worth.
  float bound(State& board, const Reach* reached, float highest) const {
    float bound = kNothing;
    for (int i = 0; i < Rules::kAmazons && bound < highest; ++i) {
      const unsigned from = board.amazons[board.mover][i];
      const Pairs& pairs = pairs_of(board, from);
      Reach left = reached[i] & not_below(pairs.highest, highest);
      if (left == 0) continue;
      Rules::toggle(board, from);
      for (; left != 0 && bound < highest; left &= left - 1) {
        const unsigned bit = lowest(left), to = kTables.square[from][bit];
        const Reach legal = reach(board, to);
        if ((pairs.best[bit] & legal) != 0)
          bound = highest;
        else if (bound == kNothing)
          bound = highest_legal(values_of(board.mover, from, bit), to, legal);
      }
      Rules::toggle(board, from);
    }
    return bound;
  }

  // The highest of those values whose bits are set, kNothing where there is none; the bits of values that are not below
  // a bound. Four at a time, without a branch.
#if defined(__x86_64__)
  static float highest_of(const float* values, Reach bits) {
    __m128 highest = _mm_set1_ps(kNothing);
    for (int i = 0; i < kBits; i += 4) {
      const auto four = static_cast<int>(bits >> i & 15);
      const __m128i place = _mm_setr_epi32(1, 2, 4, 8);
      const __m128 set = _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32(four), place), place));
      const __m128 here = _mm_or_ps(_mm_and_ps(set, _mm_loadu_ps(values + i)), _mm_andnot_ps(set, _mm_set1_ps(kNothing)));
      highest = _mm_max_ps(highest, here);
    }
    float each[4];
    _mm_storeu_ps(each, highest);
    return std::max(std::max(each[0], each[1]), std::max(each[2], each[3]));
  }
  static Reach not_below(const float* values, float bound) {
    Reach found = 0;
    for (int i = 0; i < kBits; i += 4)
      found |= static_cast<Reach>(_mm_movemask_ps(_mm_cmpge_ps(_mm_loadu_ps(values + i), _mm_set1_ps(bound)))) << i;
    return found;
  }
#else
  static float highest_of(const float* values, Reach bits) {
    float highest = kNothing;
    for (; bits != 0; bits &= bits - 1) highest = std::max(highest, values[lowest(bits)]);
    return highest;
  }
  static Reach not_below(const float* values, float bound) {
    Reach found = 0;
    for (int i = 0; i < kBits; ++i) found |= Reach{values[i] >= bound} << i;
    return found;
  }
#endif

  const float* values_[Rules::kRoles];
  Pairs pairs_[Rules::kRoles][kSize * kSize];
};

template <int kSize>
const typename AmazonsRanking<kSize>::Tables AmazonsRanking<kSize>::kTables;

}  // namespace ggp

// The ranking of moves that amazons_best.hpp searches. The ranking follows changes of values.
#pragma once

#include <algorithm>

#include "base/vector_kernels.hpp"
#include "games/amazons/amazons_best.hpp"
#include "interfaces/ranked_moves.hpp"

namespace ggp {

template <int kSize>
class AmazonsRanking final : public MoveRanking {
  using Rules = AmazonsRules<kSize>;
  using State = typename Rules::State;
  using Move = typename Rules::Move;
  using Square = typename Rules::Square;
  using Pairs = typename AmazonsPairs<kSize>::Pairs;
  using Reach = std::uint64_t;
  static constexpr int kBits = AmazonsPairs<kSize>::kBits;
  static constexpr float kNothing = AmazonsPairs<kSize>::kNothing;

 public:
  // `values` are the values of the moves of each role, by number. The caller owns them.
  AmazonsRanking(const float* const* values, [[maybe_unused]] Vectors vectors) : values_{values[0], values[1]} {
#if defined(__x86_64__)
    if (vectors != Vectors::kNone) best_move_ = avx2::best_move;
#endif
    pairs_.tables = &kTables.of_best;
    for (auto& of_role : pairs_.of)
      for (Pairs& pairs : of_role) {
        std::fill_n(pairs.highest, kBits, kNothing);
        std::fill_n(&pairs.values[0][0], kBits * kBits, kNothing);
        std::fill_n(pairs.best, kBits, 0);
      }
    refresh();
  }

  void refresh() override {
    for (int role = 0; role < Rules::kRoles; ++role)
      Rules::for_each_square([&](unsigned from) {
        for (int i = 0; i < kTables.count[from]; ++i) {
          const unsigned bit = kTables.bit[from][i], to = square(from, bit);
          const float* values = values_[role] + Rules::kNumbers.first[from][i];
          Pairs& pairs = pairs_of(role, from);
          for (int k = 0; k < kTables.count[to]; ++k) pairs.values[bit][kTables.bit[to][k]] = values[k];
          look_at(pairs, bit);
        }
      });
  }
  void changed(int role, int number) override {
    if (number >= Rules::kMoves) return;  // the move of a waiting role
    const auto [from, to, shot] = Rules::kNumbers.moves[number];
    const unsigned bit = kTables.bit[from][Rules::kNumbers.place[from][to]];
    const unsigned of_shot = kTables.bit[to][Rules::kNumbers.place[to][shot]];
    const Reach one = Reach{1} << of_shot;
    const float value = values_[role][number];
    Pairs& pairs = pairs_of(role, from);
    pairs.values[bit][of_shot] = value;
    if (value > pairs.highest[bit]) {
      pairs.highest[bit] = value;
      pairs.best[bit] = one;
    } else if (value == pairs.highest[bit]) {
      pairs.best[bit] |= one;
    } else if ((pairs.best[bit] &= ~one) == 0) {
      look_at(pairs, bit);
    }
  }

  // Draws one of the best moves of the role to move, uniformly, by the lower half of `random`.
  Move best_move(const State& state, std::uint64_t random) const { return best_move_(pairs_, state, random); }

 private:
  struct Tables {
    typename AmazonsPairs<kSize>::Tables of_best;
    std::uint8_t count[Rules::kCodes];    // number of squares that a queen reaches on the empty board
    std::uint8_t bit[Rules::kCodes][36];  // the bit of each, by its index in AmazonsRules::Numbers

    Tables() {
      for (int at = 0; at < kSize; ++at)
        for (int line = 0; line < 1 << kSize; ++line) {
          const int open = Rules::kOpen[at << kSize | line], lower = open & 15, higher = open >> 4;
          of_best.reach[at << kSize | line] =
              static_cast<std::uint16_t>((((1 << (lower + higher + 1)) - 1) << (at - lower)) ^ (1 << at));
        }
      const State empty = Rules::empty();
      Rules::for_each_square([&](int from) {
        std::uint8_t places = 0;
        Rules::for_each_reached(from, Rules::rays(empty, from), [&](unsigned to, unsigned ray) {
          // Rays 0 and 4 are the row, 1 and 5 the column, the others diagonals, whose bits are columns.
          const unsigned line = ray % 4, at = kSize * line + (line == 1 ? to >> 4 : to & 15);
          bit[from][places++] = static_cast<std::uint8_t>(at);
          of_best.square[from][at] = static_cast<Square>(to);
        });
        count[from] = places;
      });
    }
  };
  static const Tables kTables;

  static Square square(unsigned from, unsigned bit) { return kTables.of_best.square[from][bit]; }
  Pairs& pairs_of(int role, unsigned from) { return pairs_.of[role][AmazonsPairs<kSize>::index(from)]; }

  // Computes h and b of a pair from the values of all its moves.
  static void look_at(Pairs& pairs, unsigned bit) {
    const float* values = pairs.values[bit];
    float highest = values[0];
    for (int i = 1; i < kBits; ++i) highest = std::max(highest, values[i]);
    Reach best = 0;
    for (int i = 0; i < kBits; ++i) best |= Reach{values[i] == highest} << i;
    pairs.highest[bit] = highest;
    pairs.best[bit] = best;
  }

  BestAmazonsMove<kSize> best_move_ = portable::best_move;
  const float* values_[Rules::kRoles];
  AmazonsPairs<kSize> pairs_;
};

template <int kSize>
const typename AmazonsRanking<kSize>::Tables AmazonsRanking<kSize>::kTables;

}  // namespace ggp

// Compiled for any processor, and for processors with AVX2 and FastBits.
#if defined(GGP_PORTABLE) || (defined(__x86_64__) && defined(GGP_AVX2))
#include "base/bits.hpp"
#include "games/amazons/amazons_best.hpp"

#include "base/kernel_begin.inl"

namespace ggp::GGP_ISA {
namespace {

using Reach = std::uint64_t;

// highest_of(): the highest of the values whose bits are set, kNothing without any. equal_to(): the bits of the values
// that are equal to one.
#if defined(GGP_PORTABLE)
using Bits = PlainBits;

template <int kBits>
float highest_of(const float* values, Reach bits) {
  float highest = -std::numeric_limits<float>::infinity();
  for (; bits != 0; bits &= bits - 1) {
    const float value = values[__builtin_ctzll(bits)];
    highest = value > highest ? value : highest;
  }
  return highest;
}
template <int kBits>
Reach equal_to(const float* values, float value) {
  Reach found = 0;
  for (int i = 0; i < kBits; ++i) found |= Reach{values[i] == value} << i;
  return found;
}
#else
using Bits = FastBits;

template <int kBits>
float highest_of(const float* values, Reach bits) {
  const __m256i lower = _mm256_set1_epi32(static_cast<int>(bits));
  const __m256i upper = _mm256_set1_epi32(static_cast<int>(bits >> 32));
  const __m256i first = _mm256_setr_epi32(31, 30, 29, 28, 27, 26, 25, 24);
  const __m256 nothing = _mm256_set1_ps(-std::numeric_limits<float>::infinity());
  __m256 highest = nothing;
  for (int i = 0; i < kBits; i += 8) {
    // Moves the bit of each value to the sign bit, which the maskload reads.
    const __m256i set = _mm256_sllv_epi32(i < 32 ? lower : upper, _mm256_sub_epi32(first, _mm256_set1_epi32(i % 32)));
    const __m256 here = _mm256_blendv_ps(nothing, _mm256_load_ps(values + i), _mm256_castsi256_ps(set));
    highest = _mm256_max_ps(highest, here);
  }
  __m128 four = _mm_max_ps(_mm256_castps256_ps128(highest), _mm256_extractf128_ps(highest, 1));
  four = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(four, _mm_movehdup_ps(four)));
}
template <int kBits>
Reach equal_to(const float* values, float value) {
  Reach found = 0;
  for (int i = 0; i < kBits; i += 8) {
    const __m256 where = _mm256_cmp_ps(_mm256_load_ps(values + i), _mm256_set1_ps(value), _CMP_EQ_OQ);
    found |= static_cast<Reach>(_mm256_movemask_ps(where)) << i;
  }
  return found;
}
#endif

template <int kSize>
struct BestMoves {
  using All = AmazonsPairs<kSize>;
  using Rules = AmazonsRules<kSize>;
  using State = typename Rules::State;
  using Square = typename Rules::Square;
  static constexpr int kBits = All::kBits, kAmazons = Rules::kAmazons;
  static constexpr int kMostPairs = kAmazons * static_cast<int>(Rules::kMostShots);  // pairs of one position

  BestMoves(const All& all, const State& state) : all(all), state(state) {}
  const All& all;
  const State& state;
  const Square* const amazons = state.amazons[state.mover];
  const typename All::Pairs* pairs[kAmazons] = {};

  // The moves with the highest value so far.
  struct Best {
    unsigned amazon, bit;
    Reach shots;
  };
  Best best[kMostPairs];
  int bests = 0;
  float value = All::kNothing;

  static unsigned lowest(Reach bits) { return static_cast<unsigned>(__builtin_ctzll(bits)); }

  // The reach of a queen on a square, if the piece on one square of one of its lines is removed.
  Reach reach(unsigned square, unsigned line, unsigned without) const {
    const unsigned column = square & 15, row = square >> 4;
    const unsigned numbers[4] = {row, Rules::kColumns + column, Rules::kFalling + column + row,
                                 Rules::kRising + kSize - 1 + column - row};
    Reach reached = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned occupied = state.lines[numbers[i]] & ~(i == line ? without : 0u);
      reached |= Reach{all.tables->reach[(i == 1 ? row : column) << kSize | occupied]} << i * kSize;
    }
    return reached;
  }

  void look_at(unsigned amazon, unsigned bit) {
    const auto& of = *pairs[amazon];
    const unsigned from = amazons[amazon], line = bit / kSize;
    const Reach legal = reach(all.tables->square[from][bit], line, 1u << (line == 1 ? from >> 4 : from & 15));
    float here = of.highest[bit];
    Reach shots = of.best[bit] & legal;
    if (shots == 0) {
      if (here <= value) return;  // its legal shots have lower values
      here = highest_of<kBits>(of.values[bit], legal);
      shots = legal & equal_to<kBits>(of.values[bit], here);
    }
    if (here < value) return;
    if (here > value) bests = 0;
    value = here;
    best[bests++] = {amazon, bit, shots};
  }

  typename Rules::Move drawn(std::uint64_t random) {
    // In the order of the board, so that the result does not depend on values that are not the highest.
    const auto place_of = [](const Best& of) { return 64 * of.amazon + of.bit; };
    for (int i = 1; i < bests; ++i) {
      const Best one = best[i];
      int at = i;
      for (; at > 0 && place_of(best[at - 1]) > place_of(one); --at) best[at] = best[at - 1];
      best[at] = one;
    }
    std::uint32_t alike = 0;
    for (int i = 0; i < bests; ++i) alike += Bits::count(best[i].shots);
    auto place = static_cast<std::uint32_t>(((random & 0xFFFFFFFFu) * alike) >> 32);
    int at = 0;
    for (std::uint32_t here; place >= (here = Bits::count(best[at].shots)); ++at) place -= here;
    const auto [amazon, bit, shots] = best[at];
    const Square from = amazons[amazon], to = all.tables->square[from][bit];
    return {from, to, all.tables->square[to][lowest(Bits::deposit(std::uint64_t{1} << place, shots))]};
  }

  typename Rules::Move found(std::uint64_t random) {
    Reach left[kAmazons];
    float highest[kAmazons];  // highest h of the remaining pairs of each amazon
    for (int i = 0; i < kAmazons; ++i) {
      pairs[i] = &all.of[state.mover][All::index(amazons[i])];
      left[i] = reach(amazons[i], 0, 0);
      highest[i] = highest_of<kBits>(pairs[i]->highest, left[i]);
    }
    for (;;) {
      unsigned i = 0;
      for (unsigned k = 1; k < kAmazons; ++k) i = highest[k] > highest[i] ? k : i;
      if (highest[i] < value) return drawn(random);
      Reach first = left[i] & equal_to<kBits>(pairs[i]->highest, highest[i]);
      left[i] &= ~first;
      highest[i] = highest_of<kBits>(pairs[i]->highest, left[i]);
      for (; first != 0; first &= first - 1) look_at(i, lowest(first));
    }
  }
};
}  // namespace

AmazonsRules<6>::Move best_move(const AmazonsPairs<6>& all, const AmazonsRules<6>::State& state, std::uint64_t random) {
  return BestMoves<6>(all, state).found(random);
}
AmazonsRules<8>::Move best_move(const AmazonsPairs<8>& all, const AmazonsRules<8>::State& state, std::uint64_t random) {
  return BestMoves<8>(all, state).found(random);
}
AmazonsRules<10>::Move best_move(const AmazonsPairs<10>& all, const AmazonsRules<10>::State& state,
                                 std::uint64_t random) {
  return BestMoves<10>(all, state).found(random);
}
}  // namespace ggp::GGP_ISA

#include "base/kernel_end.inl"
#endif

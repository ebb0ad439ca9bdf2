#if defined(__x86_64__) && defined(GGP_AVX2)
#include "base/bits.hpp"
#include "games/amazons/amazons_best.hpp"

#include "base/kernel_begin.inl"

namespace ggp::GGP_ISA {
namespace {

using Reach = std::uint64_t;
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

#include "games/amazons/amazons_best.inl"
}  // namespace

AmazonsRules<6>::Move best_move(const AmazonsPairs<6>& all, const AmazonsRules<6>::State& state, std::uint64_t random) {
  return best_of<6>(all, state, random);
}
AmazonsRules<8>::Move best_move(const AmazonsPairs<8>& all, const AmazonsRules<8>::State& state, std::uint64_t random) {
  return best_of<8>(all, state, random);
}
AmazonsRules<10>::Move best_move(const AmazonsPairs<10>& all, const AmazonsRules<10>::State& state,
                                 std::uint64_t random) {
  return best_of<10>(all, state, random);
}
}  // namespace ggp::GGP_ISA

#include "base/kernel_end.inl"
#endif

#include "search/selection/uct_vectors.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstddef>
#include <limits>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi")
#endif

namespace ggp::avx2 {

namespace {

constexpr std::uint32_t kAtOnce = 8;
// The key of an action that is not selected, below order_key() of every number.
constexpr std::int32_t kLowest = std::numeric_limits<std::int32_t>::min();

// The fields of eight actions.
struct Fields {
  __m256 means;
  __m256i visits, unobserved_and_bounds;
};
static_assert(offsetof(Action, visits) == 4 && offsetof(Action, unobserved) == 12 && offsetof(Action, bounds) == 14);

inline __m256 two_actions(const Action* first) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(&first->mean)), _mm_loadu_ps(&first[4].mean), 1);
}

inline Fields fields(const Action* actions) {
  const __m256 a = two_actions(actions), b = two_actions(actions + 1);
  const __m256 c = two_actions(actions + 2), d = two_actions(actions + 3);
  const __m256 front_ab = _mm256_unpacklo_ps(a, b), front_cd = _mm256_unpacklo_ps(c, d);
  const __m256 back_ab = _mm256_unpackhi_ps(a, b), back_cd = _mm256_unpackhi_ps(c, d);
  return {_mm256_shuffle_ps(front_ab, front_cd, 0x44),
          _mm256_castps_si256(_mm256_shuffle_ps(front_ab, front_cd, 0xEE)),
          _mm256_castps_si256(_mm256_shuffle_ps(back_ab, back_cd, 0xEE))};
}

// is_closed() for actions in a node with a mover.
inline __m256i closed(__m256i unobserved_and_bounds, Bounds all) {
  const __m256i pessimistic = _mm256_and_si256(_mm256_srli_epi32(unobserved_and_bounds, 16), _mm256_set1_epi32(0xFF));
  const __m256i optimistic = _mm256_srli_epi32(unobserved_and_bounds, 24);
  const __m256i least = _mm256_set1_epi32(all.pessimistic);
  if (all.settled()) return _mm256_xor_si256(_mm256_cmpeq_epi32(pessimistic, least), _mm256_set1_epi32(-1));
  const __m256i is_better = _mm256_cmpgt_epi32(optimistic, least);
  return _mm256_or_si256(_mm256_cmpeq_epi32(pessimistic, optimistic),
                         _mm256_xor_si256(is_better, _mm256_set1_epi32(-1)));
}

inline __m256i blend(__m256i one, __m256i other, __m256i takes_other) {
  return _mm256_blendv_epi8(one, other, takes_other);
}

// The highest of eight numbers, in all places.
inline __m256i highest_of(__m256i numbers) {
  numbers = _mm256_max_epi32(numbers, _mm256_permute2x128_si256(numbers, numbers, 1));
  numbers = _mm256_max_epi32(numbers, _mm256_shuffle_epi32(numbers, 0x4E));
  return _mm256_max_epi32(numbers, _mm256_shuffle_epi32(numbers, 0xB1));
}

// The lowest of eight numbers, in all places.
inline __m256i lowest_of(__m256i numbers) {
  numbers = _mm256_min_epi32(numbers, _mm256_permute2x128_si256(numbers, numbers, 1));
  numbers = _mm256_min_epi32(numbers, _mm256_shuffle_epi32(numbers, 0x4E));
  return _mm256_min_epi32(numbers, _mm256_shuffle_epi32(numbers, 0xB1));
}

inline std::uint32_t mask_of(__m256i lanes) {
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(lanes)));
}

template <bool narrowed>
inline std::uint32_t select(const Choice& choice, const Action* actions, float width) {
  const __m256i zero = _mm256_setzero_si256(), lowest = _mm256_set1_epi32(kLowest);
  const __m256i tried = _mm256_set1_epi32(static_cast<std::int32_t>(choice.tried));
  const __m256 unvisited = _mm256_set1_ps(choice.mean), widths = _mm256_set1_ps(width), one = _mm256_set1_ps(1.0f);
  __m256i places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  __m256i best_keys = lowest, best_places = places;
  for (std::uint32_t first = 0;;) {
    const Fields eight = fields(actions + first);
    __m256i open = _mm256_cmpgt_epi32(tried, places);
    if (narrowed) open = _mm256_andnot_si256(closed(eight.unobserved_and_bounds, choice.bounds), open);
    const __m256i unobserved = _mm256_and_si256(eight.unobserved_and_bounds, _mm256_set1_epi32(0xFFFF));
    const __m256i visits = _mm256_add_epi32(eight.visits, unobserved);
    // After a withdrawn simulation the action has no visit, and comes first.
    const std::uint32_t untaken = mask_of(_mm256_and_si256(_mm256_cmpeq_epi32(visits, zero), open));
    if (__builtin_expect(untaken != 0, 0)) return first + static_cast<std::uint32_t>(__builtin_ctz(untaken));
    const __m256 is_unobserved = _mm256_castsi256_ps(_mm256_cmpeq_epi32(eight.visits, zero));
    const __m256 values = _mm256_blendv_ps(eight.means, unvisited, is_unobserved);
    const __m256 inverse_roots = _mm256_div_ps(one, _mm256_sqrt_ps(_mm256_cvtepi32_ps(visits)));
    const __m256i bits = _mm256_castps_si256(_mm256_add_ps(values, _mm256_mul_ps(widths, inverse_roots)));
    // order_key()
    const __m256i flipped = _mm256_srli_epi32(_mm256_srai_epi32(bits, 31), 1);
    const __m256i keys = blend(lowest, _mm256_xor_si256(bits, flipped), open);
    const __m256i is_better = _mm256_cmpgt_epi32(keys, best_keys);
    best_keys = _mm256_max_epi32(best_keys, keys);
    best_places = blend(best_places, places, is_better);
    first += kAtOnce;
    if (first >= choice.tried) break;
    places = _mm256_add_epi32(places, _mm256_set1_epi32(kAtOnce));
  }
  const __m256i best = highest_of(best_keys);
  const __m256i is_best = _mm256_cmpeq_epi32(best_keys, best);
  if (narrowed && _mm256_extract_epi32(best, 0) == kLowest) return choice.tried;
  if (choice.tried <= kAtOnce) return static_cast<std::uint32_t>(__builtin_ctz(mask_of(is_best)));
  const __m256i candidates = blend(tried, best_places, is_best);
  const __m256i first = lowest_of(candidates);
  return static_cast<std::uint32_t>(_mm256_extract_epi32(first, 0));
}

std::uint32_t select(const Node& node, const Choice& choice, const Action* actions, float width) {
  return node.narrowed ? select<true>(choice, actions, width) : select<false>(choice, actions, width);
}

}  // namespace

}  // namespace ggp::avx2

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

namespace ggp {

SelectWithVectors select_with_vectors() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return avx2::select;
#endif
  return nullptr;
}

}  // namespace ggp

// Sixteen floats in two registers of 256 bits, see learning_kernel.inl.

struct Floats {
  __m256 low, high;
};

inline Floats load(const float* from) { return {_mm256_load_ps(from), _mm256_load_ps(from + 8)}; }
inline void store(float* to, Floats x) {
  _mm256_store_ps(to, x.low);
  _mm256_store_ps(to + 8, x.high);
}
inline Floats all(float x) { return {_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
inline Floats add(Floats a, Floats b) { return {_mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high)}; }
inline Floats subtract(Floats a, Floats b) { return {_mm256_sub_ps(a.low, b.low), _mm256_sub_ps(a.high, b.high)}; }
inline Floats multiply(Floats a, Floats b) { return {_mm256_mul_ps(a.low, b.low), _mm256_mul_ps(a.high, b.high)}; }
inline Floats divide(Floats a, Floats b) { return {_mm256_div_ps(a.low, b.low), _mm256_div_ps(a.high, b.high)}; }
inline Floats root(Floats a) { return {_mm256_sqrt_ps(a.low), _mm256_sqrt_ps(a.high)}; }
inline Floats larger(Floats a, Floats b) { return {_mm256_max_ps(a.low, b.low), _mm256_max_ps(a.high, b.high)}; }
inline Floats smaller(Floats a, Floats b) { return {_mm256_min_ps(a.low, b.low), _mm256_min_ps(a.high, b.high)}; }
// a * b + c with one rounding.
inline Floats fused(Floats a, Floats b, Floats c) {
  return {_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)};
}
inline Floats nearest(Floats a) {
  constexpr int kNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
  return {_mm256_round_ps(a.low, kNearest), _mm256_round_ps(a.high, kNearest)};
}
// a * 2^n for whole n in -126 .. 127.
inline __m256 power_of_two(__m256 n) {
  return _mm256_castsi256_ps(
      _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23));
}
inline Floats scaled(Floats a, Floats n) { return multiply(a, {power_of_two(n.low), power_of_two(n.high)}); }
// The values of `a` where `where` is greater than 0, else 0.
inline Floats where_positive(Floats where, Floats a) {
  const __m256 zero = _mm256_setzero_ps();
  return {_mm256_and_ps(_mm256_cmp_ps(where.low, zero, _CMP_GT_OQ), a.low),
          _mm256_and_ps(_mm256_cmp_ps(where.high, zero, _CMP_GT_OQ), a.high)};
}
// The sum and the maximum, by halves: element i with i + 8, then i + 4, i + 2, i + 1.
inline float sum(Floats a) {
  const __m256 eight = _mm256_add_ps(a.low, a.high);
  __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  four = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(four, _mm_movehdup_ps(four)));
}
inline float maximum(Floats a) {
  const __m256 eight = _mm256_max_ps(a.low, a.high);
  __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  four = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(four, _mm_movehdup_ps(four)));
}

// Vectors of a row that are summed in registers at once, and the tile of the second layer: vectors and states.
constexpr int kRow = 4;
constexpr int kTileVectors = 2;
template <int kVectors>
constexpr int kTileStates = kVectors >= 2 ? 2 : 4;

// Sixteen floats in a register of 512 bits, see learning_kernel.inl.

using Floats = __m512;

inline Floats load(const float* from) { return _mm512_load_ps(from); }
inline void store(float* to, Floats x) { _mm512_store_ps(to, x); }
inline Floats all(float x) { return _mm512_set1_ps(x); }
inline Floats add(Floats a, Floats b) { return _mm512_add_ps(a, b); }
inline Floats subtract(Floats a, Floats b) { return _mm512_sub_ps(a, b); }
inline Floats multiply(Floats a, Floats b) { return _mm512_mul_ps(a, b); }
inline Floats divide(Floats a, Floats b) { return _mm512_div_ps(a, b); }
inline Floats root(Floats a) { return _mm512_sqrt_ps(a); }
inline Floats larger(Floats a, Floats b) { return _mm512_max_ps(a, b); }
inline Floats smaller(Floats a, Floats b) { return _mm512_min_ps(a, b); }
// a * b + c with one rounding.
inline Floats fused(Floats a, Floats b, Floats c) { return _mm512_fmadd_ps(a, b, c); }
inline Floats nearest(Floats a) {
  return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
// a * 2^n for whole n in -126 .. 127.
inline Floats scaled(Floats a, Floats n) {
  const __m512i exponent = _mm512_slli_epi32(_mm512_add_epi32(_mm512_cvtps_epi32(n), _mm512_set1_epi32(127)), 23);
  return _mm512_mul_ps(a, _mm512_castsi512_ps(exponent));
}
// The values of `a` where `where` is greater than 0, else 0.
inline Floats where_positive(Floats where, Floats a) {
  return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(where, _mm512_setzero_ps(), _CMP_GT_OQ), a);
}
// The sum and the maximum, by halves: element i with i + 8, then i + 4, i + 2, i + 1.
inline __m256 upper_half(Floats a) { return _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(a), 1)); }
inline float sum(Floats a) {
  const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(a), upper_half(a));
  __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  four = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(four, _mm_movehdup_ps(four)));
}
inline float maximum(Floats a) {
  const __m256 eight = _mm256_max_ps(_mm512_castps512_ps256(a), upper_half(a));
  __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  four = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(four, _mm_movehdup_ps(four)));
}

// Vectors of a row that are summed in registers at once, and the tile of the second layer: vectors and states.
constexpr int kRow = 16;
constexpr int kTileVectors = 4;
template <int kVectors>
constexpr int kTileStates = kVectors >= 4 ? 4 : 8;

// Vectors of 256 bits: the operations of vectors.inl that need special instructions.

constexpr int kVectorBytes = 32;
typedef std::uint32_t Words __attribute__((vector_size(kVectorBytes)));
typedef std::uint64_t Longs __attribute__((vector_size(kVectorBytes)));

// The number of set bits in each byte.
__m256i count_bytes(__m256i words) {
  const __m256i of_four = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
  const __m256i four = _mm256_set1_epi8(15);
  return _mm256_add_epi8(_mm256_shuffle_epi8(of_four, _mm256_and_si256(words, four)),
                         _mm256_shuffle_epi8(of_four, _mm256_and_si256(_mm256_srli_epi16(words, 4), four)));
}
// The number of set bits.
[[maybe_unused]] Words count(const Words& words) {
  const __m256i of_two_bytes = _mm256_maddubs_epi16(count_bytes((__m256i)words), _mm256_set1_epi8(1));
  return (Words)_mm256_madd_epi16(of_two_bytes, _mm256_set1_epi16(1));
}
[[maybe_unused]] Longs count(const Longs& words) {
  return (Longs)_mm256_sad_epu8(count_bytes((__m256i)words), _mm256_setzero_si256());
}

// Products of the lower halves of longs.
Longs product(const Longs& one, const Longs& other) { return (Longs)_mm256_mul_epu32((__m256i)one, (__m256i)other); }

// The words of half of the lanes as longs, and the upper halves of longs as words.
[[maybe_unused]] Longs widened_lower(const Words& words) {
  return (Longs)_mm256_cvtepu32_epi64(_mm256_castsi256_si128((__m256i)words));
}
[[maybe_unused]] Longs widened_upper(const Words& words) {
  return (Longs)_mm256_cvtepu32_epi64(_mm256_extracti128_si256((__m256i)words, 1));
}
[[maybe_unused]] Words upper_halves(const Longs& lower, const Longs& upper) {
  const __m256 mixed = _mm256_shuffle_ps((__m256)lower, (__m256)upper, 0xDD);
  return (Words)_mm256_permute4x64_epi64((__m256i)mixed, 0xD8);
}

// Reorders the bytes of each pair of longs.
[[maybe_unused]] Longs bytes_shuffled(const Longs& words, __m128i order) {
  return (Longs)_mm256_shuffle_epi8((__m256i)words, _mm256_broadcastsi128_si256(order));
}
// Reverses the bytes of each long.
[[maybe_unused]] Longs bytes_reversed(const Longs& words) {
  return bytes_shuffled(words, _mm_set_epi32(0x08090A0B, 0x0C0D0E0F, 0x00010203, 0x04050607));
}

// Reverses the bits of each long; a table reverses half a byte.
[[maybe_unused]] Longs bits_reversed(const Longs& words) {
  const __m256i lower = _mm256_broadcastsi128_si256(_mm_set_epi32(0xF070B030, 0xD0509010, 0xE060A020, 0xC0408000));
  const __m256i upper = _mm256_broadcastsi128_si256(_mm_set_epi32(0x0F070B03, 0x0D050901, 0x0E060A02, 0x0C040800));
  const __m256i bytes = (__m256i)bytes_reversed(words), four = _mm256_set1_epi8(15);
  return (Longs)_mm256_or_si256(
      _mm256_shuffle_epi8(lower, _mm256_and_si256(bytes, four)),
      _mm256_shuffle_epi8(upper, _mm256_and_si256(_mm256_srli_epi16(bytes, 4), four)));
}

// Entries of a table, by their indices.
[[maybe_unused]] Longs gathered(const std::uint64_t* table, const Longs& places) {
  return (Longs)_mm256_i64gather_epi64(reinterpret_cast<const long long*>(table), (__m256i)places, 8);
}

// All bits of each lane whose bit is set.
template <class Vector>
Vector lanes_of(std::uint32_t bits) {
  if constexpr (sizeof(Vector{}[0]) == 4) {
    const Words ones = {1, 2, 4, 8, 16, 32, 64, 128};
    return (Vector)((ones & bits) != 0);
  } else {
    const Longs ones = {1, 2, 4, 8};
    return (Vector)((ones & bits) != 0);
  }
}
// One bit for each lane that is not 0.
[[maybe_unused]] std::uint32_t bits_of(const Words& words) {
  return static_cast<std::uint32_t>(_mm256_movemask_ps((__m256)(words != 0)));
}
[[maybe_unused]] std::uint32_t bits_of(const Longs& words) {
  return static_cast<std::uint32_t>(_mm256_movemask_pd((__m256d)(words != 0)));
}

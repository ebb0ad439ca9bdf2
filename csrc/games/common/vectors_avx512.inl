// Vectors of 512 bits: the operations of vectors.inl that need special instructions.

constexpr int kVectorBytes = 64;
typedef std::uint32_t Words __attribute__((vector_size(kVectorBytes)));
typedef std::uint64_t Longs __attribute__((vector_size(kVectorBytes)));

// The number of set bits.
[[maybe_unused]] Words count(const Words& words) { return (Words)_mm512_popcnt_epi32((__m512i)words); }
[[maybe_unused]] Longs count(const Longs& words) { return (Longs)_mm512_popcnt_epi64((__m512i)words); }

// Products of the lower halves of longs.
Longs product(const Longs& one, const Longs& other) { return (Longs)_mm512_mul_epu32((__m512i)one, (__m512i)other); }

// The words of half of the lanes as longs, and the upper halves of longs as words.
[[maybe_unused]] Longs widened_lower(const Words& words) {
  return (Longs)_mm512_cvtepu32_epi64(_mm512_castsi512_si256((__m512i)words));
}
[[maybe_unused]] Longs widened_upper(const Words& words) {
  return (Longs)_mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64((__m512i)words, 1));
}
[[maybe_unused]] Words upper_halves(const Longs& lower, const Longs& upper) {
  const __m512i odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
  return (Words)_mm512_permutex2var_epi32((__m512i)lower, odd, (__m512i)upper);
}

// Reorders the bytes of each pair of longs.
[[maybe_unused]] Longs bytes_shuffled(const Longs& words, __m128i order) {
  return (Longs)_mm512_shuffle_epi8((__m512i)words, _mm512_broadcast_i32x4(order));
}
// Reverses the bytes of each long.
[[maybe_unused]] Longs bytes_reversed(const Longs& words) {
  return bytes_shuffled(words, _mm_set_epi32(0x08090A0B, 0x0C0D0E0F, 0x00010203, 0x04050607));
}

// Reverses the bits of each long; a table reverses half a byte.
[[maybe_unused]] Longs bits_reversed(const Longs& words) {
  const __m512i lower = _mm512_set4_epi32(0xF070B030, 0xD0509010, 0xE060A020, 0xC0408000);
  const __m512i upper = _mm512_set4_epi32(0x0F070B03, 0x0D050901, 0x0E060A02, 0x0C040800);
  const __m512i bytes = (__m512i)bytes_reversed(words), four = _mm512_set1_epi8(15);
  return (Longs)_mm512_or_si512(
      _mm512_shuffle_epi8(lower, _mm512_and_si512(bytes, four)),
      _mm512_shuffle_epi8(upper, _mm512_and_si512(_mm512_srli_epi16(bytes, 4), four)));
}

// Entries of a table, by their indices.
[[maybe_unused]] Longs gathered(const std::uint64_t* table, const Longs& places) {
  return (Longs)_mm512_i64gather_epi64((__m512i)places, table, 8);
}

// All bits of each lane whose bit is set.
template <class Vector>
Vector lanes_of(std::uint32_t bits) {
  if constexpr (sizeof(Vector{}[0]) == 4)
    return (Vector)_mm512_movm_epi32(static_cast<__mmask16>(bits));
  else
    return (Vector)_mm512_movm_epi64(static_cast<__mmask8>(bits));
}
// One bit for each lane that is not 0.
[[maybe_unused]] std::uint32_t bits_of(const Words& words) {
  return _mm512_test_epi32_mask((__m512i)words, (__m512i)words);
}
[[maybe_unused]] std::uint32_t bits_of(const Longs& words) {
  return _mm512_test_epi64_mask((__m512i)words, (__m512i)words);
}

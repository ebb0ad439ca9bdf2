// Vectors of 512 bits: what of vectors.inl is said by instructions.

constexpr int kVectorBytes = 64;
typedef std::uint32_t Words __attribute__((vector_size(kVectorBytes)));
typedef std::uint64_t Longs __attribute__((vector_size(kVectorBytes)));

// How many bits are set.
[[maybe_unused]] Words count(const Words& words) { return (Words)_mm512_popcnt_epi32((__m512i)words); }
[[maybe_unused]] Longs count(const Longs& words) { return (Longs)_mm512_popcnt_epi64((__m512i)words); }

// Products of the lower halves.
Longs product(const Longs& one, const Longs& other) { return (Longs)_mm512_mul_epu32((__m512i)one, (__m512i)other); }

// All bits of a lane, where its bit is set.
template <class Vector>
Vector lanes_of(std::uint32_t bits) {
  if constexpr (sizeof(Vector{}[0]) == 4)
    return (Vector)_mm512_movm_epi32(static_cast<__mmask16>(bits));
  else
    return (Vector)_mm512_movm_epi64(static_cast<__mmask8>(bits));
}
// A bit for each lane that is not 0.
[[maybe_unused]] std::uint32_t bits_of(const Words& words) { return _mm512_test_epi32_mask((__m512i)words, (__m512i)words); }
[[maybe_unused]] std::uint32_t bits_of(const Longs& words) { return _mm512_test_epi64_mask((__m512i)words, (__m512i)words); }

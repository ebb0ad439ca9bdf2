// Operations on a value, kWords words with one bit for each lane, that the kernels share.
//
// any(), the product and the table look-up use intrinsics, because compilers do not find the right instruction.

template <int kWords>
struct Vectors {
  typedef std::uint64_t Value __attribute__((vector_size(8 * kWords), aligned(8 * kWords), may_alias));

  static Value load(const std::uint64_t* words) {
    Value value;
    __builtin_memcpy(&value, words, sizeof value);
    return value;
  }

  static bool any(const Value& value) {
#ifdef GGP_AVX512
    if constexpr (kWords == 8) return _mm512_test_epi64_mask((__m512i)value, (__m512i)value) != 0;
#endif
#ifndef GGP_PORTABLE
    if constexpr (kWords == 4) return !_mm256_testz_si256((__m256i)value, (__m256i)value);
    if constexpr (kWords == 8) {
      __m256i halves[2];
      __builtin_memcpy(halves, &value, sizeof halves);
      const __m256i either = _mm256_or_si256(halves[0], halves[1]);
      return !_mm256_testz_si256(either, either);
    }
#endif
    std::uint64_t bits = 0;
    for (int w = 0; w < kWords; ++w) bits |= reinterpret_cast<const std::uint64_t*>(&value)[w];
    return bits != 0;
  }

  // any(a & b)
  static bool meet(const Value& a, const Value& b) {
#ifdef GGP_AVX512
    if constexpr (kWords == 8) return _mm512_test_epi64_mask((__m512i)a, (__m512i)b) != 0;
#endif
    return any(a & b);
  }

  // Bits that are 1 in at least two of three values.
  static Value majority(const Value& a, const Value& b, const Value& c) {
#ifdef GGP_AVX512
    if constexpr (kWords == 8) return (Value)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0xE8);
#endif
    return (a & b) | ((a ^ b) & c);
  }

  // The bits of `yes` where `which` is 1, of `no` elsewhere.
  static Value either(const Value& which, const Value& yes, const Value& no) {
    return no ^ ((no ^ yes) & which);
  }

  // Products, word by word, of numbers below 2^32.
  static Value multiply(const Value& a, const Value& b) {
#ifdef GGP_AVX512
    if constexpr (kWords == 8) return (Value)_mm512_maskz_mul_epu32(0xFF, (__m512i)a, (__m512i)b);
#endif
#ifndef GGP_PORTABLE
    if constexpr (kWords == 4) return (Value)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#endif
    return a * b;
  }

  // Entries of a table, word by word.
  static void look_up(const std::uint32_t* table, const Value& index, Value& entries) {
#ifdef GGP_AVX512
    if constexpr (kWords == 8) {
      const __m256i found = _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), 0xFF, (__m512i)index, table, 4);
      entries = (Value)_mm512_maskz_cvtepu32_epi64(0xFF, found);
      return;
    }
#endif
    const auto* from = reinterpret_cast<const std::uint64_t*>(&index);
    for (int w = 0; w < kWords; ++w) reinterpret_cast<std::uint64_t*>(&entries)[w] = table[from[w]];
  }

  // One stage of transpositions of square matrices of bits in kRows rows, with one or several matrices per word of a
  // value: exchanges the upper right and lower left quadrants of every block of 2 * kSize.
  template <int kSize, int kRows>
  static void exchange(Value* rows) {
    constexpr std::uint64_t kMask = ~std::uint64_t{0} / ((std::uint64_t{1} << kSize) + 1);
    for (int block = 0; block < kRows; block += 2 * kSize)
      for (int i = block; i < block + kSize; ++i) {
        const Value swap = ((rows[i] >> kSize) ^ rows[i + kSize]) & kMask;
        rows[i] ^= swap << kSize;
        rows[i + kSize] ^= swap;
      }
  }

  // Bit l of word w of row i moves to bit i of word w of row l, for 64 rows.
  static void transpose(Value* rows) {
    exchange<32, 64>(rows);
    exchange<16, 64>(rows);
    exchange<8, 64>(rows);
    exchange<4, 64>(rows);
    exchange<2, 64>(rows);
    exchange<1, 64>(rows);
  }

  // transpose() in every byte: bit 8 * b + l of row i moves to bit 8 * b + i of row l, for 8 rows.
  static void transpose_bytes(Value* rows) {
    exchange<4, 8>(rows);
    exchange<2, 8>(rows);
    exchange<1, 8>(rows);
  }
};

// Vectors of words, one for each of some games that are played side by side; included by kernels. Conditions are masks:
// all bits of a lane or none.
#if defined(GGP_AVX512)
#include "games/common/vectors_avx512.inl"
#else
#include "games/common/vectors_avx2.inl"
#endif

template <class Vector>
using WordOf = std::remove_reference_t<decltype(std::declval<Vector&>()[0])>;
template <class Vector>
constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(WordOf<Vector>));

template <class Vector>
Vector load(const void* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}
template <class Vector>
void store(void* to, const Vector& vector) {
  std::memcpy(to, &vector, sizeof vector);
}
// Selects by the lanes of a mask.
template <class Mask, class Vector>
Vector choose(const Mask& where, const Vector& one, const Vector& other) {
  return where ? one : other;
}

// Calls see(first, lanes) for the vectors that contain some of 64 lanes, with the number of the first lane and the bits
// of these lanes.
template <class Vector, class See>
void for_each_vector(std::uint64_t which, See&& see) {
  constexpr std::uint64_t kAll = (std::uint64_t{1} << kLanes<Vector>) - 1;
  for (int first = 0; first < 64; first += kLanes<Vector>)
    if (const auto lanes = static_cast<std::uint32_t>(which >> first & kAll); lanes != 0) see(first, lanes);
}

// For the lanes of a vector: the k-th set bit of each word, from 0. Processors have such an instruction for single
// words only.
template <class Word>
void pick(const Word* words, const Word* before, Word* bits) {
  constexpr int kMostBefore = 8 * sizeof(Word) - 1;
  for (int i = 0; i < kVectorBytes / static_cast<int>(sizeof(Word)); ++i)
    bits[i] = static_cast<Word>(_pdep_u64(Word{1} << (before[i] & kMostBefore), words[i]));
}

// draw_below() of random.hpp in lanes with n > 0; other streams do not change. Returns the product, whose upper half is
// the result.
Longs draw_product(Longs& streams, const Longs& n) {
  const Longs next = streams + 0x9E3779B97F4A7C15ull;
  Longs z = next;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  z ^= z >> 31;
  streams = choose(n > 1, next, streams);
  return product(z >> 32, n);
}
// The result of draw_below(), with streams in memory, one for each lane.
[[maybe_unused]] Words draw_below(std::uint64_t* streams, const Words& n) {
  constexpr int kHalf = kLanes<Longs>;
  Longs lower = load<Longs>(streams), upper = load<Longs>(streams + kHalf);
  const Words drawn = upper_halves(draw_product(lower, widened_lower(n)), draw_product(upper, widened_upper(n)));
  store(streams, lower);
  store(streams + kHalf, upper);
  return drawn;
}

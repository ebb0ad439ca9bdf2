// Vectors of words, one for each of some games that are played side by side; included once for each instruction set, behind
// vectors_avx2.inl or vectors_avx512.inl. Conditions are masks: all bits of a lane or none.

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
template <class Vector>
Vector choose(const Vector& where, const Vector& one, const Vector& other) {
  return (where & one) | (~where & other);
}

// Every second group of 1, 2, 4, .. bits, from the lowest.
constexpr std::uint64_t kGroups[] = {0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F,
                                     0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF};

// Of each word the bit before which there are `place` others. Bits are counted in pairs, fours, eights and so on; then half
// after half is left behind where there are too few in it.
template <class Vector>
Vector nth(const Vector& words, Vector place) {
  using Word = WordOf<Vector>;
  constexpr int kLevels = sizeof(Word) == 4 ? 5 : 6;
  Vector counts[kLevels] = {words};  // of groups of 1, 2, 4, ..
  for (int level = 1; level < kLevels; ++level) {
    const auto groups = static_cast<Word>(kGroups[level - 1]);
    counts[level] = (counts[level - 1] & groups) + (counts[level - 1] >> (1 << (level - 1)) & groups);
  }
  Vector at = {};
  for (int level = kLevels - 1; level >= 0; --level) {
    const Word half = Word{1} << level;
    const Vector here = counts[level] >> at & ((Word{1} << half) - 1);
    const Vector beyond = (Vector)(place >= here);
    place -= here & beyond;
    at |= half & beyond;
  }
  return (Vector{} + 1) << at;
}

// draw_below() of random.hpp, where there is anything to draw from; streams stay as they are elsewhere.
Longs draw_below(Longs& streams, const Longs& n) {
  const Longs next = streams + 0x9E3779B97F4A7C15ull;
  Longs z = next;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  z ^= z >> 31;
  streams = choose((Longs)(n > 1), next, streams);
  return product(z >> 32, n) >> 32;
}
// The same from streams in memory, one for each lane.
Words draw_below(std::uint64_t* streams, const Words& n) {
  constexpr int kHalf = kLanes<Longs>;
  typedef std::uint32_t Half __attribute__((vector_size(kVectorBytes / 2)));
  Half halves[2];
  store(halves, n);
  for (int i = 0; i < 2; ++i) {
    Longs stream = load<Longs>(streams + i * kHalf);
    halves[i] = __builtin_convertvector(draw_below(stream, __builtin_convertvector(halves[i], Longs)), Half);
    store(streams + i * kHalf, stream);
  }
  return load<Words>(halves);
}

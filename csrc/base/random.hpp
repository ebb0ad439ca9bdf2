// Random numbers: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). A state has eight bytes, so a stream for each lane
// is cheap. A stream may start from any seed.
#pragma once

#include <cstdint>

namespace ggp {

inline std::uint64_t mix64(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// Next number of the stream with this state.
inline std::uint64_t draw(std::uint64_t& state) { return mix64(state += 0x9E3779B97F4A7C15ull); }

// Uniform in 0 .. n - 1 for 0 < n < 2^32 (Lemire's multiplication; the bias is below n / 2^32).
inline std::uint32_t draw_below(std::uint64_t& state, std::uint32_t n) {
  return static_cast<std::uint32_t>(((draw(state) >> 32) * n) >> 32);
}

// The seed of stream number `number` derived from one seed.
inline std::uint64_t stream_seed(std::uint64_t seed, std::uint64_t number) {
  return mix64(mix64(seed) + number * 0x9E3779B97F4A7C15ull);
}

}  // namespace ggp

// Choosing one of several moves by their values.
#pragma once

#include <cmath>
#include <cstdint>

#include "random.hpp"

namespace ggp {

// Tells with probability p, given as p * 2^32, whether a move is drawn evenly instead of the best taken
// (epsilon-greedy). Uses the upper half of `random`.
inline bool explores(std::uint64_t random, std::uint64_t p) { return (random >> 32) < p; }

// Evenly 0 .. count - 1 from the lower half of `random`.
inline std::uint32_t even_place(std::uint64_t random, std::uint32_t count) {
  return static_cast<std::uint32_t>(((random & 0xFFFFFFFFu) * count) >> 32);
}

// Place of the highest value, count >= 1; evenly among several, from the lower half of `random`.
inline std::uint32_t best_place(const float* values, std::uint32_t count, std::uint64_t random) {
  float best = values[0];
  for (std::uint32_t i = 1; i < count; ++i) best = values[i] > best ? values[i] : best;
  std::uint32_t alike = 0;
  for (std::uint32_t i = 0; i < count; ++i) alike += values[i] == best;
  std::uint32_t left = even_place(random, alike);
  for (std::uint32_t i = 0;; ++i) {
    if (values[i] == best && left-- == 0) return i;
  }
}

// Gibbs sampling (Finnsson and Bjornsson, AAAI 2008): place i with probability proportional to
// exp(values[i] / temperature). Overwrites the values.
inline std::uint32_t gibbs_place(float* values, std::uint32_t count, float temperature, std::uint64_t random) {
  float best = values[0];
  for (std::uint32_t i = 1; i < count; ++i) best = values[i] > best ? values[i] : best;
  float sum = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    values[i] = std::exp((values[i] - best) / temperature);
    sum += values[i];
  }
  float left = sum * (static_cast<float>(random >> 40) * 0x1p-24f);
  for (std::uint32_t i = 0; i + 1 < count; ++i) {
    left -= values[i];
    if (left < 0) return i;
  }
  return count - 1;
}

}  // namespace ggp

// Sets of points of boards with more than 128 squares, with the functions of wide_bits.hpp.
#pragma once

#include <cstdint>

#include "games/common/wide_bits.hpp"

namespace ggp {

template <int kWords>
struct ManyWords {
  std::uint64_t word[kWords] = {};

  // Word by word.
  template <class Combine>
  static constexpr ManyWords combined(const ManyWords& one, const ManyWords& other, Combine combine) {
    ManyWords made;
    for (int i = 0; i < kWords; ++i) made.word[i] = combine(one.word[i], other.word[i]);
    return made;
  }
  friend constexpr ManyWords operator&(const ManyWords& one, const ManyWords& other) {
    return combined(one, other, [](std::uint64_t a, std::uint64_t b) { return a & b; });
  }
  friend constexpr ManyWords operator|(const ManyWords& one, const ManyWords& other) {
    return combined(one, other, [](std::uint64_t a, std::uint64_t b) { return a | b; });
  }
  constexpr ManyWords operator~() const {
    return combined(*this, *this, [](std::uint64_t a, std::uint64_t) { return ~a; });
  }
  friend constexpr bool operator==(const ManyWords& one, const ManyWords& other) {
    std::uint64_t differ = 0;
    for (int i = 0; i < kWords; ++i) differ |= one.word[i] ^ other.word[i];
    return differ == 0;
  }
};

constexpr bool any_of(WideWord squares) { return squares != 0; }
template <int kWords>
constexpr bool any_of(const ManyWords<kWords>& squares) {
  std::uint64_t all = 0;
  for (int i = 0; i < kWords; ++i) all |= squares.word[i];
  return all != 0;
}

// Shifts by less than a word.
template <int kBy, int kWords>
constexpr ManyWords<kWords> shifted(const ManyWords<kWords>& squares) {
  static_assert(kBy != 0 && kBy > -64 && kBy < 64);
  ManyWords<kWords> made;
  for (int i = 0; i < kWords; ++i) {
    if constexpr (kBy > 0)
      made.word[i] = squares.word[i] << kBy | (i > 0 ? squares.word[i - 1] >> (64 - kBy) : 0);
    else
      made.word[i] = squares.word[i] >> -kBy | (i + 1 < kWords ? squares.word[i + 1] << (64 + kBy) : 0);
  }
  return made;
}

template <int kWords>
int lowest(const ManyWords<kWords>& squares) {
  int i = 0;
  while (squares.word[i] == 0) ++i;
  return 64 * i + __builtin_ctzll(squares.word[i]);
}

template <class Bits, int kWords>
std::uint32_t count_of(const ManyWords<kWords>& squares) {
  std::uint32_t count = 0;
  for (int i = 0; i < kWords; ++i) count += Bits::count(squares.word[i]);
  return count;
}

template <class Bits, int kWords>
int nth(const ManyWords<kWords>& squares, std::uint32_t before) {
  for (int i = 0;; ++i) {
    const std::uint32_t here = Bits::count(squares.word[i]);
    if (before < here) return 64 * i + __builtin_ctzll(Bits::deposit(std::uint64_t{1} << before, squares.word[i]));
    before -= here;
  }
}

template <int kWords, class Visit>
void for_each_bit(const ManyWords<kWords>& squares, Visit visit) {
  for (int i = 0; i < kWords; ++i)
    for (std::uint64_t left = squares.word[i]; left != 0; left &= left - 1) visit(64 * i + __builtin_ctzll(left));
}

}  // namespace ggp

// Words of 128 bits as sets of squares, for boards of more than 64; see bits.hpp.
#pragma once

#include <cstdint>

#include "base/bits.hpp"

namespace ggp {

using WideWord = unsigned __int128;

// Shifts to higher bits, or to lower bits if the number is negative.
template <int kBy>
constexpr WideWord shifted(WideWord squares) {
  if constexpr (kBy >= 0)
    return squares << kBy;
  else
    return squares >> -kBy;
}

// The number of the lowest bit; the set must not be empty.
inline int lowest(WideWord squares) {
  const auto low = static_cast<std::uint64_t>(squares);
  return low != 0 ? __builtin_ctzll(low) : 64 + __builtin_ctzll(static_cast<std::uint64_t>(squares >> 64));
}

template <class Bits>
std::uint32_t count_of(WideWord squares) {
  return Bits::count(static_cast<std::uint64_t>(squares)) + Bits::count(static_cast<std::uint64_t>(squares >> 64));
}

// The number of the k-th bit, k from 0; the bit must exist. The code has no branch: the half with the bit is
// unpredictable.
template <class Bits>
int nth(WideWord squares, std::uint32_t before) {
  const auto low = static_cast<std::uint64_t>(squares), high = static_cast<std::uint64_t>(squares >> 64);
  const std::uint32_t of_low = Bits::count(low);
  const std::uint64_t is_high = -static_cast<std::uint64_t>(before >= of_low);
  const std::uint64_t half = low ^ ((low ^ high) & is_high);
  const std::uint32_t in_half = before - (of_low & static_cast<std::uint32_t>(is_high));
  return __builtin_ctzll(Bits::deposit(std::uint64_t{1} << in_half, half)) + static_cast<int>(64 & is_high);
}

// The numbers of all bits, in ascending order.
template <class Visit>
void for_each_bit(WideWord squares, Visit visit) {
  for (; squares != 0; squares &= squares - 1) visit(lowest(squares));
}

}  // namespace ggp

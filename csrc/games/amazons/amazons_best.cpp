#include "base/bits.hpp"
#include "games/amazons/amazons_best.hpp"

namespace ggp::portable {
namespace {

using Reach = std::uint64_t;
using Bits = PlainBits;

template <int kBits>
float highest_of(const float* values, Reach bits) {
  float highest = -std::numeric_limits<float>::infinity();
  for (; bits != 0; bits &= bits - 1) {
    const float value = values[__builtin_ctzll(bits)];
    highest = value > highest ? value : highest;
  }
  return highest;
}
template <int kBits>
Reach equal_to(const float* values, float value) {
  Reach found = 0;
  for (int i = 0; i < kBits; ++i) found |= Reach{values[i] == value} << i;
  return found;
}

#include "games/amazons/amazons_best.inl"
}  // namespace

AmazonsRules<6>::Move best_move(const AmazonsPairs<6>& all, const AmazonsRules<6>::State& state, std::uint64_t random) {
  return best_of<6>(all, state, random);
}
AmazonsRules<8>::Move best_move(const AmazonsPairs<8>& all, const AmazonsRules<8>::State& state, std::uint64_t random) {
  return best_of<8>(all, state, random);
}
AmazonsRules<10>::Move best_move(const AmazonsPairs<10>& all, const AmazonsRules<10>::State& state,
                                 std::uint64_t random) {
  return best_of<10>(all, state, random);
}
}  // namespace ggp::portable

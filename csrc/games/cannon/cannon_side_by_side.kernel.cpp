#if defined(__x86_64__) && !defined(GGP_PORTABLE)
#include "games/cannon/cannon_side_by_side.hpp"

#include "base/kernel_begin.inl"

namespace ggp::GGP_ISA {
namespace {
// clang-format off: the order of includes matters
#include "games/common/vectors.inl"
#include "games/cannon/cannon_side_by_side.inl"
}  // namespace

std::uint64_t play(CannonSideBySide& boards, std::uint64_t which, std::uint64_t* random, const CannonRules& rules) {
  return play_boards<false>(boards, which, random, rules);
}
std::uint64_t play_by_policy(CannonSideBySide& boards, std::uint64_t which, std::uint64_t* random,
                             const CannonRules& rules) {
  return play_boards<true>(boards, which, random, rules);
}
}  // namespace ggp::GGP_ISA

#include "base/kernel_end.inl"
#endif

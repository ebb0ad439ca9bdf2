#if defined(__x86_64__) && !defined(GGP_PORTABLE)
#include "games/chinese_checkers/chinese_checkers_side_by_side.hpp"

#include "base/kernel_begin.inl"

namespace ggp::GGP_ISA {
namespace {
// clang-format off: the order of includes matters
#include "games/common/vectors.inl"
#include "games/chinese_checkers/chinese_checkers_side_by_side.inl"
#include "games/chinese_checkers/chinese_checkers_by_policy.inl"
}  // namespace

std::uint64_t play(ChineseCheckersSideBySide& boards, std::uint64_t which, std::uint64_t* random,
                   const ChineseCheckersRules& rules) {
  return play_boards(boards, which, random, rules);
}
std::uint64_t play_by_policy(ChineseCheckersSideBySide& boards, std::uint64_t which, std::uint64_t* random,
                             const ChineseCheckersRules& rules) {
  return play_boards_by_policy(boards, which, random, rules);
}
}  // namespace ggp::GGP_ISA

#include "base/kernel_end.inl"
#endif

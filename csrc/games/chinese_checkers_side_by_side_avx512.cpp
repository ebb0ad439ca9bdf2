#include "games/chinese_checkers_side_by_side.hpp"

#if defined(__x86_64__)
#include "games/target_avx512.inl"

namespace ggp::avx512 {
namespace {
// clang-format off: the order of includes matters
#include "games/vectors_avx512.inl"
#include "games/vectors.inl"
#include "games/chinese_checkers_side_by_side.inl"
#include "games/chinese_checkers_by_policy.inl"
}  // namespace

std::uint64_t play(ChineseCheckersSideBySide& boards, std::uint64_t which, std::uint64_t* random,
                   const ChineseCheckersRules& rules) {
  return play_boards(boards, which, random, rules);
}
std::uint64_t play_by_policy(ChineseCheckersSideBySide& boards, std::uint64_t which, std::uint64_t* random,
                             const ChineseCheckersRules& rules) {
  return play_boards_by_policy(boards, which, random, rules);
}
}  // namespace ggp::avx512

#include "games/target_end.inl"
#endif

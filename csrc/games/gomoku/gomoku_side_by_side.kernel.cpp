#if defined(__x86_64__) && !defined(GGP_PORTABLE)
#include "games/gomoku/gomoku_side_by_side.hpp"

#include "base/kernel_begin.inl"

namespace ggp::GGP_ISA {
namespace {
// clang-format off: the order of includes matters
#include "games/common/vectors.inl"
#include "games/gomoku/gomoku_side_by_side.inl"
}  // namespace

std::uint64_t play(GomokuSideBySide<5>& boards, std::uint64_t which, std::uint64_t* random) {
  return play_boards(boards, which, random);
}
std::uint64_t play(GomokuSideBySide<7>& boards, std::uint64_t which, std::uint64_t* random) {
  return play_boards(boards, which, random);
}
}  // namespace ggp::GGP_ISA

#include "base/kernel_end.inl"
#endif

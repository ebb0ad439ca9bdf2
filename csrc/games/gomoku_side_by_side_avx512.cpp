#include "games/gomoku_side_by_side.hpp"
#include "games/gomoku_small_side_by_side.hpp"

#if defined(__x86_64__)
#include "games/target_avx512.inl"

namespace ggp::avx512 {
namespace {
// clang-format off: the order of includes matters
#include "games/vectors_avx512.inl"
#include "games/vectors.inl"
#include "games/gomoku_side_by_side.inl"
#include "games/gomoku_small_side_by_side.inl"
}  // namespace

std::uint64_t play(GomokuSmallSideBySide<5>& boards, std::uint64_t which, std::uint64_t* random) {
  return play_boards(boards, which, random);
}
std::uint64_t play(GomokuSmallSideBySide<7>& boards, std::uint64_t which, std::uint64_t* random) {
  return play_boards(boards, which, random);
}
std::uint64_t play(GomokuSideBySide<9>& boards, std::uint64_t which, std::uint64_t* random) {
  return play_boards(boards, which, random);
}
std::uint64_t play(GomokuSideBySide<11>& boards, std::uint64_t which, std::uint64_t* random) {
  return play_boards(boards, which, random);
}
std::uint64_t play(GomokuSideBySide<15>& boards, std::uint64_t which, std::uint64_t* random) {
  return play_boards(boards, which, random);
}
}  // namespace ggp::avx512

#include "games/target_end.inl"
#endif

#include "games/atari_go_side_by_side.hpp"

#if defined(__x86_64__)
#include "games/target_avx512.inl"

namespace ggp::avx512 {
namespace {
// clang-format off: the order of includes matters
#include "games/vectors_avx512.inl"
#include "games/vectors.inl"
#include "games/atari_go_side_by_side.inl"
}  // namespace

std::uint64_t play(AtariGoSideBySide& boards, std::uint64_t which, std::uint64_t* random) {
  return play_boards(boards, which, random);
}
}  // namespace ggp::avx512

#include "games/target_end.inl"
#endif

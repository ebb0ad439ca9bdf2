// Flags: -O1
//
// Breakthrough on many boards at a time, by each kernel that this processor can run, compared with a single board.
#include "fixtures/check_side_by_side.hpp"
#include "games/breakthrough_side_by_side.hpp"
#include "games/vector_kernels.hpp"

namespace {

using namespace ggp;

void agrees(PlayBreakthrough<6> play_small, PlayBreakthrough<8> play) {
  agrees_with_one_board<BreakthroughSideBySide<6>, BreakthroughState>("breakthrough_6x6", play_small, 1000);
  agrees_with_one_board<BreakthroughSideBySide<8>, BreakthroughState>("breakthrough", play, 1000);
}

}  // namespace

TESTS(breakthrough_side_by_side, int, char**) {
#if defined(__x86_64__)
  if (widest_vectors() >= Vectors::kAvx2) agrees(avx2::play, avx2::play);
  if (widest_vectors() >= Vectors::kAvx512) agrees(avx512::play, avx512::play);
#endif
}

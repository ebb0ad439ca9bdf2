// Flags: -O1
//
// Chinese Checkers on many boards at a time, by each kernel that this processor can run, compared with a single board.
#include "fixtures/check_side_by_side.hpp"
#include "games/chinese_checkers_side_by_side.hpp"
#include "games/vector_kernels.hpp"

namespace {

using namespace ggp;

void agrees(PlayChineseCheckers play, bool by_policy) {
  agrees_with_one_board<ChineseCheckersSideBySide, ChineseCheckersState>(
      "chinese_checkers",
      [play](ChineseCheckersSideBySide& boards, std::uint64_t which, std::uint64_t* random) {
        return play(boards, which, random, chinese_checkers_rules());
      },
      3000, by_policy);
}

}  // namespace

TESTS(chinese_checkers_side_by_side, int, char**) {
#if defined(__x86_64__)
  if (widest_vectors() >= Vectors::kAvx2) {
    agrees(avx2::play, false);
    agrees(avx2::play_by_policy, true);
  }
  if (widest_vectors() >= Vectors::kAvx512) {
    agrees(avx512::play, false);
    agrees(avx512::play_by_policy, true);
  }
#endif
}

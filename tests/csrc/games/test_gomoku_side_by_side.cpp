// Flags: -O1
//
// Gomoku on many boards at a time, by each kernel that this processor can run, compared with a single board.
#include "fixtures/check_side_by_side.hpp"
#include "games/gomoku_small_side_by_side.hpp"
#include "games/vector_kernels.hpp"

namespace {

using namespace ggp;

template <int kSize, class Boards, class Play>
void agrees(Play play) {
  const std::string name = "gomoku_" + std::to_string(kSize) + "x" + std::to_string(kSize);
  agrees_with_one_board<Boards, GomokuState<kSize>>(name, play, 1000);
}

// A kernel for each size.
void all_agree(PlaySmallGomoku<5> on_5, PlaySmallGomoku<7> on_7, PlayGomoku<9> on_9, PlayGomoku<11> on_11,
               PlayGomoku<15> on_15) {
  agrees<5, GomokuSmallSideBySide<5>>(on_5);
  agrees<7, GomokuSmallSideBySide<7>>(on_7);
  agrees<9, GomokuSideBySide<9>>(on_9);
  agrees<11, GomokuSideBySide<11>>(on_11);
  agrees<15, GomokuSideBySide<15>>(on_15);
}

}  // namespace

TESTS(gomoku_side_by_side, int, char**) {
#if defined(__x86_64__)
  if (widest_vectors() >= Vectors::kAvx2) all_agree(avx2::play, avx2::play, avx2::play, avx2::play, avx2::play);
  if (widest_vectors() >= Vectors::kAvx512)
    all_agree(avx512::play, avx512::play, avx512::play, avx512::play, avx512::play);
#endif
}

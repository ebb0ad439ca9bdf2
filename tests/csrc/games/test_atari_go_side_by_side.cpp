// Flags: -O1
//
// Atari Go on many boards at a time, by each kernel that this processor can run, compared with a single board.
#include "fixtures/check_side_by_side.hpp"
#include "games/atari_go_side_by_side.hpp"
#include "games/vector_kernels.hpp"

namespace {

using namespace ggp;

void agrees(PlayAtariGo play) { agrees_with_one_board<AtariGoSideBySide, AtariGoState>("atari_go", play, 2000); }

}  // namespace

TESTS(atari_go_side_by_side, int, char**) {
#if defined(__x86_64__)
  if (widest_vectors() >= Vectors::kAvx2) agrees(avx2::play);
  if (widest_vectors() >= Vectors::kAvx512) agrees(avx512::play);
#endif
}

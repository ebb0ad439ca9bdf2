#include "games/checkers_side_by_side.hpp"

namespace ggp {

PlayCheckers play_checkers([[maybe_unused]] Vectors vectors) {
#if defined(__x86_64__)
  switch (vectors) {
    case Vectors::kAvx512:
      return avx512::play;
    case Vectors::kAvx2:
      return avx2::play;
    case Vectors::kNone:
      break;
  }
#endif
  return nullptr;
}

}  // namespace ggp

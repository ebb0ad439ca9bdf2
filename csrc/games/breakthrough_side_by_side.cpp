#include "games/breakthrough_side_by_side.hpp"

namespace ggp {

template <int kSize>
PlayBreakthrough<kSize> play_breakthrough([[maybe_unused]] Vectors vectors) {
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

template PlayBreakthrough<6> play_breakthrough<6>(Vectors);
template PlayBreakthrough<8> play_breakthrough<8>(Vectors);

}  // namespace ggp

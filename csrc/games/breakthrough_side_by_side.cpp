#include "games/breakthrough_side_by_side.hpp"

#include "games/vector_kernels.hpp"

namespace ggp {

template <int kSize>
PlayBreakthrough<kSize> play_breakthrough() {
#if defined(__x86_64__)
  switch (widest_vectors()) {
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

template PlayBreakthrough<6> play_breakthrough<6>();
template PlayBreakthrough<8> play_breakthrough<8>();

}  // namespace ggp

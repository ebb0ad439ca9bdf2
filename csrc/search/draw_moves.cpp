#include "search/draw_moves.hpp"

#include "random.hpp"
#include "search/sampling.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#define GGP_WITH_PDEP __attribute__((target("popcnt,bmi,bmi2")))
#endif

namespace ggp {

namespace {

struct Portable {
  static std::uint32_t ones(std::uint64_t word) { return static_cast<std::uint32_t>(ones_up_to_bytes(word) >> 56); }
  static std::uint32_t place(std::uint64_t word, std::uint32_t k) {
    return place_of_one(word, ones_up_to_bytes(word), k);
  }
};

#if defined(__x86_64__)
struct Pdep {
  GGP_WITH_PDEP static std::uint32_t ones(std::uint64_t word) {
    return static_cast<std::uint32_t>(__builtin_popcountll(word));
  }
  GGP_WITH_PDEP static std::uint32_t place(std::uint64_t word, std::uint32_t k) {
    return static_cast<std::uint32_t>(__builtin_ctzll(_pdep_u64(std::uint64_t{1} << k, word)));
  }
};
#endif

template <class Bits>
__attribute__((always_inline)) inline void draw_all(const Choices& choices, int role, std::uint32_t count,
                                                    std::uint64_t* random, std::uint32_t* out) {
  choices.for_each_lane(role, [&](int lane) __attribute__((always_inline)) {
    std::uint32_t legal = 0;
    for (int block = 0; block < choices.blocks; ++block) legal += Bits::ones(choices.word(lane, block));
    std::uint32_t* drawn = out + std::size_t(count) * lane;
    for (std::uint32_t i = 0; i < count; ++i) {
      std::uint32_t place = even_place(draw(random[lane]), legal);
      int block = 0;
      std::uint64_t word = choices.word(lane, 0);
      for (std::uint32_t here; place >= (here = Bits::ones(word)); word = choices.word(lane, ++block)) place -= here;
      drawn[i] = static_cast<std::uint32_t>(64 * block) + Bits::place(word, place);
    }
  });
}

using Draw = void (*)(const Choices&, int, std::uint32_t, std::uint64_t*, std::uint32_t*);

void draw_portable(const Choices& choices, int role, std::uint32_t count, std::uint64_t* random, std::uint32_t* out) {
  draw_all<Portable>(choices, role, count, random, out);
}

#if defined(__x86_64__)
GGP_WITH_PDEP void draw_with_pdep(const Choices& choices, int role, std::uint32_t count, std::uint64_t* random,
                                  std::uint32_t* out) {
  draw_all<Pdep>(choices, role, count, random, out);
}
#endif

Draw best_draw() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt")) return draw_with_pdep;
#endif
  return draw_portable;
}

}  // namespace

void draw_moves(const Choices& choices, int role, std::uint32_t count, std::uint64_t* random, std::uint32_t* out) {
  static const Draw draw = best_draw();
  draw(choices, role, count, random, out);
}

}  // namespace ggp

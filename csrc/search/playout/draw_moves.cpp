#include "search/playout/draw_moves.hpp"

#include "base/random.hpp"
#include "search/playout/sampling.hpp"

namespace ggp {

namespace portable {
#include "search/playout/draw_moves.inl"
}

}  // namespace ggp

#if defined(__x86_64__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("bmi,bmi2,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("bmi,bmi2,popcnt")
#endif
#define GGP_DRAW_HAS_PDEP

namespace ggp::pdep {
#include "search/playout/draw_moves.inl"
}

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

namespace ggp {

namespace {

using Draw = void (*)(const Choices&, int, std::uint64_t*, std::uint32_t*);

Draw best_draw() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt")) return pdep::draw_moves;
#endif
  return portable::draw_moves;
}

}  // namespace

void draw_moves(const Choices& choices, int role, std::uint64_t* random, std::uint32_t* out) {
  static const Draw draw = best_draw();
  draw(choices, role, random, out);
}

}  // namespace ggp

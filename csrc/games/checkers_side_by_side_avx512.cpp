#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "games/checkers_side_by_side.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a function boundary of another file
#pragma GCC diagnostic ignored "-Wuninitialized"  // of the intrinsics themselves, with GCC 12
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vpopcntdq,bmi,bmi2,popcnt"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx512vpopcntdq,bmi,bmi2,popcnt")
#endif

namespace ggp::avx512 {
namespace {
// clang-format off: in this order
#include "games/vectors_avx512.inl"
#include "games/vectors.inl"
#include "games/checkers_side_by_side.inl"
}  // namespace

std::uint64_t play(CheckersSideBySide& boards, std::uint64_t which, std::uint64_t* random, DrawCapture draw_capture) {
  return play_boards(boards, which, random, draw_capture);
}
}  // namespace ggp::avx512

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif

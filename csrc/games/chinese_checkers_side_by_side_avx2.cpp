#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "games/chinese_checkers_side_by_side.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors never cross a function boundary of another file
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt"))), apply_to = function)
#else
#pragma GCC target("avx2,bmi,bmi2,popcnt")
#endif

namespace ggp::avx2 {
namespace {
// clang-format off: in this order
#include "games/vectors_avx2.inl"
#include "games/vectors.inl"
#include "games/chinese_checkers_side_by_side.inl"
}  // namespace

std::uint64_t play(ChineseCheckersSideBySide& boards, std::uint64_t which, std::uint64_t* random,
                   const ChineseCheckersRules& rules) {
  return play_boards(boards, which, random, rules);
}
}  // namespace ggp::avx2

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif

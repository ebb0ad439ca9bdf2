#include <cstdint>
#include <cstring>

#include "games/go_captures_kernels.hpp"

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
#include "games/go_captures.inl"
}  // namespace

CapturedBoards find_captures(GoCaptures<5>& captures, int boards) { return Captures<5>::find(captures, boards); }
CapturedBoards find_captures(GoCaptures<9>& captures, int boards) { return Captures<9>::find(captures, boards); }
CapturedBoards find_captures(GoCaptures<19>& captures, int boards) { return Captures<19>::find(captures, boards); }
}  // namespace ggp::avx2

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif

#include "games/go_captures.hpp"

#if defined(__x86_64__)
#include "games/target_avx2.inl"

namespace ggp::avx2 {
namespace {
#include "games/go_captures.inl"
}  // namespace

CapturedBoards find_captures(GoCaptures<5>& captures, int boards) { return Captures<5>::find(captures, boards); }
CapturedBoards find_captures(GoCaptures<9>& captures, int boards) { return Captures<9>::find(captures, boards); }
CapturedBoards find_captures(GoCaptures<19>& captures, int boards) { return Captures<19>::find(captures, boards); }
}  // namespace ggp::avx2

#include "games/target_end.inl"
#endif

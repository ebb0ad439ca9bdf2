#if defined(__x86_64__) && !defined(GGP_PORTABLE)
#include "games/go/go_captures.hpp"

#include "base/kernel_begin.inl"

namespace ggp::GGP_ISA {
namespace {
#include "games/go/go_captures.inl"
}  // namespace

CapturedBoards find_captures(GoCaptures<5>& captures, int boards) { return Captures<5>::find(captures, boards); }
CapturedBoards find_captures(GoCaptures<9>& captures, int boards) { return Captures<9>::find(captures, boards); }
CapturedBoards find_captures(GoCaptures<19>& captures, int boards) { return Captures<19>::find(captures, boards); }
}  // namespace ggp::GGP_ISA

#include "base/kernel_end.inl"
#endif

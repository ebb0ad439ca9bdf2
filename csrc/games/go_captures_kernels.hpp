// The kernels of go_captures.hpp, one for each instruction set; to be called where the processor has it.
#pragma once

#include "games/go_captures.hpp"

namespace ggp::avx2 {
CapturedBoards find_captures(GoCaptures<5>& captures, int boards);
CapturedBoards find_captures(GoCaptures<9>& captures, int boards);
CapturedBoards find_captures(GoCaptures<19>& captures, int boards);
}  // namespace ggp::avx2

namespace ggp::avx512 {
CapturedBoards find_captures(GoCaptures<5>& captures, int boards);
CapturedBoards find_captures(GoCaptures<9>& captures, int boards);
CapturedBoards find_captures(GoCaptures<19>& captures, int boards);
}  // namespace ggp::avx512

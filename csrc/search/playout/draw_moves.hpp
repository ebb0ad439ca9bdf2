// Uniform draws of legal moves, for all lanes at once in which a role chooses.
#pragma once

#include <cstdint>

#include "base/choices.hpp"

namespace ggp {

// Draws a legal move in each lane in which the role chooses, into out[lane]. A draw takes one number of the random stream
// of the lane. Compiled for processors with instructions that find the k-th bit of a word, and for others; both draw the
// same moves.
void draw_moves(const Choices& choices, int role, std::uint64_t* random, std::uint32_t* out);

}  // namespace ggp

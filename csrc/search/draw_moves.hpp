// Legal moves drawn evenly, for all lanes in which a role chooses at once.
#pragma once

#include <cstdint>

#include "choices.hpp"

namespace ggp {

// Draws `count` legal moves, with replacement, in each lane in which the role chooses, into the entries from
// out[count * lane] on. Each takes one number of the lane's random stream. Made for machines with instructions that
// find the k-th one of a word, and for those without; both draw the same.
void draw_moves(const Choices& choices, int role, std::uint32_t count, std::uint64_t* random, std::uint32_t* out);

}  // namespace ggp

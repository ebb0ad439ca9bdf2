// The selection of UCT (selection.hpp) for processors with AVX2: eight actions at a time.
//
// Every operation is rounded as in the code without vectors, so both select the same action.
#pragma once

#include <cstdint>

#include "search/tree/tree.hpp"

namespace ggp {

// Selects an action in a node with a mover, of a complete choice or of a choice with settled bounds. `width` is C times
// the root of the logarithm. Returns `tried` if all actions are closed. The node has fewer than 2^31 visits, and eight
// actions from any action on are readable memory.
using SelectWithVectors = std::uint32_t (*)(const Node& node, const Choice& choice, const Action* actions, float width);

// Returns the function, or null if the processor does not have AVX2.
SelectWithVectors select_with_vectors();

}  // namespace ggp

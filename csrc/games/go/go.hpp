// Go with area scoring, positional superko and komi 7.5 on 5x5, 9x9 and 19x19 points.
#pragma once

#include <memory>

#include "games/common/module.hpp"

namespace ggp {

// `size`: points along an edge, 5, 9 or 19.
std::unique_ptr<const Module> go(int size);

}  // namespace ggp

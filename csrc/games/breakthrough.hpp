// Breakthrough (Dan Troyka, 2000) on 8x8 squares, or smaller.
#pragma once

#include <memory>

#include "games/module.hpp"

namespace ggp {

// Throws std::invalid_argument where there is no board of that size; there are 6 and 8.
std::unique_ptr<const Module> breakthrough(int size);

}  // namespace ggp

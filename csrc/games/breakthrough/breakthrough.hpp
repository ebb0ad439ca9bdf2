// Breakthrough (Dan Troyka, 2000) on 8x8 squares, or smaller.
#pragma once

#include <memory>

#include "games/common/module.hpp"

namespace ggp {

// The size is 6 or 8; throws std::invalid_argument for other sizes.
std::unique_ptr<const Module> breakthrough(int size);

}  // namespace ggp

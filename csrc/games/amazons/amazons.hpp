// Amazons (Walter Zamkauskas, 1988) on 10x10 squares, or smaller.
#pragma once

#include <memory>

#include "games/common/module.hpp"

namespace ggp {

// The size is 6, 8 or 10; throws std::invalid_argument for other sizes.
std::unique_ptr<const Module> amazons(int size);

}  // namespace ggp

// Amazons (Walter Zamkauskas, 1988) on 10x10 squares, or smaller.
#pragma once

#include <memory>

#include "games/module.hpp"

namespace ggp {

// Throws std::invalid_argument where there is no board of that size; there are 6, 8 and 10.
std::unique_ptr<const Module> amazons(int size);

}  // namespace ggp

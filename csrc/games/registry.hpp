// All native games.
#pragma once

#include "games/common/module.hpp"

namespace ggp {

// Returns the games in the order of their names; created by the first call.
const Modules& modules();

}  // namespace ggp

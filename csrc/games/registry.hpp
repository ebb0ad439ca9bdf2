// All native games.
#pragma once

#include <memory>
#include <vector>

#include "games/common/module.hpp"

namespace ggp {

// Returns the games in the order of their names; created by the first call.
const std::vector<std::unique_ptr<const Module>>& modules();

}  // namespace ggp

// All hand-coded games.
#pragma once

#include <memory>
#include <vector>

#include "games/module.hpp"

namespace ggp {

// Made once, when they are asked for first; in the order of their names.
const std::vector<std::unique_ptr<const Module>>& modules();

}  // namespace ggp

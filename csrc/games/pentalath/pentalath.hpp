// Pentalath (Cameron Browne and others, 2009) on the 61 cells of a hexagon of side 5.
#pragma once

#include <memory>

#include "games/common/module.hpp"

namespace ggp {

std::unique_ptr<const Module> pentalath();

}  // namespace ggp

// Cannon (David Whitcher, 2003) on 10x10 squares.
#pragma once

#include <memory>

#include "games/common/module.hpp"

namespace ggp {

std::unique_ptr<const Module> cannon();

}  // namespace ggp

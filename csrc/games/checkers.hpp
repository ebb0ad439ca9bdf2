// English checkers (draughts) on 8x8 squares.
#pragma once

#include <memory>

#include "games/module.hpp"

namespace ggp {

std::unique_ptr<const Module> checkers();

}  // namespace ggp

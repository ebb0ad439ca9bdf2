// Gomoku: exactly five stones in a row on a square board.
#pragma once

#include <memory>

#include "games/common/module.hpp"

namespace ggp {

// Size 5, 7, 9, 11 or 15.
std::unique_ptr<const Module> gomoku(int size);

}  // namespace ggp

// English checkers (draughts) on 8x8 squares.
#pragma once

#include <memory>

#include "games/common/module.hpp"

namespace ggp {

// A game is drawn after 50 turns without a capture or a move of a man.
std::unique_ptr<const Module> checkers();
// A game is drawn after 25 such turns.
std::unique_ptr<const Module> checkers_25();

}  // namespace ggp

// Lines of Action (Claude Soucie, about 1960) on 8x8 squares.
#pragma once

#include <memory>

#include "games/common/module.hpp"

namespace ggp {

std::unique_ptr<const Module> lines_of_action();

}  // namespace ggp

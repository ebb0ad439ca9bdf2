// Kalah with six houses a side and four seeds in each.
#pragma once

#include <memory>

#include "games/common/module.hpp"

namespace ggp {

std::unique_ptr<const Module> kalah();

}  // namespace ggp

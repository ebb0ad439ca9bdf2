// Chinese checkers for two on a star of 73 cells with two tips, six pieces a side.
#pragma once

#include <memory>

#include "games/common/module.hpp"

namespace ggp {

std::unique_ptr<const Module> chinese_checkers();

}  // namespace ggp

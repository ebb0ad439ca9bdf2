// Atari Go (Yasutoshi Yasuda) on 7x7 points: the first capture wins.
#pragma once

#include <memory>

#include "games/common/module.hpp"

namespace ggp {

std::unique_ptr<const Module> atari_go();

}  // namespace ggp

// Whether a module and its reference sheet agree: both play the same moves, and what each says of every position is
// compared. The sheet may make one turn out of several moves of the same role.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "games/module.hpp"

namespace ggp {

// The moves of the sheet, by number, that make up a move of the module, one after the other.
using SheetTurn = std::vector<int>;
// By number of the move in the module: all its turns, where different ones come to the same.
using SheetTurns = std::vector<std::vector<SheetTurn>>;

struct Agreement {
  std::uint64_t playouts = 0;  // that ended
  std::uint64_t turns = 0;
  std::string difference;      // the first one; empty where there is none
  std::vector<std::uint64_t> module_states, sheet_states;  // every so many turns: packed states that should be alike
};

// Plays at random until so many play-outs have ended. `turns` by role. Simulators of as many lanes each.
Agreement compare(const Module& module, Simulator& fast, Simulator& sheet, const std::vector<SheetTurns>& turns,
                  std::uint64_t playouts, std::uint64_t seed, std::uint64_t sample_every);

}  // namespace ggp

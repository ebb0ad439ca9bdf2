// Compares a native game with its reference sheet. Both play the same moves, and all properties of every position are
// compared. The sheet may divide one turn into several moves of one role.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "games/common/module.hpp"

namespace ggp {

// The moves of the sheet, by number and in order, that correspond to one move of the native game.
using SheetTurn = std::vector<int>;
// For each move of the native game: all sequences of moves of the sheet that correspond to it.
using SheetTurns = std::vector<std::vector<SheetTurn>>;

struct Agreement {
  std::uint64_t playouts = 0;  // number of play-outs that ended
  std::uint64_t turns = 0;
  std::string difference;      // the first difference; empty if there is none
  std::vector<std::uint64_t> module_states, sheet_states;  // at regular intervals: packed states that should be equal
};

// Plays at random until `playouts` play-outs have ended. `turns` is by role. Both simulators have the same number of
// lanes.
Agreement compare(const Module& module, Simulator& fast, Simulator& sheet, const std::vector<SheetTurns>& turns,
                  std::uint64_t playouts, std::uint64_t seed, std::uint64_t sample_every);

}  // namespace ggp

// Loading of states that play has reached. A simulator of a game with phases evaluates such states faster.
#pragma once

#include "interfaces/phases.hpp"
#include "simulator.hpp"

namespace ggp {

// As Simulator::load(), for states that are not terminal or that play has reached from such a state.
inline void load_played(Simulator& simulator, const std::uint64_t* mask, const std::uint64_t* const* states) {
  simulator.load(mask, states);
  if (Phases* const phases = simulator.optional_interface<Phases>()) phases->trust(mask);
}

}  // namespace ggp

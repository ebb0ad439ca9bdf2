// Optional interface of simulators: games whose turns have phases, such as the turns of two roles in alternation.
//
// A simulator evaluates a turn faster if all lanes are in the same phase. load() gives a lane a state. step() keeps a
// state in each lane that has moves for all roles. Lanes without a state have no phase.
#pragma once

#include <cstdint>

#include "interfaces/optional_interface.hpp"

namespace ggp {

class Phases : public OptionalInterface<InterfaceId::kPhases> {
 public:
  static constexpr int kNoPhase = -1;
  static constexpr int kSeveralPhases = -2;

  // The number of phases, 0 if the game has none. Phase p + 1 follows phase p, and phase 0 follows the last one.
  virtual int phases() const = 0;
  // The phase of all lanes that have a state. kNoPhase: no lane has a state. kSeveralPhases: the phases differ, a
  // state has no phase, or a loaded state is not trusted yet. Valid between step() and the first choice of a turn.
  virtual int phase() const = 0;
  // The phase of a packed state; kNoPhase if play cannot reach the state. The initial state has phase 0.
  virtual int phase_of(const std::uint64_t* state) const = 0;
  // Declares that each state in these lanes is not terminal, or that play has reached the state from such a state. Call
  // between load() and evaluate(). Without this call, a state other than the initial one is slower in its first turn.
  virtual void trust(const std::uint64_t* mask) = 0;
};

}  // namespace ggp

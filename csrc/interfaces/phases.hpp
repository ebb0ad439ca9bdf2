// Optional interface of simulators: games whose turns have phases, such as the turns of two roles in alternation.
//
// A simulator evaluates a turn faster if all lanes are in the same phase. A lane has a state from load() on, and keeps
// one in each step() for which it got moves; other lanes have no phase.
#pragma once

#include <cstdint>

#include "interfaces/optional_interface.hpp"

namespace ggp {

class Phases {
 public:
  static constexpr InterfaceId kId = InterfaceId::kPhases;
  static constexpr int kNoPhase = -1;
  static constexpr int kSeveralPhases = -2;

  // The number of phases, 0 if the game has none. Phase p + 1 follows phase p, and phase 0 follows the last one.
  virtual int phases() const = 0;
  // The phase of all lanes that have a state; kNoPhase if no lane has a state, and kSeveralPhases if the phases differ or
  // a state has no phase. Valid between step() and the first choice of a turn.
  virtual int phase() const = 0;
  // The phase of a packed state, of which the initial state has phase 0; kNoPhase if play cannot reach the state.
  virtual int phase_of(const std::uint64_t* state) const = 0;
  // Declares, between load() and evaluate(), that the states in these lanes are not terminal, or that play has reached
  // them from such states. Without it, other states than the initial one are evaluated more slowly in their first turn.
  virtual void trust(const std::uint64_t* mask) = 0;

 protected:
  ~Phases() = default;
};

}  // namespace ggp

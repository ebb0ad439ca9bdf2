// Optional interface of simulators: what the roles perceive of a joint move (GDL-II, `sees`).
//
// The percepts of a role have numbers that never change. They are evaluated in the state before the joint move.
#pragma once

#include <cstdint>
#include <vector>

#include "interfaces/optional_interface.hpp"

namespace ggp {

class Percepts {
 public:
  static constexpr InterfaceId kId = InterfaceId::kPercepts;

  // Evaluates the percepts of the chosen moves. It is called between the last choice of a turn and step(); turns
  // without this call do not evaluate percepts. It throws what evaluate() throws.
  virtual void perceive() = 0;
  // Replaces `out` by the numbers of the percepts of a role in a lane, ascending. Valid between perceive() and step(),
  // in lanes with a complete joint move.
  virtual void perceived(int lane, int role, std::vector<std::uint32_t>& out) const = 0;

 protected:
  ~Percepts() = default;
};

}  // namespace ggp

// Optional interface of simulators: fluents and legal moves by columns, a lane mask for each. Simulators have it whose
// packed state is one bit for each fluent.
#pragma once

#include <cstdint>

#include "interfaces/optional_interface.hpp"

namespace ggp {

class LaneColumns {
 public:
  static constexpr InterfaceId kId = InterfaceId::kLaneColumns;

  // The number of fluents, which are numbered from 0.
  virtual int fluents() const = 0;
  // The lanes in which a fluent is true; valid until the first choice of a turn.
  virtual const std::uint64_t* fluent_lanes(int fluent) const = 0;
  // The lanes in which a move is legal; valid after evaluate() until step().
  virtual const std::uint64_t* legal_lanes(int role, int move) const = 0;

 protected:
  ~LaneColumns() = default;
};

}  // namespace ggp

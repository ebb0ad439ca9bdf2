// Optional interface of simulators: a lane mask ("column") for each fluent and for each legal move. Simulators whose
// packed state has one bit for each fluent have this interface.
#pragma once

#include <cstdint>

#include "interfaces/optional_interface.hpp"

namespace ggp {

class LaneColumns : public OptionalInterface<InterfaceId::kLaneColumns> {
 public:
  // The number of fluents, which are numbered from 0.
  virtual int fluents() const = 0;
  // The lanes in which a fluent is true; valid until the first choice of a turn.
  virtual const std::uint64_t* fluent_lanes(int fluent) const = 0;
  // The lanes in which a move is legal; valid after evaluate() until step().
  virtual const std::uint64_t* legal_lanes(int role, int move) const = 0;
};

}  // namespace ggp

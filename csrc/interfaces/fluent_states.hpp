// Optional interface of simulators: the fluents of states whose packed form is not one bit for each fluent.
#pragma once

#include "interfaces/optional_interface.hpp"

namespace ggp {

class FluentStates : public OptionalInterface<InterfaceId::kFluentStates> {
 public:
  // The number of fluents, which are numbered from 0.
  virtual int fluents() const = 0;
  // Writes the numbers of the fluents that are true in a lane, in any order, and returns their count. `out` has space
  // for fluents() numbers.
  virtual int true_fluents(int lane, int* out) const = 0;
};

}  // namespace ggp

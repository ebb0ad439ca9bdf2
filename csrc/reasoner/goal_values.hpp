// The goal values of a role in the current state of an evaluator.
#pragma once

#include <algorithm>
#include "base/goal_range.hpp"
#include "reasoner/evaluator.hpp"

namespace ggp {

// The highest of `count` ascending values; -1 if `count` is 0.
inline int highest(const int* values, int count) { return count == 0 ? -1 : values[count - 1]; }

// Writes the goal values that hold, ascending, to `out`, which has space for kGoalValues; returns their number. Values
// are limited to 0 .. 100; a value that is not a whole number does not count.
inline int goal_values(Evaluator& evaluator, Term role, int* out) {
  const Evaluator::Answers found = evaluator.query(evaluator.plan().goal, &role);
  int* end = out;
  for (std::uint32_t i = 0; i < found.count; ++i) {
    const int value = goal_in_range(evaluator.terms().print(found.first[i]));
    if (value >= 0 && std::find(out, end, value) == end) *end++ = value;
  }
  std::sort(out, end);
  return static_cast<int>(end - out);
}

}  // namespace ggp

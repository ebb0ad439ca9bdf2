// The goal values of a role in the state that an evaluator is in.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

#include "goal_range.hpp"
#include "reasoner/evaluator.hpp"

namespace ggp {

// The highest of `count` ascending values, -1 where there are none.
inline int highest(const int* values, int count) { return count == 0 ? -1 : values[count - 1]; }

// Writes the values that hold, ascending, to `out`, which has room for kGoalValues; returns their number. Values beyond
// the range count as its nearest end. Throws std::runtime_error where a value is no whole number.
inline int goal_values(Evaluator& evaluator, Term role, int* out) {
  const Evaluator::Answers found = evaluator.query(evaluator.plan().goal, &role);
  int* end = out;
  for (std::uint32_t i = 0; i < found.count; ++i) {
    const std::string text = evaluator.terms().print(found.first[i]);
    const int value = goal_in_range(text);
    if (value < 0)
      throw std::runtime_error("the goal value " + text + " of " + evaluator.terms().print(role) +
                               " is no whole number from 0 to 100");
    if (std::find(out, end, value) == end) *end++ = value;
  }
  std::sort(out, end);
  return static_cast<int>(end - out);
}

}  // namespace ggp

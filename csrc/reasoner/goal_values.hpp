// The goal values of a role in the state that an evaluator is in.
#pragma once

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string>

#include "reasoner/evaluator.hpp"

namespace ggp {

// Writes the values that hold, ascending, to `out`, which has room for 101; returns their number. Throws
// std::runtime_error where the rules give anything else than a whole number from 0 to 100.
inline int goal_values(Evaluator& evaluator, Term role, int* out) {
  const Evaluator::Answers found = evaluator.query(evaluator.plan().goal, &role);
  int* end = out;
  for (std::uint32_t i = 0; i < found.count; ++i) {
    const std::string text = evaluator.terms().print(found.first[i]);
    int value = -1;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || rest != text.data() + text.size() || value < 0 || value > 100)
      throw std::runtime_error("the goal value " + text + " of " + evaluator.terms().print(role) +
                               " is no whole number from 0 to 100");
    if (std::find(out, end, value) == end) *end++ = value;
  }
  std::sort(out, end);
  return static_cast<int>(end - out);
}

}  // namespace ggp

// The range of goal values.
#pragma once

#include <algorithm>
#include <string>

namespace ggp {

// The number of goal values: 0 .. 100.
constexpr int kGoalValues = 101;

// Returns the goal value of a text of the rules: a whole number, limited to 0 .. 100; -1 if the text is not a whole
// number and so not a goal value.
inline int goal_in_range(const std::string& text) {
  const bool negative = !text.empty() && text[0] == '-';
  const std::size_t first = negative ? 1 : 0;
  if (text.size() == first || text.find_first_not_of("0123456789", first) != std::string::npos) return -1;
  int value = 0;
  for (std::size_t i = first; i < text.size(); ++i) value = std::min(10 * value + (text[i] - '0'), kGoalValues - 1);
  return negative ? 0 : value;
}

}  // namespace ggp

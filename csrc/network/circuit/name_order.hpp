// Order of names in which neighbours on a board stay neighbours: by characters, but numbers by value. So (cell 2 1)
// comes before (cell 10 1). Symbols of canonical sheets, s0, s1, ..., are also ordered by their numbers.
#pragma once

#include <string_view>

namespace ggp {

// Returns whether one name comes before another; different names are never equivalent.
inline bool name_less(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  // Returns the digits from a place on, without leading zeros; moves the place to their end.
  const auto digits = [&](std::string_view text, std::size_t& place) {
    const std::size_t first = place;
    while (place < text.size() && is_digit(text[place])) ++place;
    auto found = text.substr(first, place - first);
    while (!found.empty() && found.front() == '0') found.remove_prefix(1);
    return found;
  };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const auto x = digits(a, i), y = digits(b, j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else {
      if (a[i] != b[j]) return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]);
      ++i;
      ++j;
    }
  }
  if (i < a.size() || j < b.size()) return j < b.size();
  return a < b;  // equal except for leading zeros of numbers
}

}  // namespace ggp

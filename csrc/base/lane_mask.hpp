// Sets of lanes, as in simulators: lane l is bit l % 64 of word l / 64.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ggp {

using LaneMask = std::vector<std::uint64_t>;

inline std::uint64_t lane_bit(int lane) { return std::uint64_t{1} << (lane & 63); }
inline bool has_lane(const LaneMask& mask, int lane) { return mask[lane >> 6] & lane_bit(lane); }
inline void add_lane(LaneMask& mask, int lane) { mask[lane >> 6] |= lane_bit(lane); }
inline void remove_lane(LaneMask& mask, int lane) { mask[lane >> 6] &= ~lane_bit(lane); }
inline void remove_lanes(LaneMask& mask) { std::fill(mask.begin(), mask.end(), 0); }
inline bool any_lane(const LaneMask& mask) {
  return std::any_of(mask.begin(), mask.end(), [](std::uint64_t word) { return word != 0; });
}

// Calls action(lane) for the lanes of one word of a mask, in ascending order.
template <class Action>
void for_each_lane(int group, std::uint64_t lanes, Action action) {
  for (; lanes != 0; lanes &= lanes - 1) action(64 * group + __builtin_ctzll(lanes));
}
// Calls action(lane) for the lanes of a mask of `groups` words, in ascending order.
template <class Action>
void for_each_lane(const std::uint64_t* mask, int groups, Action action) {
  for (int group = 0; group < groups; ++group) for_each_lane(group, mask[group], action);
}

}  // namespace ggp

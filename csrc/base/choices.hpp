// Moves of many lanes, chosen by the caller of the simulator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/lane_mask.hpp"

namespace ggp {

// Lanes in each of which one role chooses among several legal moves.
struct Choices {
  int groups;                  // number of lanes / 64
  int blocks;                  // number of words of legal moves in a lane
  const std::uint64_t* lanes;  // a mask of `groups` words for each role; no lane is in two masks
  const std::uint64_t* legal;  // see word()
  std::uint32_t* moves;        // the result: the move of lane l is moves[l]

  const std::uint64_t* of_role(int role) const { return lanes + std::size_t(role) * groups; }
  // The legal moves 64 * block .. 64 * block + 63 of the role that chooses in a lane, as bits.
  std::uint64_t word(int lane, int block) const {
    return legal[(std::size_t(block) * 64 + (lane & 63)) * groups + (lane >> 6)];
  }
  // Calls action(lane) for the lanes in which a role chooses, ascending.
  template <class Action>
  void for_each_lane(int role, Action action) const {
    ggp::for_each_lane(of_role(role), groups, action);
  }
};

class MoveChooser {
 public:
  virtual ~MoveChooser() = default;
  // Writes one legal move for each of the lanes.
  virtual void choose(const Choices& choices) = 0;
};

// Memory for the choices of a simulator.
struct ChoiceBuffers {
  std::vector<std::uint64_t> lanes, legal;
  std::vector<std::uint32_t> moves;
  std::vector<int> list;
};

}  // namespace ggp

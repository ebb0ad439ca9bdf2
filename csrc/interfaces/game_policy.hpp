// Optional interface of simulators: play-out policies that belong to the game.
#pragma once

#include <cstdint>

#include "interfaces/optional_interface.hpp"

namespace ggp {

// A move drawn by the policy of a game. A forced move, such as a win at once, must be played even if a search has
// learned other preferences.
struct PolicyMove {
  int role;
  int move;
  bool forced;
};

// How a simulator draws moves. The light policy is a second policy of some games, with less knowledge.
enum class MoveDraw : std::uint8_t { kUniform, kPolicy, kLight };

class GamePolicy : public OptionalInterface<InterfaceId::kGamePolicy> {
 public:
  // Draws the move of every role by the policy, in every lane of the mask, as Simulator::choose_at_random() does
  // uniformly.
  virtual void choose_by_policy(const std::uint64_t* mask) = 0;
  // Whether the game has a light policy. choose_by_light_policy() needs one and draws all moves by it.
  virtual bool has_light_policy() const = 0;
  virtual void choose_by_light_policy(const std::uint64_t* mask) = 0;
  // Returns a move that the policy draws from the stream `random` for the role to move, in a lane that is not
  // terminal. The move is not set in the lane.
  virtual PolicyMove policy_move(int lane, std::uint64_t& random) = 0;
};

}  // namespace ggp

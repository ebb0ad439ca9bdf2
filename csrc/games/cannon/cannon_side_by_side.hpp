// Many games of Cannon side by side, played by vectors of boards, at random or by the policy. Cannon::random_move() and
// policy_move() are the functions for one board.
//
// Boards are in the view of the role to move and are turned after every move. So moves of both roles are shifts by the
// same constants. Some boards are played one by one: boards where the town may be under attack or a piece that protects
// it may be pinned (three of a hundred); boards on which towns are founded; and, by the policy, boards on which a move
// may attack the other town. The results are the same as for one board, including the order of moves and the numbers
// drawn from the random stream of each board.
#pragma once

#include <cstdint>

#include "base/vector_kernels.hpp"
#include "games/cannon/cannon_squares.hpp"

namespace ggp {

struct CannonState {
  cannon_squares::Board soldiers[2];  // by role
  std::uint64_t hash;
  std::int16_t town[2];               // columns; -1 before the town is founded
  std::uint32_t moves;                // number of moves so far
};

struct CannonSideBySide {
  static constexpr int kMost = 64;
  // Soldiers of the role to move and of the other role, the lower 64 bits and the upper; the columns of their towns,
  // kNone before they are founded.
  alignas(64) std::uint64_t mine[2][kMost] = {}, theirs[2][kMost] = {};
  alignas(64) std::uint64_t home[kMost] = {}, far[kMost] = {}, moves[kMost] = {};
  static constexpr std::uint64_t kNone = 15;

  void set(int board, const CannonState& state);
  // Without the hash, which is not maintained here.
  CannonState get(int board) const;
};

// Functions for one board.
struct CannonRules {
  bool (*play)(CannonState&, std::uint64_t& random);  // plays a random move; returns whether the game ends
  bool (*play_by_policy)(CannonState&, std::uint64_t& random);
  bool (*is_over)(const CannonState&);
};
CannonRules cannon_rules();

// Plays a move, drawn from the stream of the board, on each board of `which`. Returns the boards whose game ends.
using PlayCannon = std::uint64_t (*)(CannonSideBySide&, std::uint64_t which, std::uint64_t* random, const CannonRules&);

GGP_DECLARE_KERNELS(
  std::uint64_t play(CannonSideBySide&, std::uint64_t which, std::uint64_t* random, const CannonRules&);
  std::uint64_t play_by_policy(CannonSideBySide&, std::uint64_t which, std::uint64_t* random, const CannonRules&);)

}  // namespace ggp

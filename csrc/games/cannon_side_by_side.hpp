// Many games of Cannon side by side, played by vectors of boards, at random or by the policy; see Cannon::random_move()
// and policy_move() for one board.
// Boards are seen by the role whose turn it is, turned round with every move, so that moves of both roles are shifts by
// the same numbers. Three boards of a hundred, on which the town may be under attack or what protects it pinned, are
// played one by one, as are those on which towns are founded and, by the policy, those on which a move may attack the
// town of the other. All is as for one board, down to the order of moves and
// to what is drawn from the stream of each.
#pragma once

#include <cstdint>

#include "games/cannon_squares.hpp"
#include "games/vector_kernels.hpp"

namespace ggp {

struct CannonState {
  cannon_squares::Board soldiers[2];  // by role
  std::uint64_t hash;
  std::int16_t town[2];               // columns; -1 where there is none yet
  std::uint32_t moves;                // so far
};

struct CannonSideBySide {
  static constexpr int kMost = 64;
  // Soldiers of the role whose turn it is and of the other, the lower 64 bits and the upper; the columns of their
  // towns, kNone before there are any.
  alignas(64) std::uint64_t mine[2][kMost] = {}, theirs[2][kMost] = {};
  alignas(64) std::uint64_t home[kMost] = {}, far[kMost] = {}, moves[kMost] = {};
  static constexpr std::uint64_t kNone = 15;

  void set(int board, const CannonState& state);
  // But for its hash, which nobody keeps here.
  CannonState get(int board) const;
};

// What is asked of one board.
struct CannonRules {
  bool (*play)(CannonState&, std::uint64_t& random);  // a move at random; whether the game ends by it
  bool (*play_by_policy)(CannonState&, std::uint64_t& random);
  bool (*is_over)(const CannonState&);
};
CannonRules cannon_rules();

// Plays a move on each board of `which`, drawn from the stream of the board; those on which the game ends by it.
using PlayCannon = std::uint64_t (*)(CannonSideBySide&, std::uint64_t which, std::uint64_t* random, const CannonRules&);

// The kernels, to be called where the processor has the instruction set.
namespace avx2 {
std::uint64_t play(CannonSideBySide&, std::uint64_t which, std::uint64_t* random, const CannonRules&);
std::uint64_t play_by_policy(CannonSideBySide&, std::uint64_t which, std::uint64_t* random, const CannonRules&);
}  // namespace avx2
namespace avx512 {
std::uint64_t play(CannonSideBySide&, std::uint64_t which, std::uint64_t* random, const CannonRules&);
std::uint64_t play_by_policy(CannonSideBySide&, std::uint64_t which, std::uint64_t* random, const CannonRules&);
}  // namespace avx512

}  // namespace ggp

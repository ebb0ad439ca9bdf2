// Flags: -O1
//
// Checkers on many boards at a time, by each kernel that this processor can run, compared with a single board: the same
// moves from the same streams, and the same ends.
#include <vector>

#include "base/bits.hpp"
#include "base/vector_kernels.hpp"
#include "check.hpp"
#include "games/checkers/checkers_rules.hpp"
#include "games/checkers/checkers_side_by_side.hpp"

namespace {

using namespace ggp;
constexpr int kBoards = CheckersSideBySide::kMost;

// Few pieces, many of them kings, and many turns without a capture: positions that play-outs rarely reach.
CheckersState position_at_random(std::uint64_t& random, std::uint32_t quiet_end) {
  using namespace checkers_squares;
  CheckersState state{};
  for (int i = 0; i < kSquares; ++i) {
    const std::uint32_t kind = draw_below(random, 12);
    if (kind < 2) state.mine |= one_at(i);
    if (kind == 2 || kind == 3) state.theirs |= one_at(i);
    if (kind == 0 || kind == 2) state.kings |= one_at(i);
  }
  state.mover = static_cast<std::uint16_t>(draw_below(random, 2));
  state.kings |= state.mine & kFarRow[state.mover];
  state.kings |= state.theirs & kFarRow[1 - state.mover];
  state.quiet = static_cast<std::uint16_t>(draw_below(random, quiet_end));
  return state;
}

bool equal(const CheckersState& one, const CheckersState& other) {
  return one.mine == other.mine && one.theirs == other.theirs && one.kings == other.kings && one.mover == other.mover &&
         one.quiet == other.quiet;
}

// Games from the beginning or from random positions, in some of the lanes each turn.
template <std::uint32_t kQuietEnd>
void agrees_with_one_board(PlayCheckers play, int turns) {
  using Rules = checkers_squares::CheckersRules<kQuietEnd>;
  std::uint64_t random = 3;
  CheckersSideBySide boards;
  boards.quiet_end = kQuietEnd;
  std::vector<CheckersState> states(kBoards);
  std::vector<std::uint64_t> streams(kBoards), of_boards(kBoards);
  std::uint64_t fresh = ~std::uint64_t{0};
  int walks = 0, ends = 0, draws = 0;
  for (int turn = 0; turn < turns; ++turn) {
    for (int board = 0; board < kBoards; ++board) {
      if ((fresh >> board & 1) == 0) continue;
      do {
        states[board] = draw_below(random, 2) == 0 ? Rules::initial() : position_at_random(random, kQuietEnd);
      } while (Rules::terminal(states[board]));
      boards.set(board, states[board]);
      streams[board] = of_boards[board] = draw(random);
    }
    const std::uint64_t kinds[] = {~std::uint64_t{0}, draw(random), draw(random) & draw(random) & draw(random)};
    const std::uint64_t which = kinds[turn % 3];
    fresh = play(boards, which, of_boards.data(), Rules::random_capture);
    CHECK_EQUAL(fresh & ~which, std::uint64_t{0});
    for (int board = 0; board < kBoards; ++board) {
      if (which >> board & 1) {
        const CheckersMove move = Rules::template random_move<PlainBits>(states[board], streams[board]);
        walks += __builtin_popcount(move.victims) > 1;
        Rules::template play<false>(states[board], move);
        const bool over = Rules::terminal(states[board]);
        CHECK_EQUAL(fresh >> board & 1, static_cast<std::uint64_t>(over));
        ends += over;
        draws += over && Rules::goal(states[board], 0) == 50;
      }
      CHECK(equal(states[board], boards.get(board)));
      CHECK_EQUAL(streams[board], of_boards[board]);
    }
  }
  CHECK(walks > turns / 3);
  CHECK(ends > draws + turns / 6);
  CHECK(draws > turns / 30);
}

}  // namespace

TESTS(int, char**) {
  for (const Vectors vectors : {Vectors::kAvx2, Vectors::kAvx512}) {
    if (widest_vectors() < vectors) continue;
    const auto play = kernel_for<PlayCheckers>(vectors, GGP_VECTOR_KERNELS(play));
    agrees_with_one_board<checkers_squares::kUsualQuietEnd>(play, 3000);
    agrees_with_one_board<25>(play, 600);
  }
}

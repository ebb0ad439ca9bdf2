// Flags: -O1
//
// Captures on many Go boards at a time, by each kernel that this processor can run, compared with a single board.
#include <vector>

#include "base/random.hpp"
#include "check.hpp"
#include "fixtures/go_positions.hpp"
#include "games/go/go_captures.hpp"

namespace {

using namespace ggp;

template <int kSize>
void agrees_with_one_board(FindCaptures<kSize> find) {
  using Board = GoBoard<kSize>;
  std::uint64_t random = 3;
  int theirs_taken = 0, mine_taken = 0, stones_alone = 0, nothing_taken = 0;
  GoCaptures<kSize> captures;
  CHECK_EQUAL(find(captures, 0).takes, std::uint64_t{0});
  CHECK_EQUAL(find(captures, 0).alone, std::uint64_t{0});
  for (int round = 0; round < 40; ++round) {
    const int boards = round < 4 ? 64 - round : 1 + static_cast<int>(draw_below(random, 64));
    std::vector<GoPosition<kSize>> positions;
    while (static_cast<int>(positions.size()) < boards) {
      const GoPosition<kSize> made = position_at_random<kSize>(random);
      if (made.point < 0) continue;
      captures.set(static_cast<int>(positions.size()), Board::pack(made.mine), Board::pack(made.theirs), made.point);
      positions.push_back(made);
    }
    const auto [takes, alone] = find(captures, boards);
    CHECK(boards == 64 || (takes | alone) >> boards == 0);
    CHECK_EQUAL(takes & alone, std::uint64_t{0});
    for (int board = 0; board < boards; ++board) {
      const GoPosition<kSize>& there = positions[board];
      const auto expected = Board::taken_by(there.point, there.mine, there.theirs);
      const bool any = any_of(expected.theirs | expected.mine);
      const bool is_alone = expected.mine == Board::one(there.point);
      CHECK_EQUAL(takes >> board & 1, static_cast<std::uint64_t>(any && !is_alone));
      CHECK_EQUAL(alone >> board & 1, static_cast<std::uint64_t>(is_alone));
      stones_alone += is_alone;
      theirs_taken += any_of(expected.theirs);
      mine_taken += any_of(expected.mine);
      nothing_taken += !any;
      if (!any || is_alone) continue;
      const auto taken = captures.taken(board);
      CHECK(taken.theirs == expected.theirs);
      CHECK(taken.mine == expected.mine);
    }
  }
  CHECK(theirs_taken > 30);
  CHECK(mine_taken > 30);
  CHECK(stones_alone > 30);
  CHECK(nothing_taken > 30);
}

}  // namespace

TESTS(int, char**) {
  for (const Vectors vectors : {Vectors::kAvx2, Vectors::kAvx512}) {
    if (widest_vectors() < vectors) continue;
    agrees_with_one_board<5>(kernel_for<FindCaptures<5>>(vectors, GGP_VECTOR_KERNELS(find_captures)));
    agrees_with_one_board<9>(kernel_for<FindCaptures<9>>(vectors, GGP_VECTOR_KERNELS(find_captures)));
    agrees_with_one_board<19>(kernel_for<FindCaptures<19>>(vectors, GGP_VECTOR_KERNELS(find_captures)));
  }
}

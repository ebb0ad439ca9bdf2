// Links: games simulation
// Flags: -O1
//
// Breakthrough on many boards at a time, by each kernel that this processor can run, against one board alone: the same moves
// from the same streams, and the same ends.
#include <string>
#include <vector>

#include "check.hpp"
#include "games/breakthrough_side_by_side.hpp"
#include "games/registry.hpp"
#include "games/vector_kernels.hpp"
#include "random.hpp"

namespace {

using namespace ggp;

// Play-outs from the beginning, in some of the lanes each turn; the module plays board by board.
template <int kSize>
void agrees_with_one_board(PlayBreakthrough<kSize> play, const std::string& name) {
  constexpr int kBoards = BreakthroughSideBySide<kSize>::kMost;
  std::unique_ptr<Simulator> single;
  for (const auto& module : modules())
    if (module->facts().name == name) single = module->simulator(kBoards, false);
  CHECK(single != nullptr);

  BreakthroughSideBySide<kSize> boards;
  std::vector<std::uint64_t> streams(kBoards);
  std::vector<BreakthroughState> states(kBoards);
  std::vector<std::uint64_t*> to;
  for (BreakthroughState& state : states) to.push_back(reinterpret_cast<std::uint64_t*>(&state));
  const std::vector<const std::uint64_t*> initial(kBoards, single->initial());
  for (int board = 0; board < kBoards; ++board) single->seed(board, streams[board] = mix64(board));

  std::uint64_t fresh = ~std::uint64_t{0}, random = 3;
  int ends = 0, swaps = 0;
  for (int turn = 0; turn < 2000; ++turn) {
    const std::uint64_t all = ~std::uint64_t{0};
    single->load(&fresh, initial.data());
    single->evaluate();
    single->store(&all, to.data());
    for (int board = 0; board < kBoards; ++board)
      if (fresh >> board & 1) boards.set(board, states[board]);

    const std::uint64_t kinds[] = {all, draw(random), draw(random) & draw(random) & draw(random)};
    const std::uint64_t which = kinds[turn % 3];
    single->choose_at_random(&which);
    single->step();
    single->evaluate();
    single->store(&all, to.data());
    fresh = play(boards, which, streams.data());
    CHECK_EQUAL(fresh, single->terminal()[0]);
    ends += __builtin_popcountll(fresh);
    for (int board = 0; board < kBoards; ++board) {
      const BreakthroughState found = boards.get(board);
      CHECK_EQUAL(found.mine, states[board].mine);
      CHECK_EQUAL(found.theirs, states[board].theirs);
      CHECK_EQUAL(found.mover, states[board].mover);
      swaps += found.mover == 1;
    }
  }
  CHECK(ends > 500);
  CHECK(swaps > 1000);
}

}  // namespace

int main() {
#if defined(__x86_64__)
  if (widest_vectors() >= Vectors::kAvx2) {
    agrees_with_one_board<6>(avx2::play, "breakthrough_6x6");
    agrees_with_one_board<8>(avx2::play, "breakthrough");
  }
  if (widest_vectors() >= Vectors::kAvx512) {
    agrees_with_one_board<6>(avx512::play, "breakthrough_6x6");
    agrees_with_one_board<8>(avx512::play, "breakthrough");
  }
#endif
}

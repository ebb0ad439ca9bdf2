#if defined(__x86_64__) && !defined(GGP_PORTABLE)
#include "games/gomoku/gomoku_side_by_side.hpp"

#include "base/kernel_begin.inl"

namespace ggp::GGP_ISA {
namespace {

#include "games/common/vectors.inl"

// The runs of exactly five in one direction, by their first points; kBy is the step between points.
template <int kBy>
Longs fives_along(const Longs& stones) {
  const Longs two = stones & stones >> kBy, five = two & two >> 2 * kBy & stones >> 4 * kBy;
  return five & ~(stones << kBy) & ~(stones >> 5 * kBy);
}

template <int kSize>
std::uint64_t play_boards(GomokuSideBySide<kSize>& all, std::uint64_t which, std::uint64_t* random) {
  using Boards = GomokuSideBySide<kSize>;
  constexpr int kStride = Boards::kStride;
  alignas(64) std::uint64_t empty[Boards::kMost], before[Boards::kMost], drawn[Boards::kMost];
  for_each_vector<Longs>(which, [&](int first, std::uint32_t here) {
    Longs streams = load<Longs>(random + first);
    store(&before[first], draw_product(streams, load<Longs>(&all.left[first]) & lanes_of<Longs>(here)) >> 32);
    store(random + first, streams);
    store(&empty[first], Boards::kAll & ~(load<Longs>(&all.mine[first]) | load<Longs>(&all.theirs[first])));
  });
  for_each_vector<Longs>(which, [&](int first, std::uint32_t) { pick(&empty[first], &before[first], &drawn[first]); });
  std::uint64_t fives = 0, full = 0;
  for_each_vector<Longs>(which, [&](int first, std::uint32_t here) {
    const Longs where = lanes_of<Longs>(here), theirs = load<Longs>(&all.theirs[first]);
    const Longs mine = load<Longs>(&all.mine[first]) | (load<Longs>(&drawn[first]) & where);
    const Longs left = load<Longs>(&all.left[first]) + where;
    store(&all.mine[first], choose(where != 0, theirs, mine));
    store(&all.theirs[first], choose(where != 0, mine, theirs));
    store(&all.left[first], left);
    const Longs found = fives_along<1>(mine) | fives_along<kStride - 1>(mine) | fives_along<kStride>(mine) |
                        fives_along<kStride + 1>(mine);
    fives |= std::uint64_t{bits_of(found) & here} << first;
    full |= std::uint64_t{bits_of((Longs)(left == 0)) & here} << first;
  });
  all.fives = (all.fives & ~which) | fives;
  return fives | full;
}

}  // namespace

std::uint64_t play(GomokuSideBySide<5>& boards, std::uint64_t which, std::uint64_t* random) {
  return play_boards(boards, which, random);
}
std::uint64_t play(GomokuSideBySide<7>& boards, std::uint64_t which, std::uint64_t* random) {
  return play_boards(boards, which, random);
}

}  // namespace ggp::GGP_ISA

#include "base/kernel_end.inl"
#endif

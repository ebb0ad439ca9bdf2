#if defined(__x86_64__) && !defined(GGP_PORTABLE)
#include "games/go/atari_go_side_by_side.hpp"

#include "base/kernel_begin.inl"

namespace ggp::GGP_ISA {
namespace {

#include "games/common/vectors.inl"

constexpr int kMost = AtariGoSideBySide::kMost;

// As GoBoard::beside().
Longs beside(const Longs& points) {
  constexpr int kStride = AtariGoBoard::kStride;
  return points << 1 | points >> 1 | points << kStride | points >> kStride;
}
Longs empty_of(const Longs& stones) { return static_cast<std::uint64_t>(AtariGoBoard::kGeometry.all) & ~stones; }

// Draws a point on each board.
void draw_points(const AtariGoSideBySide& all, std::uint64_t which, std::uint64_t* random, std::uint64_t* points) {
  alignas(64) std::uint64_t empty[kMost], before[kMost];
  for_each_vector<Longs>(which, [&](int first, std::uint32_t here) {
    const Longs left = AtariGoBoard::kPoints - load<Longs>(&all.moves[first]);
    Longs streams = load<Longs>(random + first);
    store(&before[first], draw_product(streams, left & lanes_of<Longs>(here)) >> 32);
    store(random + first, streams);
    store(&empty[first], empty_of(load<Longs>(&all.mine[first]) | load<Longs>(&all.theirs[first])));
  });
  for_each_vector<Longs>(which, [&](int first, std::uint32_t) { pick(&empty[first], &before[first], &points[first]); });
}

// Boards on which the new stone, or a stone next to it, has no empty adjacent point: one board in eight. Only such
// boards need rounds of spreading, so they are collected.
struct Suspects {
  int count = 0;
  std::uint8_t board[kMost];
  alignas(64) std::uint64_t mine[kMost], theirs[kMost], stone[kMost];

  void add(int at, std::uint64_t own, std::uint64_t other, std::uint64_t point) {
    board[count] = static_cast<std::uint8_t>(at);
    mine[count] = own;
    theirs[count] = other;
    stone[count] = point;
    ++count;
  }
  // Completes the last vector by empty boards.
  void fill_up() {
    for (int i = count; i % kLanes<Longs> != 0; ++i) mine[i] = theirs[i] = stone[i] = 0;
  }
};

// Returns the stones of groups at the new stone that have no empty adjacent point.
Longs dead_groups(const Longs& mine, const Longs& theirs, const Longs& stone) {
  const Longs air = beside(empty_of(mine | theirs));
  Longs alive_mine = mine & air, alive_theirs = theirs & air, unsure = (stone | (beside(stone) & theirs)) & ~air;
  while (bits_of(unsure) != 0) {
    const Longs more_mine = alive_mine | (beside(alive_mine) & mine);
    const Longs more_theirs = alive_theirs | (beside(alive_theirs) & theirs);
    unsure &= ~(more_mine | more_theirs);
    if (bits_of((more_mine ^ alive_mine) | (more_theirs ^ alive_theirs)) == 0) return unsure;
    alive_mine = more_mine;
    alive_theirs = more_theirs;
  }
  return unsure;
}

}  // namespace

// Before the move all groups have an empty adjacent point, so only groups at the new stone may have none after it.
std::uint64_t play(AtariGoSideBySide& all, std::uint64_t which, std::uint64_t* random) {
  alignas(64) std::uint64_t points[kMost];
  draw_points(all, which, random, points);

  std::uint64_t suspected = 0;
  for_each_vector<Longs>(which, [&](int first, std::uint32_t here) {
    const Longs where = lanes_of<Longs>(here), theirs = load<Longs>(&all.theirs[first]);
    const Longs stone = load<Longs>(&points[first]) & where, mine = load<Longs>(&all.mine[first]) | stone;
    const Longs air = beside(empty_of(mine | theirs));
    suspected |= std::uint64_t{bits_of((stone | (beside(stone) & theirs)) & ~air)} << first;
    store(&all.mine[first], choose(where != 0, theirs, mine));
    store(&all.theirs[first], choose(where != 0, mine, theirs));
    store(&all.moves[first], load<Longs>(&all.moves[first]) - where);
  });

  Suspects suspects;
  for (; suspected != 0; suspected &= suspected - 1) {
    const int board = __builtin_ctzll(suspected);
    suspects.add(board, all.theirs[board], all.mine[board], points[board]);  // the other role is to move now
  }
  suspects.fill_up();
  alignas(64) std::uint64_t dead[kMost];
  for (int first = 0; first < suspects.count; first += kLanes<Longs>)
    store(&dead[first], dead_groups(load<Longs>(&suspects.mine[first]), load<Longs>(&suspects.theirs[first]),
                                    load<Longs>(&suspects.stone[first])));
  std::uint64_t captured = 0, died = 0;
  for (int i = 0; i < suspects.count; ++i) {
    captured |= std::uint64_t{(dead[i] & suspects.theirs[i]) != 0} << suspects.board[i];
    died |= std::uint64_t{(dead[i] & suspects.mine[i]) != 0} << suspects.board[i];
  }
  all.captured = (all.captured & ~which) | captured;
  all.died = (all.died & ~which) | died;
  return captured | died;
}

}  // namespace ggp::GGP_ISA

#include "base/kernel_end.inl"
#endif

#if defined(__x86_64__) && !defined(GGP_PORTABLE)
#include "games/checkers/checkers_side_by_side.hpp"

#include "base/kernel_begin.inl"

namespace ggp::GGP_ISA {
namespace {

#include "games/common/vectors.inl"

using namespace checkers_squares;

// Moves are drawn direction by direction, in each in the order of their target squares.
Words on(const Words& words, int way) {
  return (words << kRotation[way] | words >> (32 - kRotation[way])) & kReached[way];
}

struct Boards {
  Words mine, theirs, kings, mover, quiet;

  Words empty() const { return ~(mine | theirs); }
  // men_go(): all bits if men move in this direction; goers(): the pieces that may move in this direction.
  Words men_go(int way) const { return way < 2 ? mover - 1 : -mover; }
  Words goers(int way) const { return mine & (kings | men_go(way)); }
};

struct Targets {
  Words of[kWays];
  Words any() const { return of[0] | of[1] | of[2] | of[3]; }
};
Targets steps(const Boards& boards) {
  Targets to;
  for (int way = 0; way < kWays; ++way) to.of[way] = on(boards.goers(way), way) & boards.empty();
  return to;
}
Targets jumps(const Boards& boards) {
  Targets to;
  for (int way = 0; way < kWays; ++way)
    to.of[way] = on(on(boards.goers(way), way) & boards.theirs, way) & boards.empty();
  return to;
}

// Boards on which a first jump may be followed by another; may include boards without one.
Words may_go_on(const Boards& boards, const Words& landings) {
  const Words kings = (Words)((boards.mine & boards.kings) != 0);
  Words further = {};
  for (int way = 0; way < kWays; ++way)
    further |= on(on(landings & (kings | boards.men_go(way)), way) & boards.theirs, way);
  return further & boards.empty();
}

// For each board: the targets of moves in one direction, the number of targets before the drawn target, the number of
// bits of the move (twice this number for jumps), and the move.
struct Moves {
  static constexpr int kMost = CheckersSideBySide::kMost;
  alignas(64) std::uint32_t squares[kMost], before[kMost], rotation[kMost], jumping[kMost];
  alignas(64) std::uint32_t from[kMost], to[kMost], victims[kMost];
};

// Steps and single jumps. Returns the boards on which a second jump may follow; these boards draw nothing.
std::uint32_t draw_moves(const Boards& boards, std::uint32_t which, std::uint64_t* random, Moves& moves, int first) {
  const Targets jumped = jumps(boards), stepped = steps(boards);
  const auto jumping = jumped.any() != 0;
  const std::uint32_t longer = bits_of(may_go_on(boards, jumped.any())) & which;

  Words to[kWays], before[kWays + 1] = {};  // number of moves in the directions before each
  for (int way = 0; way < kWays; ++way) {
    to[way] = choose(jumping, jumped.of[way], stepped.of[way]);
    before[way + 1] = before[way] + count(to[way]);
  }
  const Words place = draw_below(random, before[kWays] & lanes_of<Words>(which & ~longer));
  Words in_way = to[0], place_in_way = place, rotation = Words{} + kRotation[0];
  for (int way = 1; way < kWays; ++way) {
    const auto there = place >= before[way];
    in_way = choose(there, to[way], in_way);
    place_in_way = choose(there, place - before[way], place_in_way);
    rotation = choose(there, Words{} + kRotation[way], rotation);
  }
  store(&moves.squares[first], in_way);
  store(&moves.before[first], place_in_way);
  store(&moves.rotation[first], rotation);
  store(&moves.jumping[first], (Words)jumping);
  return longer;
}
// Finds the starts of moves, and the jumped pieces.
void find_ways(Moves& moves, int first) {
  const Words rotation = load<Words>(&moves.rotation[first]);
  const auto back = [&](const Words& squares) { return squares >> rotation | squares << (32 - rotation); };
  const auto jumping = load<Words>(&moves.jumping[first]) != 0;
  const Words beside = back(load<Words>(&moves.to[first]));
  store(&moves.from[first], choose(jumping, back(beside), beside));
  store(&moves.victims[first], choose(jumping, beside, Words{}));
}

Boards played(const Boards& boards, const Words& from, const Words& to, const Words& victims) {
  const auto king = (boards.kings & from) != 0;
  const Words path = from ^ to;  // 0 if a walk returns to its start
  const Words mine = boards.mine ^ path;
  const Words far_row = choose(boards.mover == 0, Words{} + kFarRow[0], Words{} + kFarRow[1]);
  Boards next;
  next.mine = boards.theirs & ~victims;
  next.theirs = mine;
  next.kings = ((boards.kings ^ choose(king, path, Words{})) & ~victims) | (mine & far_row);
  next.quiet = choose(king, choose(victims == 0, boards.quiet + 1, Words{}), Words{});
  next.mover = boards.mover ^ 1;
  return next;
}

// Boards on which the game is over.
std::uint32_t ended(const Boards& boards, std::uint32_t quiet_end, std::uint32_t which) {
  const Words several = (boards.mine & (boards.mine - 1)) | (boards.theirs & (boards.theirs - 1));
  const Words one_king_each = (Words)((several | ((boards.mine | boards.theirs) ^ boards.kings)) == 0);
  const Words draws = (Words)(boards.quiet >= quiet_end) | one_king_each;
  std::uint32_t stuck = which & ~bits_of(steps(boards).any());
  if (stuck != 0) stuck &= ~bits_of(jumps(boards).any());
  return stuck | (bits_of(draws) & which);
}

Boards load(const CheckersSideBySide& all, int first) {
  return {load<Words>(&all.mine[first]), load<Words>(&all.theirs[first]), load<Words>(&all.kings[first]),
          load<Words>(&all.mover[first]), load<Words>(&all.quiet[first])};
}
template <class Mask>
void store(CheckersSideBySide& all, int first, const Mask& where, const Boards& next, const Boards& now) {
  store(&all.mine[first], choose(where, next.mine, now.mine));
  store(&all.theirs[first], choose(where, next.theirs, now.theirs));
  store(&all.kings[first], choose(where, next.kings, now.kings));
  store(&all.mover[first], choose(where, next.mover, now.mover));
  store(&all.quiet[first], choose(where, next.quiet, now.quiet));
}

}  // namespace

// Moves are drawn on all boards before any is played, so that vectors need not wait for work on single boards.
std::uint64_t play(CheckersSideBySide& all, std::uint64_t which, std::uint64_t* random, DrawCapture draw_capture) {
  Moves moves;
  std::uint64_t longer = 0, over = 0;
  for_each_vector<Words>(which, [&](int first, std::uint32_t here) {
    longer |= std::uint64_t{draw_moves(load(all, first), here, random + first, moves, first)} << first;
  });
  for_each_vector<Words>(which, [&](int first, std::uint32_t) {
    pick(&moves.squares[first], &moves.before[first], &moves.to[first]);
  });
  for_each_vector<Words>(which, [&](int first, std::uint32_t) { find_ways(moves, first); });
  for (; longer != 0; longer &= longer - 1) {
    const int board = __builtin_ctzll(longer);
    const CheckersMove move = draw_capture(all.get(board), random[board]);
    moves.from[board] = move.from;
    moves.to[board] = move.to;
    moves.victims[board] = move.victims;
  }
  for_each_vector<Words>(which, [&](int first, std::uint32_t here) {
    const Boards now = load(all, first);
    const Boards next = played(now, load<Words>(&moves.from[first]), load<Words>(&moves.to[first]),
                               load<Words>(&moves.victims[first]));
    store(all, first, lanes_of<Words>(here) != 0, next, now);
    over |= std::uint64_t{ended(next, all.quiet_end, here)} << first;
  });
  return over;
}

}  // namespace ggp::GGP_ISA

#include "base/kernel_end.inl"
#endif

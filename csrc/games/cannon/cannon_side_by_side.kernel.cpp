#if defined(__x86_64__) && !defined(GGP_PORTABLE)
#include "games/cannon/cannon_side_by_side.hpp"

#include "base/kernel_begin.inl"

namespace ggp::GGP_ISA {
namespace {

#include "games/common/vectors.inl"

using namespace cannon_squares;

// Squares of each board.
struct Wide {
  Longs low, high;
  Longs any() const { return low | high; }
  Longs counted() const { return count(low) + count(high); }
  friend Wide operator&(const Wide& one, const Wide& other) { return {one.low & other.low, one.high & other.high}; }
  friend Wide operator|(const Wide& one, const Wide& other) { return {one.low | other.low, one.high | other.high}; }
  friend Wide operator^(const Wide& one, const Wide& other) { return {one.low ^ other.low, one.high ^ other.high}; }
  friend Wide operator~(const Wide& squares) { return {~squares.low, ~squares.high}; }
};
Wide everywhere(Board squares) {
  return {Longs{} + static_cast<std::uint64_t>(squares), Longs{} + static_cast<std::uint64_t>(squares >> 64)};
}
template <int kBy>
Wide shifted(const Wide& squares) {
  if constexpr (kBy > 0)
    return {squares.low << kBy, squares.high << kBy | squares.low >> (64 - kBy)};
  else
    return {squares.low >> -kBy | squares.high << (64 + kBy), squares.high >> -kBy};
}
// The board rotated by 180 degrees.
Wide turned(const Wide& squares) {
  constexpr int kOver = 127 - kLastPlace;
  return shifted<-kOver>(Wide{bits_reversed(squares.high), bits_reversed(squares.low)});
}

struct Boards {
  Wide mine, theirs;
  Longs home, far, moves;

  Wide towns() const { return {(Longs{} + 1) << home, (Longs{} + 1) << (far + (place_of(kSize - 1, 0) - 64))}; }
  Wide empty() const { return everywhere(kSquares) & ~(mine | theirs | towns()); }
};
Wide load(const std::uint64_t (&from)[2][CannonSideBySide::kMost], int first) {
  return {load<Longs>(&from[0][first]), load<Longs>(&from[1][first])};
}
template <class Mask>
void store(std::uint64_t (&to)[2][CannonSideBySide::kMost], int first, const Mask& where, const Wide& next,
           const Wide& now) {
  store(&to[0][first], choose(where, next.low, now.low));
  store(&to[1][first], choose(where, next.high, now.high));
}
Boards load(const CannonSideBySide& all, int first) {
  return {load(all.mine, first), load(all.theirs, first), load<Longs>(&all.home[first]), load<Longs>(&all.far[first]),
          load<Longs>(&all.moves[first])};
}

// Threats to a town on the own home row lie on the lower 64 squares, except for a threat on the edge. Soldiers near a
// distant town stand on the upper squares.
struct Zones {
  std::uint64_t near[16], zone[16], beyond[16], far_near[16], far_zone[2][16];
};
constexpr Zones zones() {
  Zones made{};
  for (int column = 0; column < kSize; ++column) {
    const Watch &home = kWatches.of[0][column], &far = kWatches.of[1][column];
    made.near[column] = static_cast<std::uint64_t>(home.near);
    made.zone[column] = static_cast<std::uint64_t>(home.zone);
    made.beyond[column] = static_cast<std::uint64_t>(home.zone >> 64);
    made.far_near[column] = static_cast<std::uint64_t>(far.near >> 64);
    for (int half = 0; half < 2; ++half) made.far_zone[half][column] = static_cast<std::uint64_t>(far.zone >> 64 * half);
  }
  return made;
}
constexpr Zones kZones = zones();

// Boards on which a town is not founded yet, an enemy is near the own town, or three enemies in a row may be a cannon
// that hits the town. On all other boards every move is safe.
std::uint32_t in_danger(const Boards& boards) {
  const Longs there = boards.theirs.low & gathered(kZones.zone, boards.home);
  const auto three = [&](int step) { return there & there >> step & there >> 2 * step; };
  const Longs near = boards.theirs.low & gathered(kZones.near, boards.home);
  const Longs beyond = boards.theirs.high & gathered(kZones.beyond, boards.home);
  return bits_of(near | beyond | three(kEast) | three(kNorth) | three(kNorthEast) | three(kNorthWest) |
                 (Longs)(boards.moves < 2));
}

// The target squares of moves, by kind.
struct Targets {
  Wide of[kKinds];
};
template <int kKind>
void use_cannons(Targets& to, const Boards& boards, const Wide& empty) {
  constexpr int kStep = kDeltas[kKind] / 3;
  const Wide threes = boards.mine & shifted<-kStep>(boards.mine) & shifted<-2 * kStep>(boards.mine);
  const Wide ahead = shifted<3 * kStep>(threes) & empty, behind = shifted<-kStep>(threes) & empty;
  to.of[kKind] = ahead;
  to.of[kKind + 1] = behind;
  const Wide next = shifted<kStep>(ahead) & everywhere(kSquares), last = shifted<-kStep>(behind) & everywhere(kSquares);
  to.of[kShot] = to.of[kShot] | ((next | shifted<kStep>(next) | last | shifted<-kStep>(last)) & boards.theirs);
}
template <int kKind>
void retreat(Targets& to, const Wide& pressed, const Wide& empty) {
  constexpr int kStep = kDeltas[kKind] / 2;
  to.of[kKind] = shifted<kStep>(shifted<kStep>(pressed) & empty) & empty;
}
Targets targets(const Boards& boards) {
  const Wide &mine = boards.mine, &theirs = boards.theirs, empty = boards.empty(), open = empty | theirs;
  Targets to;
  to.of[0] = shifted<kDeltas[0]>(mine) & open;
  to.of[1] = shifted<kDeltas[1]>(mine) & open;
  to.of[2] = shifted<kDeltas[2]>(mine) & open;
  to.of[3] = shifted<kDeltas[3]>(mine) & theirs;
  to.of[4] = shifted<kDeltas[4]>(mine) & theirs;
  const Wide wide = theirs | shifted<kEast>(theirs) | shifted<-kEast>(theirs);
  const Wide pressed = mine & (wide | shifted<kNorth>(wide) | shifted<-kNorth>(wide));
  retreat<kRetreats>(to, pressed, empty);
  retreat<kRetreats + 1>(to, pressed, empty);
  retreat<kRetreats + 2>(to, pressed, empty);
  to.of[kShot] = everywhere(0);
  use_cannons<kJumps>(to, boards, empty);
  use_cannons<kJumps + 2>(to, boards, empty);
  use_cannons<kJumps + 4>(to, boards, empty);
  use_cannons<kJumps + 6>(to, boards, empty);
  return to;
}

// Boards on which a move may attack the other town: a soldier is near the town or can get near it, or two of three in a
// row stand where a cannon may hit the town.
std::uint32_t may_attack(const Boards& boards, const Targets& to) {
  Longs near = boards.mine.high;
  for (int kind = 0; kind < kShot; ++kind) near |= to.of[kind].high;
  const Wide there = boards.mine & Wide{gathered(kZones.far_zone[0], boards.far), gathered(kZones.far_zone[1], boards.far)};
  const Wide two = there & (shifted<kEast>(there) | shifted<2 * kEast>(there) | shifted<kNorth>(there) |
                            shifted<2 * kNorth>(there) | shifted<kNorthEast>(there) | shifted<2 * kNorthEast>(there) |
                            shifted<kNorthWest>(there) | shifted<2 * kNorthWest>(there));
  return bits_of((near & gathered(kZones.far_near, boards.far)) | two.any());
}

// For each board: half of the target squares of one kind of moves; the number of targets before the drawn target;
// whether the half is the upper half; the distance of the move, 0 for a shot.
struct Moves {
  static constexpr int kMost = CannonSideBySide::kMost;
  alignas(64) std::uint64_t squares[kMost], before[kMost], upper[kMost], delta[kMost];
};

// By the policy: moves that capture, if there are any.
Targets preferred(const Boards& boards, Targets to) {
  Wide takes = to.of[kShot];
  for (int kind = 0; kind < kFoot; ++kind) takes = takes | (to.of[kind] & boards.theirs);
  const auto any = takes.any() != 0;
  for (int kind = 0; kind < kShot; ++kind) {
    const Wide taking = kind < kFoot ? to.of[kind] & boards.theirs : everywhere(0);
    to.of[kind] = {choose(any, taking.low, to.of[kind].low), choose(any, taking.high, to.of[kind].high)};
  }
  return to;
}

// Moves are drawn by kind, then by square in absolute coordinates: the second role sees them in reverse order. Shots
// have a weight of 2^kShift.
template <int kShift>
void draw_moves(const Boards& boards, const Targets& to, std::uint32_t which, std::uint64_t* random, Moves& moves,
                int first) {
  Longs upto[kKinds], sum = {};  // sums of weights of moves up to each kind
  for (int kind = 0; kind < kKinds; ++kind) upto[kind] = sum += to.of[kind].counted() << (kind == kShot ? kShift : 0);

  Longs streams = load<Longs>(random);
  const Longs place = draw_product(streams, sum & lanes_of<Longs>(which)) >> 32;
  store(random, streams);

  Wide squares = to.of[0];
  Longs start = {}, delta = Longs{} + kDeltas[0];
  for (int kind = 1; kind < kKinds; ++kind) {
    const auto is_beyond = place >= upto[kind - 1];
    squares = {choose(is_beyond, to.of[kind].low, squares.low), choose(is_beyond, to.of[kind].high, squares.high)};
    start = choose(is_beyond, upto[kind - 1], start);
    delta = choose(is_beyond, Longs{} + static_cast<std::uint64_t>(kind == kShot ? 0 : kDeltas[kind]), delta);
  }
  const Longs of_weight = place - start, of_kind = choose(place >= upto[kShot - 1], of_weight >> kShift, of_weight);
  const Longs lower = count(squares.low);
  const Longs before = choose((boards.moves & 1) == 0, of_kind, lower + count(squares.high) - 1 - of_kind);
  const auto is_upper = before >= lower;
  store(&moves.squares[first], choose(is_upper, squares.high, squares.low));
  store(&moves.before[first], choose(is_upper, before - lower, before));
  store(&moves.upper[first], choose(is_upper, Longs{} + 64, Longs{}));
  store(&moves.delta[first], delta);
}

// The changes by moves, board by board: the captured enemy; the squares that soldiers leave and enter.
struct Changes {
  static constexpr int kMost = CannonSideBySide::kMost;
  alignas(64) std::uint64_t taken[2][kMost], path[2][kMost];
};
void find_changes(const Moves& moves, int first, Changes& changes) {
  std::uint64_t ones[kLanes<Longs>];
  pick(&moves.squares[first], &moves.before[first], ones);
  for (int board = first; board < first + kLanes<Longs>; ++board) {
    const std::uint64_t upper = moves.upper[board] != 0 ? ~std::uint64_t{0} : 0, one = ones[board - first];
    const Board to = Board{one & upper} << 64 | (one & ~upper);
    const auto delta = static_cast<int>(moves.delta[board]);
    const Board path = to ^ (delta >= 0 ? to >> delta : to << -delta);  // 0 for a shot
    for (int half = 0; half < 2; ++half) {
      changes.taken[half][board] = static_cast<std::uint64_t>(to >> 64 * half);
      changes.path[half][board] = static_cast<std::uint64_t>(path >> 64 * half);
    }
  }
}

template <bool by_policy>
std::uint64_t play_boards(CannonSideBySide& all, std::uint64_t which, std::uint64_t* random, const CannonRules& rules) {
  Moves moves;
  Changes changes;
  std::uint64_t alone = 0;  // boards that are played one by one
  for_each_vector<Longs>(which, [&](int first, std::uint32_t here) {
    const Boards boards = load(all, first);
    const Targets to = targets(boards);
    std::uint32_t aside = in_danger(boards) & here;
    if constexpr (by_policy) {
      aside |= may_attack(boards, to) & here;
      draw_moves<2>(boards, preferred(boards, to), here & ~aside, random + first, moves, first);
    } else {
      draw_moves<0>(boards, to, here & ~aside, random + first, moves, first);
    }
    alone |= std::uint64_t{aside} << first;
  });
  for_each_vector<Longs>(which & ~alone, [&](int first, std::uint32_t) { find_changes(moves, first, changes); });
  std::uint64_t over = 0, doubtful = 0;
  for_each_vector<Longs>(which & ~alone, [&](int first, std::uint32_t here) {
    const Boards now = load(all, first);
    const Boards next{turned(now.theirs & ~load(changes.taken, first)), turned(now.mine ^ load(changes.path, first)),
                      kSize - 1 - now.far, kSize - 1 - now.home, now.moves + 1};
    const auto where = lanes_of<Longs>(here) != 0;
    store(all.mine, first, where, next.mine, now.mine);
    store(all.theirs, first, where, next.theirs, now.theirs);
    store(&all.home[first], choose(where, next.home, now.home));
    store(&all.far[first], choose(where, next.far, now.far));
    store(&all.moves[first], choose(where, next.moves, now.moves));
    const Wide straight = shifted<kNorth>(next.mine) & next.empty();
    doubtful |= std::uint64_t{(in_danger(next) | ~bits_of(straight.any())) & here} << first;
    over |= std::uint64_t{bits_of((Longs)(next.moves >= kLongest)) & here} << first;
  });
  for (doubtful &= ~over; doubtful != 0; doubtful &= doubtful - 1) {
    const int board = __builtin_ctzll(doubtful);
    over |= std::uint64_t{rules.is_over(all.get(board))} << board;
  }
  for (; alone != 0; alone &= alone - 1) {
    const int board = __builtin_ctzll(alone);
    CannonState state = all.get(board);
    over |= std::uint64_t{(by_policy ? rules.play_by_policy : rules.play)(state, random[board])} << board;
    all.set(board, state);
  }
  return over;
}

}  // namespace

std::uint64_t play(CannonSideBySide& boards, std::uint64_t which, std::uint64_t* random, const CannonRules& rules) {
  return play_boards<false>(boards, which, random, rules);
}
std::uint64_t play_by_policy(CannonSideBySide& boards, std::uint64_t which, std::uint64_t* random,
                             const CannonRules& rules) {
  return play_boards<true>(boards, which, random, rules);
}

}  // namespace ggp::GGP_ISA

#include "base/kernel_end.inl"
#endif

#if defined(__x86_64__) && !defined(GGP_PORTABLE)
#include "games/chinese_checkers/chinese_checkers_side_by_side.hpp"

#include "base/kernel_begin.inl"

namespace ggp::GGP_ISA {
namespace {

#include "games/common/vectors.inl"

using namespace star;

// Cells of each board, in even rows and in odd rows.
struct Rows {
  Longs of[2];
  Longs any() const { return of[0] | of[1]; }
  friend Rows operator&(const Rows& one, const Rows& other) {
    return {one.of[0] & other.of[0], one.of[1] & other.of[1]};
  }
  friend Rows operator|(const Rows& one, const Rows& other) {
    return {one.of[0] | other.of[0], one.of[1] | other.of[1]};
  }
  friend Rows operator^(const Rows& one, const Rows& other) {
    return {one.of[0] ^ other.of[0], one.of[1] ^ other.of[1]};
  }
  friend Rows operator~(const Rows& rows) { return {~rows.of[0], ~rows.of[1]}; }
};
template <class Mask>
Rows choose(const Mask& where, const Rows& one, const Rows& other) {
  return {choose(where, one.of[0], other.of[0]), choose(where, one.of[1], other.of[1])};
}
Rows everywhere(Cells cells) { return {Longs{} + even_rows(cells), Longs{} + odd_rows(cells)}; }

// As in star_cells.hpp.
struct HopsOfBoards {
  Longs right, left, down, up, down_left, up_right;

  Longs ends(const Longs& cells) const {
    return (cells & right) << 2 | (cells & left) >> 2 | (cells & down) << 11 | (cells & up) >> 11 |
           (cells & down_left) << 9 | (cells & up_right) >> 9;
  }
};
HopsOfBoards hops_in_even_rows(const Rows& all, const Rows& empty) {
  const Longs even = all.of[0], odd = all.of[1], free = empty.of[0];
  return {even >> 1 & free >> 2, even << 1 & free << 2, odd >> 1 & free >> 11,
          odd << 10 & free << 11, odd & free >> 9, odd << 9 & free << 9};
}
HopsOfBoards hops_in_odd_rows(const Rows& all, const Rows& empty) {
  const Longs even = all.of[0], odd = all.of[1], free = empty.of[1];
  return {odd >> 1 & free >> 2, odd << 1 & free << 2, even >> 10 & free >> 11,
          even << 1 & free << 11, even >> 9 & free >> 9, even & free << 9};
}
template <class Mask>
HopsOfBoards choose(const Mask& where, const HopsOfBoards& one, const HopsOfBoards& other) {
  return {choose(where, one.right, other.right),         choose(where, one.left, other.left),
          choose(where, one.down, other.down),           choose(where, one.up, other.up),
          choose(where, one.down_left, other.down_left), choose(where, one.up_right, other.up_right)};
}
Rows steps(const Rows& cells) {
  const Longs even = cells.of[0], odd = cells.of[1];
  return {even << 1 | even >> 1 | odd >> 1 | odd << 10 | odd | odd << 9,
          odd << 1 | odd >> 1 | even >> 10 | even << 1 | even >> 9 | even};
}

struct Boards {
  Rows mine, theirs;
  Longs moves;

  Rows empty() const { return everywhere(kBoard) & ~(mine | theirs); }
  // The target tip of the role to move.
  Rows goal() const { return choose((moves & 1) == 0, everywhere(kTip[1]), everywhere(kTip[0])); }
};
Boards load(const ChineseCheckersSideBySide& all, int first) {
  const auto rows = [&](const std::uint64_t (&of)[2][ChineseCheckersSideBySide::kMost]) {
    return Rows{load<Longs>(&of[0][first]), load<Longs>(&of[1][first])};
  };
  return {rows(all.mine), rows(all.theirs), load<Longs>(&all.moves[first])};
}

// For each board: the targets of a piece in rows of one parity, and the number of targets before the drawn one; the
// piece; all bits if the target is in an odd row; the target.
struct Moves {
  static constexpr int kMost = ChineseCheckersSideBySide::kMost;
  alignas(64) std::uint64_t cells[kMost], before[kMost], from[2][kMost], is_odd[kMost], to[kMost];
};

// Prepares pick(), which finds the cell with an index; cells in even rows come first.
void to_be_picked(const Rows& cells, const Longs& before, Moves& moves, int first) {
  const Longs evens = count(cells.of[0]);
  const auto is_odd = before >= evens;
  store(&moves.cells[first], choose(is_odd, cells.of[1], cells.of[0]));
  store(&moves.before[first], choose(is_odd, before - evens, before));
  store(&moves.is_odd[first], (Longs)is_odd);
}
void pick_cells(std::uint64_t which, Moves& moves) {
  for_each_vector<Longs>(which, [&](int first, std::uint32_t) {
    pick(&moves.cells[first], &moves.before[first], &moves.to[first]);
  });
}

void draw_moves(const Boards& boards, std::uint32_t which, std::uint64_t* random, const Cells* forward, Moves& moves,
                int first) {
  const Rows all = boards.mine | boards.theirs, empty = boards.empty(), goal = boards.goal();
  const HopsOfBoards even_hops = hops_in_even_rows(all, empty), odd_hops = hops_in_odd_rows(all, empty);
  const Longs tables = (boards.moves & 1) * kBits;

  Rows from[kPieces], open[kPieces], ahead[kPieces], left = boards.mine;
  Longs any_ahead = {};
  for (int piece = 0; piece < kPieces; ++piece) {
    const auto is_odd = left.of[0] == 0;
    const Longs rows = choose(is_odd, left.of[1], left.of[0]), one = rows & -rows;
    from[piece] = {choose(is_odd, Longs{}, one), choose(is_odd, one, Longs{})};
    left = left ^ from[piece];

    const HopsOfBoards hops = choose(is_odd, odd_hops, even_hops);
    Longs chains = hops.ends(one);
    for (Longs frontier = chains; bits_of(frontier) != 0; chains |= frontier) frontier = hops.ends(frontier) & ~chains;

    const auto is_home = (from[piece] & goal).any() != 0;
    const Rows hopped{choose(is_odd, Longs{}, chains), choose(is_odd, chains, Longs{})};
    open[piece] = (hopped | (steps(from[piece]) & empty)) & choose(is_home, goal, everywhere(kBoard));
    const Longs at = 2 * (tables + count(one - 1) + choose(is_odd, Longs{} + 64, Longs{}));
    const auto* table = reinterpret_cast<const std::uint64_t*>(forward);
    ahead[piece] = open[piece] & Rows{gathered(table, at), gathered(table, at + 1)};
    any_ahead |= ahead[piece].any();
  }

  Longs upto[kPieces], sum = {};  // number of moves of the pieces up to each
  for (int piece = 0; piece < kPieces; ++piece) {
    open[piece] = choose(any_ahead == 0, open[piece], ahead[piece]);
    upto[piece] = sum += count(open[piece].of[0]) + count(open[piece].of[1]);
  }
  Longs streams = load<Longs>(random);
  const Longs place = draw_product(streams, sum & lanes_of<Longs>(which)) >> 32;
  store(random, streams);

  Rows to = open[0], start = from[0];
  Longs before = place;
  for (int piece = 1; piece < kPieces; ++piece) {
    const auto is_beyond = place >= upto[piece - 1];
    to = choose(is_beyond, open[piece], to);
    start = choose(is_beyond, from[piece], start);
    before = choose(is_beyond, place - upto[piece - 1], before);
  }
  to_be_picked(to, before, moves, first);
  store(&moves.from[0][first], start.of[0]);
  store(&moves.from[1][first], start.of[1]);
}

// Returns the boards whose game ends with the played move. `stuck` becomes the boards whose game may end because the
// role has no step.
std::uint32_t ended(const Boards& boards, std::uint32_t& stuck) {
  const Rows empty = boards.empty(), goal = boards.goal();
  const Rows reached = everywhere(kTip[0] | kTip[1]) ^ goal;
  const Longs won = (Longs)((reached & empty).any() == 0) & (Longs)((reached & boards.theirs).any() != 0);
  stuck = bits_of((Longs)((steps(empty) & boards.mine & ~goal).any() == 0));
  return bits_of(won | (Longs)(boards.moves >= kMostMoves));
}

// Plays the moves; returns the boards whose game ends.
std::uint64_t play_moves(ChineseCheckersSideBySide& all, std::uint64_t which, const Moves& moves,
                         const ChineseCheckersRules& rules) {
  std::uint64_t over = 0, stuck = 0;
  for_each_vector<Longs>(which, [&](int first, std::uint32_t here) {
    const Boards now = load(all, first);
    const Longs to = load<Longs>(&moves.to[first]);
    const auto is_odd = load<Longs>(&moves.is_odd[first]) != 0;
    const Rows path{load<Longs>(&moves.from[0][first]) | choose(is_odd, Longs{}, to),
                    load<Longs>(&moves.from[1][first]) | choose(is_odd, to, Longs{})};
    const Boards next{now.theirs, now.mine ^ path, now.moves + 1};
    const auto where = lanes_of<Longs>(here) != 0;
    for (int kind = 0; kind < 2; ++kind) {
      store(&all.mine[kind][first], choose(where, next.mine.of[kind], now.mine.of[kind]));
      store(&all.theirs[kind][first], choose(where, next.theirs.of[kind], now.theirs.of[kind]));
    }
    store(&all.moves[first], choose(where, next.moves, now.moves));
    std::uint32_t may_be_stuck;
    over |= std::uint64_t{ended(next, may_be_stuck) & here} << first;
    stuck |= std::uint64_t{may_be_stuck & here} << first;
  });
  for (stuck &= ~over; stuck != 0; stuck &= stuck - 1) {
    const int board = __builtin_ctzll(stuck);
    if (!rules.can_move(all.get(board))) over |= std::uint64_t{1} << board;
  }
  return over;
}

// ---- by the policy: first a piece that can move without going backwards is drawn on every board, then its target, by
// the number of hops. Boards on which a move wins at once or no piece can go forward are played one by one.

// As in chinese_checkers.cpp and star_cells.hpp.
Longs strictly_ahead(const HopsOfBoards& hops, const Longs& is_first) {
  return ((hops.down | hops.down_left) & is_first) | ((hops.up | hops.up_right) & ~is_first);
}
Longs ahead(const HopsOfBoards& hops, const Longs& is_first) {
  return hops.right | hops.left | strictly_ahead(hops, is_first);
}
Longs starts(const HopsOfBoards& hops, const Longs& cells) {
  return (cells >> 2 & hops.right) | (cells << 2 & hops.left) | (cells >> 11 & hops.down) | (cells << 11 & hops.up) |
         (cells >> 9 & hops.down_left) | (cells << 9 & hops.up_right);
}
Longs any_of(const HopsOfBoards& hops) {
  return hops.right | hops.left | hops.down | hops.up | hops.down_left | hops.up_right;
}
Rows steps_ahead(const Rows& to, const Longs& is_first) {
  const Longs even = to.of[0], odd = to.of[1];
  const Longs of_even = ((odd >> 1 | odd) & is_first) | ((odd << 10 | odd << 9) & ~is_first);
  const Longs of_odd = ((even >> 10 | even >> 9) & is_first) | ((even << 1 | even) & ~is_first);
  return {even << 1 | even >> 1 | of_even, odd << 1 | odd >> 1 | of_odd};
}

// The data of the boards of a vector.
struct View {
  Boards boards;
  Rows empty, goal;
  HopsOfBoards even_hops, odd_hops;
  Longs is_first;  // all bits if the first role moves
  const std::uint64_t* forward;

  View(const Boards& boards, const Cells* forward)
      : boards(boards),
        empty(boards.empty()),
        goal(boards.goal()),
        even_hops(hops_in_even_rows(boards.mine | boards.theirs, empty)),
        odd_hops(hops_in_odd_rows(boards.mine | boards.theirs, empty)),
        is_first((Longs)((boards.moves & 1) == 0)),
        forward(reinterpret_cast<const std::uint64_t*>(forward)) {}

  // For one piece on each board: the hops in rows of its parity, and the cells not behind it; arbitrary without a
  // piece.
  template <class Mask>
  HopsOfBoards hops_of(const Mask& is_odd) const {
    return choose(is_odd, odd_hops, even_hops);
  }
  template <class Mask>
  Rows forward_of(const Longs& piece, const Mask& is_odd) const {
    const Longs bit = count(piece - 1) + choose(is_odd, Longs{} + 64, Longs{});
    const Longs at = choose(piece != 0, 2 * ((boards.moves & 1) * kBits + bit), Longs{});
    return {gathered(forward, at), gathered(forward, at + 1)};
  }
};

// The pieces without a first hop ahead that may have a later hop ahead. Their chains are examined together, because
// such hops are rare. Pieces in the goal stay in the goal, but may hop sideways, too.
Rows may_turn(const View& view, const Rows& pieces) {
  Rows chains = pieces;
  for (Rows frontier = pieces; bits_of(frontier.any()) != 0; chains = chains | frontier)
    frontier = Rows{view.even_hops.ends(frontier.of[0]), view.odd_hops.ends(frontier.of[1])} & ~chains;
  const Rows turns = chains & Rows{strictly_ahead(view.even_hops, view.is_first),
                                   strictly_ahead(view.odd_hops, view.is_first)};
  const Rows home = pieces & view.goal;
  return {choose((turns.of[0] | home.of[0]) != 0, pieces.of[0], Longs{}),
          choose((turns.of[1] | home.of[1]) != 0, pieces.of[1], Longs{})};
}

// The pieces that can go forward; pieces for which steps and first hops do not decide are examined one by one.
Rows able_forward(const View& view) {
  const Rows &mine = view.boards.mine, &goal = view.goal, gaps = goal & view.empty;
  const Rows hops_ahead{ahead(view.even_hops, view.is_first), ahead(view.odd_hops, view.is_first)};
  Rows able = (mine & ~goal & (steps_ahead(view.empty, view.is_first) | hops_ahead)) |
              (mine & goal & steps_ahead(gaps, view.is_first));
  const Rows hopping{any_of(view.even_hops), any_of(view.odd_hops)};
  Rows left = mine & ~able & hopping & choose(gaps.any() != 0, everywhere(kBoard), ~goal);
  left = may_turn(view, left);
  while (bits_of(left.any()) != 0) {
    const auto is_odd = left.of[0] == 0;
    const Longs rows = choose(is_odd, left.of[1], left.of[0]), one = rows & -rows;
    const Rows piece{choose(is_odd, Longs{}, one), choose(is_odd, one, Longs{})};
    left = left ^ piece;
    const HopsOfBoards hops = view.hops_of(is_odd);
    Longs chains = hops.ends(one);
    for (Longs frontier = chains; bits_of(frontier) != 0; chains |= frontier) frontier = hops.ends(frontier) & ~chains;
    const Rows to = view.forward_of(one, is_odd);
    const auto reaches = (chains & choose(is_odd, to.of[1], to.of[0])) != 0;
    able = able | choose(reaches, piece, everywhere(0));
  }
  return able;
}

// The boards on which a piece can fill the last gap of the goal: chains of hops are followed backwards from the gap.
std::uint32_t wins(const View& view) {
  const Rows gaps = view.goal & view.empty;
  const Rows gap = choose(count(gaps.of[0]) + count(gaps.of[1]) == 1, gaps, everywhere(0));
  if (bits_of(gap.any()) == 0) return 0;
  const auto is_odd = gap.of[0] == 0;
  const HopsOfBoards hops = view.hops_of(is_odd);
  const Longs empty = choose(is_odd, view.empty.of[1], view.empty.of[0]);
  Longs found = {}, frontier = choose(is_odd, gap.of[1], gap.of[0]);
  while (bits_of(frontier = starts(hops, frontier) & ~found) != 0) {
    found |= frontier;
    frontier &= empty;
  }
  const Rows chains{choose(is_odd, Longs{}, found), choose(is_odd, found, Longs{})};
  return bits_of((view.boards.mine & ~view.goal & (chains | steps(gap))).any());
}

// Draws the pieces. Returns the boards without a draw, which are played one by one.
std::uint32_t draw_pieces(const View& view, std::uint32_t which, std::uint64_t* random, Moves& moves, int first) {
  const Rows able = able_forward(view);
  const std::uint32_t alone = (wins(view) | bits_of((Longs)(able.any() == 0))) & which;
  Longs streams = load<Longs>(random);
  const Longs all = count(able.of[0]) + count(able.of[1]);
  const Longs place = draw_product(streams, all & lanes_of<Longs>(which & ~alone)) >> 32;
  store(random, streams);
  to_be_picked(able, place, moves, first);
  return alone;
}

// Draws the targets of the drawn pieces: into the goal from outside, or anywhere, with weight 1 + the number of hops.
void draw_targets(const View& view, std::uint32_t which, std::uint64_t* random, Moves& moves, int first) {
  const auto is_odd = load<Longs>(&moves.is_odd[first]) != 0;
  const Longs one = load<Longs>(&moves.to[first]) & lanes_of<Longs>(which);
  const Rows from{choose(is_odd, Longs{}, one), choose(is_odd, one, Longs{})};
  const auto of_rows = [&](const Longs& rows) {
    return Rows{choose(is_odd, Longs{}, rows), choose(is_odd, rows, Longs{})};
  };
  const Rows open = view.forward_of(one, is_odd), beside = steps(from) & view.empty & open;
  const Longs open_to_hops = choose(is_odd, open.of[1], open.of[0]);
  const HopsOfBoards hops = view.hops_of(is_odd);

  Longs by_hops[Tables::kMostHops], upto[Tables::kMostHops];  // targets by number of hops; sums of weights
  upto[0] = count(beside.of[0]) + count(beside.of[1]);
  Longs chains = {}, frontier = one;
  int most = 0;
  while (bits_of(frontier = hops.ends(frontier) & ~chains) != 0) {
    chains |= frontier;
    by_hops[++most] = frontier & open_to_hops;
    upto[most] = upto[most - 1] + product(count(by_hops[most]), Longs{} + static_cast<std::uint64_t>(1 + most));
  }
  const Rows into = choose((from & view.goal).any() != 0, everywhere(0),
                           (beside | of_rows(chains & open_to_hops)) & view.goal);
  const auto goes_in = into.any() != 0;
  const Longs weights = choose(goes_in, count(into.of[0]) + count(into.of[1]), upto[most]);
  Longs streams = load<Longs>(random);
  const Longs place = draw_product(streams, weights & lanes_of<Longs>(which)) >> 32;
  store(random, streams);

  Rows to = beside;
  Longs before = place;
  for (int hop = 1; hop <= most; ++hop) {
    const auto is_beyond = place >= upto[hop - 1];
    const std::uint64_t reciprocal = (1u << 16) / (1 + hop) + 1;  // as in star::Tables
    to = choose(is_beyond, of_rows(by_hops[hop]), to);
    before = choose(is_beyond, product(place - upto[hop - 1], Longs{} + reciprocal) >> 16, before);
  }
  store(&moves.from[0][first], from.of[0]);
  store(&moves.from[1][first], from.of[1]);
  to_be_picked(choose(goes_in, into, to), choose(goes_in, place, before), moves, first);
}

}  // namespace

std::uint64_t play(ChineseCheckersSideBySide& all, std::uint64_t which, std::uint64_t* random,
                   const ChineseCheckersRules& rules) {
  Moves moves;
  for_each_vector<Longs>(which, [&](int first, std::uint32_t here) {
    draw_moves(load(all, first), here, random + first, rules.forward, moves, first);
  });
  pick_cells(which, moves);
  return play_moves(all, which, moves, rules);
}

std::uint64_t play_by_policy(ChineseCheckersSideBySide& all, std::uint64_t which, std::uint64_t* random,
                             const ChineseCheckersRules& rules) {
  Moves moves;
  std::uint64_t alone = 0;
  for_each_vector<Longs>(which, [&](int first, std::uint32_t here) {
    const View view(load(all, first), rules.forward);
    alone |= std::uint64_t{draw_pieces(view, here, random + first, moves, first)} << first;
  });
  const std::uint64_t together = which & ~alone;
  pick_cells(together, moves);
  for_each_vector<Longs>(together, [&](int first, std::uint32_t here) {
    draw_targets(View(load(all, first), rules.forward), here, random + first, moves, first);
  });
  pick_cells(together, moves);
  std::uint64_t over = play_moves(all, together, moves, rules);
  for (; alone != 0; alone &= alone - 1) {
    const int board = __builtin_ctzll(alone);
    ChineseCheckersState state = all.get(board);
    over |= std::uint64_t{rules.play_by_policy(state, random[board])} << board;
    all.set(board, state);
  }
  return over;
}

}  // namespace ggp::GGP_ISA

#include "base/kernel_end.inl"
#endif

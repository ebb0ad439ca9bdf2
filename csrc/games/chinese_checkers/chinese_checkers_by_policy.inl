// Chinese Checkers by its policy, by vectors of boards; included after chinese_checkers_side_by_side.inl.
//
// First a piece that can move without going backwards is drawn on every board, then its target, by the number of hops.
// Boards on which a move wins at once or no piece can go forward are played one by one.

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

std::uint64_t play_boards_by_policy(ChineseCheckersSideBySide& all, std::uint64_t which, std::uint64_t* random,
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

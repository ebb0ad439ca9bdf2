// Chinese Checkers by vectors of boards; included once for each instruction set, after vectors.inl.

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

std::uint64_t play_boards(ChineseCheckersSideBySide& all, std::uint64_t which, std::uint64_t* random,
                          const ChineseCheckersRules& rules) {
  Moves moves;
  for_each_vector<Longs>(which, [&](int first, std::uint32_t here) {
    draw_moves(load(all, first), here, random + first, rules.forward, moves, first);
  });
  pick_cells(which, moves);
  return play_moves(all, which, moves, rules);
}

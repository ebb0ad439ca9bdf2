// Breakthrough by vectors of boards; included once for each instruction set, after vectors.inl.

template <int kSize>
Longs turned(const Longs& squares) {
  return bytes_reversed(squares) >> BreakthroughSquares<kSize>::kUnused;
}

// For each board: the targets of moves in one direction, the number of targets before the drawn one, the number of bits
// of the move; and the target.
struct Moves {
  static constexpr int kMost = BreakthroughSideBySide<8>::kMost;
  alignas(64) std::uint64_t squares[kMost], before[kMost], by[kMost], to[kMost];
};

// Moves are drawn by direction (towards the first column, straight, towards the last), in each direction by target
// square.
template <int kSize>
void draw_moves(const Longs& mine, const Longs& theirs, std::uint32_t which, std::uint64_t* random, Moves& moves,
                int first) {
  using Squares = BreakthroughSquares<kSize>;
  const Longs to_first = (mine & ~Squares::kFirst) << 7 & ~mine;
  const Longs ahead = mine << 8 & ~(mine | theirs);
  const Longs to_last = (mine & ~Squares::kLast) << 9 & ~mine;
  const Longs firsts = count(to_first), not_last = firsts + count(ahead), all = not_last + count(to_last);

  Longs streams = load<Longs>(random);
  const Longs place = draw_product(streams, all & lanes_of<Longs>(which)) >> 32;
  store(random, streams);

  const auto is_first = place < firsts, is_last = place >= not_last;
  const Longs before = choose(is_last, place - not_last, choose(is_first, place, place - firsts));
  store(&moves.squares[first], choose(is_last, to_last, choose(is_first, to_first, ahead)));
  store(&moves.before[first], before);
  store(&moves.by[first], choose(is_last, Longs{} + 9, choose(is_first, Longs{} + 7, Longs{} + 8)));
}

template <int kSize>
std::uint64_t play_boards(BreakthroughSideBySide<kSize>& all, std::uint64_t which, std::uint64_t* random) {
  Moves moves;
  std::uint64_t over = 0;
  for_each_vector<Longs>(which, [&](int first, std::uint32_t here) {
    const Longs mine = load<Longs>(&all.mine[first]), theirs = load<Longs>(&all.theirs[first]);
    draw_moves<kSize>(mine, theirs, here, random + first, moves, first);
  });
  for_each_vector<Longs>(which, [&](int first, std::uint32_t) {
    pick(&moves.squares[first], &moves.before[first], &moves.to[first]);
  });
  for_each_vector<Longs>(which, [&](int first, std::uint32_t here) {
    const Longs mine = load<Longs>(&all.mine[first]), theirs = load<Longs>(&all.theirs[first]);
    const auto where = lanes_of<Longs>(here) != 0;
    const Longs to = load<Longs>(&moves.to[first]), from = to >> load<Longs>(&moves.by[first]);
    const Longs next_mine = turned<kSize>(theirs & ~to), next_theirs = turned<kSize>(mine ^ to ^ from);
    store(&all.mine[first], choose(where, next_mine, mine));
    store(&all.theirs[first], choose(where, next_theirs, theirs));
    const Longs lost = (next_theirs & BreakthroughSquares<kSize>::kRow) | (Longs)(next_mine == 0);
    over |= std::uint64_t{bits_of(lost) & here} << first;
  });
  all.movers ^= which;
  return over;
}

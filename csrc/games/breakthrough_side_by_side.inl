// Breakthrough by vectors of boards; included once for each instruction set, behind vectors.inl.

constexpr int kBoards = kLanes<Longs>;

template <int kSize>
Longs turned(const Longs& squares) {
  return bytes_reversed(squares) >> BreakthroughSquares<kSize>::kUnused;
}

// Moves are drawn by direction, towards the first column, straight, towards the last; in each by the square they lead to.
template <int kSize>
std::uint64_t play_boards(BreakthroughSideBySide<kSize>& all, std::uint64_t which, std::uint64_t* random) {
  using Squares = BreakthroughSquares<kSize>;
  std::uint64_t over = 0;
  for (int first = 0; first < all.kMost; first += kBoards) {
    const auto here = static_cast<std::uint32_t>(which >> first & ((std::uint64_t{1} << kBoards) - 1));
    if (here == 0) continue;
    const Longs mine = load<Longs>(&all.mine[first]), theirs = load<Longs>(&all.theirs[first]);
    const auto where = lanes_of<Longs>(here) != 0;

    const Longs to_first = (mine & ~Squares::kFirst) << 7 & ~mine;
    const Longs ahead = mine << 8 & ~(mine | theirs);
    const Longs to_last = (mine & ~Squares::kLast) << 9 & ~mine;
    const Longs firsts = count(to_first), not_last = firsts + count(ahead), moves = not_last + count(to_last);

    Longs streams = load<Longs>(random + first);
    const Longs place = draw_product(streams, choose(where, moves, Longs{})) >> 32;
    store(random + first, streams);

    const auto beyond_first = place >= firsts, is_last = place >= not_last;
    const Longs in_direction = choose(is_last, to_last, choose(beyond_first, ahead, to_first));
    const Longs before = choose(is_last, not_last, choose(beyond_first, firsts, Longs{}));
    const Longs by = choose(is_last, Longs{} + 9, choose(beyond_first, Longs{} + 8, Longs{} + 7));
    const Longs to = nth(in_direction, place - before);

    const Longs next_mine = turned<kSize>(theirs & ~to), next_theirs = turned<kSize>(mine ^ to ^ to >> by);
    store(&all.mine[first], choose(where, next_mine, mine));
    store(&all.theirs[first], choose(where, next_theirs, theirs));
    const Longs lost = (next_theirs & Squares::kRow) | (Longs)(next_mine == 0);
    over |= std::uint64_t{bits_of(lost) & here} << first;
  }
  all.movers ^= which;
  return over;
}

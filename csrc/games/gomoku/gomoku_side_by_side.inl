// Gomoku by vectors of boards; included once for each instruction set, after vectors.inl.

// Whether one of four lines of 16 bits has a run of exactly five, as in gomoku.cpp.
Longs has_five(const Longs& lines) {
  const Longs two = lines & lines >> 1, five = two & two >> 2 & lines >> 4;
  return five & ~(lines << 1) & ~(lines >> 5);
}

alignas(64) constexpr std::uint64_t kNumbers[] = {0, 1, 2, 3, 4, 5, 6, 7};

// For each board: a word of empty points, the number of empty points before the drawn one in this word, and the drawn
// point; the number of points in the words before; the index of the stones of the role to move; the lines of the point:
// its bits and the stones in its row, and the empty points on the other lines.
struct Draws {
  static constexpr int kMost = 64;
  alignas(64) std::uint64_t points[kMost], before[kMost], drawn[kMost], first[kMost], stones[kMost], bits[kMost],
      empty[kMost];
};

template <int kSize>
void draw_points(const GomokuSideBySide<kSize>& all, std::uint64_t which, std::uint64_t* random, Draws& draws) {
  using Boards = GomokuSideBySide<kSize>;
  const Longs boards = load<Longs>(kNumbers);
  for_each_vector<Longs>(which, [&](int first, std::uint32_t here) {
    const Longs left = load<Longs>(&all.left[first]);
    Longs streams = load<Longs>(random + first);
    const Longs place = draw_product(streams, left & lanes_of<Longs>(here)) >> 32;
    store(random + first, streams);

    Longs points = load<Longs>(&all.empty[0][first]), skipped = {}, sum = {}, start = {};
    for (int word = 1; word < Boards::kWords; ++word) {
      sum += count(load<Longs>(&all.empty[word - 1][first]));
      const auto is_beyond = place >= sum;
      points = choose(is_beyond, load<Longs>(&all.empty[word][first]), points);
      skipped = choose(is_beyond, sum, skipped);
      start = choose(is_beyond, Longs{} + 64 * word, start);
    }
    store(&draws.points[first], points);
    store(&draws.before[first], place - skipped);
    store(&draws.first[first], start);
    // The number of points is odd.
    store(&draws.stones[first], 2 * (boards + first) + (~left & 1));
  });
}

// The points without stones on the column and the diagonals of a point; in_order() brings the bytes in order.
template <int kSize>
std::uint64_t empty_on_lines(const typename GomokuSideBySide<kSize>::Rows& stones,
                            const typename GomokuSideBySide<kSize>::Lines& at) {
  const __m256i rows = _mm256_load_si256(reinterpret_cast<const __m256i*>(&stones)), none = _mm256_setzero_si256();
  const auto is_empty = [&](int line) {
    const auto* mask = reinterpret_cast<const __m256i*>(&GomokuSideBySide<kSize>::kTables.masks[line]);
    return _mm256_cmpeq_epi16(_mm256_and_si256(rows, _mm256_load_si256(mask)), none);
  };
  const __m256i two = _mm256_packs_epi16(is_empty(at.column), is_empty(at.rising));
  const __m256i one = _mm256_packs_epi16(is_empty(at.falling), none);
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(two)) |
         std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(one))} << 32;
}
// The stones on the column and the diagonals, as in Lines::bits.
Longs in_order(const Longs& empty) {
  constexpr std::uint64_t kNotRow = ~std::uint64_t{0xFFFF};
  return bytes_shuffled(empty, _mm_set_epi64x(0x0E0C0B090A080F0D, 0x0604030102000705)) ^ kNotRow;
}

template <int kSize>
std::uint64_t play_boards(GomokuSideBySide<kSize>& all, std::uint64_t which, std::uint64_t* random) {
  using Boards = GomokuSideBySide<kSize>;
  Draws draws;
  draw_points(all, which, random, draws);

  for (std::uint64_t rest = which; rest != 0; rest &= rest - 1) {
    const int board = __builtin_ctzll(rest);
    const std::uint64_t drawn = _pdep_u64(std::uint64_t{1} << draws.before[board], draws.points[board]);
    draws.drawn[board] = drawn;
    const auto& at = Boards::kTables.lines[draws.first[board] + static_cast<std::uint64_t>(__builtin_ctzll(drawn))];
    auto& stones = all.stones[draws.stones[board]];
    draws.empty[board] = empty_on_lines<kSize>(stones, at);
    draws.bits[board] = at.bits | stones[at.row];
    stones[at.row] |= static_cast<std::uint16_t>(at.bits);
  }

  std::uint64_t fives = 0, full = 0;
  for_each_vector<Longs>(which, [&](int first, std::uint32_t here) {
    const Longs where = lanes_of<Longs>(here), drawn = load<Longs>(&draws.drawn[first]) & where;
    for (int word = 0; word < Boards::kWords; ++word) {
      const auto is_here = load<Longs>(&draws.first[first]) == 64 * word;
      store(&all.empty[word][first], load<Longs>(&all.empty[word][first]) ^ (drawn & (Longs)is_here));
    }
    const Longs lines = in_order(load<Longs>(&draws.empty[first])) | load<Longs>(&draws.bits[first]);
    fives |= std::uint64_t{bits_of(has_five(lines)) & here} << first;
    const Longs left = load<Longs>(&all.left[first]) + where;
    store(&all.left[first], left);
    full |= std::uint64_t{bits_of((Longs)(left == 0)) & here} << first;
  });
  all.fives = (all.fives & ~which) | fives;
  return fives | full;
}

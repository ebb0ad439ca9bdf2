// The best moves of Amazons, see amazons_best.hpp; included once for each instruction set, after the functions
//
//     float highest_of<kBits>(values, bits)     the highest of the values whose bits are set, kNothing without any
//     Reach equal_to<kBits>(values, value)      the bits of the values that are equal to one

template <int kSize>
struct BestMoves {
  using All = AmazonsPairs<kSize>;
  using Rules = AmazonsRules<kSize>;
  using State = typename Rules::State;
  using Square = typename Rules::Square;
  static constexpr int kBits = All::kBits, kAmazons = Rules::kAmazons;
  static constexpr int kMostPairs = kAmazons * static_cast<int>(Rules::kMostShots);  // pairs of one position

  BestMoves(const All& all, const State& state) : all(all), state(state) {}
  const All& all;
  const State& state;
  const Square* const amazons = state.amazons[state.mover];
  const typename All::Pairs* pairs[kAmazons] = {};

  // The moves with the highest value so far.
  struct Best {
    unsigned amazon, bit;
    Reach shots;
  };
  Best best[kMostPairs];
  int bests = 0;
  float value = All::kNothing;

  static unsigned lowest(Reach bits) { return static_cast<unsigned>(__builtin_ctzll(bits)); }

  // The reach of a queen on a square, if the piece on one square of one of its lines is removed.
  Reach reach(unsigned square, unsigned line, unsigned without) const {
    const unsigned column = square & 15, row = square >> 4;
    const unsigned numbers[4] = {row, Rules::kColumns + column, Rules::kFalling + column + row,
                                 Rules::kRising + kSize - 1 + column - row};
    Reach reached = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned occupied = state.lines[numbers[i]] & ~(i == line ? without : 0u);
      reached |= Reach{all.tables->reach[(i == 1 ? row : column) << kSize | occupied]} << i * kSize;
    }
    return reached;
  }

  void look_at(unsigned amazon, unsigned bit) {
    const auto& of = *pairs[amazon];
    const unsigned from = amazons[amazon], line = bit / kSize;
    const Reach legal = reach(all.tables->square[from][bit], line, 1u << (line == 1 ? from >> 4 : from & 15));
    float here = of.highest[bit];
    Reach shots = of.best[bit] & legal;
    if (shots == 0) {
      if (here <= value) return;  // its legal shots have lower values
      here = highest_of<kBits>(of.values[bit], legal);
      shots = legal & equal_to<kBits>(of.values[bit], here);
    }
    if (here < value) return;
    if (here > value) bests = 0;
    value = here;
    best[bests++] = {amazon, bit, shots};
  }

  typename Rules::Move drawn(std::uint64_t random) {
    // In the order of the board, so that the result does not depend on values that are not the highest.
    const auto place_of = [](const Best& of) { return 64 * of.amazon + of.bit; };
    for (int i = 1; i < bests; ++i) {
      const Best one = best[i];
      int at = i;
      for (; at > 0 && place_of(best[at - 1]) > place_of(one); --at) best[at] = best[at - 1];
      best[at] = one;
    }
    std::uint32_t alike = 0;
    for (int i = 0; i < bests; ++i) alike += Bits::count(best[i].shots);
    auto place = static_cast<std::uint32_t>(((random & 0xFFFFFFFFu) * alike) >> 32);
    int at = 0;
    for (std::uint32_t here; place >= (here = Bits::count(best[at].shots)); ++at) place -= here;
    const auto [amazon, bit, shots] = best[at];
    const Square from = amazons[amazon], to = all.tables->square[from][bit];
    return {from, to, all.tables->square[to][lowest(Bits::deposit(std::uint64_t{1} << place, shots))]};
  }

  typename Rules::Move found(std::uint64_t random) {
    Reach left[kAmazons];
    float highest[kAmazons];  // highest h of the remaining pairs of each amazon
    for (int i = 0; i < kAmazons; ++i) {
      pairs[i] = &all.of[state.mover][All::index(amazons[i])];
      left[i] = reach(amazons[i], 0, 0);
      highest[i] = highest_of<kBits>(pairs[i]->highest, left[i]);
    }
    for (;;) {
      unsigned i = 0;
      for (unsigned k = 1; k < kAmazons; ++k) i = highest[k] > highest[i] ? k : i;
      if (highest[i] < value) return drawn(random);
      Reach first = left[i] & equal_to<kBits>(pairs[i]->highest, highest[i]);
      left[i] &= ~first;
      highest[i] = highest_of<kBits>(pairs[i]->highest, left[i]);
      for (; first != 0; first &= first - 1) look_at(i, lowest(first));
    }
  }
};

template <int kSize>
typename AmazonsRules<kSize>::Move best_of(const AmazonsPairs<kSize>& all,
                                           const typename AmazonsRules<kSize>::State& state, std::uint64_t random) {
  return BestMoves<kSize>(all, state).found(random);
}

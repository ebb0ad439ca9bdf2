// Captures by vectors of boards; included once for each instruction set. Vectors of 4 are faster than those of 8, where
// there are such: each waits for the slowest of its boards.

// The same word of the sets of kBoards boards.
constexpr int kBoards = 4;
typedef std::uint64_t Boards __attribute__((vector_size(8 * kBoards)));

bool any(const Boards& words) { return !_mm256_testz_si256((__m256i)words, (__m256i)words); }

// A bit for each of the boards whose word is not 0.
std::uint64_t bits(const Boards& words) {
  const __m256i none = _mm256_cmpeq_epi64((__m256i)words, _mm256_setzero_si256());
  return ~_mm256_movemask_pd(_mm256_castsi256_pd(none)) & 15;
}

// All ones in the boards whose word is not 0.
Boards where(const Boards& words) { return (Boards)(words != 0); }

template <int kSize>
struct Captures {
  using Board = GoBoard<kSize>;
  static constexpr int kWords = Board::kWords;
  struct Set {
    Boards word[kWords];
  };

  static Set load(const typename GoCaptures<kSize>::Sets& sets, int first) {
    Set set;
    for (int i = 0; i < kWords; ++i) std::memcpy(&set.word[i], &sets[i][first], sizeof(Boards));
    return set;
  }
  // Boards up to the end of a vector are without stones, and nothing is taken there.
  static void fill(GoCaptures<kSize>& captures, int boards) {
    for (int board = boards; board % kBoards != 0; ++board) captures.set(board, {}, {}, 0);
  }
  static Boards either(const Set& set) {
    Boards all = set.word[0];
    for (int i = 1; i < kWords; ++i) all |= set.word[i];
    return all;
  }
  // The set and the points of `through` that are beside it on its row or, with kBy = kStride, on its column.
  template <int kBy>
  static Set grown(const Set& set, const Set& through) {
    Set more;
    for (int i = 0; i < kWords; ++i) {
      Boards beside = set.word[i] << kBy | set.word[i] >> kBy;
      if (i > 0) beside |= set.word[i - 1] >> (64 - kBy);
      if (i + 1 < kWords) beside |= set.word[i + 1] << (64 - kBy);
      more.word[i] = set.word[i] | (beside & through.word[i]);
    }
    return more;
  }
  static Set grown(const Set& set, const Set& through) {
    return grown<Board::kStride>(grown<1>(set, through), through);
  }
  static Set beside(const Set& set) {
    Set found;
    for (int i = 0; i < kWords; ++i) {
      Boards points = set.word[i] << 1 | set.word[i] >> 1;
      points |= set.word[i] << Board::kStride | set.word[i] >> Board::kStride;
      if (i > 0) points |= set.word[i - 1] >> 63 | set.word[i - 1] >> (64 - Board::kStride);
      if (i + 1 < kWords) points |= set.word[i + 1] << 63 | set.word[i + 1] << (64 - Board::kStride);
      found.word[i] = points;
    }
    return found;
  }
  static Boards difference(const Set& one, const Set& other) {
    Boards all = one.word[0] ^ other.word[0];
    for (int i = 1; i < kWords; ++i) all |= one.word[i] ^ other.word[i];
    return all;
  }

  static std::uint64_t find(GoCaptures<kSize>& captures, int boards) {
    constexpr typename Board::Packed kAll = Board::pack(Board::geometry().all);
    fill(captures, boards);
    std::uint64_t found = 0;
    for (int first = 0; first < boards; first += kBoards) {
      const Set theirs = load(captures.theirs, first), stone = load(captures.stone, first);
      Set own = load(captures.mine, first), empty;
      for (int i = 0; i < kWords; ++i) {
        own.word[i] |= stone.word[i];
        empty.word[i] = kAll[i] & ~(own.word[i] | theirs.word[i]);
      }
      const Set air = beside(empty), around = beside(stone);

      Set alive, asked;  // of theirs: known to have air; beside the stone
      for (int i = 0; i < kWords; ++i) {
        alive.word[i] = theirs.word[i] & air.word[i];
        asked.word[i] = theirs.word[i] & around.word[i];
      }
      Boards left;  // not 0 where some that are asked for are not known to have air
      for (;;) {
        left = asked.word[0] & ~alive.word[0];
        for (int i = 1; i < kWords; ++i) left |= asked.word[i] & ~alive.word[i];
        if (!any(left)) break;
        const Set more = grown(grown(alive, theirs), theirs);
        const Boards grew = difference(more, alive) & where(left);
        alive = more;
        if (!any(grew)) break;
      }
      const Boards takes = where(left);

      Set group;
      for (int i = 0; i < kWords; ++i) group.word[i] = stone.word[i] | (around.word[i] & own.word[i]);
      Boards without;  // all ones where the group has met no air and may be taken
      for (;;) {
        Boards met = group.word[0] & air.word[0];
        for (int i = 1; i < kWords; ++i) met |= group.word[i] & air.word[i];
        without = ~(where(met) | takes);
        if (!any(without)) break;
        const Set more = grown(group, own);
        const Boards grew = difference(more, group) & without;
        group = more;
        if (!any(grew)) break;
      }
      const std::uint64_t some = bits(takes | without);
      found |= some << first;
      if (some == 0) continue;
      for (int i = 0; i < kWords; ++i) {
        const Boards of_theirs = theirs.word[i] & ~alive.word[i] & takes, of_mine = group.word[i] & without;
        std::memcpy(&captures.taken_theirs[i][first], &of_theirs, sizeof of_theirs);
        std::memcpy(&captures.taken_mine[i][first], &of_mine, sizeof of_mine);
      }
    }
    return found;
  }
};

#if defined(__x86_64__) && !defined(GGP_PORTABLE)
#include "games/go/go_captures.hpp"

#include "base/kernel_begin.inl"

namespace ggp::GGP_ISA {
namespace {

// One word of the set of each of kBoards boards. Vectors of 4 are faster than vectors of 8, because each vector waits
// for the slowest of its boards.
constexpr int kBoards = 4;
typedef std::uint64_t Boards __attribute__((vector_size(8 * kBoards)));

bool any(const Boards& words) { return !_mm256_testz_si256((__m256i)words, (__m256i)words); }

// where_none(): all ones in the boards whose word is 0; where(): in the other boards.
Boards where_none(const Boards& words) {
  return (Boards)_mm256_cmpeq_epi64((__m256i)words, _mm256_setzero_si256());
}
Boards where(const Boards& words) { return ~where_none(words); }

// One bit for each board of such a result.
std::uint64_t bits(const Boards& answer) {
  return static_cast<std::uint64_t>(_mm256_movemask_pd(_mm256_castsi256_pd((__m256i)answer)));
}

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
  // Fills the last vector with boards without stones, on which nothing is captured.
  static void fill(GoCaptures<kSize>& captures, int boards) {
    for (int board = boards; board % kBoards != 0; ++board) captures.set(board, {}, {}, 0);
  }
  static Boards either(const Set& set) {
    Boards all = set.word[0];
    for (int i = 1; i < kWords; ++i) all |= set.word[i];
    return all;
  }
  // The set and the points of `through` that are adjacent to it in its row or, with kBy = kStride, in its column.
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

  // The boards before and after the new stones are placed.
  struct Views {
    Set stone, around;  // the stone; its adjacent points
    Set own, theirs;    // with the new stone
    Set air;            // points adjacent to an empty point

    Views(const Set& mine, const Set& other, const Boards& point) : theirs(other) {
      constexpr typename Board::Packed kAll = Board::pack(Board::geometry().all);
      Set empty;
      for (int i = 0; i < kWords; ++i) {
        // Shifts by 64 and more give 0: the stone is in another word.
        stone.word[i] = (Boards)_mm256_sllv_epi64(_mm256_set1_epi64x(1), (__m256i)(point - 64 * i));
        own.word[i] = mine.word[i] | stone.word[i];
        empty.word[i] = kAll[i] & ~(own.word[i] | theirs.word[i]);
      }
      around = beside(stone);
      air = beside(empty);
    }
    // Not 0 if some stones of the other side adjacent to the new stone are not in `alive`.
    Boards asked_but(const Set& alive) const {
      Boards left = around.word[0] & theirs.word[0] & ~alive.word[0];
      for (int i = 1; i < kWords; ++i) left |= around.word[i] & theirs.word[i] & ~alive.word[i];
      return left;
    }
  };
  static Boards either_and(const Set& one, const Set& other) {
    Boards all = one.word[0] & other.word[0];
    for (int i = 1; i < kWords; ++i) all |= one.word[i] & other.word[i];
    return all;
  }
  static Set both(const Set& one, const Set& other) {
    Set made;
    for (int i = 0; i < kWords; ++i) made.word[i] = one.word[i] & other.word[i];
    return made;
  }
  static Boards load(const std::uint64_t* words) {
    Boards loaded;
    std::memcpy(&loaded, words, sizeof loaded);
    return loaded;
  }
  static Boards gather(const std::uint64_t* words, const std::uint8_t* at) {
    return Boards{words[at[0]], words[at[1]], words[at[2]], words[at[3]]};
  }
  static Set gather(const typename GoCaptures<kSize>::Sets& sets, const std::uint8_t* at) {
    Set set;
    for (int i = 0; i < kWords; ++i) set.word[i] = gather(sets[i], at);
    return set;
  }

  static CapturedBoards find(GoCaptures<kSize>& captures, int boards) {
    fill(captures, boards);
    CapturedBoards found{0, 0};
    std::uint64_t open = 0;
    for (int first = 0; first < boards; first += kBoards) {
      const Views views(load(captures.mine, first), load(captures.theirs, first), load(&captures.point[first]));
      const Set alive = grown(grown(both(views.theirs, views.air), views.theirs), views.theirs);
      const Boards left = where(views.asked_but(alive));
      Set group = both(views.around, views.own);
      const Boards single = where_none(either(group));
      for (int i = 0; i < kWords; ++i) group.word[i] |= views.stone.word[i];
      const Boards without = where_none(either_and(group, views.air));
      const Boards alone = single & without & ~left;
      found.alone |= bits(alone) << first;
      open |= bits((left | without) & ~alone) << first;
    }
    if (open == 0) return found;
    std::uint8_t at[GoCaptures<kSize>::kMost + kBoards];
    int count = 0;
    for (; open != 0; open &= open - 1) at[count++] = static_cast<std::uint8_t>(__builtin_ctzll(open));
    for (int i = 0; i < kBoards; ++i) at[count + i] = at[count - 1];  // fills the vector
    for (int first = 0; first < count; first += kBoards) {
      const CapturedBoards here = finish(captures, at + first);
      for (int i = 0; i < kBoards; ++i) {
        found.takes |= (here.takes >> i & 1) << at[first + i];
        found.alone |= (here.alone >> i & 1) << at[first + i];
      }
    }
    return found;
  }

  // Finds the captures on the boards with these indices, in their order.
  static CapturedBoards finish(GoCaptures<kSize>& captures, const std::uint8_t* at) {
    const Views views(gather(captures.mine, at), gather(captures.theirs, at), gather(captures.point, at));
    Set alive = both(views.theirs, views.air);
    Boards left;  // not 0 while some adjacent stones are not known to have air
    for (;;) {
      const Set more = grown(grown(alive, views.theirs), views.theirs);
      left = views.asked_but(more);
      const Boards grew = difference(more, alive) & where(left);
      alive = more;
      if (!any(grew)) break;
    }
    const Boards takes = where(left);

    Set group;
    for (int i = 0; i < kWords; ++i) group.word[i] = views.stone.word[i] | (views.around.word[i] & views.own.word[i]);
    Boards without;  // all ones if the group has met no air and may be captured
    for (;;) {
      without = where_none(either_and(group, views.air)) & ~takes;
      if (!any(without)) break;
      const Set more = grown(group, views.own);
      const Boards grew = difference(more, group) & without;
      group = more;
      if (!any(grew)) break;
    }
    const Boards alone = without & where_none(difference(group, views.stone));
    for (int i = 0; i < kWords; ++i) {
      const Boards of_theirs = views.theirs.word[i] & ~alive.word[i] & takes, of_mine = group.word[i] & without;
      for (int k = 0; k < kBoards; ++k) {
        captures.taken_theirs[i][at[k]] = of_theirs[k];
        captures.taken_mine[i][at[k]] = of_mine[k];
      }
    }
    return {bits((takes | without) & ~alone), bits(alone)};
  }
};

}  // namespace

CapturedBoards find_captures(GoCaptures<5>& captures, int boards) { return Captures<5>::find(captures, boards); }
CapturedBoards find_captures(GoCaptures<9>& captures, int boards) { return Captures<9>::find(captures, boards); }
CapturedBoards find_captures(GoCaptures<19>& captures, int boards) { return Captures<19>::find(captures, boards); }

}  // namespace ggp::GGP_ISA

#include "base/kernel_end.inl"
#endif

// Stones on a square board as in Go: adjacency, liberties of groups, eyes and areas.
//
// A point is a bit. Rows follow one another from the bottom. Each row has one more bit that is never set, so a step
// over the edge leads to no point. A group is found by spreading from a stone through stones of its colour, all
// frontier stones together. A spread ends when it meets a stone with an empty adjacent point. Most spreads take one or
// two rounds. Groups are not stored from move to move.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "games/common/many_words.hpp"

namespace ggp {

template <int kSize>
struct GoBoard {
  static constexpr int kStride = kSize + 1;
  static constexpr int kBits = kStride * kSize;
  static constexpr int kPoints = kSize * kSize;
  static constexpr int kWords = (kBits + 63) / 64;
  using Set = std::conditional_t<(kBits <= 128), WideWord, ManyWords<kWords>>;
  // The form of a set in a state.
  using Packed = std::array<std::uint64_t, kWords>;

  static constexpr Set one(int point) {
    if constexpr (kBits <= 128) {
      return Set{1} << point;
    } else {
      Set made;
      made.word[point / 64] = std::uint64_t{1} << (point % 64);
      return made;
    }
  }
  static constexpr Set unpack(const Packed& packed) {
    Set made{};
    if constexpr (kBits <= 128) {
      for (int i = kWords - 1; i >= 0; --i) made = made << 32 << 32 | packed[i];
    } else {
      for (int i = 0; i < kWords; ++i) made.word[i] = packed[i];
    }
    return made;
  }
  static constexpr Packed pack(const Set& set) {
    Packed made{};
    for (int i = 0; i < kWords; ++i) {
      if constexpr (kBits <= 128)
        made[i] = static_cast<std::uint64_t>(set >> (64 * i));
      else
        made[i] = set.word[i];
    }
    return made;
  }

  // Points by number, 0 .. kPoints - 1: row by row from the bottom.
  static constexpr int point_of(int number) { return number / kSize * kStride + number % kSize; }
  static constexpr int number_of(int point) { return point / kStride * kSize + point % kStride; }

  struct Geometry {
    Set all{};
    Set beside[kBits] = {}, diagonal[kBits] = {};
    int most_diagonal[kBits] = {};  // most stones of the other side on the diagonals of an eye: 0 at the edge, else 1
  };
  static constexpr Geometry geometry() {
    Geometry made{};
    const auto inside = [](int row, int column) { return row >= 0 && row < kSize && column >= 0 && column < kSize; };
    for (int number = 0; number < kPoints; ++number) {
      const int row = number / kSize, column = number % kSize, point = point_of(number);
      made.all = made.all | one(point);
      for (int i = -1; i <= 1; i += 2) {
        if (inside(row + i, column)) made.beside[point] = made.beside[point] | one(point + i * kStride);
        if (inside(row, column + i)) made.beside[point] = made.beside[point] | one(point + i);
        for (int j = -1; j <= 1; j += 2)
          if (inside(row + i, column + j))
            made.diagonal[point] = made.diagonal[point] | one(point + i * kStride + j);
      }
      made.most_diagonal[point] = row > 0 && row < kSize - 1 && column > 0 && column < kSize - 1;
    }
    return made;
  }
  static const Geometry kGeometry;

  // The points adjacent to the set; also sets bits that are not points.
  static Set beside(const Set& set) {
    return shifted<1>(set) | shifted<-1>(set) | shifted<kStride>(set) | shifted<-kStride>(set);
  }
  // The set and all points that it reaches through `through`, in steps.
  static Set flooded(Set set, const Set& through) {
    for (;;) {
      const Set more = set | (beside(set) & through);
      if (more == set) return set;
      set = more;
    }
  }

  // All stones of the groups of `stones` that contain a suspect and have no empty adjacent point. `air` is beside() of
  // the empty points.
  [[gnu::noinline]] static Set breathless(Set suspects, const Set& stones, const Set& air) {
    Set dead{};
    suspects = suspects & ~air;
    while (any_of(suspects)) {
      Set group = one(lowest(suspects));
      for (bool known = false; !known;) {
        const Set more = group | (beside(group) & stones);
        if (any_of(more & air)) {
          known = true;
        } else if (more == group) {
          dead = dead | group;
          known = true;
        }
        group = more;
      }
      suspects = suspects & ~group;
    }
    return dead;
  }

  // The captures of a stone on an empty point: groups of the other side without an empty adjacent point. If no such
  // group exists, the own group is captured if it has no empty adjacent point (suicide).
  struct Taken {
    Set theirs{}, mine{};
  };
  static Taken taken_by(int point, const Set& mine, const Set& theirs) {
    Taken taken;
    const Set stone = one(point), around = kGeometry.beside[point], touched = around & theirs;
    const Set empty = kGeometry.all & ~(mine | theirs | stone);
    const bool is_free = any_of(around & empty);
    if (is_free && !any_of(touched)) return taken;
    const Set air = beside(empty);
    taken.theirs = breathless(touched, theirs, air);
    if (!is_free && !any_of(taken.theirs)) taken.mine = breathless(stone, mine | stone, air);
    return taken;
  }

  // Some empty points where a stone of the side `mine` captures nothing: its own group keeps an empty adjacent point,
  // and every adjacent group of the other side has another empty point. Only groups with a stone that has two empty
  // adjacent points are recognised. They are followed for two steps from that stone.
  static Set quiet(const Set& empty, const Set& mine, const Set& theirs) {
    const Set up = shifted<kStride>(empty), down = shifted<-kStride>(empty);
    const Set right = shifted<1>(empty), left = shifted<-1>(empty);
    const Set column = up | down, row = right | left;
    const Set twice = (up & down) | (right & left) | (column & row);
    const auto airy = [&](const Set& stones) {
      Set group = stones & twice;
      for (int step = 0; step < 2; ++step) group = group | (beside(group) & stones);
      return group;
    };
    return empty & (column | row | beside(airy(mine))) & ~beside(theirs & ~airy(theirs));
  }

  // Whether an empty point is an eye of the side `mine`: all adjacent points have stones of `mine`. The other side has
  // no diagonal point at the edge of the board, and at most one elsewhere.
  static bool is_eye(int point, const Set& mine, const Set& theirs) {
    if (any_of(kGeometry.beside[point] & ~mine)) return false;
    return static_cast<int>(count_of<PlainBits>(kGeometry.diagonal[point] & theirs)) <= kGeometry.most_diagonal[point];
  }

  // Area scoring: the lead of one side in points: stones, and empty points from which only its stones are reached.
  [[gnu::noinline]] static int lead(const Set& mine, const Set& theirs) {
    const Set empty = kGeometry.all & ~(mine | theirs);
    const Set by_mine = flooded(mine, empty), by_theirs = flooded(theirs, empty);
    return static_cast<int>(count_of<PlainBits>(by_mine & ~by_theirs)) -
           static_cast<int>(count_of<PlainBits>(by_theirs & ~by_mine));
  }
};

template <int kSize>
const typename GoBoard<kSize>::Geometry GoBoard<kSize>::kGeometry = GoBoard<kSize>::geometry();

}  // namespace ggp

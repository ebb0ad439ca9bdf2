// Tactics of Go on one board: groups in atari, self-atari, answers to the last move, and 3x3 patterns beside it.
//
// A group is in atari if exactly one empty point, its liberty, is adjacent to it. As in GoBoard, groups are found by
// spreading from a stone; nothing is stored from move to move and no function allocates memory.
#pragma once

#include <cstdint>

#include "games/go/go_board.hpp"
#include "games/go/go_patterns.hpp"

namespace ggp {

constexpr bool is_single(WideWord set) { return set != 0 && (set & (set - 1)) == 0; }
template <int kWords>
constexpr bool is_single(const ManyWords<kWords>& set) {
  bool found = false, more = false;
  for (int i = 0; i < kWords; ++i) {
    more |= (set.word[i] & (set.word[i] - 1)) != 0 || (found && set.word[i] != 0);
    found |= set.word[i] != 0;
  }
  return found && !more;
}

// Long functions are not inlined: they take much longer than a call, and each copy costs seconds of compilation.
template <int kSize>
struct GoTactics {
  using Board = GoBoard<kSize>;
  using Set = typename Board::Set;

  // The position from the view of the side to move.
  Set mine, theirs, empty;

  GoTactics(const Set& own, const Set& other)
      : mine(own), theirs(other), empty(Board::kGeometry.all & ~(own | other)) {}

  // The points with at least two empty adjacent points; also sets bits that are not points.
  Set airy() const {
    const Set up = shifted<Board::kStride>(empty), down = shifted<-Board::kStride>(empty);
    const Set right = shifted<1>(empty), left = shifted<-1>(empty);
    return (up & down) | (right & left) | ((up | down) & (right | left));
  }

  // The liberties of all groups of `stones` in atari that contain a suspect; `stones` contains whole groups. Groups
  // with a stone that has two empty adjacent points are left out first, all together.
  [[gnu::noinline]] Set atari_points(const Set& stones, const Set& suspects) const {
    Set points{}, rest = suspects & ~Board::flooded(stones & airy(), stones);
    while (any_of(rest)) {
      const Set group = Board::flooded(Board::one(lowest(rest)), stones);
      const Set liberties = Board::beside(group) & empty;
      if (is_single(liberties)) points = points | liberties;
      rest = rest & ~group;
    }
    return points;
  }
  // Where a stone captures.
  Set captures() const { return atari_points(theirs, theirs); }

  // What a stone of the side to move on an empty point does to groups of the other side beside it.
  struct Attack {
    bool captures = false;
    bool gives_atari = false;  // a group has one other liberty
  };
  [[gnu::noinline]] Attack attack(int point) const {
    Attack found;
    const Set stone = Board::one(point);
    Set touched = Board::kGeometry.beside[point] & theirs;
    while (any_of(touched)) {
      const Set group = Board::flooded(Board::one(lowest(touched)), theirs);
      const Set others = Board::beside(group) & empty & ~stone;
      found.captures |= !any_of(others);
      found.gives_atari |= is_single(others);
      touched = touched & ~group;
    }
    return found;
  }
  // Whether a stone on an empty point captures nothing, and its group then has at most one liberty.
  bool is_self_atari(int point) const { return has_few_liberties(point) && !attack(point).captures; }
  // As above, without moves that give atari, which may be needed to kill a group inside its eye space.
  bool loses_stones(int point) const {
    if (!has_few_liberties(point)) return false;
    const Attack found = attack(point);
    return !found.captures && !found.gives_atari;
  }

  // The answers to a stone that the other side just placed: captures of its group; and for each own group in atari
  // beside it, captures of groups beside the own group, and the liberty of the own group unless this is self-atari.
  [[gnu::noinline]] Set answers(int last) const {
    Set points = atari_points(theirs, Board::one(last) & theirs);
    Set touched = Board::kGeometry.beside[last] & mine;
    while (any_of(touched)) {
      const Set group = Board::flooded(Board::one(lowest(touched)), mine);
      touched = touched & ~group;
      const Set liberties = Board::beside(group) & empty;
      if (!is_single(liberties)) continue;
      if (!is_self_atari(lowest(liberties))) points = points | liberties;
      points = points | atari_points(theirs, Board::beside(group) & theirs);
    }
    return points;
  }

  // Whether the surroundings of an empty point match a pattern for the side to move.
  bool matches(const GoPatterns& patterns, int point) const {
    const unsigned outside = kOutside.of[point];
    return patterns.matches(cells(mine, point) | outside, cells(theirs, point) | outside);
  }
  // The empty points around a point that match a pattern.
  [[gnu::noinline]] Set patterns_beside(const GoPatterns& patterns, int last) const {
    Set points{};
    for_each_bit((Board::kGeometry.beside[last] | Board::kGeometry.diagonal[last]) & empty, [&](int point) {
      if (matches(patterns, point)) points = points | Board::one(point);
    });
    return points;
  }

  // The points within a distance of the last stone: numbers of steps between adjacent points, where a group is one point.
  [[gnu::noinline]] Set within(int distance, int last) const {
    Set found = Board::flooded(Board::one(last), theirs);
    for (; distance > 0; --distance) {
      found = found | (Board::beside(found) & Board::kGeometry.all);
      found = Board::flooded(found & mine, mine) | Board::flooded(found & theirs, theirs) | found;
    }
    return found;
  }

  // Whether nothing is left to decide: every empty point belongs to the area of one side, no group is in atari, and no
  // region of empty points of one side has more than kSmall points. In a larger region the other side might live.
  static constexpr std::uint32_t kSmall = 7;
  bool is_settled() const {
    const Set by_mine = Board::flooded(mine, empty) & empty, by_theirs = Board::flooded(theirs, empty) & empty;
    if (any_of(by_mine & by_theirs)) return false;
    if (any_of(atari_points(mine, mine)) || any_of(atari_points(theirs, theirs))) return false;
    for (Set left = empty; any_of(left);) {
      const Set region = Board::flooded(Board::one(lowest(left)), empty);
      if (count_of<PlainBits>(region) > kSmall) return false;
      left = left & ~region;
    }
    return true;
  }

 private:
  bool has_few_liberties(int point) const {
    const Set stone = Board::one(point), others = empty & ~stone;
    const Set around = Board::kGeometry.beside[point] & others;
    if (any_of(around) && !is_single(around)) return false;
    const Set liberties = Board::beside(Board::flooded(stone, mine)) & others;
    return !any_of(liberties) || is_single(liberties);
  }

  // Bits as in GoPatterns.
  struct Outside {
    std::uint8_t of[Board::kBits];
  };
  static constexpr Outside outside() {
    Outside made{};
    for (int number = 0; number < Board::kPoints; ++number) {
      const int row = number / kSize, column = number % kSize;
      unsigned bits = 0;
      if (row == 0) bits |= 0b00000111;
      if (row == kSize - 1) bits |= 0b11100000;
      if (column == 0) bits |= 0b00101001;
      if (column == kSize - 1) bits |= 0b10010100;
      made.of[Board::point_of(number)] = static_cast<std::uint8_t>(bits);
    }
    return made;
  }
  static constexpr Outside kOutside = outside();

  // Three adjacent bits; those below bit 0 and above the board are 0.
  static unsigned three(const typename Board::Packed& words, int at) {
    if (at < 0) return static_cast<unsigned>(words[0] << -at) & 7;
    const int word = at / 64, bit = at % 64;
    if (word >= Board::kWords) return 0;
    std::uint64_t found = words[word] >> bit;
    if (bit > 61 && word + 1 < Board::kWords) found |= words[word + 1] << (64 - bit);
    return static_cast<unsigned>(found) & 7;
  }
  static unsigned cells(const Set& stones, int point) {
    const typename Board::Packed words = Board::pack(stones);
    const unsigned below = three(words, point - Board::kStride - 1), row = three(words, point - 1);
    const unsigned above = three(words, point + Board::kStride - 1);
    return below | (row & 1) << 3 | (row & 4) << 2 | above << 5;
  }
};

}  // namespace ggp

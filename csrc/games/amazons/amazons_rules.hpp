// The rules of Amazons on boards of kSize x kSize, and the numbers of moves.
//
// Every line of the board (row, column, both diagonals) is a word with one bit for each occupied square ("rotated
// bitboards", Hyatt 1999). So the reach of a queen along a line is one look-up in a table of 10 KB. The lengths of the
// eight rays are the bytes of one word. One multiplication makes their running sums. The sums give the number of
// squares reached and, for an index among these squares, the ray and the square, without a branch.
//
// The number of a move is its index in the list of all triples (from, to, shot) in which each step is a queen's move on
// the empty board, ordered by square, ray and distance.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>
#include <memory>

#include "games/common/module_simulator.hpp"

namespace ggp {

template <int kSize>
struct AmazonsRules {
  static constexpr std::uint64_t kBytes = 0x0101010101010101;
  static constexpr int kRoles = 2;
  static constexpr int kAmazons = kSize == 6 ? 2 : 4;  // of each side

  // ---- squares: 16 * row + column, row 0 at the bottom

  using Square = std::uint8_t;
  static constexpr int kCodes = 16 * kSize;
  // The rays: 0-3 towards the lower bits of the row, the column and the diagonals; 4-7 in the other directions.
  static constexpr int kStep[8] = {-1, -16, 15, -17, 1, 16, -15, 17};
  static constexpr int ray_length(int square, int ray) {
    int length = 0;
    for (int at = square + kStep[ray]; at >= 0 && at < kCodes && at % 16 < kSize; at += kStep[ray]) ++length;
    return length;
  }
  static constexpr int rays_length(int square) {
    int sum = 0;
    for (int ray = 0; ray < 8; ++ray) sum += ray_length(square, ray);
    return sum;
  }
  template <class Visit>
  static constexpr void for_each_square(Visit&& visit) {
    for (int row = 0; row < kSize; ++row)
      for (int column = 0; column < kSize; ++column) visit(16 * row + column);
  }
  // From a destination, the number of possible shots equals the number of squares from which a queen reaches it.
  static constexpr int count_triples() {
    int sum = 0;
    for_each_square([&sum](int square) { sum += rays_length(square) * rays_length(square); });
    return sum;
  }
  static constexpr int kMoves = count_triples();
  static constexpr std::uint32_t kMostShots = rays_length(16 * (kSize / 2) + kSize / 2);

  struct Move {
    Square from, to, shot;
  };

  // ---- lines: rows, columns, then diagonals by column + row and by column - row; the bit is the column, in columns
  // the row

  static constexpr int kColumns = kSize, kFalling = 2 * kSize, kRising = 4 * kSize - 1, kLines = 6 * kSize - 2;
  static constexpr int rising(int column, int row) { return kRising + kSize - 1 + column - row; }

  struct State {
    std::uint64_t hash;
    std::uint16_t lines[kLines];  // bits of occupied squares; bits outside the board are 1
    Square amazons[2][4];         // ascending; 0 for missing amazons on boards with fewer than four
    std::uint32_t mover;          // 0 or 1
  };

  // Without the lines that follow from the rows.
  struct Stored {
    static constexpr int kRows = (kSize + 1) / 4 * 4 + 2;  // rows that fill the words
    std::uint64_t hash;
    std::uint16_t rows[kRows];
    Square amazons[2][4];
    std::uint32_t mover;
  };
  static Stored store(const State& state) {
    Stored stored{state.hash, {}, {}, state.mover};
    std::copy_n(state.lines, kSize, stored.rows);
    std::memcpy(stored.amazons, state.amazons, sizeof stored.amazons);
    return stored;
  }
  static State restore(const Stored& stored) {
    static const State board = empty();
    State state = board;
    state.hash = stored.hash;
    std::copy_n(stored.rows, kSize, state.lines);
    for (int row = 0; row < kSize; ++row) {
      const std::uint16_t squares = stored.rows[row];
      std::uint16_t* columns = &state.lines[kColumns];
      std::uint16_t *falling = &state.lines[kFalling + row], *rising = &state.lines[AmazonsRules::rising(0, row)];
      for (int column = 0; column < kSize; ++column) {
        const auto bit = static_cast<std::uint16_t>(squares & 1 << column);
        columns[column] = static_cast<std::uint16_t>(columns[column] | (bit != 0 ? 1 << row : 0));
        falling[column] = static_cast<std::uint16_t>(falling[column] | bit);
        rising[column] = static_cast<std::uint16_t>(rising[column] | bit);
      }
    }
    std::memcpy(state.amazons, stored.amazons, sizeof stored.amazons);
    state.mover = stored.mover;
    return state;
  }

  // The reach of a queen from a bit of a line: towards lower bits + 16 * towards higher bits.
  using Open = std::array<std::uint8_t, std::size_t{kSize} << kSize>;
  static constexpr Open open_table() {
    Open open{};
    for (int at = 0; at < kSize; ++at)
      for (int line = 0; line < 1 << kSize; ++line) {
        int lower = 0, higher = 0;
        while (at - lower > 0 && (line >> (at - lower - 1) & 1) == 0) ++lower;
        while (at + higher < kSize - 1 && (line >> (at + higher + 1) & 1) == 0) ++higher;
        open[at << kSize | line] = static_cast<std::uint8_t>(lower | higher << 4);
      }
    return open;
  }
  static constexpr Open kOpen = open_table();

  // The free squares along each ray, ray k in byte k.
  static std::uint64_t rays(const State& state, unsigned square) {
    const unsigned column = square & 15, row = square >> 4;
    const std::uint8_t* by_column = &kOpen[column << kSize];
    const std::uint32_t open = by_column[state.lines[row]] |
                               std::uint32_t{kOpen[row << kSize | state.lines[kColumns + column]]} << 8 |
                               std::uint32_t{by_column[state.lines[kFalling + column + row]]} << 16 |
                               std::uint32_t{by_column[state.lines[rising(column, row)]]} << 24;
    return (open & 0x0F0F0F0F) | std::uint64_t{open >> 4 & 0x0F0F0F0F} << 32;
  }
  static unsigned squares_of(std::uint64_t rays) { return static_cast<unsigned>(rays * kBytes >> 56); }

  struct Reached {
    unsigned square, ray;
  };
  // The square with an index below squares_of(rays), ordered by ray and distance.
  template <class Bits>
  static Reached reached(unsigned from, std::uint64_t rays, unsigned place) {
    const std::uint64_t sums = rays * kBytes;
    // For each byte: whether the index is beyond that ray.
    const std::uint64_t beyond = (place * kBytes + 0x80 * kBytes - sums) & 0x80 * kBytes;
    const unsigned ray = Bits::count(beyond);
    const unsigned distance = place + 1 - static_cast<unsigned>((sums << 8) >> 8 * ray & 255);
    return {from + distance * static_cast<unsigned>(kStep[ray]), ray};
  }
  // The rays of shots from a destination: on the present board, but through the square that the amazon has left.
  static std::uint64_t shots(const State& state, std::uint64_t rays_from, Reached to) {
    const unsigned back = 8 * (to.ray ^ 4);
    return rays(state, to.square) + ((1 + (rays_from >> back & 255)) << back);
  }

  static void toggle(State& state, unsigned square) {
    const unsigned column = square & 15, row = square >> 4;
    const auto bit = static_cast<std::uint16_t>(1 << column);
    state.lines[row] ^= bit;
    state.lines[kColumns + column] ^= static_cast<std::uint16_t>(1 << row);
    state.lines[kFalling + column + row] ^= bit;
    state.lines[rising(column, row)] ^= bit;
  }
  static bool occupied(const State& state, int square) { return state.lines[square >> 4] >> (square & 15) & 1; }
  static bool is_amazon(const State& state, int role, int square) {
    const Square* own = state.amazons[role];
    return std::find(own, own + kAmazons, square) != own + kAmazons;
  }

  // ---- hash: the sum, bit by bit, of one random word for each piece on its square (Zobrist 1970)

  static std::uint64_t key(int piece, unsigned square) { return mix64(std::uint64_t{256} * piece + square + 1); }
  static constexpr int kArrow = 2;
  static constexpr std::uint64_t kTurn = 0x9E3779B97F4A7C15;

  static std::uint64_t hash(const State& state) {
    std::uint64_t hash = state.mover != 0 ? kTurn : 0;
    for_each_square([&](int square) {
      if (!occupied(state, square)) return;
      hash ^= key(is_amazon(state, 0, square) ? 0 : is_amazon(state, 1, square) ? 1 : kArrow, square);
    });
    return hash;
  }

  // ---- rules

  static State empty() {
    State state{};
    std::fill(std::begin(state.lines), std::end(state.lines), std::uint16_t{(1 << kSize) - 1});
    for_each_square([&](int square) { toggle(state, square); });
    return state;
  }
  static State initial() {
    constexpr int kLast = kSize - 1, kIn = kSize == 10 ? 3 : 2;
    State state = empty();
    if constexpr (kSize == 6) {
      put(state, {0x01, 0x04}, {0x51, 0x54});
    } else {
      put(state, {kIn, kLast - kIn, 16 * kIn, 16 * kIn + kLast},
            {16 * (kLast - kIn), 16 * (kLast - kIn) + kLast, 16 * kLast + kIn, 16 * kLast + kLast - kIn});
    }
    return state;
  }
  // Places the amazons in ascending order, and hashes the board.
  static void put(State& state, std::initializer_list<int> first, std::initializer_list<int> second) {
    std::copy(first.begin(), first.end(), state.amazons[0]);
    std::copy(second.begin(), second.end(), state.amazons[1]);
    for (const auto* amazons : {&first, &second})
      for (const int square : *amazons) toggle(state, square);
    state.hash = hash(state);
  }
  static int mover(const State& state) { return static_cast<int>(state.mover); }
  static bool terminal(const State& state) {
    for (int i = 0; i < kAmazons; ++i)
      if (rays(state, state.amazons[state.mover][i]) != 0) return false;
    return true;
  }
  static int goal(const State& state, int role) { return role == mover(state) ? 0 : 100; }

  template <bool kHashed>
  static void play(State& state, Move move) {
    if constexpr (kHashed) {
      const int role = mover(state);
      state.hash ^= key(role, move.from) ^ key(role, move.to) ^ key(kArrow, move.shot) ^ kTurn;
    }
    toggle(state, move.from);
    toggle(state, move.to);
    toggle(state, move.shot);
    Square* own = state.amazons[state.mover];
    unsigned at[kAmazons];
    for (int i = 0; i < kAmazons; ++i) at[i] = own[i] == move.from ? move.to : own[i];
    // Sorts again, so that equal positions are equal bytes: a sorting network has no branches.
    const auto order = [&](int low, int high) {
      const unsigned one = at[low], other = at[high];
      at[low] = std::min(one, other);
      at[high] = std::max(one, other);
    };
    order(0, 1);
    if constexpr (kAmazons == 4) {
      order(2, 3);
      order(0, 2);
      order(1, 3);
      order(1, 2);
    }
    for (int i = 0; i < kAmazons; ++i) own[i] = static_cast<Square>(at[i]);
    state.mover ^= 1;
  }

  // Calls visit(square, ray) for the squares along rays, in order.
  template <class Visit>
  static void for_each_reached(unsigned from, std::uint64_t rays, Visit&& visit) {
    for (unsigned ray = 0; ray < 8; ++ray, rays >>= 8) {
      unsigned square = from;
      for (unsigned left = rays & 255; left != 0; --left) visit(square += static_cast<unsigned>(kStep[ray]), ray);
    }
  }
  // Visits all pairs of from and to, with the rays of the shots.
  template <class Visit>
  static void for_each_destination(const State& state, Visit&& visit) {
    for (int i = 0; i < kAmazons; ++i) {
      const unsigned from = state.amazons[state.mover][i];
      const std::uint64_t open = rays(state, from);
      for_each_reached(from, open, [&](unsigned to, unsigned ray) { visit(from, to, shots(state, open, {to, ray})); });
    }
  }
  template <class Visit>
  static void for_each_move(const State& state, Visit&& visit) {
    for_each_destination(state, [&](unsigned from, unsigned to, std::uint64_t shots) {
      for_each_reached(to, shots, [&](unsigned shot, unsigned) {
        visit(Move{static_cast<Square>(from), static_cast<Square>(to), static_cast<Square>(shot)});
      });
    });
  }

  template <class Bits>
  static LeafCounts count(const State& state) {
    LeafCounts counts;
    for_each_destination(state, [&](unsigned, unsigned, std::uint64_t shots) { counts.moves += squares_of(shots); });
    if (may_end(state)) counts.ends = count_by_playing<AmazonsRules>(state).ends;
    return counts;
  }
  // Whether the other side has at most two free squares next to its amazons; a move fills at most two.
  static bool may_end(const State& state) {
    unsigned free[2];
    int found = 0;
    for (int i = 0; i < kAmazons; ++i) {
      const unsigned amazon = state.amazons[1 - state.mover][i];
      const std::uint64_t open = rays(state, amazon);
      for (unsigned ray = 0; ray < 8; ++ray) {
        const unsigned beside = amazon + static_cast<unsigned>(kStep[ray]);
        if ((open >> 8 * ray & 255) == 0 || std::find(free, free + found, beside) != free + found) continue;
        if (found == 2) return false;
        free[found++] = beside;
      }
    }
    return true;
  }

  // ---- numbers

  static constexpr std::uint8_t kNone = 255;
  struct Numbers {
    std::uint8_t place[kCodes][kCodes];   // index of a square in the reach on the empty board, or kNone
    std::uint8_t start[kCodes][8];        // index of the first square of a ray
    std::uint32_t first[kCodes][36];      // number of the first move, by from and the index of to
    Move moves[kMoves];                   // by number
  };
  static const Numbers& numbers() {
    static const auto made = [] {
      auto numbers = std::make_unique<Numbers>();
      const State board = empty();
      std::fill_n(&numbers->place[0][0], kCodes * kCodes, kNone);
      std::uint32_t number = 0;
      for_each_square([&](int from) {
        std::uint8_t place = 0, start = 0;
        for (int ray = 0; ray < 8; ++ray) {
          numbers->start[from][ray] = start;
          start = static_cast<std::uint8_t>(start + ray_length(from, ray));
        }
        for_each_reached(from, rays(board, from), [&](unsigned to, unsigned) {
          numbers->first[from][place] = number;
          numbers->place[from][to] = place++;
          for_each_reached(to, rays(board, to), [&](unsigned shot, unsigned) {
            numbers->moves[number++] = {static_cast<Square>(from), static_cast<Square>(to), static_cast<Square>(shot)};
          });
        });
      });
      return numbers;
    }();
    return *made;
  }
  static const Numbers& kNumbers;

  static int number(const State&, Move move) {
    return static_cast<int>(kNumbers.first[move.from][kNumbers.place[move.from][move.to]] +
                            kNumbers.place[move.to][move.shot]);
  }
  static Move move(const State&, int number) { return kNumbers.moves[number]; }

  // Shots along a ray have consecutive numbers. The longest possible ray is written, and later rays overwrite numbers
  // beyond the end. The space is enough, because no position has nearly as many moves as numbers exist.
  static int* list_shots(std::uint64_t shots, unsigned to, int first, int* out) {
    for (int ray = 0; ray < 8; ++ray, shots >>= 8) {
      const int number = first + kNumbers.start[to][ray];
      for (int k = 0; k < kSize - 1; ++k) out[k] = number + k;
      out += shots & 255;
    }
    return out;
  }
  static int list(const State& state, int* out) {
    const int* const begin = out;
    for_each_destination(state, [&](unsigned from, unsigned to, std::uint64_t shots) {
      out = list_shots(shots, to, static_cast<int>(kNumbers.first[from][kNumbers.place[from][to]]), out);
    });
    return static_cast<int>(out - begin);
  }
  static int nth(const State& state, std::uint32_t n) {
    int found = -1;
    for_each_destination(state, [&](unsigned from, unsigned to, std::uint64_t shots) {
      if (found >= 0) return;
      if (const std::uint32_t count = squares_of(shots); n >= count) return void(n -= count);
      const unsigned shot = reached<PlainBits>(to, shots, n).square;
      found = number(state, {static_cast<Square>(from), static_cast<Square>(to), static_cast<Square>(shot)});
    });
    return found;
  }
};

template <int kSize>
const typename AmazonsRules<kSize>::Numbers& AmazonsRules<kSize>::kNumbers = AmazonsRules<kSize>::numbers();

}  // namespace ggp

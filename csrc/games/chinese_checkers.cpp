// The rows of the star are sheared until the three axes are straight, and even and odd rows make a word each, for hops
// stay in the rows of one kind: with q = column - row / 2, cell (row, column) is bit 11 * (row / 2) + q - 5 of the word of
// the even rows, or 11 * (row / 2) + q - 4 of that of the odd ones. Eleven places to a row are just enough that no step or
// hop from the board, off an edge, leads to a bit that is another cell.
//
// Hops are made by all cells of a frontier at once. Per direction there is a set of the cells from which a hop is
// possible, with an occupied cell beside and an empty one behind; it does not change along a chain, for hops go two
// cells in each direction, and so no chain of a piece passes over the cell where it began.
#include "games/chinese_checkers.hpp"

#include <array>
#include <cmath>
#include <stdexcept>

#include "games/module_of.hpp"
#include "games/square_board.hpp"

namespace ggp {
namespace {

__extension__ using Cells = unsigned __int128;  // a set: the word of the even rows, then that of the odd rows
using Word = std::uint64_t;

constexpr int kRows = 13, kColumns = 10;
constexpr int kBits = 116;
constexpr int kPieces = 6;  // of a side, always
constexpr std::uint64_t kMostMoves = 1000;
constexpr int kFirst[kRows] = {5, 4, 4, 0, 1, 1, 2, 1, 1, 0, 4, 4, 5};
constexpr int kLast[kRows] = {5, 5, 6, 9, 9, 8, 8, 8, 9, 9, 6, 5, 5};

constexpr Cells one(int bit) { return Cells{1} << bit; }
constexpr int bit_of(int row, int column) {
  return 11 * (row / 2) + column - row / 2 + (row % 2 == 0 ? -5 : 64 - 4);
}
constexpr bool is_cell(int row, int column) {
  return row >= 0 && row < kRows && column >= kFirst[row] && column <= kLast[row];
}
constexpr int row_of(int bit) {
  int row = bit / 64;
  while (bit > bit_of(row, kLast[row])) row += 2;
  return row;
}
constexpr int column_of(int bit) { return bit - bit_of(row_of(bit), 0); }
constexpr Cells rows(int from, int to) {
  Cells cells = 0;
  for (int row = from; row <= to; ++row)
    for (int column = kFirst[row]; column <= kLast[row]; ++column) cells |= one(bit_of(row, column));
  return cells;
}
constexpr Cells kBoard = rows(0, kRows - 1);
constexpr Cells kTip[2] = {rows(0, 2), rows(10, 12)};  // where a role starts; it goes to the other

constexpr Word even_rows(Cells cells) { return static_cast<Word>(cells); }
constexpr Word odd_rows(Cells cells) { return static_cast<Word>(cells >> 64); }
constexpr Cells joined(Word even, Word odd) { return Cells{odd} << 64 | even; }
int lowest(Cells cells) {
  const int word = even_rows(cells) == 0;
  return 64 * word + __builtin_ctzll(word != 0 ? odd_rows(cells) : even_rows(cells));
}
template <class Bits>
std::uint32_t count_of(Cells cells) {
  return Bits::count(even_rows(cells)) + Bits::count(odd_rows(cells));
}
// The cell before which there are so many others. In one of the words the bit falls off an end.
template <class Bits>
int pick(Cells cells, std::uint32_t place) {
  const Word here = Word{1} << place, evens = even_rows(cells);
  return lowest(joined(Bits::deposit(here, evens), Bits::deposit(here >> Bits::count(evens), odd_rows(cells))));
}

// From which cells of a word a hop is possible, by direction.
struct Hops {
  Word right, left, down, up, down_left, up_right;

  Word any() const { return right | left | down | up | down_left | up_right; }
  // Where hops from these cells end.
  Word ends(Word cells) const {
    return (cells & right) << 2 | (cells & left) >> 2 | (cells & down) << 11 | (cells & up) >> 11 |
           (cells & down_left) << 9 | (cells & up_right) >> 9;
  }
};
Hops hops_in_even_rows(Cells all, Cells empty) {
  const Word even = even_rows(all), odd = odd_rows(all), free = even_rows(empty);
  return {even >> 1 & free >> 2, even << 1 & free << 2, odd >> 1 & free >> 11,
          odd << 10 & free << 11, odd & free >> 9, odd << 9 & free << 9};
}
Hops hops_in_odd_rows(Cells all, Cells empty) {
  const Word even = even_rows(all), odd = odd_rows(all), free = odd_rows(empty);
  return {odd >> 1 & free >> 2, odd << 1 & free << 2, even >> 10 & free >> 11,
          even << 1 & free << 11, even >> 9 & free >> 9, even & free << 9};
}
// The cells beside some cells, and bits off the board.
Cells steps(Cells cells) {
  const Word even = even_rows(cells), odd = odd_rows(cells);
  return joined(even << 1 | even >> 1 | odd >> 1 | odd << 10 | odd | odd << 9,
                odd << 1 | odd >> 1 | even >> 10 | even << 1 | even >> 9 | even);
}

// What depends on cells alone, and the numbers of moves: from every cell to its neighbours and to where hops could lead.
struct Tables {
  static constexpr int kMoves = 1656;

  Cells beside[kBits] = {};
  // By role: where a piece may go at all, and those in the rows that are not behind.
  Cells open[2][kBits] = {}, forward[2][kBits] = {};
  std::int16_t number[kBits][kBits];
  std::int16_t from[kMoves], to[kMoves];

  Tables() {
    std::fill(&number[0][0], &number[0][0] + kBits * kBits, std::int16_t{-1});
    int count = 0;
    for (int bit = 0; bit < kBits; ++bit) {
      if ((kBoard & one(bit)) == 0) continue;
      beside[bit] = steps(one(bit)) & kBoard;
      for (int role = 0; role < 2; ++role) {
        const Cells goal = kTip[1 - role];
        open[role][bit] = (goal & one(bit)) != 0 ? goal : kBoard;
        forward[role][bit] = open[role][bit] & (role == 0 ? rows(row_of(bit), kRows - 1) : rows(0, row_of(bit)));
      }
      const Hops hops = bit < 64 ? hops_in_even_rows(kBoard, kBoard) : hops_in_odd_rows(kBoard, kBoard);
      Word chains = Word{1} << bit % 64;
      while (const Word more = hops.ends(chains) & ~chains) chains |= more;
      const Cells reached = bit < 64 ? joined(chains, 0) : joined(0, chains);
      for (Cells left = (reached & ~one(bit)) | beside[bit]; left != 0; left &= left - 1) {
        number[bit][lowest(left)] = static_cast<std::int16_t>(count);
        if (count < kMoves) {
          from[count] = static_cast<std::int16_t>(bit);
          to[count] = static_cast<std::int16_t>(lowest(left));
        }
        ++count;
      }
    }
    if (count != kMoves) throw std::logic_error("chinese checkers has " + std::to_string(count) + " moves");
  }
};

struct ChineseCheckers {
  struct State {
    Cells pieces[2];      // by role
    std::uint64_t hash;
    std::uint64_t moves;  // so far; the first role moves where it is even
  };
  // Bits.
  struct Move {
    int from, to;
  };
  static constexpr int kRoles = 2;
  static constexpr int kMoves = Tables::kMoves;
  static const Tables kTables;

  // ---- hash: the sum, bit by bit, of one random word for each piece on its cell (Zobrist 1970), and one for `moves`

  struct Keys {
    std::uint64_t of[2][kBits];
  };
  static Keys keys() {
    Keys keys{};
    std::uint64_t next = 0;
    for (auto& of_role : keys.of)
      for (std::uint64_t& key : of_role) key = mix64(++next);
    return keys;
  }
  static std::uint64_t key(std::uint64_t moves) { return mix64(1000 + moves); }
  static const Keys kKeys;

  static std::uint64_t hash(const State& state) {
    std::uint64_t hash = key(state.moves);
    for (int role = 0; role < kRoles; ++role)
      for (Cells left = state.pieces[role]; left != 0; left &= left - 1) hash ^= kKeys.of[role][lowest(left)];
    return hash;
  }

  // ---- rules

  static State initial() {
    State state{};
    for (int role = 0; role < kRoles; ++role) state.pieces[role] = kTip[role];
    state.hash = hash(state);
    return state;
  }
  static int mover(const State& state) { return static_cast<int>(state.moves & 1); }
  static Cells empty(const State& state) { return kBoard & ~(state.pieces[0] | state.pieces[1]); }

  // Where chains of hops from a cell end.
  static Word chains(const Hops& hops, Word any_hop, Word from) {
    // Two levels at once, for most chains are short, and nobody can foretell which.
    const Word first = hops.ends(from), second = hops.ends(first) & ~first;
    Word found = first | second;
    for (Word frontier = second; (frontier & any_hop) != 0; found |= frontier) frontier = hops.ends(frontier) & ~found;
    return found;
  }
  struct Targets {
    int from[kPieces];
    Cells to[kPieces];
  };
  static Targets targets(const State& state) {
    const int role = mover(state);
    const Cells all = state.pieces[0] | state.pieces[1], free = empty(state);
    const Hops hops[2] = {hops_in_even_rows(all, free), hops_in_odd_rows(all, free)};
    const Word any_hop[2] = {hops[0].any(), hops[1].any()};
    Targets targets;
    Cells open[kPieces], forward = 0, left = state.pieces[role];
    for (int i = 0; i < kPieces; ++i, left &= left - 1) {
      const int from = lowest(left), word = from / 64;
      const Word hopped = chains(hops[word], any_hop[word], Word{1} << from % 64);
      const Cells to = joined(word == 0 ? hopped : 0, word == 0 ? 0 : hopped) | (kTables.beside[from] & free);
      targets.from[i] = from;
      open[i] = to & kTables.open[role][from];
      targets.to[i] = to & kTables.forward[role][from];
      forward |= targets.to[i];
    }
    if (forward == 0) std::copy(open, open + kPieces, targets.to);
    return targets;
  }

  // Who moved last, if the tip it goes to is full with a piece of its own there.
  static bool has_won(const State& state) {
    const int role = 1 - mover(state);
    const Cells goal = kTip[1 - role];
    return (goal & empty(state)) == 0 && (goal & state.pieces[role]) != 0;
  }
  static bool can_move(const State& state) {
    const int role = mover(state);
    if ((steps(empty(state)) & state.pieces[role] & ~kTip[1 - role]) != 0) return true;  // nearly always
    const Targets found = targets(state);
    return std::any_of(found.to, found.to + kPieces, [](Cells to) { return to != 0; });
  }
  static bool terminal(const State& state) {
    return has_won(state) || state.moves >= kMostMoves || !can_move(state);
  }
  static int goal(const State& state, int role) {
    if (!has_won(state) && can_move(state)) return 50;
    return role == mover(state) ? 0 : 100;
  }

  template <bool kHashed>
  static void play(State& state, Move move) {
    const int role = mover(state);
    if constexpr (kHashed)
      state.hash ^= kKeys.of[role][move.from] ^ kKeys.of[role][move.to] ^ key(state.moves) ^ key(state.moves + 1);
    state.pieces[role] ^= one(move.from) ^ one(move.to);
    ++state.moves;
  }

  template <class Visit>
  static void for_each_move(const State& state, Visit&& visit) {
    const Targets found = targets(state);
    for (int i = 0; i < kPieces; ++i)
      for (Cells left = found.to[i]; left != 0; left &= left - 1) visit(Move{found.from[i], lowest(left)});
  }
  static int number(const State&, Move move) { return kTables.number[move.from][move.to]; }
  static Move move(const State&, int number) { return {kTables.from[number], kTables.to[number]}; }
  template <class Bits>
  static LeafCounts count(const State& state) {
    return count_by_playing<ChineseCheckers>(state);
  }

  // The first of some weights whose sum up to there is greater than a number; that is reduced by those before.
  static int place_in(const std::uint32_t* weights, int count, std::uint32_t& place) {
    int at = 0;
    std::uint32_t sum = 0, before = 0;
    for (int i = 0; i < count; ++i) {
      sum += weights[i];
      before = place >= sum ? sum : before;
      at += place >= sum;
    }
    place -= before;
    return at;
  }
  template <class Bits>
  static Move random_move(const State& state, std::uint64_t& random) {
    const Targets found = targets(state);
    std::uint32_t counts[kPieces], all = 0;
    for (int i = 0; i < kPieces; ++i) all += counts[i] = count_of<Bits>(found.to[i]);
    std::uint32_t place = all == 1 ? 0 : draw_below(random, all);
    const int piece = place_in(counts, kPieces, place);
    return {found.from[piece], pick<Bits>(found.to[piece], place)};
  }

  // ---- knowledge

  // A move that wins at once. Else any piece that can move: if it can come into the tip it goes to from outside, it
  // does; else it takes any of its moves, with weight 1 + the number of hops.
  template <class Bits>
  static Drawn<Move> policy_move(const State& state, std::uint64_t& random) {
    const Targets found = targets(state);
    const Cells goal = kTip[1 - mover(state)], gaps = goal & empty(state);
    std::uint32_t wins[kPieces] = {}, movable[kPieces], all_wins = 0, all = 0;
    for (int i = 0; i < kPieces; ++i) {
      all += movable[i] = found.to[i] != 0;
      if ((gaps & (gaps - 1)) == 0 && (goal & one(found.from[i])) == 0)
        all_wins += wins[i] = (found.to[i] & gaps) != 0;
    }
    const std::uint32_t pieces = all_wins != 0 ? all_wins : all;
    std::uint32_t place = pieces == 1 ? 0 : draw_below(random, pieces);
    const int piece = place_in(all_wins != 0 ? wins : movable, kPieces, place), from = found.from[piece];
    if (all_wins != 0) return {{from, lowest(gaps)}, true};

    const Cells to = found.to[piece], into = (goal & one(from)) == 0 ? to & goal : 0;
    if (into != 0) {
      const std::uint32_t count = count_of<Bits>(into);
      return {{from, pick<Bits>(into, count == 1 ? 0 : draw_below(random, count))}, false};
    }
    // By number of hops, steps first. A chain visits a cell once, and the cells of a chain are fewer than these.
    constexpr int kMostHops = 24;
    Cells by_hops[kMostHops] = {to & kTables.beside[from]};
    std::uint32_t weights[kMostHops] = {count_of<Bits>(by_hops[0])}, sum = weights[0];
    const Cells occupied = state.pieces[0] | state.pieces[1], free = empty(state);
    const Hops hops = from < 64 ? hops_in_even_rows(occupied, free) : hops_in_odd_rows(occupied, free);
    Word chains = 0, frontier = Word{1} << from % 64;
    for (int hop = 1; hop < kMostHops && frontier != 0; ++hop) {
      frontier = hops.ends(frontier) & ~chains;
      chains |= frontier;
      by_hops[hop] = to & (from < 64 ? joined(frontier, 0) : joined(0, frontier));
      sum += weights[hop] = (1 + hop) * count_of<Bits>(by_hops[hop]);
    }
    place = sum == 1 ? 0 : draw_below(random, sum);
    const int hop = place_in(weights, kMostHops, place);
    return {{from, pick<Bits>(by_hops[hop], place / (1 + hop))}, false};
  }

  // The pieces of the loser that have not reached the tip they go to, by all.
  static double quality(const State& state) {
    const int loser = mover(state);
    return 1 - count_of<PlainBits>(state.pieces[loser] & kTip[1 - loser]) / static_cast<double>(kPieces);
  }

  // tanh(D / 10), D the difference of the distances that are left.
  static double evaluation(const State& state, int) {
    return std::tanh((distance(state.pieces[1], 1) - distance(state.pieces[0], 0)) / 10.0);
  }
  // The sum of the steps from each piece outside the tip it goes to, to the first cell there, from the point of the
  // star on, that holds no piece of the same role.
  static int distance(Cells pieces, int role) {
    const Cells goal = kTip[1 - role], gaps = goal & ~pieces;
    if (gaps == 0) return 0;
    int first = lowest(gaps);
    for (Cells left = gaps; left != 0; left &= left - 1)
      if (role == 0 ? row_of(lowest(left)) > row_of(first) : row_of(lowest(left)) < row_of(first)) first = lowest(left);
    int sum = 0;
    for (Cells left = pieces & ~goal; left != 0; left &= left - 1) {
      // Along the sheared axes, where a step down is (1, 0) or (1, -1).
      const auto sheared = [](int bit) { return column_of(bit) - row_of(bit) / 2; };
      const int down = row_of(first) - row_of(lowest(left));
      const int right = sheared(first) - sheared(lowest(left));
      sum += std::max({std::abs(down), std::abs(right), std::abs(down + right)});
    }
    return sum;
  }

  // ---- text

  static ModuleFacts facts() { return {"chinese_checkers", "chinese_checkers", kRows, {"red", "teal"}, {"distance"}}; }
  static std::string move_text(int, int number) {
    const auto name = [](int bit) { return square_name(row_of(bit), column_of(bit)); };
    return name(kTables.from[number]) + "-" + name(kTables.to[number]);
  }
  static std::string move_in(const State& state, int number) { return move_text(mover(state), number); }
  static int read_move(int, std::string_view text) {
    int row, column, to_row, to_column;
    if (!take_square(text, kRows, kColumns, row, column) || text.empty() || text[0] != '-') return -1;
    text.remove_prefix(1);
    if (!take_square(text, kRows, kColumns, to_row, to_column) || !text.empty()) return -1;
    if (!is_cell(row, column) || !is_cell(to_row, to_column)) return -1;
    return kTables.number[bit_of(row, column)][bit_of(to_row, to_column)];
  }

  static constexpr std::string_view kMovesLabel = "moves:";

  // Row 1, the tip of the first role, is at the top; every second row lies half a cell to the right.
  static std::string board(const State& state) {
    std::string text;
    for (int row = 0; row < kRows; ++row) {
      text += (row < 9 ? " " : "") + std::to_string(row + 1) + std::string(row % 2 + 2 * kFirst[row], ' ');
      for (int column = kFirst[row]; column <= kLast[row]; ++column) {
        const Cells cell = one(bit_of(row, column));
        text += {' ', (state.pieces[0] & cell) != 0 ? 'r' : (state.pieces[1] & cell) != 0 ? 't' : '.'};
      }
      text += '\n';
    }
    text += "   a b c d e f g h i j\n";
    text += std::string(kMovesLabel) + " " + std::to_string(state.moves) + "\n";
    return text + facts().roles[mover(state)] + " to move\n";
  }
  static State read_board(std::string_view text) {
    std::string rest(text);
    const int moves = take_count(rest, kMovesLabel, kMostMoves);
    const SquareBoard board = ggp::read_board(filled(rest), kRows, kColumns, ".rt", facts().roles);
    State state{};
    // Without their number, as few moves as can be.
    state.moves = static_cast<std::uint64_t>(moves < 0 ? board.mover : moves);
    if (mover(state) != board.mover)
      throw std::invalid_argument("after " + std::to_string(moves) + " moves " + facts().roles[mover(state)] +
                                  " is to move");
    for (int row = 0; row < kRows; ++row)
      for (int column = kFirst[row]; column <= kLast[row]; ++column) {
        const char letter = board.squares[kColumns * row + column];
        if (letter != '.') state.pieces[letter == 't'] |= one(bit_of(row, column));
      }
    for (int role = 0; role < kRoles; ++role)
      if (const std::uint32_t pieces = count_of<PlainBits>(state.pieces[role]); pieces != kPieces)
        throw std::invalid_argument(facts().roles[role] + " has " + std::to_string(pieces) + " pieces, not " +
                                    std::to_string(kPieces));
    state.hash = hash(state);
    return state;
  }
  // The text with all rows as long as the longest, empty where there is no cell.
  static std::string filled(std::string_view text) {
    std::string result;
    int row = 0;
    while (!text.empty()) {
      const auto end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      std::string cells;
      for (const char c : line)
        if (c != ' ' && c != '\t' && c != '\r' && (c < '0' || c > '9')) cells += c;
      const bool is_row = !cells.empty() && cells.find_first_not_of(".rt") == std::string::npos && row < kRows;
      if (is_row) {
        const auto length = static_cast<std::size_t>(kLast[row] - kFirst[row] + 1);
        if (cells.size() != length)
          throw std::invalid_argument("row " + std::to_string(row + 1) + " from the top has " +
                                      std::to_string(cells.size()) + " cells, not " + std::to_string(length));
        cells = std::string(kFirst[row], '.') + cells + std::string(kColumns - 1 - kLast[row], '.');
        ++row;
      }
      result += (is_row ? cells : std::string(line)) + "\n";
    }
    return result;
  }
};

const Tables ChineseCheckers::kTables;
const ChineseCheckers::Keys ChineseCheckers::kKeys = ChineseCheckers::keys();

}  // namespace

std::unique_ptr<const Module> chinese_checkers() { return std::make_unique<ModuleOf<ChineseCheckers>>(); }

}  // namespace ggp

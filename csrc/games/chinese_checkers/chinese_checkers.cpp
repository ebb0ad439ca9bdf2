// States, rules and policy of Chinese Checkers; star_cells.hpp describes the cells of the star.

#include <array>
#include <cmath>

#include "games/chinese_checkers/chinese_checkers_side_by_side.hpp"
#include "games/chinese_checkers/star_cells.hpp"
#include "games/common/board_game.hpp"
#include "games/common/module_of.hpp"

namespace ggp {
namespace {

using namespace star;

struct ChineseCheckers : BoardGame<ChineseCheckers> {
  using State = ChineseCheckersState;
  // Bits of cells.
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

  // The ends of chains of hops from a cell.
  static Word chains(const Hops& hops, Word any_hop, Word from) {
    // Two levels at once: most chains are short, and their length is unpredictable.
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

  // Whether the role that moved last has won: its target tip is full and contains at least one of its pieces.
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

  // The index of the first weight whose running sum exceeds `place`; `place` is reduced by the weights before it.
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

  struct SideBySide : ChineseCheckersSideBySide {
    static constexpr int kFew = 2;
    using Kernel = PlayChineseCheckers;
    static Kernel kernel(Vectors vectors, bool by_policy) {
      return by_policy ? kernel_for<Kernel>(vectors, GGP_VECTOR_KERNELS(play_by_policy))
                       : kernel_for<Kernel>(vectors, GGP_VECTOR_KERNELS(play));
    }
    std::uint64_t play(Kernel kernel, std::uint64_t which, std::uint64_t* random) {
      return kernel(*this, which, random, chinese_checkers_rules());
    }
  };

  // ---- policy and evaluation

  // A move that wins at once. Else a piece that can move is drawn uniformly: if it can enter its target tip from
  // outside, it does; else it makes any of its moves, with weight 1 + the number of hops.
  template <class Bits>
  static Drawn<Move> policy_move(const State& state, std::uint64_t& random) {
    const int role = mover(state);
    const Cells goal = kTip[1 - role], free = empty(state), gaps = goal & free;
    const Cells all = state.pieces[0] | state.pieces[1];
    const Hops hops[2] = {hops_in_even_rows(all, free), hops_in_odd_rows(all, free)};
    if (gaps != 0 && (gaps & (gaps - 1)) == 0) {
      const Cells winners = state.pieces[role] & ~goal & sources(hops, free, gaps);
      if (winners != 0) return {{any_of<Bits>(winners, random), lowest(gaps)}, true};
    }
    Cells movable = able_forward(state, hops);
    const bool forward = movable != 0;
    if (!forward) {
      const Targets found = targets(state);
      for (int i = 0; i < kPieces; ++i) movable |= found.to[i] != 0 ? one(found.from[i]) : 0;
    }
    const int from = any_of<Bits>(movable, random);
    const Cells open = forward ? kTables.forward[role][from] : kTables.open[role][from];

    // Its target cells by number of hops, steps first.
    const Word is_even = mask_if(from < 64);
    const auto of_word = [is_even](Word word) { return joined(word & is_even, word & ~is_even); };
    const Cells steps = kTables.beside[from] & free & open;
    Word by_hops[Tables::kMostHops];
    const Word allowed = (even_rows(open) & is_even) | (odd_rows(open) & ~is_even);
    const Hops& here = hops[from / 64];
    Word chains = 0, frontier = Word{1} << from % 64;
    int most = 0;
    while ((frontier = here.ends(frontier) & ~chains) != 0) {
      chains |= frontier;
      by_hops[++most] = frontier & allowed;
    }

    if ((goal & one(from)) == 0) {
      const Cells into = (steps | of_word(chains & allowed)) & goal;
      if (into != 0) return {{from, any_of<Bits>(into, random)}, false};
    }
    std::uint32_t weights[Tables::kMostHops], sum = weights[0] = count_of<Bits>(steps);
    for (int hop = 1; hop <= most; ++hop)
      sum += weights[hop] = static_cast<std::uint32_t>(1 + hop) * Bits::count(by_hops[hop]);
    std::uint32_t place = sum == 1 ? 0 : draw_below(random, sum);
    const int hop = place_in(weights, most + 1, place);
    const Cells to = hop == 0 ? steps : of_word(by_hops[hop]);
    return {{from, pick<Bits>(to, place * kTables.reciprocal[hop] >> 16)}, false};  // place / (1 + hop)
  }

  // With FastBits; returns whether the game ends.
  GGP_FAST_BITS static bool play_by_policy(State& state, std::uint64_t& random) {
    play<false>(state, policy_move<FastBits>(state, random).move);
    return terminal(state);
  }

  // Draws one of some cells, uniformly; a single cell needs no random number.
  template <class Bits>
  static int any_of(Cells cells, std::uint64_t& random) {
    const std::uint32_t count = count_of<Bits>(cells);
    return count == 1 ? lowest(cells) : pick<Bits>(cells, draw_below(random, count));
  }

  // The cells from which an empty cell can be reached by a step or by hops, found backwards from this cell.
  static Cells sources(const Hops (&hops)[2], Cells free, Cells cell) {
    const int word = even_rows(cell) == 0;
    const Word empty = word == 0 ? even_rows(free) : odd_rows(free);
    Word found = 0, frontier = word == 0 ? even_rows(cell) : odd_rows(cell);
    while ((frontier = hops[word].starts(frontier) & ~found) != 0) {
      found |= frontier;
      frontier &= empty;
    }
    return kTables.beside[lowest(cell)] | (word == 0 ? joined(found, 0) : joined(0, found));
  }

  // The cells from which a role can step to some cells without moving backwards.
  static Cells steps_ahead(Cells to, int role) {
    const Word even = even_rows(to), odd = odd_rows(to);
    const Word is_first = mask_if(role == 0);
    const Word of_even = ((odd >> 1 | odd) & is_first) | ((odd << 10 | odd << 9) & ~is_first);
    const Word of_odd = ((even >> 10 | even >> 9) & is_first) | ((even << 1 | even) & ~is_first);
    return joined(even << 1 | even >> 1 | of_even, odd << 1 | odd >> 1 | of_odd);
  }
  // The pieces of the role to move that can move without going backwards. Steps and first hops are examined for all
  // pieces at once; chains are followed only for pieces that have neither but could hop.
  static Cells able_forward(const State& state, const Hops (&hops)[2]) {
    const int role = mover(state);
    const Cells pieces = state.pieces[role], free = empty(state), goal = kTip[1 - role], gaps = goal & free;
    const Cells hops_ahead = joined(hops[0].ahead(role), hops[1].ahead(role));
    // No piece leaves its target tip.
    Cells able = (pieces & ~goal & (steps_ahead(free, role) | hops_ahead)) | (pieces & goal & steps_ahead(gaps, role));
    const Word any_hop[2] = {hops[0].any(), hops[1].any()};
    Cells left = pieces & ~able & joined(any_hop[0], any_hop[1]) & (gaps != 0 ? kBoard : ~goal);
    for (; left != 0; left &= left - 1) {
      const int from = lowest(left), word = from / 64;
      const Cells to = kTables.forward[role][from] & free;
      if (to == 0) continue;
      const Word reached = chains(hops[word], any_hop[word], Word{1} << from % 64);
      if ((reached & (word == 0 ? even_rows(to) : odd_rows(to))) != 0) able |= one(from);
    }
    return able;
  }

  // The part of the loser's pieces that have not reached their target tip.
  static double quality(const State& state, int winner) {
    return 1 - count_of<PlainBits>(state.pieces[1 - winner] & kTip[winner]) / static_cast<double>(kPieces);
  }

  // tanh(D / 10), D: the difference of the remaining distances.
  static double evaluation(const State& state, int) {
    return std::tanh((distance(state.pieces[1], 1) - distance(state.pieces[0], 0)) / 10.0);
  }
  // The sum of the steps from each piece outside its target tip to the first cell there, counted from the point of the
  // star, without a piece of the same role.
  static int distance(Cells pieces, int role) {
    const Cells goal = kTip[1 - role], gaps = goal & ~pieces;
    if (gaps == 0) return 0;
    int first = lowest(gaps);
    for (Cells left = gaps; left != 0; left &= left - 1)
      if (role == 0 ? row_of(lowest(left)) > row_of(first) : row_of(lowest(left)) < row_of(first)) first = lowest(left);
    int sum = 0;
    for (Cells left = pieces & ~goal; left != 0; left &= left - 1) {
      // In sheared coordinates, where a step down is (1, 0) or (1, -1).
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
  static int read_move(int, std::string_view text) {
    Step step;
    if (!read_step(text, kRows, kColumns, "-", step)) return -1;
    if (!is_cell(step.row, step.column) || !is_cell(step.to_row, step.to_column)) return -1;
    return kTables.number[bit_of(step.row, step.column)][bit_of(step.to_row, step.to_column)];
  }

  // Row 1, the tip of the first role, is at the top; every second row lies half a cell to the right.
  static constexpr char kLetters[] = "rt";
  using Fluents = BoardFluents<2, kCells, Counter::kDigits, kMostMoves>;
  template <class See>
  static void for_each_piece(const State& state, See&& see) {
    for (int row = 0, place = 0; row < kRows; ++row)
      for (int column = kFirst[row]; column <= kLast[row]; ++column, ++place)
        for (int role = 0; role < kRoles; ++role)
          if ((state.pieces[role] & one(bit_of(row, column))) != 0) see(role, place);
  }
  static std::uint64_t counter(const State& state) { return state.moves; }
  static std::string board(const State& state) {
    const std::string cells = squares(state).squares;
    std::string text;
    for (int row = 0, place = 0; row < kRows; ++row) {
      text += (row < 9 ? " " : "") + std::to_string(row + 1) + std::string(row % 2 + 2 * kFirst[row], ' ');
      for (int column = kFirst[row]; column <= kLast[row]; ++column) text += {' ', cells[place++]};
      text += '\n';
    }
    text += "   a b c d e f g h i j\n";
    text += std::string(kMovesLabel) + " " + std::to_string(state.moves) + "\n";
    return text + facts().roles[mover(state)] + " to move\n";
  }
  static State read_board(std::string_view text) {
    const std::vector<std::string> roles = facts().roles;
    const SquareBoard board = ggp::read_board(filled(text), kRows, kColumns, ".rt", roles, kMostMoves);
    State state{};
    // If the number of moves is not given, it is the lowest possible number.
    state.moves = static_cast<std::uint64_t>(board.moves < 0 ? board.mover : board.moves);
    if (mover(state) != board.mover)
      refuse("after " + std::to_string(board.moves) + " moves " + roles[mover(state)] + " is to move");
    for (int row = 0; row < kRows; ++row)
      for (int column = kFirst[row]; column <= kLast[row]; ++column) {
        const char letter = board.squares[kColumns * row + column];
        if (letter != '.') state.pieces[letter == 't'] |= one(bit_of(row, column));
      }
    for (int role = 0; role < kRoles; ++role)
      if (const std::uint32_t pieces = count_of<PlainBits>(state.pieces[role]); pieces != kPieces)
        refuse(roles[role] + " has " + std::to_string(pieces) + " pieces, not " + std::to_string(kPieces));
    state.hash = hash(state);
    return state;
  }
  // Returns the text with all rows filled to the length of the longest; positions without a cell are empty.
  static std::string filled(std::string_view text) {
    std::string result;
    int row = 0;
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      std::string cells;
      for (const char c : line)
        if (c != ' ' && c != '\t' && c != '\r' && (c < '0' || c > '9')) cells += c;
      const bool is_row = !cells.empty() && cells.find_first_not_of(".rt") == std::string::npos && row < kRows;
      if (is_row) {
        const auto length = static_cast<std::size_t>(kLast[row] - kFirst[row] + 1);
        if (cells.size() != length)
          refuse("row " + std::to_string(row + 1) + " from the top has " + std::to_string(cells.size()) +
                 " cells, not " + std::to_string(length));
        cells = std::string(kFirst[row], '.') + cells + std::string(kColumns - 1 - kLast[row], '.');
        ++row;
      }
      result += (is_row ? cells : std::string(line)) + "\n";
    }
    return result;
  }
};

const Tables ChineseCheckers::kTables;
const ChineseCheckers::Keys ChineseCheckers::kKeys = random_keys<Keys>();

}  // namespace

ChineseCheckersRules chinese_checkers_rules() {
  return {ChineseCheckers::kTables.forward[0], ChineseCheckers::can_move, ChineseCheckers::play_by_policy};
}

void add_chinese_checkers(Modules& modules) { add_modules<ChineseCheckers>(modules); }

}  // namespace ggp

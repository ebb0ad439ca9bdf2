// A word has one bit for each dark square, and a gap after every second row: square k = 0 .. 31, counted row by row from
// the side of black, is bit k + k / 8. So a step is a shift by 4 or 5 from every row, and what leaves the board at a side
// falls into a gap. White goes the other way, as kings do; shifts are rotations, those back being rotations by 60 and 59,
// so that no step depends on whose turn it is. What leaves the board at an end lands beyond the last square.
//
// A capture may be a walk of several jumps. Walks from the same square over the same pieces to the same square are the
// same move. Pieces are removed at the end: no walk can land on a square that another jump of it passes, so those passed
// stand in nobody's way. Moves are numbered by a table of all steps and all walks on an empty board.
#include "games/checkers.hpp"

#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "games/module_of.hpp"
#include "games/square_board.hpp"

namespace ggp {
namespace {

constexpr int kSquares = 32;
constexpr int kBits = 35;
constexpr int kPieces = 12;       // of a side, at most
constexpr std::uint32_t kQuietEnd = 50;  // so many turns without a capture or a man's move are a draw

constexpr int bit_of(int square) { return square + square / 8; }
constexpr int square_of(std::uint64_t one) {
  const int bit = __builtin_ctzll(one);
  return bit - bit / 9;
}
constexpr std::uint64_t one_at(int square) { return std::uint64_t{1} << bit_of(square); }
constexpr std::uint64_t rotated(std::uint64_t word, int places) { return word << places | word >> (64 - places); }

constexpr std::uint64_t kBoard = 0x7FBFDFEFF;
constexpr std::uint64_t kFarRow[2] = {0xFull << 31, 0xF};
constexpr std::uint64_t kHome[2] = {0x1EFF, 0x7FBC00000};

// One square each, but for the victims.
struct CheckersMove {
  std::uint64_t from, to, victims;
};

// ---- numbers of moves

// All steps and all walks of jumps that there are, by their start.
class Numbering {
 public:
  static constexpr int kMoves = 1034;

  Numbering() {
    slots_.fill({0, -1});
    for (int square = 0; square < kSquares; ++square) {
      const std::uint64_t from = one_at(square);
      for (const int way : {4, 5, 59, 60})
        if (const std::uint64_t to = rotated(from, way) & kBoard; to != 0) add({from, to, 0}, name(from) + "-" + name(to));
      walk({from, from, 0}, name(from));
    }
    if (count_ != kMoves) throw std::logic_error("checkers has " + std::to_string(count_) + " moves");
  }

  const CheckersMove& move(int number) const { return moves_[number]; }
  const std::string& text(int number) const { return texts_[number]; }
  // -1 where there is no such move.
  int number(const CheckersMove& move) const { return slots_[slot(key(move))].number; }

 private:
  static constexpr int kSlots = 4096;
  struct Slot {
    std::uint64_t key;
    int number;
  };

  static std::string name(std::uint64_t one) { return std::to_string(square_of(one) + 1); }
  static std::uint64_t key(const CheckersMove& move) {
    return move.victims | static_cast<std::uint64_t>(__builtin_ctzll(move.from)) << kBits |
           static_cast<std::uint64_t>(__builtin_ctzll(move.to)) << (kBits + 6) | std::uint64_t{1} << 63;
  }
  // Where a key is, or would be.
  int slot(std::uint64_t key) const {
    int at = static_cast<int>(mix64(key) % kSlots);
    while (slots_[at].number >= 0 && slots_[at].key != key) at = (at + 1) % kSlots;
    return at;
  }
  void add(const CheckersMove& move, const std::string& text) {
    const std::uint64_t key = Numbering::key(move);
    Slot& here = slots_[slot(key)];
    if (here.number >= 0) return;  // the same by another way
    here = {key, count_};
    if (count_ < kMoves) {
      moves_[count_] = move;
      texts_[count_] = text;
    }
    ++count_;
  }
  void walk(const CheckersMove& move, const std::string& text) {
    if (move.victims != 0) add(move, text);
    for (const int way : {4, 5, 59, 60}) {
      const std::uint64_t over = rotated(move.to, way) & kBoard & ~move.victims;
      const std::uint64_t to = rotated(over, way) & kBoard;
      if (to != 0) walk({move.from, to, move.victims | over}, text + "x" + name(to));
    }
  }

  int count_ = 0;
  std::array<CheckersMove, kMoves> moves_;
  std::array<std::string, kMoves> texts_;
  std::array<Slot, kSlots> slots_;
};

const Numbering& numbering() {
  static const Numbering made;
  return made;
}

struct Checkers {
  struct State {
    std::uint64_t mine, theirs;  // squares of the role whose turn it is and of the other
    std::uint64_t kings;         // of both
    std::uint64_t hash;
    std::uint32_t mover;         // 0 or 1
    std::uint32_t quiet;         // turns without a capture or a man's move, up to now
  };
  using Move = CheckersMove;
  static constexpr int kRoles = 2;
  static constexpr int kMoves = Numbering::kMoves;

  // ---- hash: the sum, bit by bit, of one random word for each piece on its square (Zobrist 1970), and one for `quiet`

  struct Keys {
    std::uint64_t of[2][2][kBits];  // by role, king or not, bit
    std::uint64_t quiet[kQuietEnd + 1], turn;
  };
  static Keys keys() {
    Keys keys{};
    std::uint64_t next = 0;
    for (auto& of_role : keys.of)
      for (auto& of_kind : of_role)
        for (std::uint64_t& key : of_kind) key = mix64(++next);
    for (std::uint32_t quiet = 1; quiet <= kQuietEnd; ++quiet) keys.quiet[quiet] = mix64(++next);
    keys.turn = mix64(++next);
    return keys;
  }
  static const Keys kKeys;

  static std::uint64_t hash(const State& state) {
    std::uint64_t hash = kKeys.quiet[state.quiet] ^ (state.mover != 0 ? kKeys.turn : 0);
    for (std::uint64_t left = state.mine | state.theirs; left != 0; left &= left - 1) {
      const std::uint64_t one = left & -left;
      const std::uint32_t role = (state.mine & one) != 0 ? state.mover : 1 - state.mover;
      hash ^= kKeys.of[role][(state.kings & one) != 0][__builtin_ctzll(one)];
    }
    return hash;
  }

  // ---- rules

  // The rotations by a step: forward and back for whose turn it is.
  struct Ways {
    int of[4];
    explicit Ways(const State& state)
        : of{state.mover != 0 ? 60 : 4, state.mover != 0 ? 59 : 5, state.mover != 0 ? 4 : 60,
             state.mover != 0 ? 5 : 59} {}
  };
  static std::uint64_t empty(const State& state) { return kBoard & ~(state.mine | state.theirs); }
  // The pieces that go one of the four ways.
  static std::uint64_t goers(const State& state, int way) { return way < 2 ? state.mine : state.mine & state.kings; }

  // The squares that steps and first jumps lead to, by way.
  struct Targets {
    std::uint64_t of[4];
    std::uint64_t any() const { return of[0] | of[1] | of[2] | of[3]; }
  };
  static Targets steps(const State& state, const Ways& ways) {
    Targets to;
    for (int way = 0; way < 4; ++way) to.of[way] = rotated(goers(state, way), ways.of[way]) & empty(state);
    return to;
  }
  static Targets jumps(const State& state, const Ways& ways) {
    Targets to;
    for (int way = 0; way < 4; ++way)
      to.of[way] = rotated(rotated(goers(state, way), ways.of[way]) & state.theirs, ways.of[way]) & empty(state);
    return to;
  }

  // The walks of jumps in a position. From a square there are at most 51, even over a board full of victims.
  struct Captures {
    int count = 0;
    Move of[51 * kPieces];

    void add(const Move& move) {
      // Only a walk around four victims can be had in two ways.
      std::uint64_t beyond_three = move.victims;
      for (int i = 0; i < 3; ++i) beyond_three &= beyond_three - 1;
      if (beyond_three != 0)
        for (int i = 0; i < count; ++i)
          if (of[i].victims == move.victims && of[i].from == move.from && of[i].to == move.to) return;
      of[count++] = move;
    }
  };
  // Goes on with a walk until it can go no farther.
  static void walk(const State& state, const Ways& ways, bool king, const Move& move, Captures& found) {
    const std::uint64_t victims = state.theirs & ~move.victims, free = empty(state) | move.from;
    bool ends = true;
    for (int way = 0; way < (king ? 4 : 2); ++way) {
      const std::uint64_t over = rotated(move.to, ways.of[way]) & victims;
      const std::uint64_t to = rotated(over, ways.of[way]) & free;
      if (to == 0) continue;
      ends = false;
      walk(state, ways, king, {move.from, to, move.victims | over}, found);
    }
    if (ends) found.add(move);
  }
  static void captures(const State& state, const Ways& ways, const Targets& first, Captures& found) {
    for (int way = 0; way < 4; ++way)
      for (std::uint64_t left = first.of[way]; left != 0; left &= left - 1) {
        const std::uint64_t to = left & -left;
        const std::uint64_t over = rotated(to, 64 - ways.of[way]), from = rotated(over, 64 - ways.of[way]);
        walk(state, ways, (state.kings & from) != 0, {from, to, over}, found);
      }
  }

  static State initial() {
    State state{};
    state.mine = kHome[0];
    state.theirs = kHome[1];
    state.hash = hash(state);
    return state;
  }
  static int mover(const State& state) { return static_cast<int>(state.mover); }
  static bool can_move(const State& state) {
    const Ways ways(state);
    return (steps(state, ways).any() | jumps(state, ways).any()) != 0;
  }
  static bool one_king_each(const State& state) {
    return (state.mine & (state.mine - 1)) == 0 && (state.theirs & (state.theirs - 1)) == 0 &&
           (state.mine | state.theirs) == state.kings;
  }
  static bool terminal(const State& state) {
    return state.quiet >= kQuietEnd || one_king_each(state) || !can_move(state);
  }
  // Who cannot move has lost; all other ends are draws.
  static int goal(const State& state, int role) {
    if (can_move(state)) return 50;
    return role == mover(state) ? 0 : 100;
  }

  template <bool kHashed>
  static void play(State& state, const Move& move) {
    const std::uint64_t king = (state.kings & move.from) != 0 ? ~std::uint64_t{0} : 0;
    const std::uint64_t path = move.from ^ move.to;  // nothing where a walk comes back to its start
    const std::uint64_t mine = state.mine ^ path;
    const std::uint64_t kings = ((state.kings ^ (path & king)) & ~move.victims) | (mine & kFarRow[state.mover]);
    const std::uint32_t quiet = king != 0 && move.victims == 0 ? state.quiet + 1 : 0;
    if constexpr (kHashed) {
      state.hash ^= kKeys.of[state.mover][king != 0][__builtin_ctzll(move.from)] ^
                    kKeys.of[state.mover][(kings & move.to) != 0][__builtin_ctzll(move.to)] ^ kKeys.turn ^
                    kKeys.quiet[state.quiet] ^ kKeys.quiet[quiet];
      for (std::uint64_t left = move.victims; left != 0; left &= left - 1)
        state.hash ^= kKeys.of[1 - state.mover][(state.kings & left & -left) != 0][__builtin_ctzll(left)];
    }
    state.mine = state.theirs & ~move.victims;
    state.theirs = mine;
    state.kings = kings;
    state.quiet = quiet;
    state.mover ^= 1;
  }

  template <class Visit>
  static void for_each_move(const State& state, Visit&& visit) {
    const Ways ways(state);
    if (const Targets first = jumps(state, ways); first.any() != 0) {
      Captures found;
      captures(state, ways, first, found);
      for (int i = 0; i < found.count; ++i) visit(found.of[i]);
      return;
    }
    const Targets to = steps(state, ways);
    for (int way = 0; way < 4; ++way)
      for (std::uint64_t left = to.of[way]; left != 0; left &= left - 1) {
        const std::uint64_t one = left & -left;
        visit(Move{rotated(one, 64 - ways.of[way]), one, 0});
      }
  }
  static int number(const State&, const Move& move) { return numbering().number(move); }
  static Move move(const State&, int number) { return numbering().move(number); }
  template <class Bits>
  static LeafCounts count(const State& state) {
    return count_by_playing<Checkers>(state);
  }

  template <class Bits>
  static Move random_move(const State& state, std::uint64_t& random) {
    const Ways ways(state);
    if (const Targets first = jumps(state, ways); first.any() != 0) {
      Captures found;
      captures(state, ways, first, found);
      return found.of[found.count == 1 ? 0 : draw_below(random, static_cast<std::uint32_t>(found.count))];
    }
    const Targets to = steps(state, ways);
    std::uint32_t before[5] = {};  // numbers of steps by the ways up to each
    for (int way = 0; way < 4; ++way) before[way + 1] = before[way] + Bits::count(to.of[way]);
    const std::uint64_t one = std::uint64_t{1} << (before[4] == 1 ? 0 : draw_below(random, before[4]));
    // The bit is sent to a square by one way; in all others it falls off an end.
    Move move{};
    for (int way = 0; way < 4; ++way) {
      const std::uint64_t target = Bits::deposit(one >> before[way], to.of[way]);
      move.to |= target;
      move.from |= rotated(target, 64 - ways.of[way]);
    }
    return move;
  }

  // ---- knowledge

  template <class Bits>
  static Drawn<Move> policy_move(const State& state, std::uint64_t& random) {
    return {random_move<Bits>(state, random), false};
  }

  // The pieces of the winner, kings as one, by those at the start.
  static double quality(const State& state) { return __builtin_popcountll(state.theirs) / static_cast<double>(kPieces); }

  // tanh(D / 10), D the difference of 1 for each piece and 5 more for each king.
  static double evaluation(const State& state, int) {
    const auto worth = [&](std::uint64_t pieces) {
      return __builtin_popcountll(pieces) + 5 * __builtin_popcountll(pieces & state.kings);
    };
    const double value = std::tanh((worth(state.mine) - worth(state.theirs)) / 10.0);
    return state.mover == 0 ? value : -value;
  }

  // ---- text

  static ModuleFacts facts() { return {"checkers", "checkers", 8, {"black", "white"}, {"pieces"}}; }
  static std::string move_text(int, int number) { return numbering().text(number); }
  static std::string move_in(const State&, int number) { return numbering().text(number); }

  // Takes the number of a square off the beginning of a text; 0 where there is none.
  static std::uint64_t take_square(std::string_view& text) {
    int number = 0;
    std::size_t digits = 0;
    for (; digits < text.size() && digits < 2 && text[digits] >= '0' && text[digits] <= '9'; ++digits)
      number = 10 * number + (text[digits] - '0');
    if (number < 1 || number > kSquares || text[0] == '0') return 0;
    text.remove_prefix(digits);
    return one_at(number - 1);
  }
  static int read_move(int, std::string_view text) {
    Move move{};
    move.from = move.to = take_square(text);
    if (move.from == 0) return -1;
    const bool steps = !text.empty() && text[0] == '-';
    while (!text.empty()) {
      if (text[0] != (steps ? '-' : 'x')) return -1;
      text.remove_prefix(1);
      const std::uint64_t to = take_square(text);
      if (to == 0) return -1;
      if (!steps) {
        std::uint64_t over = 0;
        for (const int way : {4, 5, 59, 60})
          if (rotated(move.to, way) & kBoard && rotated(rotated(move.to, way), way) == to)
            over = rotated(move.to, way);
        if (over == 0 || (move.victims & over) != 0) return -1;
        move.victims |= over;
      } else if (move.to != move.from) {
        return -1;  // one step is all
      }
      move.to = to;
    }
    return numbering().number(move);
  }

  // The place of a square in a text, row by row from the top.
  static int place(int square) { return 8 * (7 - square / 4) + 2 * (square % 4) + (square / 4 % 2 == 0); }
  static constexpr std::string_view kQuietLabel = "quiet:";

  // Every row begins with the number of its first dark square.
  static std::string board(const State& state) {
    std::string squares(64, '.');
    for (int square = 0; square < kSquares; ++square) {
      const std::uint64_t one = one_at(square);
      if (((state.mine | state.theirs) & one) == 0) continue;
      const bool black = ((state.mine & one) != 0) == (state.mover == 0);
      squares[place(square)] = (state.kings & one) != 0 ? (black ? 'B' : 'W') : (black ? 'b' : 'w');
    }
    std::string text;
    for (int row = 0; row < 8; ++row) {
      const int number = 29 - 4 * row;
      text += (number < 10 ? " " : "") + std::to_string(number);
      for (int column = 0; column < 8; ++column) text += {' ', squares[8 * row + column]};
      text += '\n';
    }
    if (state.quiet != 0) text += std::string(kQuietLabel) + " " + std::to_string(state.quiet) + "\n";
    return text + facts().roles[state.mover] + " to move\n";
  }
  static State read_board(std::string_view text) {
    State state{};
    std::string rest(text);
    state.quiet = static_cast<std::uint32_t>(std::max(0, take_count(rest, kQuietLabel, kQuietEnd)));
    const SquareBoard board = ggp::read_board(unnumbered(rest), 8, 8, ".bBwW", facts().roles);
    state.mover = static_cast<std::uint32_t>(board.mover);
    std::string squares = board.squares;
    for (int square = 0; square < kSquares; ++square) {
      const char letter = std::exchange(squares[place(square)], '.');
      if (letter == '.') continue;
      const bool black = letter == 'b' || letter == 'B';
      (black == (state.mover == 0) ? state.mine : state.theirs) |= one_at(square);
      if (letter == 'B' || letter == 'W') state.kings |= one_at(square);
    }
    if (const auto at = squares.find_first_not_of('.'); at != std::string::npos)
      throw std::invalid_argument("row " + std::to_string(at / 8 + 1) + " from the top has a piece on a light square");
    require(state);
    state.hash = hash(state);
    return state;
  }
  // The text without the numbers at the beginning of lines.
  static std::string unnumbered(std::string_view text) {
    std::string rows;
    while (!text.empty()) {
      const auto end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      rows += std::string(line.substr(std::min(line.find_first_not_of(" \t0123456789"), line.size()))) + "\n";
    }
    return rows;
  }
  // Refuses positions that cannot arise.
  static void require(const State& state) {
    const std::vector<std::string> roles = facts().roles;
    const std::string& own = roles[state.mover];
    const std::string& other = roles[1 - state.mover];
    const auto refuse = [](const std::string& what) { throw std::invalid_argument(what); };
    for (const bool mine : {true, false}) {
      const std::uint64_t pieces = mine ? state.mine : state.theirs;
      const std::uint32_t role = mine ? state.mover : 1 - state.mover;
      if (__builtin_popcountll(pieces) > kPieces)
        refuse(roles[role] + " has " + std::to_string(__builtin_popcountll(pieces)) + " pieces, at most " +
               std::to_string(kPieces) + " are possible");
      if ((pieces & ~state.kings & kFarRow[role]) != 0) refuse(roles[role] + " has a man on the far row");
    }
    if (state.theirs == 0) refuse(other + " has no piece and " + own + " is to move: the game was over before");
    if ((state.quiet > 0 && (state.theirs & state.kings) == 0) || (state.quiet > 1 && (state.mine & state.kings) == 0))
      refuse("there are no " + std::to_string(state.quiet) + " quiet turns without kings that move");
  }
};

const Checkers::Keys Checkers::kKeys = Checkers::keys();

}  // namespace

std::unique_ptr<const Module> checkers() { return std::make_unique<ModuleOf<Checkers>>(); }

}  // namespace ggp

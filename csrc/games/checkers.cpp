// The squares are bits of words as checkers_squares.hpp says. The pieces that go up and those that go down are two sets, which
// hold the men of one side or of the other: but for that nothing depends on whose turn it is.
//
// A capture may be a walk of several jumps. Walks from the same square over the same pieces to the same square are the
// same move. Pieces are removed at the end: no walk can land on a square that another jump of it passes, so those passed
// stand in nobody's way. Moves are numbered by a table of all steps and all walks on an empty board.
#include "games/checkers.hpp"

#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "games/board_fluents.hpp"
#include "games/checkers_side_by_side.hpp"
#include "games/checkers_squares.hpp"
#include "games/module_of.hpp"
#include "games/square_board.hpp"

namespace ggp {
namespace {

using namespace checkers_squares;

constexpr int kPieces = 12;  // of a side, at most

// The square of each bit.
constexpr std::array<int, kSquares> squares_of_bits() {
  std::array<int, kSquares> squares{};
  for (int square = 0; square < kSquares; ++square) {
    int bit = 0;
    while (one_at(square) >> bit != 1) ++bit;
    squares[bit] = square;
  }
  return squares;
}
constexpr std::array<int, kSquares> kSquareOf = squares_of_bits();
constexpr int square_of(std::uint32_t one) { return kSquareOf[__builtin_ctz(one)]; }

// All bits or none. Where nobody can foretell a condition, what depends on it is masked rather than branched upon.
constexpr std::uint32_t mask_if(bool condition) { return 0 - std::uint32_t{condition}; }

// ---- numbers of moves

// All steps and all walks of jumps that there are, by their start.
class Numbering {
 public:
  static constexpr int kMoves = 1034;

  Numbering() {
    slots_.fill({0, -1});
    for (int square = 0; square < kSquares; ++square) {
      const std::uint32_t from = one_at(square);
      for (int way = 0; way < kWays; ++way)
        if (const std::uint32_t to = on(from, way); to != 0) add({from, to, 0}, name(from) + "-" + name(to));
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

  static std::string name(std::uint32_t one) { return std::to_string(square_of(one) + 1); }
  static std::uint64_t key(const CheckersMove& move) {
    return move.victims | static_cast<std::uint64_t>(square_of(move.from)) << 32 |
           static_cast<std::uint64_t>(square_of(move.to)) << 40 | std::uint64_t{1} << 63;
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
    for (int way = 0; way < kWays; ++way) {
      const std::uint32_t over = on(move.to, way) & ~move.victims;
      const std::uint32_t to = on(over, way);
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
  using State = CheckersState;
  using Move = CheckersMove;
  static constexpr int kRoles = 2;
  static constexpr int kMoves = Numbering::kMoves;

  // ---- hash: the sum, bit by bit, of one random word for each piece on its square (Zobrist 1970), and one for `quiet`

  struct Keys {
    std::uint64_t of[2][2][kSquares];  // by role, king or not, bit
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
    for (std::uint32_t left = state.mine | state.theirs; left != 0; left &= left - 1) {
      const std::uint32_t one = left & -left;
      const std::uint32_t role = (state.mine & one) != 0 ? state.mover : 1 - state.mover;
      hash ^= kKeys.of[role][(state.kings & one) != 0][__builtin_ctz(one)];
    }
    return hash;
  }

  // ---- rules

  static std::uint32_t empty(const State& state) { return ~(state.mine | state.theirs); }
  // All bits if men whose turn it is go this way.
  static std::uint32_t men_go(const State& state, int way) {
    const std::uint32_t up = std::uint32_t{state.mover} - 1;
    return way < 2 ? up : ~up;
  }
  // The pieces that go one of the four ways.
  static std::uint32_t goers(const State& state, int way) { return state.mine & (state.kings | men_go(state, way)); }

  // The squares that steps and first jumps lead to, by way.
  struct Targets {
    std::uint32_t of[kWays];
    std::uint32_t any() const { return of[0] | of[1] | of[2] | of[3]; }
    // Calls see(square, way), way after way; two of them in a loop, for few can be foretell how many there are.
    template <class See>
    void for_each(See&& see) const {
      for (int ways = 0; ways < kWays; ways += 2)
        for (std::uint64_t left = of[ways] | std::uint64_t{of[ways + 1]} << 32; left != 0; left &= left - 1) {
          const int bit = __builtin_ctzll(left);
          see(std::uint32_t{1} << (bit & 31), ways + (bit >> 5));
        }
    }
  };
  static Targets steps(const State& state) {
    Targets to;
    for (int way = 0; way < kWays; ++way) to.of[way] = on(goers(state, way), way) & empty(state);
    return to;
  }
  static Targets jumps(const State& state) {
    Targets to;
    for (int way = 0; way < kWays; ++way)
      to.of[way] = on(on(goers(state, way), way) & state.theirs, way) & empty(state);
    return to;
  }

  // The walks of jumps in a position. From a square there are at most 51, even over a board full of victims.
  struct Captures {
    int count = 0;
    Move of[51 * kPieces];

    void add(const Move& move) {
      // Only a walk around four victims can be had in two ways.
      std::uint32_t beyond_three = move.victims;
      for (int i = 0; i < 3; ++i) beyond_three &= beyond_three - 1;
      if (beyond_three != 0)
        for (int i = 0; i < count; ++i)
          if (of[i].victims == move.victims && of[i].from == move.from && of[i].to == move.to) return;
      of[count++] = move;
    }
  };
  // Goes on with a walk until it can go no farther.
  static void walk(const State& state, std::uint32_t kings, const Move& move, Captures& found) {
    const std::uint32_t victims = state.theirs & ~move.victims, free = empty(state) | move.from;
    Targets next;
    for (int way = 0; way < kWays; ++way)
      next.of[way] = on(on(move.to & (kings | men_go(state, way)), way) & victims, way) & free;
    if (next.any() == 0) return found.add(move);
    next.for_each([&](std::uint32_t to, int way) {
      walk(state, kings, {move.from, to, move.victims | back(to, way)}, found);
    });
  }
  static void captures(const State& state, const Targets& first, Captures& found) {
    first.for_each([&](std::uint32_t to, int way) {
      const std::uint32_t over = back(to, way), from = back(over, way);
      walk(state, mask_if((state.kings & from) != 0), {from, to, over}, found);
    });
  }

  static State initial() {
    State state{};
    state.mine = kHome[0];
    state.theirs = kHome[1];
    state.hash = hash(state);
    return state;
  }
  static int mover(const State& state) { return static_cast<int>(state.mover); }
  static bool can_move(const State& state) { return steps(state).any() != 0 || jumps(state).any() != 0; }
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
    const std::uint32_t king = mask_if((state.kings & move.from) != 0);
    const std::uint32_t path = move.from ^ move.to;  // nothing where a walk comes back to its start
    const std::uint32_t mine = state.mine ^ path;
    const std::uint32_t kings = ((state.kings ^ (path & king)) & ~move.victims) | (mine & kFarRow[state.mover]);
    const auto quiet = static_cast<std::uint16_t>((state.quiet + 1u) & king & mask_if(move.victims == 0));
    if constexpr (kHashed) {
      state.hash ^= kKeys.of[state.mover][king != 0][__builtin_ctz(move.from)] ^
                    kKeys.of[state.mover][(kings & move.to) != 0][__builtin_ctz(move.to)] ^ kKeys.turn ^
                    kKeys.quiet[state.quiet] ^ kKeys.quiet[quiet];
      for (std::uint32_t left = move.victims; left != 0; left &= left - 1)
        state.hash ^= kKeys.of[1 - state.mover][(state.kings & left & -left) != 0][__builtin_ctz(left)];
    }
    state.mine = state.theirs & ~move.victims;
    state.theirs = mine;
    state.kings = kings;
    state.quiet = quiet;
    state.mover ^= 1;
  }

  template <class Visit>
  static void for_each_move(const State& state, Visit&& visit) {
    if (const Targets first = jumps(state); first.any() != 0) {
      Captures found;
      captures(state, first, found);
      for (int i = 0; i < found.count; ++i) visit(found.of[i]);
      return;
    }
    const Targets to = steps(state);
    for (int way = 0; way < kWays; ++way)
      for (std::uint32_t left = to.of[way]; left != 0; left &= left - 1) {
        const std::uint32_t one = left & -left;
        visit(Move{back(one, way), one, 0});
      }
  }
  static int number(const State&, const Move& move) { return numbering().number(move); }
  static Move move(const State&, int number) { return numbering().move(number); }
  template <class Bits>
  static LeafCounts count(const State& state) {
    return count_by_playing<Checkers>(state);
  }

  // Whether a first jump may be followed by another one; true also in some positions where none is.
  static bool may_go_on(const State& state, std::uint32_t landings) {
    const std::uint32_t kings = mask_if((state.mine & state.kings) != 0);
    std::uint32_t further = 0;
    for (int way = 0; way < kWays; ++way)
      further |= on(on(landings & (kings | men_go(state, way)), way) & state.theirs, way);
    return (further & empty(state)) != 0;
  }
  // In a position with jumps.
  static Move random_capture(const State& state, std::uint64_t& random) {
    Captures found;
    captures(state, jumps(state), found);
    return found.of[found.count == 1 ? 0 : draw_below(random, static_cast<std::uint32_t>(found.count))];
  }
  // Steps and single jumps are drawn alike, and nothing branches; positions with longer walks are rare.
  template <class Bits>
  static Move random_move(const State& state, std::uint64_t& random) {
    const Targets jumped = jumps(state), stepped = steps(state);
    const std::uint32_t jumping = mask_if(jumped.any() != 0);
    if (may_go_on(state, jumped.any())) return random_capture(state, random);
    std::uint32_t to[kWays];
    std::uint32_t before[kWays + 1] = {};  // numbers of moves by the ways up to each
    for (int way = 0; way < kWays; ++way) {
      to[way] = jumped.of[way] | (stepped.of[way] & ~jumping);
      before[way + 1] = before[way] + Bits::count(to[way]);
    }
    const std::uint64_t not_drawn = random;
    const std::uint64_t one = std::uint64_t{1} << draw_below(random, before[kWays]);
    random = before[kWays] == 1 ? not_drawn : random;
    // The bit is sent to a square by one way; in all others it falls off an end.
    Move move{};
    std::uint32_t beside = 0, behind = 0;
    for (int way = 0; way < kWays; ++way) {
      const auto target = static_cast<std::uint32_t>(Bits::deposit(one >> before[way], to[way]));
      move.to |= target;
      beside |= back(target, way);
      behind |= back(back(target, way), way);
    }
    move.from = (behind & jumping) | (beside & ~jumping);
    move.victims = beside & jumping;
    return move;
  }

  struct SideBySide : CheckersSideBySide {
    static constexpr bool kPolicyIsUniform = true;
    static bool exists() { return play_checkers() != nullptr; }
    std::uint64_t play(std::uint64_t which, std::uint64_t* random) {
      static const PlayCheckers play_here = play_checkers();
      return play_here(*this, which, random, random_capture);
    }
  };

  // ---- knowledge

  template <class Bits>
  static Drawn<Move> policy_move(const State& state, std::uint64_t& random) {
    return {random_move<Bits>(state, random), false};
  }

  // The pieces of the winner, kings as one, by those at the start.
  static double quality(const State& state) { return __builtin_popcount(state.theirs) / static_cast<double>(kPieces); }

  // tanh(D / 10), D the difference of 1 for each piece and 5 more for each king.
  static double evaluation(const State& state, int) {
    const auto worth = [&](std::uint32_t pieces) {
      return __builtin_popcount(pieces) + 5 * __builtin_popcount(pieces & state.kings);
    };
    const double value = std::tanh((worth(state.mine) - worth(state.theirs)) / 10.0);
    return state.mover == 0 ? value : -value;
  }

  // ---- text

  static ModuleFacts facts() { return {"checkers", "checkers", 8, {"black", "white"}, {"pieces"}}; }
  static std::string move_text(int, int number) { return numbering().text(number); }
  static std::string move_in(const State&, int number) { return numbering().text(number); }

  // Takes the number of a square off the beginning of a text; 0 where there is none.
  static std::uint32_t take_square(std::string_view& text) {
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
      const std::uint32_t to = take_square(text);
      if (to == 0) return -1;
      if (!steps) {
        std::uint32_t over = 0;
        for (int way = 0; way < kWays; ++way)
          if (on(on(move.to, way), way) == to) over = on(move.to, way);
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
  static constexpr char kLetters[] = "bBwW";
  using Fluents = BoardFluents<4, 64, digits_up_to(kQuietEnd)>;
  // Calls see(kind, cell) for what stands on the board: by its place in kLetters, and in the printed board.
  template <class See>
  static void for_each_piece(const State& state, See&& see) {
    for (int square = 0; square < kSquares; ++square) {
      const std::uint32_t one = one_at(square);
      if (((state.mine | state.theirs) & one) == 0) continue;
      const bool black = ((state.mine & one) != 0) == (state.mover == 0);
      see((black ? 0 : 2) + ((state.kings & one) != 0), place(square));
    }
  }
  template <class See>
  static void for_each_fluent(const State& state, See&& see) {
    for_each_piece(state, [&](int kind, int cell) { see(Fluents::piece(kind, cell)); });
    see(Fluents::turn(mover(state)));
    Fluents::digits(state.quiet, see);
  }
  static std::string board(const State& state) {
    std::string squares(64, '.');
    for_each_piece(state, [&](int kind, int cell) { squares[cell] = kLetters[kind]; });
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
    state.quiet = static_cast<std::uint16_t>(std::max(0, take_count(rest, kQuietLabel, kQuietEnd)));
    const SquareBoard board = ggp::read_board(unnumbered(rest), 8, 8, ".bBwW", facts().roles);
    state.mover = static_cast<std::uint16_t>(board.mover);
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
      const std::uint32_t pieces = mine ? state.mine : state.theirs;
      const std::uint32_t role = mine ? state.mover : 1 - state.mover;
      if (__builtin_popcount(pieces) > kPieces)
        refuse(roles[role] + " has " + std::to_string(__builtin_popcount(pieces)) + " pieces, at most " +
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

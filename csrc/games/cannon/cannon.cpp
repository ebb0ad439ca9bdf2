// A square is a bit of 128: bit 11 * row + column; row 0 is the row of the first role's town. The eleventh column stays
// empty. So a step over an edge leaves the board, and a step in a direction is a shift by a constant. Directions are in
// the view of the role to move: for the second role all shifts have the opposite direction.
//
// A table contains the lines, at most ten, on which a town can be hit. The gate is the square before an enemy cannon on
// such a line. If the gate is empty, the cannon attacks the town; otherwise the piece in the gate is pinned. A legal
// move ends on a square that stops every attack, and does not start from a pinned square. Exception: the soldier in a
// gate may capture the first soldier of the cannon behind it. So legal moves are found without trying them.
//
// A move has the number 16 * square + kind, with the square in absolute coordinates and the kinds of kDeltas. A shot
// has the number kShots + square; a founding has kTowns + column. In numbers, squares are 10 * row + column.

#include <cmath>

#include "games/cannon/cannon_side_by_side.hpp"
#include "games/cannon/cannon_squares.hpp"
#include "games/common/board_game.hpp"
#include "games/common/module_of.hpp"

namespace ggp {
namespace {

using namespace cannon_squares;

struct Cannon : BoardGame<Cannon> {
  using State = CannonState;
  // Bits of squares. A shot goes from kShooting to its target, the founding of a town starts from kFounding.
  struct Move {
    int from, to;
  };
  static constexpr int kShooting = -1, kFounding = -2;
  static constexpr int kRoles = 2;
  static constexpr int kShots = 16 * kSize * kSize, kTowns = kShots + kSize * kSize, kMoves = kTowns + kSize;

  // ---- hash: the sum, bit by bit, of one random word for each soldier on its square and each town (Zobrist 1970), and
  // one for the number of moves, which includes the role to move

  struct Keys {
    std::uint64_t of[2][kWidth * kSize], town[2][kSize], moves[kLongest + 1];
  };
  static Keys keys() {
    Keys keys{};
    for (int role = 0; role < 2; ++role) {
      for (int place = 0; place < kWidth * kSize; ++place) keys.of[role][place] = mix64(128 * role + place + 1);
      for (int column = 0; column < kSize; ++column) keys.town[role][column] = mix64(300 + 16 * role + column);
    }
    for (int moves = 0; moves <= kLongest; ++moves) keys.moves[moves] = mix64(1000 + moves);
    return keys;
  }
  static const Keys kKeys;
  static std::uint64_t hash(const State& state) {
    std::uint64_t sum = kKeys.moves[state.moves];
    for (int role = 0; role < 2; ++role) {
      for_each_bit(state.soldiers[role], [&](int place) { sum ^= kKeys.of[role][place]; });
      if (state.town[role] >= 0) sum ^= kKeys.town[role][state.town[role]];
    }
    return sum;
  }

  // ---- rules

  static State initial() {
    State state{};
    for (int row = 1; row <= 3; ++row)
      for (int column = 0; column < kSize; ++column) {
        if (column % 2 == 1) state.soldiers[0] |= bit(place_of(row, column));
        if (column % 2 == 0) state.soldiers[1] |= bit(place_of(kSize - 1 - row, column));
      }
    state.town[0] = state.town[1] = -1;
    state.hash = hash(state);
    return state;
  }
  static int mover(const State& state) { return static_cast<int>(state.moves & 1); }
  static bool is_founding(const State& state) { return state.moves < 2; }
  static int home(int role) { return role == 0 ? 0 : kSize - 1; }
  static Board towns(const State& state) {
    Board squares = 0;
    for (int role = 0; role < 2; ++role)
      if (state.town[role] >= 0) squares |= bit(place_of(home(role), state.town[role]));
    return squares;
  }

  // The restrictions of the moves of a role by the safety of its town.
  struct Safety {
    Board allowed = kSquares;    // where moves may end
    Board pinned = 0;            // where they may not start; shots may not hit these squares
    Board along[kFoot] = {};     // the pinned squares, by direction of the cannon
  };
  static Safety safety(const Watch& watch, Board enemies, Board occupied) {
    Safety found;
    if ((watch.zone & enemies) == 0) return found;
    if (const Board near = watch.near & enemies; near != 0) found.allowed = (near & (near - 1)) == 0 ? near : 0;
    for (int i = 0; i < watch.count; ++i) {
      const Watch::Line& line = watch.lines[i];
      if ((line.cannon & ~enemies) != 0) continue;
      if ((line.gate & occupied) == 0) {
        found.allowed &= line.gate | line.cannon;
      } else {
        found.pinned |= line.gate;
        found.along[line.direction] |= line.gate;
      }
    }
    return found;
  }
  static Safety safety(const State& state, int role) {
    return safety(kWatches.of[role][state.town[role]], state.soldiers[1 - role],
                  state.soldiers[0] | state.soldiers[1] | towns(state));
  }

  // The target squares of legal moves, by kind.
  struct Targets {
    Board of[kKinds] = {};
  };
  static bool has_any(const Targets& to) {
    Board any = 0;
    for (const Board& squares : to.of) any |= squares;
    return any != 0;
  }
  template <int kSign, int kKind>
  static void go(Targets& to, const Safety& safe, Board mine, Board open) {
    to.of[kKind] = shifted<kSign * kDeltas[kKind]>(mine & ~(safe.pinned & ~safe.along[kKind])) & open & safe.allowed;
  }
  template <int kSign>
  static void go_forward(Targets& to, const Safety& safe, Board mine, Board open) {
    go<kSign, 0>(to, safe, mine, open);
    go<kSign, 1>(to, safe, mine, open);
    go<kSign, 2>(to, safe, mine, open);
  }
  template <int kSign, int kKind>
  static void retreat(Targets& to, const Safety& safe, Board pressed, Board empty) {
    constexpr int kStep = kSign * kDeltas[kKind] / 2;
    to.of[kKind] = shifted<kStep>(shifted<kStep>(pressed) & empty) & empty & safe.allowed;
  }
  static Board beside(Board squares) {
    const Board wide = squares | squares << kEast | squares >> kEast;
    return wide | wide << kNorth | wide >> kNorth;
  }
  // Jumps and shots in both directions. Three soldiers in a row are represented by the first; the squares at their ends
  // are empty.
  template <int kSign, int kKind>
  static void use_cannons(Targets& to, const Safety& safe, Board mine, Board theirs, Board empty) {
    constexpr int kStep = kSign * kDeltas[kKind] / 3;
    const Board threes = mine & shifted<-kStep>(mine) & shifted<-2 * kStep>(mine);
    if (threes == 0) return;
    const Board ahead = shifted<3 * kStep>(threes) & empty, behind = shifted<-kStep>(threes) & empty;
    to.of[kKind] = ahead & safe.allowed & ~shifted<3 * kStep>(safe.pinned);
    to.of[kKind + 1] = behind & safe.allowed & ~shifted<-3 * kStep>(safe.pinned);
    const Board next = shifted<kStep>(ahead) & kSquares, last = shifted<-kStep>(behind) & kSquares;
    to.of[kShot] |= (next | shifted<kStep>(next) | last | shifted<-kStep>(last)) & theirs;
  }
  template <int kSign>
  static Targets all_targets(Board mine, Board theirs, Board empty, const Safety& safe) {
    Targets to;
    go_forward<kSign>(to, safe, mine, empty | theirs);
    go<kSign, 3>(to, safe, mine, theirs);
    go<kSign, 4>(to, safe, mine, theirs);
    const Board pressed = mine & beside(theirs) & ~safe.pinned;
    retreat<kSign, kRetreats>(to, safe, pressed, empty);
    retreat<kSign, kRetreats + 1>(to, safe, pressed, empty);
    retreat<kSign, kRetreats + 2>(to, safe, pressed, empty);
    use_cannons<kSign, kJumps>(to, safe, mine, theirs, empty);
    use_cannons<kSign, kJumps + 2>(to, safe, mine, theirs, empty);
    use_cannons<kSign, kJumps + 4>(to, safe, mine, theirs, empty);
    use_cannons<kSign, kJumps + 6>(to, safe, mine, theirs, empty);
    to.of[kShot] &= safe.allowed & ~safe.pinned;
    return to;
  }
  // Precondition: both towns exist.
  static Targets targets(const State& state) {
    const int role = mover(state);
    const Board mine = state.soldiers[role], theirs = state.soldiers[1 - role], occupied = mine | theirs | towns(state);
    const Safety safe = safety(state, role);
    return role == 0 ? all_targets<1>(mine, theirs, kSquares & ~occupied, safe)
                     : all_targets<-1>(mine, theirs, kSquares & ~occupied, safe);
  }
  static Move move_to(const State& state, int kind, int to) {
    return {kind == kShot ? kShooting : to - (mover(state) == 0 ? kDeltas[kind] : -kDeltas[kind]), to};
  }

  // Whether the role to move has no move.
  static bool is_stuck(const State& state) {
    if (is_founding(state)) return false;
    const int role = mover(state);
    const Board mine = state.soldiers[role], occupied = mine | state.soldiers[1 - role] | towns(state);
    const Safety safe = safety(state, role);
    const Board free = mine & ~safe.pinned, open = kSquares & ~occupied & safe.allowed;
    if (((role == 0 ? shifted<kNorth>(free) : shifted<-kNorth>(free)) & open) != 0) return false;
    return !has_any_move(state);
  }
  [[gnu::noinline]] static bool has_any_move(const State& state) { return has_any(targets(state)); }  // rarely needed
  static bool terminal(const State& state) { return is_stuck(state) || state.moves == kLongest; }
  static int goal(const State& state, int role) {
    if (!is_stuck(state)) return 50;
    return role == mover(state) ? 0 : 100;
  }

  template <bool kHashed>
  static void play(State& state, Move move) {
    const int role = mover(state);
    const Board to = bit(move.to);
    if (move.from == kFounding) {
      state.town[role] = static_cast<std::int16_t>(move.to % kWidth);
      if constexpr (kHashed) state.hash ^= kKeys.town[role][move.to % kWidth];
    } else {
      Board& theirs = state.soldiers[1 - role];
      if constexpr (kHashed)
        if ((theirs & to) != 0) state.hash ^= kKeys.of[1 - role][move.to];
      theirs &= ~to;
      if (move.from != kShooting) {
        state.soldiers[role] ^= bit(move.from) | to;
        if constexpr (kHashed) state.hash ^= kKeys.of[role][move.from] ^ kKeys.of[role][move.to];
      }
    }
    if constexpr (kHashed) state.hash ^= kKeys.moves[state.moves] ^ kKeys.moves[state.moves + 1];
    ++state.moves;
  }

  template <class Visit>
  static void for_each_move(const State& state, Visit&& visit) {
    if (is_founding(state)) {
      for (int column = 0; column < kSize; ++column) visit(Move{kFounding, place_of(home(mover(state)), column)});
      return;
    }
    const Targets to = targets(state);
    for (int kind = 0; kind < kKinds; ++kind)
      for_each_bit(to.of[kind], [&](int place) { visit(move_to(state, kind, place)); });
  }
  static int number(const State& state, Move move) {
    if (move.from == kFounding) return kTowns + move.to % kWidth;
    if (move.from == kShooting) return kShots + dense(move.to);
    const int delta = mover(state) == 0 ? move.to - move.from : move.from - move.to;
    return 16 * dense(move.from) + kind_of(delta);
  }
  static int kind_of(int delta) { return static_cast<int>(std::find(kDeltas, kDeltas + 16, delta) - kDeltas); }
  static Move move(const State& state, int number) {
    if (number >= kTowns) return {kFounding, place_of(home(mover(state)), number - kTowns)};
    if (number >= kShots) return {kShooting, place_of_dense(number - kShots)};
    const int from = place_of_dense(number / 16), delta = kDeltas[number % 16];
    return {from, mover(state) == 0 ? from + delta : from - delta};
  }

  template <class Bits>
  static LeafCounts count(const State& state) {
    if (is_founding(state)) return {kSize, 0};
    const Targets to = targets(state);
    LeafCounts counts;
    Board reached = state.soldiers[mover(state)];
    for (const Board& squares : to.of) {
      counts.moves += count_of<Bits>(squares);
      reached |= squares;
    }
    // A move captures or blocks one square, so it removes at most two steps of the other role. If the other role has
    // three straight steps and no attack can arise, one of them remains.
    const int other = 1 - mover(state);
    const Board theirs = state.soldiers[other], empty = kSquares & ~(theirs | state.soldiers[1 - other] | towns(state));
    const Board straight = (other == 0 ? shifted<kNorth>(theirs) : shifted<-kNorth>(theirs)) & empty;
    const bool goes_on = (reached & kWatches.of[other][state.town[other]].zone) == 0 && count_of<Bits>(straight) >= 3 &&
                         state.moves + 1 < kLongest;
    return goes_on ? counts : count_by_playing<Cannon>(state);
  }

  template <class Bits>
  static Move random_move(const State& state, std::uint64_t& random) {
    if (is_founding(state))
      return {kFounding, place_of(home(mover(state)), static_cast<int>(draw_below(random, kSize)))};
    return any_of<Bits>(state, targets(state), 1, random);
  }
  // A move to one of these squares. A shot has this weight.
  template <class Bits>
  static Move any_of(const State& state, const Targets& to, std::uint32_t weight, std::uint64_t& random) {
    std::uint32_t counts[kKinds], all = 0;
    for (int kind = 0; kind < kKinds; ++kind) all += counts[kind] = count_of<Bits>(to.of[kind]);
    all += (weight - 1) * counts[kShot];
    std::uint32_t place = all == 1 ? 0 : draw_below(random, all);
    int kind = 0;
    for (; kind < kShot && place >= counts[kind]; ++kind) place -= counts[kind];
    return move_to(state, kind, nth<Bits>(to.of[kind], kind == kShot ? place / weight : place));
  }

  struct SideBySide : CannonSideBySide {
    static constexpr int kFew = 2;
    using Kernel = PlayCannon;
    static Kernel kernel(Vectors vectors, bool by_policy) {
      return by_policy ? kernel_for<Kernel>(vectors, GGP_VECTOR_KERNELS(play_by_policy))
                       : kernel_for<Kernel>(vectors, GGP_VECTOR_KERNELS(play));
    }
    std::uint64_t play(Kernel kernel, std::uint64_t which, std::uint64_t* random) {
      return kernel(*this, which, random, cannon_rules());
    }
  };
  // With FastBits.
  GGP_FAST_BITS static bool play_one(State& state, std::uint64_t& random) {
    Cannon::template play<false>(state, random_move<FastBits>(state, random));
    return terminal(state);
  }
  GGP_FAST_BITS static bool play_one_by_policy(State& state, std::uint64_t& random) {
    Cannon::template play<false>(state, policy_move<FastBits>(state, random).move);
    return terminal(state);
  }

  // ---- policy and evaluation

  // A move without capture that attacks the other town; else a capture (weight 1) or a shot (weight 4); else any move.
  template <class Bits>
  static Drawn<Move> policy_move(const State& state, std::uint64_t& random) {
    if (is_founding(state)) return {random_move<Bits>(state, random), false};
    const Targets to = targets(state);
    const Board theirs = state.soldiers[1 - mover(state)];
    const Targets checks = attacking(state, to);
    if (has_any(checks)) return {any_of<Bits>(state, checks, 1, random), true};
    Targets taking;
    for (int kind = 0; kind < kKinds; ++kind) taking.of[kind] = to.of[kind] & theirs;
    return {has_any(taking) ? any_of<Bits>(state, taking, 4, random) : any_of<Bits>(state, to, 1, random), false};
  }
  static Targets attacking(const State& state, const Targets& to) {
    const int role = mover(state), other = 1 - role;
    const Board mine = state.soldiers[role], theirs = state.soldiers[other];
    const Board occupied = mine | theirs | towns(state);
    const Watch& watch = kWatches.of[other][state.town[other]];
    Targets checks;
    // A cannon can attack only if two of its soldiers are on the line already.
    const Board there = mine & watch.zone;
    const bool few = (there & (there - 1)) == 0;
    for (int kind = 0; kind < kShot; ++kind)
      for_each_bit(to.of[kind] & ~theirs & (few ? watch.near : kSquares), [&](int place) {
        const Board change = bit(place) | bit(move_to(state, kind, place).from);
        if (safety(watch, mine ^ change, occupied ^ change).allowed != kSquares) checks.of[kind] |= bit(place);
      });
    return checks;
  }

  // (soldiers of the winner - soldiers of the loser) / soldiers at the start; 0 if the winner has fewer.
  static double quality(const State& state, int winner) {
    return std::max(0, soldiers_in(state.soldiers[winner]) - soldiers_in(state.soldiers[1 - winner])) /
           static_cast<double>(kSoldiers);
  }
  // soldiers: tanh(D / 15), D: the difference of the soldiers.
  static double evaluation(const State& state, int) {
    const int more = soldiers_in(state.soldiers[0]) - soldiers_in(state.soldiers[1]);
    return std::tanh(more / static_cast<double>(kSoldiers));
  }

  // ---- text

  static ModuleFacts facts() { return {"cannon", "cannon", kSize, {"white", "black"}, {"soldiers"}}; }
  static std::string name(int place) { return square_name(place / kWidth, place % kWidth); }
  static std::string move_text(int role, int number) {
    if (number >= kTowns) return name(place_of(home(role), number - kTowns));
    if (number >= kShots) return "x" + name(place_of_dense(number - kShots));
    const int from = place_of_dense(number / 16), delta = kDeltas[number % 16];
    const int to = role == 0 ? from + delta : from - delta;
    // No move goes more than three columns aside, but a shift over the edge does.
    const int aside = to % kWidth - from % kWidth;
    const bool is_move = to >= 0 && is_square(to / kWidth, to % kWidth) && std::abs(aside) <= 3;
    return is_move ? name(from) + '-' + name(to) : "";
  }
  static std::string move_in(const State& state, int number) {
    std::string text = move_text(mover(state), number);
    const Move move = Cannon::move(state, number);
    if (move.from >= 0 && (state.soldiers[1 - mover(state)] & bit(move.to)) != 0) text[text.find('-')] = 'x';
    return text;
  }
  static int read_move(int role, std::string_view text) {
    const bool is_shot = !text.empty() && text[0] == 'x';
    if (is_shot) text.remove_prefix(1);
    int row, column, to_row, to_column;
    if (!take_square(text, kSize, kSize, row, column)) return -1;
    if (is_shot) return text.empty() ? kShots + kSize * row + column : -1;
    if (text.empty()) return row == home(role) ? kTowns + column : -1;
    if (text[0] != '-' && text[0] != 'x') return -1;
    text.remove_prefix(1);
    if (!take_square(text, kSize, kSize, to_row, to_column) || !text.empty()) return -1;
    const int delta = place_of(to_row, to_column) - place_of(row, column);
    const int kind = kind_of(role == 0 ? delta : -delta), number = 16 * (kSize * row + column) + kind;
    return kind < kShot && !move_text(role, number).empty() ? number : -1;
  }

  static int place_in_text(int i) { return place_of(kSize - 1 - i / kSize, i % kSize); }
  static constexpr char kLetters[] = "wbWB";
  using Fluents = BoardFluents<4, kSize * kSize, Counter::kDigits, kLongest>;
  template <class See>
  static void for_each_piece(const State& state, See&& see) {
    for (int i = 0; i < kSize * kSize; ++i)
      for (int role = 0; role < 2; ++role) {
        if ((state.soldiers[role] & bit(place_in_text(i))) != 0) see(role, i);
        if (state.town[role] >= 0 && place_in_text(i) == place_of(home(role), state.town[role])) see(2 + role, i);
      }
  }
  static std::uint64_t counter(const State& state) { return state.moves; }
  // If the text does not contain the number of moves, it is the lowest possible number.
  static State read_board(std::string_view text) {
    const std::vector<std::string> roles = facts().roles;
    const SquareBoard board = ggp::read_board(text, kSize, kSize, ".wbWB", roles, kLongest);
    State state{};
    state.town[0] = state.town[1] = -1;
    int fewest = board.mover;
    for (int role = 0; role < 2; ++role) {
      for (int i = 0; i < kSize * kSize; ++i) {
        if (board.squares[i] == "wb"[role]) state.soldiers[role] |= bit(place_in_text(i));
        if (board.squares[i] != "WB"[role]) continue;
        if (state.town[role] >= 0) refuse(roles[role] + " has two towns");
        if (place_in_text(i) / kWidth != home(role)) refuse("the town of " + roles[role] + " is not on its home row");
        state.town[role] = static_cast<std::int16_t>(i % kSize);
      }
      const int lost = kSoldiers - soldiers_in(state.soldiers[role]);
      if (lost < 0)
        refuse(roles[role] + " has " + std::to_string(kSoldiers - lost) + " soldiers, at most " +
               std::to_string(kSoldiers) + " are possible");
      // Towns are founded first; each move captures at most one soldier.
      if (state.town[role] >= 0) fewest = std::max(fewest, role + 1);
      if (lost > 0) fewest = std::max(fewest, 2 * (lost + 1) - role);
    }
    state.moves = static_cast<std::uint32_t>(moves_of(board, fewest, roles, "this position", ", only after "));
    require(state, roles);
    state.hash = hash(state);
    return state;
  }
  // Rejects positions that cannot arise.
  static void require(const State& state, const std::vector<std::string>& roles) {
    const int other_role = 1 - mover(state), moves = static_cast<int>(state.moves);
    for (int role = 0; role < 2; ++role)
      if ((state.town[role] >= 0) != (moves > role))
        refuse(roles[role] + (moves > role ? " has no town after " : " has a town after ") + std::to_string(moves) +
               " moves");
    const State first = initial();
    if (moves <= 2 && (state.soldiers[0] != first.soldiers[0] || state.soldiers[1] != first.soldiers[1]))
      refuse("soldiers have moved before there were two towns");
    const std::string& other = roles[other_role];
    if (state.soldiers[other_role] == 0) refuse(other + " has just moved and has no soldier");
    if (moves >= 2 && safety(state, other_role).allowed != kSquares)
      refuse(other + " has just moved and its town is attacked");
  }
};

const Cannon::Keys Cannon::kKeys = Cannon::keys();

}  // namespace

CannonRules cannon_rules() { return {Cannon::play_one, Cannon::play_one_by_policy, Cannon::terminal}; }

void add_cannon(Modules& modules) { add_modules<Cannon>(modules); }

}  // namespace ggp

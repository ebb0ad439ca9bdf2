// A simulator for a native game: lanes of states that are advanced one after the other.
//
// A game is a class of static functions over a small state; this header and module_of.hpp make everything else.
//
//   struct Game {
//     // A multiple of 8 bytes without padding, at most 8192; trivially copyable. It contains the role to move, and equal
//     // positions are equal bytes. A 64-bit hash is a member, which play() updates.
//     struct State;
//     struct Move;                   // the data that play() needs; its number is not needed
//     static constexpr int kRoles;   // only games of two roles that take turns
//     static constexpr int kMoves;   // moves of a role have the numbers 0 .. kMoves - 1; kMoves is waiting
//
//     static State initial();
//     static int mover(const State&);                       // the role to move
//     static bool terminal(const State&);
//     static int goal(const State&, int role);              // of a terminal state, 0 .. 100
//     static double quality(const State&, int winner);      // 0 .. 1; see Quality::quality_for()
//     static double evaluation(const State&, int which);    // -1 .. 1 for the first role; names are in facts()
//     // Plays a legal move. Unless kHashed, the hash need not be updated: play-outs do not need it.
//     template <bool kHashed> static void play(State&, Move);
//     static std::uint64_t hash(const State&);              // computed from the rest of the state
//
//     // Calls visit(Move) for all legal moves of a non-terminal state, in any order.
//     template <class Visit> static void for_each_move(const State&, Visit&&);
//     static int number(const State&, Move);                // of a legal move
//     static Move move(const State&, int number);           // of a legal move
//     // The fluents of a position, numbered 0 .. Fluents::kCount - 1 (see board_game.hpp): calls see(number).
//     using Fluents;
//     template <class See> static void for_each_fluent(const State&, See&&);
//     // Optional: a faster way to list the numbers of all legal moves, ascending; returns their count. `out` has
//     // space for kMoves numbers.
//     static int list(const State&, int* out);
//     // Optional, with list(): the n-th number of list(), which may write StoredLegality::kSpare numbers beyond the
//     // legal moves. If a state has few words, trees compute legal moves again instead of storing sets.
//     static int nth(const State&, std::uint32_t n);
//     // Optional: a smaller form of states, in trees and files; with the same conditions as State.
//     struct Stored;
//     static Stored store(const State&);
//     static State restore(const Stored&);
//     // Optional, if kMoves is below 64: all legal moves of a non-terminal state as bits.
//     static std::uint64_t legal_bits(const State&);
//     // Optional: writes the indices of the different `numbers` that are legal moves and that random_move(),
//     // policy_move() or light_move() can choose; as LegalityLookup::find_legal().
//     template <class Bits>
//     static std::uint32_t find_legal(const State&, MoveDraw by, const std::uint32_t* numbers, std::uint32_t count,
//                                     std::uint32_t* places);
//     // The number of moves, and the number of moves that end the game.
//     template <class Bits> static LeafCounts count(const State&);
//     // A uniform legal move, and a move by the play-out policy of the game. Both draw at least one number from the
//     // stream, or no number if only one move is legal. `Bits` is PlainBits or FastBits, with equal results.
//     template <class Bits> static Move random_move(const State&, std::uint64_t& random);
//     template <class Bits> static Drawn<Move> policy_move(const State&, std::uint64_t& random);
//     // Optional: a move by a second policy with less knowledge, in the same way.
//     template <class Bits> static Move light_move(const State&, std::uint64_t& random);
//     // Optional, if policy_move() forces no move: a MoveRanking, constructed from the values of the moves of each
//     // role, with
//     //     Move best_move(const State&, std::uint64_t random) const;   // RankedMoves::best_move()
//     // and a state with only those legal moves from which the policy draws a move last, to restrict the ranking:
//     static State only_with(const State&, Move);
//     using Ranking;
//     // Optional: prior knowledge of the legal moves `moves` (their numbers, ascending); as MovePriors::move_priors().
//     static void move_priors(const State&, const int* moves, int count, bool locality, float* values,
//                             std::uint32_t* visits);
//     // Optional: a faster way to draw for many states with FastBits. For each bit i of `which`, in any order, calls
//     // accept(i, move, stream) with the move that random_move(), policy_move() or light_move() draws from states[i] by
//     // the stream random[i], and the stream after the draw. Returns false and does nothing if the game does not
//     // support these vectors or this way of drawing.
//     template <MoveDraw by, class Accept>
//     static bool draw_many(Vectors, const State* states, std::uint64_t which, const std::uint64_t* random,
//                           Accept&& accept);
//     // Optional: a faster way to play up to 64 states side by side. States stay here from move to move.
//     struct SideBySide {
//       static constexpr int kFew;           // up to this number of states, one by one is as fast
//       using Kernel;
//       // The kernel for these vectors, for random_move() or policy_move(); null if there is none.
//       static Kernel kernel(Vectors, bool by_policy);
//       void set(int lane, const State&);
//       State get(int lane) const;           // without the hash
//       // Plays the moves that this function draws with FastBits in the lanes `which`; returns the lanes whose
//       // game ends.
//       std::uint64_t play(Kernel, std::uint64_t which, std::uint64_t* random);
//     };
//
//     // see module_of.hpp: facts(), move_text(), read_move(), move_in(), board(), read_board()
//   };
//
// Numbers of moves. The number of a move never changes, so a game numbers everything that can ever be a move: squares
// and directions. If most such numbers would be unused, the number is the index in a table, made at the first use.
// Amazons has the triples (from, to, shot) in which each step is a queen's move (88,000 on 10x10). Checkers has the
// triples (start, end, victims) of all walks of jumps on the empty board (some thousands). A complete turn is one move:
// tree, averages of moves and perft count turns. If the search learns about moves, it keeps some 30 bytes for each
// number. choose_with() provides the legal moves of a lane as kMoves bits.
//
// Speed. A random move is drawn and played at once, while the state is in registers; the interface does not allow
// callers to read states between choose_at_random() and step(). Terminal states are detected when they arise, so
// evaluate() only publishes a mask. Legal moves are listed only on request, and the hash of a play-out is computed only
// when its state is stored, which is rare.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/bits.hpp"
#include "base/lane_mask.hpp"
#include "base/random.hpp"
#include "base/vector_kernels.hpp"
#include "games/common/game_traits.hpp"
#include "games/common/module_interfaces.hpp"
#include "interfaces/evaluations.hpp"
#include "interfaces/fluent_states.hpp"
#include "interfaces/game_policy.hpp"
#include "interfaces/quality.hpp"
#include "interfaces/reported_moves.hpp"
#include "simulator.hpp"

namespace ggp {

// Every node of a tree contains a state, so small states allow many nodes. Only states with the history of the game are
// this large.
constexpr std::size_t kMostStateBytes = 8192;

// The quality of a terminal state.
template <class Game>
double quality_of_end(const typename Game::State& state) {
  const int first = Game::goal(state, 0), second = Game::goal(state, 1);
  return first == second ? 0 : Game::quality(state, first > second ? 0 : 1);
}

// The number of moves of a state, and of moves that end the game.
struct LeafCounts {
  std::uint64_t moves = 0;
  std::uint64_t ends = 0;
};

// A move that a policy has drawn. A move is forced if values of moves must not overrule it, such as a win at once.
template <class Move>
struct Drawn {
  Move move;
  bool forced;
};

// Game::count() for games without a faster way. It uses no Bits, so it is not inlined into functions that use Bits.
template <class Game>
[[gnu::noinline]] LeafCounts count_by_playing(const typename Game::State& state) {
  LeafCounts counts;
  Game::for_each_move(state, [&](typename Game::Move move) {
    typename Game::State next = state;
    Game::template play<false>(next, move);
    ++counts.moves;
    counts.ends += Game::terminal(next);
  });
  return counts;
}

// Functions of a game that are compiled once, for callers to which a call costs little. The loops of play-outs inline
// their own copies.
template <class Game>
struct ModuleDraws {
  using State = typename Game::State;
  using Move = typename Game::Move;
  using Draw = Drawn<Move> (*)(const State&, std::uint64_t&);
  using Count = LeafCounts (*)(const State&);

  static Draw draw(bool fast, bool by_policy) {
    if (by_policy) return fast ? policy_fast : policy<PlainBits>;
    return fast ? random_fast : random<PlainBits>;
  }
  static Count count(bool fast) { return fast ? count_fast : Game::template count<PlainBits>; }

 private:
  template <class Bits>
  static Drawn<Move> policy(const State& state, std::uint64_t& random) {
    return Game::template policy_move<Bits>(state, random);
  }
  template <class Bits>
  static Drawn<Move> random(const State& state, std::uint64_t& stream) {
    return {Game::template random_move<Bits>(state, stream), false};
  }
  GGP_FAST_BITS static Drawn<Move> policy_fast(const State& state, std::uint64_t& random) {
    return policy<FastBits>(state, random);
  }
  GGP_FAST_BITS static Drawn<Move> random_fast(const State& state, std::uint64_t& stream) {
    return random<FastBits>(state, stream);
  }
  GGP_FAST_BITS static LeafCounts count_fast(const State& state) { return Game::template count<FastBits>(state); }
};

template <class Game>
class ModuleSimulator final : public Simulator,
                              public Evaluations,
                              public Quality,
                              public GamePolicy,
                              public ReportedMoves,
                              public FluentStates,
                              public ModuleLegalBits<ModuleSimulator<Game>, Game>,
                              public ModuleLegalityLookup<ModuleSimulator<Game>, Game>,
                              public ModuleStoredLegality<ModuleSimulator<Game>, Game>,
                              public ModuleRankedMoves<ModuleSimulator<Game>, Game>,
                              public ModuleMovePriors<ModuleSimulator<Game>, Game> {
  friend class ModuleLegalBits<ModuleSimulator, Game>;
  friend class ModuleLegalityLookup<ModuleSimulator, Game>;
  friend class ModuleRankedMoves<ModuleSimulator, Game>;
  friend class ModuleMovePriors<ModuleSimulator, Game>;
  using State = typename Game::State;
  using Move = typename Game::Move;
  using SideBySide = typename HasSideBySide<Game>::Type;
  using Stored = typename StoredForm<Game>::Type;
  static_assert(std::is_trivially_copyable_v<State> && sizeof(State) % 8 == 0 && sizeof(State) <= kMostStateBytes);
  static_assert(std::is_trivially_copyable_v<Stored> && sizeof(Stored) % 8 == 0);
  static_assert(Game::kRoles == 2);

 public:
  // `fast` requires has_fast_bits(); the processor supports these vectors.
  [[gnu::cold]] ModuleSimulator(int lanes, bool fast, Vectors vectors)
      : fast_(fast),
        vectors_(vectors),
        states_(lanes),
        chosen_(lanes),
        random_(lanes),
        terminal_(lanes / 64),
        ended_(lanes / 64),
        unhashed_(lanes / 64),
        choosing_(lanes / 64) {
    const State first = Game::initial();
    store_state<Game>(first, initial_);
    if constexpr (HasSideBySide<Game>::value)
      for (const bool by_policy : {false, true})
        if (kernels_[by_policy] = Game::SideBySide::kernel(vectors, by_policy); kernels_[by_policy] != nullptr) {
          side_by_side_.resize(groups());
          aside_.resize(groups());
        }
    for (int lane = 0; lane < lanes; ++lane) {
      states_[lane] = first;
      random_[lane] = mix64(static_cast<std::uint64_t>(lane));
    }
  }

  std::unique_ptr<Simulator> clone() const override {
    return std::make_unique<ModuleSimulator>(lanes(), fast_, vectors_);
  }

  int roles() const override { return Game::kRoles; }
  int moves(int) const override { return Game::kMoves + 1; }
  int state_words() const override { return sizeof(Stored) / 8; }
  const std::uint64_t* initial() const override { return initial_; }
  int lanes() const override { return static_cast<int>(states_.size()); }

  void load(const std::uint64_t* mask, const std::uint64_t* const* states) override {
    for_each_lane(mask, [&](int lane) {
      states_[lane] = restore_state<Game>(states[lane]);
      set_ended(lane);
    });
    for (int group = 0; group < groups(); ++group) unhashed_[group] &= ~mask[group];
    for (std::size_t group = 0; group < aside_.size(); ++group) aside_[group] &= ~mask[group];
  }
  void store(const std::uint64_t* mask, std::uint64_t* const* states) override {
    for_each_lane(mask, [&](int lane) {
      State& state = this->state(lane);
      if (unhashed_[lane >> 6] >> (lane & 63) & 1) state.hash = Game::hash(state);
      store_state<Game>(state, states[lane]);
    });
    for (int group = 0; group < groups(); ++group) unhashed_[group] &= ~mask[group];
  }
  void seed(int lane, std::uint64_t seed) override { random_[lane] = seed; }
  std::uint64_t stream(int lane) const override { return random_[lane]; }

  void evaluate() override { std::copy(ended_.begin(), ended_.end(), terminal_.begin()); }
  const std::uint64_t* terminal() const override { return terminal_.data(); }
  int goal(int lane, int role) override { return is_over(lane) ? Game::goal(state(lane), role) : -1; }
  double quality(int lane) override {
    return is_over(lane) ? quality_of_end<Game>(state(lane)) : std::numeric_limits<double>::quiet_NaN();
  }
  double quality_for(int lane, int winner) override { return Game::quality(state(lane), winner); }

  int fluents() const override { return Game::Fluents::kCount; }
  int true_fluents(int lane, int* out) const override {
    int count = 0;
    Game::for_each_fluent(state(lane), [&](int fluent) { out[count++] = fluent; });
    return count;
  }

  std::vector<std::string> evaluations() const override { return Game::facts().evaluations; }
  void values(int evaluation, const std::uint64_t* mask, float* out) override {
    for_each_lane(mask, [&](int lane) {
      const auto value = static_cast<float>(evaluate_state(state(lane), evaluation));
      out[2 * lane] = value;
      out[2 * lane + 1] = -value;
    });
  }
  int successor_values(int evaluation, int lane, int role, float* out) override;

  int legal_count(int lane, int role) override {
    if (is_over(lane)) return 0;
    const State& state = this->state(lane);
    return role != Game::mover(state) ? 1 : count_moves(state);
  }
  int legal(int lane, int role, int* out) override {
    if (is_over(lane)) return 0;
    const State& state = this->state(lane);
    if (role != Game::mover(state)) {
      out[0] = Game::kMoves;
      return 1;
    }
    if constexpr (kHas<ListOf, Game>) {
      return Game::list(state, out);
    } else {
      int count = 0;
      Game::for_each_move(state, [&](Move move) { out[count++] = Game::number(state, move); });
      if (!std::is_sorted(out, out + count)) std::sort(out, out + count);
      return count;
    }
  }

  void choose(int lane, int role, int move) override {
    if (move == Game::kMoves || role != Game::mover(state(lane))) return;
    chosen_[lane] = Game::move(state(lane), move);
    choosing_[lane >> 6] |= std::uint64_t{1} << (lane & 63);
  }
  // Not inlined: the functions that adjust the pointer of each interface would each contain a copy.
  [[gnu::noinline]] void choose_at_random(const std::uint64_t* mask) override {
    fast_ ? play_fast<MoveDraw::kUniform>(mask) : play<PlainBits, MoveDraw::kUniform>(mask);
  }
  [[gnu::noinline]] void choose_by_policy(const std::uint64_t* mask) override {
    fast_ ? play_fast<MoveDraw::kPolicy>(mask) : play<PlainBits, MoveDraw::kPolicy>(mask);
  }
  bool has_light_policy() const override { return kHas<LightMoveOf, Game>; }
  [[gnu::noinline]] void choose_by_light_policy([[maybe_unused]] const std::uint64_t* mask) override {
    if constexpr (kHas<LightMoveOf, Game>)
      fast_ ? play_fast<MoveDraw::kLight>(mask) : play<PlainBits, MoveDraw::kLight>(mask);
  }
  PolicyMove policy_move(int lane, std::uint64_t& random) override {
    const State& state = this->state(lane);
    const Drawn<Move> drawn = ModuleDraws<Game>::draw(fast_, true)(state, random);
    return {Game::mover(state), Game::number(state, drawn.move), drawn.forced};
  }
  int mover(int lane) const override { return Game::mover(state(lane)); }
  [[gnu::noinline]] void choose_and_report(const std::uint64_t* mask, MoveDraw by, ReportedMove* reported) override {
    reported_ = reported;
    if (by == MoveDraw::kUniform) choose_at_random(mask);
    if (by == MoveDraw::kPolicy) choose_by_policy(mask);
    if (by == MoveDraw::kLight) choose_by_light_policy(mask);
    reported_ = nullptr;
  }
  [[gnu::noinline]] void choose_reported(const std::uint64_t* mask, const ReportedMove* reported) override {
    for_each_lane(mask, [&](int lane) {
      State& state = this->state(lane);
      Game::template play<false>(state, Game::move(state, reported[lane].move));
      set_ended(lane);
    });
    for (int group = 0; group < groups(); ++group) unhashed_[group] |= mask[group];
  }
  void choose_with(const std::uint64_t* mask, MoveChooser& chooser) override;

  void step() override {
    for_each_lane(choosing_.data(), [&](int lane) {
      Game::template play<true>(state(lane), chosen_[lane]);
      set_ended(lane);
    });
    std::fill(choosing_.begin(), choosing_.end(), 0);
  }

 private:
  void* find_interface(InterfaceId id) override {
    return select_interface<Evaluations, Quality, GamePolicy, ReportedMoves, FluentStates, BitwiseLegality, LegalityLookup,
                            StoredLegality, RankedMoves, MovePriors>(*this, id);
  }
  // Calls action(lane) for the lanes of a mask, in ascending order.
  template <class Action>
  void for_each_lane(const std::uint64_t* mask, Action action) {
    ggp::for_each_lane(mask, groups(), action);
  }
  // A move with the values of the state after it.
  struct Successor {
    int move;
    float values[Game::kRoles];
  };
  bool is_over(int lane) const { return terminal_[lane >> 6] >> (lane & 63) & 1; }
  void set_ended(int lane) {
    const std::uint64_t bit = std::uint64_t{1} << (lane & 63);
    std::uint64_t& word = ended_[lane >> 6];
    word = Game::terminal(states_[lane]) ? word | bit : word & ~bit;
  }
  // The state of a lane; copied back first if it was played side by side.
  State& state(int lane) const {
    take_back(lane >> 6, std::uint64_t{1} << (lane & 63));
    return states_[lane];
  }
  void take_back([[maybe_unused]] int group, [[maybe_unused]] std::uint64_t lanes) const {
    if constexpr (HasSideBySide<Game>::value) {
      if (aside_.empty()) return;
      for (std::uint64_t left = lanes & aside_[group]; left != 0; left &= left - 1) {
        const int lane = __builtin_ctzll(left);
        states_[64 * group + lane] = side_by_side_[group].get(lane);
      }
      aside_[group] &= ~lanes;
    }
  }
  // Draws moves and plays them, side by side, and returns the lanes whose game ended.
  std::uint64_t play_side_by_side(int group, std::uint64_t lanes, typename SideBySide::Kernel kernel) {
    if constexpr (HasSideBySide<Game>::value) {
      auto& there = side_by_side_[group];
      for (std::uint64_t left = lanes & ~aside_[group]; left != 0; left &= left - 1) {
        const int lane = __builtin_ctzll(left);
        there.set(lane, states_[64 * group + lane]);
      }
      aside_[group] |= lanes;
      return there.play(kernel, lanes, &random_[64 * group]);
    }
    return 0;
  }

  // Draws moves and plays them.
  template <class Bits, MoveDraw by>
  void play(const std::uint64_t* mask) {
    for (int group = 0; group < groups(); ++group) {
      State* states = &states_[64 * group];
      std::uint64_t* random = &random_[64 * group];
      std::uint64_t ended = 0;
      const auto accept = [&](std::size_t lane, const Move& move, std::uint64_t stream) {
        State& state = states[lane];
        if (reported_ != nullptr) report(64 * group + lane, Game::number(state, move), stream == random[lane]);
        Game::template play<false>(state, move);
        random[lane] = stream;
        ended |= std::uint64_t{Game::terminal(state)} << lane;
      };
      std::uint64_t left = mask[group] & ~ended_[group];
      if constexpr (HasSideBySide<Game>::value)
        if (const auto kernel = by == MoveDraw::kLight ? nullptr : kernels_[by == MoveDraw::kPolicy];
            kernel != nullptr && reported_ == nullptr && __builtin_popcountll(left) > SideBySide::kFew) {
          ended = play_side_by_side(group, left, kernel);
          left = 0;
        }
      take_back(group, left);
      if constexpr (std::is_same_v<Bits, FastBits> && kHas<DrawManyOf, Game>)
        if (Game::template draw_many<by>(vectors_, states, left, random, accept)) left = 0;
      for (; left != 0; left &= left - 1) {
        const std::size_t lane = __builtin_ctzll(left);
        std::uint64_t stream = random[lane];
        Move move;
        if constexpr (by == MoveDraw::kPolicy)
          move = Game::template policy_move<Bits>(states[lane], stream).move;
        else if constexpr (by == MoveDraw::kLight)
          move = Game::template light_move<Bits>(states[lane], stream);
        else
          move = Game::template random_move<Bits>(states[lane], stream);
        accept(lane, move, stream);
      }
      ended_[group] |= ended;
      unhashed_[group] |= mask[group];
    }
  }
  // A move that was not drawn may be the only legal move. Rarely called, so must not be inlined into play().
  [[gnu::noinline]] void report(std::size_t lane, int number, bool undrawn) {
    const State& state = this->state(lane);
    reported_[lane] = {Game::mover(state), number};
    if (undrawn && count_moves(state) == 1) reported_[lane] = {-1, -1};
  }
  // Compiled once: callers are rare, and every copy costs time of compilation.
  [[gnu::noinline]] static int count_moves(const State& state) {
    int moves = 0;
    Game::for_each_move(state, [&](const Move&) { ++moves; });
    return moves;
  }
  [[gnu::noinline]] static double evaluate_state(const State& state, int evaluation) {
    return Game::evaluation(state, evaluation);
  }
  template <MoveDraw by>
  GGP_FAST_BITS void play_fast(const std::uint64_t* mask) {
    play<FastBits, by>(mask);
  }

  const bool fast_;
  const Vectors vectors_;
  std::uint64_t initial_[sizeof(Stored) / 8];
  mutable std::vector<State> states_;  // except the states that are played side by side
  std::vector<Move> chosen_;  // set by choose(), valid in the lanes of choosing_
  std::vector<std::uint64_t> random_;
  std::vector<std::uint64_t> terminal_, ended_;  // as published by evaluate(); current
  std::vector<std::uint64_t> unhashed_;          // lanes whose hash play-outs have not updated
  std::vector<std::uint64_t> choosing_;          // lanes that step() will advance
  // For choose_with(): the lanes with several legal moves; the legal moves of all lanes as bits, 0 between calls.
  std::vector<std::uint64_t> several_, legal_;
  std::vector<std::size_t> touched_;
  std::vector<std::uint32_t> answers_;
  // For games played side by side: kernels for random moves and for the policy; blocks of 64 lanes; lanes stored there.
  typename SideBySide::Kernel kernels_[2] = {};
  std::vector<SideBySide> side_by_side_;
  mutable std::vector<std::uint64_t> aside_;
  ReportedMove* reported_ = nullptr;  // by lane, during choose_and_report()
  std::vector<Successor> behind_;  // for successor_values()
};

template <class Game>
int ModuleSimulator<Game>::successor_values(int evaluation, int lane, int role, float* out) {
  const State& state = this->state(lane);
  if (is_over(lane) || role != Game::mover(state)) return 0;
  behind_.clear();
  Game::for_each_move(state, [&](Move move) {
    State next = state;
    Game::template play<false>(next, move);
    Successor made{Game::number(state, move), {}};
    if (Game::terminal(next)) {
      for (int each = 0; each < Game::kRoles; ++each)
        made.values[each] = static_cast<float>(Game::goal(next, each) / 50.0 - 1);
    } else {
      made.values[0] = static_cast<float>(evaluate_state(next, evaluation));
      made.values[1] = -made.values[0];
    }
    behind_.push_back(made);
  });
  const auto before = [](const Successor& one, const Successor& other) { return one.move < other.move; };
  if (!std::is_sorted(behind_.begin(), behind_.end(), before)) std::sort(behind_.begin(), behind_.end(), before);
  for (const Successor& each : behind_) out = std::copy_n(each.values, Game::kRoles, out);
  return static_cast<int>(behind_.size());
}

// One pass is enough, because only one role has a choice. Only words that were written are cleared.
template <class Game>
void ModuleSimulator<Game>::choose_with(const std::uint64_t* mask, MoveChooser& chooser) {
  constexpr int kBlocks = (Game::kMoves + 63) / 64;
  several_.assign(std::size_t{Game::kRoles} * groups(), 0);
  legal_.resize(std::size_t{kBlocks} * lanes());
  answers_.resize(lanes());
  bool any = false;
  for_each_lane(mask, [&](int lane) {
    if (is_over(lane)) return;
    const State& state = this->state(lane);
    int count = 0;
    Game::for_each_move(state, [&](Move move) {
      const int number = Game::number(state, move);
      const std::size_t at = (std::size_t(number / 64) * 64 + (lane & 63)) * groups() + (lane >> 6);
      if (legal_[at] == 0) touched_.push_back(at);
      legal_[at] |= std::uint64_t{1} << (number % 64);
      chosen_[lane] = move;
      ++count;
    });
    const std::uint64_t bit = std::uint64_t{1} << (lane & 63);
    if (count > 0) choosing_[lane >> 6] |= bit;
    if (count > 1) several_[std::size_t(Game::mover(state)) * groups() + (lane >> 6)] |= bit;
    any = any || count > 1;
  });
  if (any) {
    chooser.choose({groups(), kBlocks, several_.data(), legal_.data(), answers_.data()});
    for (int role = 0; role < Game::kRoles; ++role)
      for_each_lane(&several_[std::size_t(role) * groups()], [&](int lane) {
        chosen_[lane] = Game::move(states_[lane], static_cast<int>(answers_[lane]));
      });
  }
  for (const std::size_t at : touched_) legal_[at] = 0;
  touched_.clear();
}

}  // namespace ggp

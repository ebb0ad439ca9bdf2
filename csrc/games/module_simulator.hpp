// A simulator out of a hand-coded game: lanes of states that are advanced one after the other.
//
// A game is a class of static functions over a small state; everything else is made here and in module_of.hpp.
//
//   struct Game {
//     // A multiple of 8 bytes without padding, at most 8192; trivially copyable. It says whose turn it is, and equal
//     // positions are equal bytes. A 64-bit hash is a member, kept up to date by play().
//     struct State;
//     struct Move;                   // what play() needs, found without a search for its number
//     static constexpr int kRoles;   // two roles that take turns, so far
//     static constexpr int kMoves;   // numbers of moves of a role: 0 .. kMoves - 1; kMoves itself is "waits"
//
//     static State initial();
//     static int mover(const State&);                       // the role whose turn it is
//     static bool terminal(const State&);
//     static int goal(const State&, int role);              // of a terminal state, 0 .. 100
//     static double quality(const State&);                  // of a terminal state, 0 .. 1; see Quality::quality()
//     static double evaluation(const State&, int which);    // -1 .. 1 for the first role; names are in facts()
//     // Plays a legal move. Unless kHashed the hash need not be kept: nobody will ask for that of a play-out.
//     template <bool kHashed> static void play(State&, Move);
//     static std::uint64_t hash(const State&);              // anew, from the rest of the state
//
//     // All legal moves of a state that is not terminal, in any order: visit(Move).
//     template <class Visit> static void for_each_move(const State&, Visit&&);
//     static int number(const State&, Move);                // of a legal move
//     static Move move(const State&, int number);           // of a legal move
//     // The facts of a position, numbered 0 .. Fluents::kCount - 1 (see board_fluents.hpp): see(number) for those that hold.
//     using Fluents;
//     template <class See> static void for_each_fluent(const State&, See&&);
//     // If need be, a faster way to the numbers of all legal moves: ascending, their count returned. `out` has room for
//     // kMoves of them.
//     static int list(const State&, int* out);
//     // If need be, and where kMoves is below 64, all legal moves of a state that is not terminal as bits.
//     static std::uint64_t legal_bits(const State&);
//     // If need be, writes the places of those among some different numbers that are legal moves and, by_policy, not among
//     // what policy_move() leaves out; as LegalityLookup::find_legal().
//     template <class Bits>
//     static std::uint32_t find_legal(const State&, bool by_policy, const std::uint32_t* numbers, std::uint32_t count,
//                                     std::uint32_t* places);
//     // How many moves there are, and how many of them end the game.
//     template <class Bits> static LeafCounts count(const State&);
//     // A legal move, uniformly; and one by the game's own play-out policy. One draw from the stream, or more if
//     // need be; none where there is one move. `Bits` is PlainBits or FastBits, with the same result.
//     template <class Bits> static Move random_move(const State&, std::uint64_t& random);
//     template <class Bits> static Drawn<Move> policy_move(const State&, std::uint64_t& random);
//     // If need be, and where no move of policy_move() is forced, a MoveRanking that is made of the values of the moves of
//     // each role, and has
//     //     Move best_move(const State&, std::uint64_t random) const;   // RankedMoves::best_move()
//     using Ranking;
//     // If need be, a faster way to draw for many states with FastBits: for each i of the bits in `which`, in any order,
//     // accept(i, move, stream) with what random_move() or policy_move() draws from states[i], by the stream random[i],
//     // and that stream behind it. False, and nothing done, where there is no such way with these vectors.
//     template <bool by_policy, class Accept>
//     static bool draw_many(Vectors, const State* states, std::uint64_t which, const std::uint64_t* random,
//                           Accept&& accept);
//     // If need be, a faster way to play, on up to 64 states side by side. States stay there from move to move.
//     struct SideBySide {
//       static constexpr int kFew;           // so few states are played as fast one by one
//       using Kernel;
//       // Of these vectors, for random_move() or policy_move(); null where there is none.
//       static Kernel kernel(Vectors, bool by_policy);
//       void set(int lane, const State&);
//       State get(int lane) const;           // but for the hash
//       // Plays what that function draws with FastBits in the lanes `which`, and returns those in which the game ends.
//       std::uint64_t play(Kernel, std::uint64_t which, std::uint64_t* random);
//     };
//
//     // see module_of.hpp: facts(), move_text(), read_move(), move_in(), board(), read_board()
//   };
//
// Numbers of moves. A number means the same move for ever, so a game numbers whatever can ever be a move: squares and
// directions, or, where that would leave most numbers unused, the places in a table that is made once, when the program
// starts: in Amazons the triples (from, to, shot) in which each is a queen's move from the one before (88,000 on 10x10),
// in checkers the triples (start, end, victims) of all walks of jumps on the empty board (some thousands). A whole turn
// is one move: the tree, the averages of moves and the perft are then of turns. The search keeps some 30 bytes for each
// number where it learns about moves and nothing else; choose_with() lays the legal moves of a lane in kMoves bits.
//
// What makes it fast. A random move is drawn and played in one go, while the state is in registers; the
// contract lets nobody look between choose_at_random() and step(). Terminal states are noticed when they arise,
// so that evaluate() has nothing left to do but to publish a mask. Legal moves are listed only for those who ask, and
// the hash of a play-out is computed when its state is stored, which hardly ever happens.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "games/bits.hpp"
#include "games/game_traits.hpp"
#include "games/module_interfaces.hpp"
#include "games/vector_kernels.hpp"
#include "interfaces/evaluations.hpp"
#include "interfaces/fluent_states.hpp"
#include "interfaces/game_policy.hpp"
#include "interfaces/quality.hpp"
#include "interfaces/reported_moves.hpp"
#include "random.hpp"
#include "simulator.hpp"

namespace ggp {

// Every node of a tree holds a state: few bytes are many nodes. What is this large has the past of the game in it.
constexpr std::size_t kMostStateBytes = 8192;

// Moves in a state, and those of them that end the game.
struct LeafCounts {
  std::uint64_t moves = 0;
  std::uint64_t ends = 0;
};

// A move that a policy has drawn. It is forced where knowledge of moves must not overrule it: a win at once.
template <class Move>
struct Drawn {
  Move move;
  bool forced;
};

// Game::count() for games without a shorter way. Bits matter nowhere in it, so it is not inlined where they do.
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

template <class Game>
class ModuleSimulator final : public Simulator,
                              public Evaluations,
                              public Quality,
                              public GamePolicy,
                              public ReportedMoves,
                              public FluentStates,
                              public ModuleLegalBits<ModuleSimulator<Game>, Game>,
                              public ModuleLegalityLookup<ModuleSimulator<Game>, Game>,
                              public ModuleRankedMoves<ModuleSimulator<Game>, Game> {
  friend class ModuleLegalBits<ModuleSimulator, Game>;
  friend class ModuleLegalityLookup<ModuleSimulator, Game>;
  friend class ModuleRankedMoves<ModuleSimulator, Game>;
  using State = typename Game::State;
  using Move = typename Game::Move;
  using SideBySide = typename HasSideBySide<Game>::Type;
  static_assert(std::is_trivially_copyable_v<State> && sizeof(State) % 8 == 0 && sizeof(State) <= kMostStateBytes);
  static_assert(Game::kRoles == 2);

 public:
  // With `fast` the processor has_fast_bits(); it has these vectors.
  ModuleSimulator(int lanes, bool fast, Vectors vectors)
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
    std::memcpy(initial_, &first, sizeof first);
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
  int state_words() const override { return sizeof(State) / 8; }
  const std::uint64_t* initial() const override { return initial_; }
  int lanes() const override { return static_cast<int>(states_.size()); }

  void load(const std::uint64_t* mask, const std::uint64_t* const* states) override {
    for_each_lane(mask, [&](int lane) {
      std::memcpy(&states_[lane], states[lane], sizeof(State));
      set_ended(lane);
    });
    for (int group = 0; group < groups(); ++group) unhashed_[group] &= ~mask[group];
    for (std::size_t group = 0; group < aside_.size(); ++group) aside_[group] &= ~mask[group];
  }
  void store(const std::uint64_t* mask, std::uint64_t* const* states) override {
    for_each_lane(mask, [&](int lane) {
      State& state = this->state(lane);
      if (unhashed_[lane >> 6] >> (lane & 63) & 1) state.hash = Game::hash(state);
      std::memcpy(states[lane], &state, sizeof(State));
    });
    for (int group = 0; group < groups(); ++group) unhashed_[group] &= ~mask[group];
  }
  void seed(int lane, std::uint64_t seed) override { random_[lane] = seed; }
  std::uint64_t stream(int lane) const override { return random_[lane]; }

  void evaluate() override { std::copy(ended_.begin(), ended_.end(), terminal_.begin()); }
  const std::uint64_t* terminal() const override { return terminal_.data(); }
  int goal(int lane, int role) override { return is_over(lane) ? Game::goal(state(lane), role) : -1; }
  double quality(int lane) override {
    return is_over(lane) ? Game::quality(state(lane)) : std::numeric_limits<double>::quiet_NaN();
  }

  int fluents() const override { return Game::Fluents::kCount; }
  int true_fluents(int lane, int* out) const override {
    int count = 0;
    Game::for_each_fluent(state(lane), [&](int fluent) { out[count++] = fluent; });
    return count;
  }

  std::vector<std::string> evaluations() const override { return Game::facts().evaluations; }
  void values(int evaluation, const std::uint64_t* mask, float* out) override {
    for_each_lane(mask, [&](int lane) {
      const auto value = static_cast<float>(Game::evaluation(state(lane), evaluation));
      out[2 * lane] = value;
      out[2 * lane + 1] = -value;
    });
  }
  int successor_values(int evaluation, int lane, int role, float* out) override;

  int legal_count(int lane, int role) override {
    if (is_over(lane)) return 0;
    if (role != Game::mover(state(lane))) return 1;
    int count = 0;
    Game::for_each_move(state(lane), [&](Move) { ++count; });
    return count;
  }
  int legal(int lane, int role, int* out) override {
    if (is_over(lane)) return 0;
    const State& state = this->state(lane);
    if (role != Game::mover(state)) {
      out[0] = Game::kMoves;
      return 1;
    }
    if constexpr (HasList<Game>::value) {
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
  void choose_at_random(const std::uint64_t* mask) override {
    fast_ ? play_fast<false>(mask) : play<PlainBits, false>(mask);
  }
  void choose_by_policy(const std::uint64_t* mask) override {
    fast_ ? play_fast<true>(mask) : play<PlainBits, true>(mask);
  }
  PolicyMove policy_move(int lane, std::uint64_t& random) override {
    return fast_ ? draw_fast(state(lane), random) : draw<PlainBits>(state(lane), random);
  }
  int mover(int lane) const override { return Game::mover(state(lane)); }
  void choose_and_report(const std::uint64_t* mask, bool by_policy, ReportedMove* reported) override {
    reported_ = reported;
    by_policy ? choose_by_policy(mask) : choose_at_random(mask);
    reported_ = nullptr;
  }
  void choose_reported(const std::uint64_t* mask, const ReportedMove* reported) override {
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
                            RankedMoves>(*this, id);
  }
  // The lanes of a mask, in ascending order.
  template <class Action>
  void for_each_lane(const std::uint64_t* mask, Action action) {
    for (int group = 0; group < groups(); ++group)
      for (std::uint64_t left = mask[group]; left != 0; left &= left - 1)
        action(64 * group + __builtin_ctzll(left));
  }
  bool is_over(int lane) const { return terminal_[lane >> 6] >> (lane & 63) & 1; }
  void set_ended(int lane) {
    const std::uint64_t bit = std::uint64_t{1} << (lane & 63);
    std::uint64_t& word = ended_[lane >> 6];
    word = Game::terminal(states_[lane]) ? word | bit : word & ~bit;
  }
  // The state of a lane, taken back where it was played side by side with others.
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
  // Draws moves and plays them, side by side, and returns the lanes that ended.
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
  template <class Bits, bool by_policy>
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
        if (const auto kernel = kernels_[by_policy];
            kernel != nullptr && reported_ == nullptr && __builtin_popcountll(left) > SideBySide::kFew) {
          ended = play_side_by_side(group, left, kernel);
          left = 0;
        }
      take_back(group, left);
      if constexpr (std::is_same_v<Bits, FastBits> && HasDrawMany<Game>::value)
        if (Game::template draw_many<by_policy>(vectors_, states, left, random, accept)) left = 0;
      for (; left != 0; left &= left - 1) {
        const std::size_t lane = __builtin_ctzll(left);
        std::uint64_t stream = random[lane];
        Move move;
        if constexpr (by_policy)
          move = Game::template policy_move<Bits>(states[lane], stream).move;
        else
          move = Game::template random_move<Bits>(states[lane], stream);
        accept(lane, move, stream);
      }
      ended_[group] |= ended;
      unhashed_[group] |= mask[group];
    }
  }
  // A move that was not drawn may have been the only legal one. Rarely called, and so not to be inlined in play().
  [[gnu::noinline]] void report(std::size_t lane, int number, bool undrawn) {
    const State& state = this->state(lane);
    reported_[lane] = {Game::mover(state), number};
    if (!undrawn) return;
    int moves = 0;
    Game::for_each_move(state, [&](const Move&) { ++moves; });
    if (moves == 1) reported_[lane] = {-1, -1};
  }
  template <bool by_policy>
  GGP_FAST_BITS void play_fast(const std::uint64_t* mask) {
    play<FastBits, by_policy>(mask);
  }

  template <class Bits>
  static PolicyMove draw(const State& state, std::uint64_t& random) {
    const Drawn<Move> drawn = Game::template policy_move<Bits>(state, random);
    return {Game::mover(state), Game::number(state, drawn.move), drawn.forced};
  }
  GGP_FAST_BITS static PolicyMove draw_fast(const State& state, std::uint64_t& random) {
    return draw<FastBits>(state, random);
  }

  const bool fast_;
  const Vectors vectors_;
  std::uint64_t initial_[sizeof(State) / 8];
  mutable std::vector<State> states_;  // but those that are aside
  std::vector<Move> chosen_;  // by choose(), in the lanes of choosing_
  std::vector<std::uint64_t> random_;
  std::vector<std::uint64_t> terminal_, ended_;  // as published; as of now
  std::vector<std::uint64_t> unhashed_;          // lanes whose hash play-outs have left behind
  std::vector<std::uint64_t> choosing_;          // lanes that are to step
  // Of choose_with(): the legal moves of all lanes as bits, 0 between calls; the words that are not.
  std::vector<std::uint64_t> several_, legal_;
  std::vector<std::size_t> touched_;
  std::vector<std::uint32_t> answers_;
  // Where the game is played side by side, at random and by the policy: 64 lanes each; the lanes whose states are there.
  typename SideBySide::Kernel kernels_[2] = {};
  std::vector<SideBySide> side_by_side_;
  mutable std::vector<std::uint64_t> aside_;
  ReportedMove* reported_ = nullptr;  // by lane, during choose_and_report()
  std::vector<std::pair<int, float>> behind_;  // of successor_values(): number and value
};

template <class Game>
int ModuleSimulator<Game>::successor_values(int evaluation, int lane, int role, float* out) {
  const State& state = this->state(lane);
  if (is_over(lane) || role != Game::mover(state)) return 0;
  behind_.clear();
  Game::for_each_move(state, [&](Move move) {
    State next = state;
    Game::template play<false>(next, move);
    double value;
    if (Game::terminal(next)) {
      value = Game::goal(next, role) / 50.0 - 1;
    } else {
      value = role == 0 ? Game::evaluation(next, evaluation) : -Game::evaluation(next, evaluation);
    }
    behind_.push_back({Game::number(state, move), static_cast<float>(value)});
  });
  const auto before = [](const auto& one, const auto& other) { return one.first < other.first; };
  if (!std::is_sorted(behind_.begin(), behind_.end(), before)) std::sort(behind_.begin(), behind_.end(), before);
  for (const auto& [number, value] : behind_) *out++ = value;
  return static_cast<int>(behind_.size());
}

// One pass is enough, for one role alone has a choice. Only the words that were written are cleared.
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

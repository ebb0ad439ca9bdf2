// Random moves of Go, the two play-out policies, and prior knowledge of moves.
//
// The light policy plays any empty point except own eyes, suicides and repetitions, each with the same probability. It
// passes if no such point exists.
//
// The policy of the game is that of MoGo (S. Gelly, Y. Wang, R. Munos and O. Teytaud, "Modification of UCT with
// patterns in Monte-Carlo Go", INRIA report 6062, 2006). It plays, each with the same probability, the first of these
// that has a legal move:
//   1. answers to the last move (GoTactics::answers()): captures, and escapes from atari
//   2. points around the last stone that match a 3x3 pattern (go_patterns.hpp)
//   3. captures anywhere
//   4. points of the light policy
// Patterns and points of the light policy that lose stones by self-atari are left out (GoTactics::loses_stones()).
//
// `Go` is the class of the game in go.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/random.hpp"
#include "games/common/module_simulator.hpp"
#include "games/go/go_captures.hpp"
#include "games/go/go_tactics.hpp"
#include "interfaces/game_policy.hpp"

namespace ggp {

template <class Go>
struct GoDraws {
  using Board = typename Go::Board;
  using Set = typename Go::Set;
  using State = typename Go::State;
  using Move = typename Go::Move;
  static constexpr int kSize = Go::kEdge;
  using Tactics = GoTactics<kSize>;

  // ---- uniform moves and the light policy. Points are drawn and removed from the set until a legal one is found.

  template <class Bits, bool light>
  static Move drawn(const State& state, Set points, std::uint64_t& random) {
    for (;;) {
      const int point = draw_point<Bits, light>(state, points, random);
      if (point == Go::kPass) return {};
      const Move move = Go::put(state, point);
      if (may_play<light>(state, move)) return move;
      points = points & ~Board::one(point);
    }
  }
  // Draws one of the points or the pass. At random the pass counts as one more point; by the light policy it is used
  // only if no point is left. Own eyes are removed from the points when the light policy draws them.
  template <class Bits, bool light>
  static int draw_point(const State& state, Set& points, std::uint64_t& random) {
    const int role = Go::mover(state);
    for (std::uint32_t left = count_of<Bits>(points); left > 0; --left) {
      const std::uint32_t place = draw_below(random, light ? left : left + 1);
      if (place == left) break;
      const int point = nth<Bits>(points, place);
      if (!light || !Board::is_eye(point, Go::stones(state, role), Go::stones(state, 1 - role))) return point;
      points = points & ~Board::one(point);
    }
    return Go::kPass;
  }
  template <bool light>
  static bool may_play(const State& state, const Move& move) {
    return !(light && any_of(move.taken.mine)) && !Go::was_there(state, move.position);
  }

  // Points are drawn for all states first; then captures are found on all boards at once. States whose point is not
  // legal draw again, until so few states are left that each is processed alone. Boards without captures, nearly all of
  // them, come first, so that the branches are predictable.
  template <bool light, class Accept>
  static bool draw_many(Vectors vectors, const State* states, std::uint64_t which, const std::uint64_t* random,
                        Accept&& accept) {
    const auto find = kernel_for<FindCaptures<kSize>>(vectors, GGP_VECTOR_KERNELS(find_captures));
    if (find == nullptr) return false;
    GoCaptures<kSize> captures;
    Set points[64];  // points left to draw from
    std::uint64_t streams[64];
    std::size_t at[64], boards = 0;
    const auto draw_at = [&](std::size_t lane, Set from, std::uint64_t stream, bool again) {
      const State& state = states[lane];
      const int point = draw_point<FastBits, light>(state, from, stream);
      if (point == Go::kPass) {
        accept(lane, Move{}, stream);
        return;
      }
      const std::size_t role = state.moves & 1;
      captures.set(boards, state.stones[role], state.stones[role ^ 1], point);
      at[boards] = lane;
      if (light || again) points[boards] = from;
      streams[boards++] = stream;
    };
    for (; which != 0; which &= which - 1) {
      const std::size_t lane = __builtin_ctzll(which);
      draw_at(lane, Go::empty(states[lane]), random[lane], false);
    }
    for (bool again = false;; again = true) {
      const auto [takes, alone] = find(captures, static_cast<int>(boards));
      const std::uint64_t all = boards < 64 ? (std::uint64_t{1} << boards) - 1 : ~std::uint64_t{0};
      std::uint64_t refused = alone;  // a stone that captures only itself repeats the position
      for (std::uint64_t left = all & ~takes & ~alone; left != 0; left &= left - 1) {
        const std::size_t board = __builtin_ctzll(left);
        const State& state = states[at[board]];
        const int point = static_cast<int>(captures.point[board]);
        const Move move{point, {}, state.position ^ Go::kKeys.of[state.moves & 1][point]};
        if (!Go::was_there(state, move.position))
          accept(at[board], move, streams[board]);
        else
          refused |= left & -left;
      }
      for (std::uint64_t left = takes; left != 0; left &= left - 1) {
        const std::size_t board = __builtin_ctzll(left);
        const State& state = states[at[board]];
        const Move move = Go::taking(state, static_cast<int>(captures.point[board]), captures.taken(board));
        if (may_play<light>(state, move))
          accept(at[board], move, streams[board]);
        else
          refused |= left & -left;
      }
      const bool few = FastBits::count(refused) < kFewBoards;
      boards = 0;
      for (; refused != 0; refused &= refused - 1) {
        const std::size_t board = __builtin_ctzll(refused);
        const Set before = light || again ? points[board] : Go::empty(states[at[board]]);
        const Set from = before & ~Board::one(static_cast<int>(captures.point[board]));
        if (few) {
          const Move move = drawn<FastBits, light>(states[at[board]], from, streams[board]);
          accept(at[board], move, streams[board]);
        } else {
          draw_at(at[board], from, streams[board], true);
        }
      }
      if (boards == 0) return true;
    }
  }
  static constexpr std::uint32_t kFewBoards = 4;

  // ---- the policy of the game

  static Tactics tactics(const State& state) {
    const int role = Go::mover(state);
    return Tactics(Go::stones(state, role), Go::stones(state, 1 - role));
  }

  template <class Bits>
  static Move by_policy(const State& state, std::uint64_t& random) {
    if constexpr (std::is_same_v<Bits, FastBits>)
      return by_policy_fast(state, random);
    else
      return draw_by_policy<Bits>(state, random);
  }
  // Not inlined into the marked functions that call it: a second copy of this long function costs twenty seconds of
  // compilation.
  [[gnu::noinline]] GGP_FAST_BITS static Move by_policy_fast(const State& state, std::uint64_t& random) {
    return draw_by_policy<FastBits>(state, random);
  }
  template <class Bits>
  static Move draw_by_policy(const State& state, std::uint64_t& random) {
    const Tactics tactics = GoDraws::tactics(state);
    Move move;
    if (const int last = Go::last(state); last != Go::kPass) {
      if (draw_legal<Bits>(state, tactics.answers(last), random, move)) return move;
      const auto keeps_stones = [&](int point) { return !tactics.loses_stones(point); };
      if (draw_legal<Bits>(state, tactics.patterns_beside(go_patterns(), last), random, move, keeps_stones)) return move;
    }
    if (draw_legal<Bits>(state, tactics.captures(), random, move)) return move;
    draw_legal<Bits>(state, tactics.empty, random, move, [&](int point) { return may_play_by_policy(tactics, point); });
    return move;
  }
  // Whether by_policy() may play a legal move on an empty point, at least as the last of its choices.
  static bool may_play_by_policy(const Tactics& tactics, int point) {
    return !Board::is_eye(point, tactics.mine, tactics.theirs) && !tactics.loses_stones(point);
  }

  // ---- priors: the probability of winning by kind of move, from Fuego (M. Enzenberger, M. Mueller, B. Arneson and
  // R. Segal, "Fuego", IEEE TCIAIG 2010). The priors of own eyes and winning passes are ours.

  static constexpr bool kSmallBoard = kSize < 15;
  // The numbers of visits that priors count as: of well-known moves, of vaguely known moves, and of locality.
  static constexpr std::uint32_t kVisits = kSmallBoard ? 9 : 18, kFewVisits = 3, kNearVisits = kSmallBoard ? 4 : 5;
  struct Prior {
    float chance;
    std::uint32_t visits;

    void add(float other, std::uint32_t more) {
      const auto n = static_cast<float>(visits), m = static_cast<float>(more);
      chance = (n * chance + m * other) / (n + m);
      visits += more;
    }
  };
  static constexpr Prior kWinningPass{1, kVisits}, kPass{0.1f, kVisits}, kOwnEye{0, kVisits}, kUrgent{1, kVisits},
      kSelfAtari{0.1f, kVisits};
  // Priors of moves that are not urgent: with urgent moves, without them, and without ataris and patterns.
  struct OtherPriors {
    Prior atari, pattern, other;
  };
  static constexpr OtherPriors kWithAnswer{{0.8f, kVisits}, {0.6f, kVisits}, {0.4f, kVisits}},
      kWithoutAnswer{{1, kFewVisits}, {0.9f, kFewVisits}, {0.5f, kFewVisits}}, kUnknown{{0, 0}, {0, 0}, {0, 0}};
  static constexpr float kBeside = 1, kNear = 0.6f, kFar = 0.1f;

  // The kinds of moves, the first that applies: own eyes; urgent moves: the moves of the policy before the points of the
  // light policy; self-atari; moves that give atari; patterns; others. Without an urgent move, and without an atari or a
  // pattern on the board, the last three kinds have no prior. A pass wins after a pass of the other side with more area,
  // or with more area in a settled position.
  //
  // Locality: moves except own eyes and winning passes get kNearVisits more visits, by distance from the last move
  // (GoTactics::within()): kBeside at 1, kNear at 2 and 3, else kFar. No locality exists after a pass.
  static void move_priors(const State& state, const int* moves, int count, bool locality, float* values,
                          std::uint32_t* visits) {
    const Tactics tactics = GoDraws::tactics(state);
    const Set urgent = urgent_points(state, tactics);
    Set atari{}, patterns{};
    for_each_bit(tactics.empty, [&](int point) {
      if (tactics.attack(point).gives_atari) atari = atari | Board::one(point);
      if (tactics.matches(go_patterns(), point)) patterns = patterns | Board::one(point);
    });
    const OtherPriors& others = any_of(urgent) ? kWithAnswer : any_of(atari | patterns) ? kWithoutAnswer : kUnknown;
    const int last = Go::last(state);
    const bool adds = locality && last != Go::kPass;
    const Set beside = adds ? tactics.within(1, last) : Set{}, near = adds ? tactics.within(3, last) : Set{};
    for (int i = 0; i < count; ++i) {
      Prior prior = kPass;
      float by_distance = kFar;
      bool is_special = false;
      if (moves[i] == Go::kPassNumber) {
        is_special = pass_wins(state, tactics);
        if (is_special) prior = kWinningPass;
      } else {
        const int point = Board::point_of(moves[i]);
        const auto has = [stone = Board::one(point)](const Set& points) { return any_of(points & stone); };
        is_special = Board::is_eye(point, tactics.mine, tactics.theirs);
        prior = is_special                      ? kOwnEye
                : has(urgent)                   ? kUrgent
                : tactics.is_self_atari(point)  ? kSelfAtari
                : has(atari)                    ? others.atari
                : has(patterns)                 ? others.pattern
                                                : others.other;
        by_distance = has(beside) ? kBeside : has(near) ? kNear : kFar;
      }
      if (adds && !is_special) prior.add(by_distance, kNearVisits);
      values[i] = 2 * prior.chance - 1;
      visits[i] = prior.visits;
    }
  }
  static bool pass_wins(const State& state, const Tactics& tactics) {
    const int lead = Go::twice_lead(state);
    return (Go::mover(state) == 0 ? lead > 0 : lead < 0) && (state.passes == 1 || tactics.is_settled());
  }

 private:
  // The legal points of the first of the kinds 1 to 3 of the policy that has a legal point; or none.
  static Set urgent_points(const State& state, const Tactics& tactics) {
    const auto legal = [&](const Set& points) {
      Set found{};
      for_each_bit(points, [&](int point) {
        if (may_play<true>(state, Go::put(state, point))) found = found | Board::one(point);
      });
      return found;
    };
    Set found{};
    if (const int last = Go::last(state); last != Go::kPass) {
      found = legal(tactics.answers(last));
      if (any_of(found)) return found;
      for_each_bit(legal(tactics.patterns_beside(go_patterns(), last)), [&](int point) {
        if (!tactics.loses_stones(point)) found = found | Board::one(point);
      });
    }
    return any_of(found) ? found : legal(tactics.captures());
  }

  // Draws one of the points, until one is found that `accept` accepts and that is legal and no suicide.
  template <class Bits, class Accept>
  static bool draw_legal(const State& state, Set points, std::uint64_t& random, Move& move, Accept accept) {
    for (std::uint32_t left = count_of<Bits>(points); left > 0; --left) {
      const int point = nth<Bits>(points, draw_below(random, left));
      if (accept(point)) {
        const Move placed = Go::put(state, point);
        if (may_play<true>(state, placed)) {
          move = placed;
          return true;
        }
      }
      points = points & ~Board::one(point);
    }
    return false;
  }
  template <class Bits>
  static bool draw_legal(const State& state, const Set& points, std::uint64_t& random, Move& move) {
    return draw_legal<Bits>(state, points, random, move, [](int) { return true; });
  }
};

}  // namespace ggp

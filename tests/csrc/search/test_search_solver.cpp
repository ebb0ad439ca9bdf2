// Proven bounds compared with exhaustive search, on games drawn at random and on tic-tac-toe, with and without
// transpositions.
#include <algorithm>

#include "check.hpp"
#include "fixtures/games.hpp"
#include "fixtures/lanes_of.hpp"
#include "fixtures/limits.hpp"
#include "fixtures/random_game.hpp"
#include "fixtures/tree_checks.hpp"
#include "search/driver/searcher.hpp"

namespace {

using namespace ggp;

bool transpositions = false;

Config config_of(int in_flight, std::uint64_t seed = 1) {
  Config config;
  config.tree.transpositions = transpositions;
  config.in_flight = in_flight;
  config.seed = seed;
  return config;
}

// The bounds of the tree contain the true values of their states.
template <class Game>
void check_sound(const Tree& tree, FinalBounds<Game>& final_bounds) {
  tree.for_each_node([&](Index index) {
    const Node& node = tree.node(index);
    typename Game::State state;
    std::copy_n(tree.state(index).begin(), Game::words, state.begin());
    const auto truth = final_bounds.of(state);
    for (int role = 0; role < Game::roles; ++role) {
      CHECK(node.bounds(role).pessimistic <= truth[role].first);
      CHECK(node.bounds(role).optimistic >= truth[role].second);
    }
    if (node.mover == kSimultaneous) return;
    const Choice& choice = node.choices()[0];
    for (std::uint32_t i = 0; i < choice.tried; ++i) {
      int moves[Game::roles];
      for (int role = 0; role < Game::roles; ++role) {
        moves[role] = role == node.mover ? static_cast<int>(tree.move(choice, i)) : tree.only_move(node, role);
      }
      const auto behind = final_bounds.of(Game::next(state, moves))[node.mover];
      CHECK(tree.actions(choice)[i].bounds.pessimistic <= behind.first);
      CHECK(tree.actions(choice)[i].bounds.optimistic >= behind.second);
    }
  });
}

// Returns the number of games whose root was proven.
template <class Game>
int bounds_are_sound(int games, std::uint64_t plies, std::uint64_t width = 0) {
  int settled = 0;
  for (int game = 0; game < games; ++game) {
    Game::seed = 1000 + game;
    Game::plies = plies;
    Game::width = width;
    LanesOf<Game> lanes(64);
    Searcher searcher(lanes, config_of(game % 3 == 0 ? 1 : game % 3 == 1 ? 7 : 64, game));
    FinalBounds<Game> of_constant_sum(true), of_any_sum(false);
    const auto truth = of_constant_sum.of(Game::initial());
    Statistics found;
    for (const std::uint64_t count : {5, 20, 100, 1000, 4000}) {
      found = searcher.run(simulations(count));
      check_consistent(searcher.tree());
      check_sound<Game>(searcher.tree(), searcher.tree().constant_sum() ? of_constant_sum : of_any_sum);
    }
    const Tree& tree = searcher.tree();
    if (is_terminal(tree.root())) continue;
    bool all = true;
    const Node& root = tree.node(tree.root());
    for (int role = 0; role < Game::roles; ++role) all &= !root.chooses(role) || found.roles[role].bounds.settled();
    settled += all;
    // A game with turns whose goals add up has one value for each role, which must be proven.
    if (!all || !tree.constant_sum() || Game::roles > 2) continue;
    for (int role = 0; role < Game::roles; ++role) CHECK_EQUAL(int{found.roles[role].bounds.pessimistic}, truth[role].first);
  }
  return settled;
}

void every_kind_of_game() {
  CHECK_EQUAL((bounds_are_sound<RandomGame<1, false, Sum::kConstant>>(30, 5)), 30);
  CHECK_EQUAL((bounds_are_sound<RandomGame<2, false, Sum::kConstant>>(60, 6)), 60);
  // In other games these rules cannot prove everything.
  CHECK((bounds_are_sound<RandomGame<2, false, Sum::kFree>>(40, 5)) > 15);
  CHECK((bounds_are_sound<RandomGame<2, false, Sum::kRarelyBroken>>(60, 6)) > 40);
  CHECK((bounds_are_sound<RandomGame<3, false, Sum::kFree>>(40, 5)) > 8);
  CHECK((bounds_are_sound<RandomGame<2, true, Sum::kConstant>>(40, 4)) > 15);
  CHECK((bounds_are_sound<RandomGame<2, true, Sum::kFree>>(30, 4)) > 3);
  CHECK((bounds_are_sound<RandomGame<3, true, Sum::kFree>>(20, 3)) > 0);
}

// Few states of a ply, each reached by many lines.
void every_kind_of_game_with_shared_states() {
  CHECK_EQUAL((bounds_are_sound<RandomGame<1, false, Sum::kConstant>>(30, 6, 4)), 30);
  CHECK_EQUAL((bounds_are_sound<RandomGame<2, false, Sum::kConstant>>(60, 7, 4)), 60);
  CHECK((bounds_are_sound<RandomGame<2, false, Sum::kFree>>(40, 6, 4)) > 15);
  CHECK((bounds_are_sound<RandomGame<2, false, Sum::kRarelyBroken>>(60, 7, 4)) > 40);
  CHECK((bounds_are_sound<RandomGame<3, false, Sum::kFree>>(40, 6, 4)) > 8);
  CHECK((bounds_are_sound<RandomGame<2, true, Sum::kConstant>>(40, 5, 4)) > 15);
  CHECK((bounds_are_sound<RandomGame<2, true, Sum::kFree>>(30, 5, 4)) > 3);
  CHECK((bounds_are_sound<RandomGame<3, true, Sum::kFree>>(20, 3, 4)) > 0);
}

// A role with a guaranteed goal gets it by the proposed moves, for all moves of the other role.
void proven_moves_are_played() {
  using Game = RandomGame<2, false, Sum::kConstant>;
  Game::plies = 7;
  Game::width = 0;
  std::uint64_t random = 8;
  for (Game::seed = 1; Game::seed <= 40; ++Game::seed) {
    LanesOf<Game> lanes(64);
    for (int sure = 0; sure < 2; ++sure) {
      Searcher searcher(lanes, config_of(16, Game::seed));
      const int value = FinalBounds<Game>(true).of(Game::initial())[sure].first;
      Game::State state = Game::initial();
      while (!Game::terminal(state)) {
        const Statistics found = searcher.run(simulations(20000));
        std::vector<int> moves;
        for (int role = 0; role < 2; ++role) {
          const auto& known = found.roles[role].moves;
          moves.push_back(known[role == sure ? 0 : draw_below(random, static_cast<std::uint32_t>(known.size()))].move);
        }
        searcher.advance(moves);
        state = Game::next(state, moves.data());
      }
      CHECK(Game::goal(state, sure) >= value);
    }
  }
}

void tic_tac_toe_is_a_draw() {
  LanesOf<TicTacToe> lanes(256);
  for (int in_flight : {1, 64, 256}) {
    Searcher searcher(lanes, config_of(in_flight));
    const Statistics found = searcher.run(simulations(1000000));
    CHECK(found.simulations < 100000);
    for (int role = 0; role < 2; ++role) CHECK(found.roles[role].bounds == (Bounds{50, 50}));
    check_consistent(searcher.tree());
    CHECK_EQUAL(searcher.run(simulations(100)).simulations, std::uint64_t{0});
  }
}

void wins_are_short_and_losses_long() {
  LanesOf<TicTacToe> lanes(64);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Searcher searcher(lanes, config_of(8, seed));
    // x wins at once with 2; 6 wins too, but later: it makes two threats.
    TicTacToe::State state = TicTacToe::of("xx.oo....");
    searcher.set_root(state.data());
    Statistics found = searcher.run(simulations(20000));
    CHECK(found.roles[0].bounds == (Bounds{100, 100}));
    CHECK_EQUAL(found.roles[0].moves[0].move, 2);
    // o loses with every move; with 6 or 2 the loss comes only at the fourth ply.
    state = TicTacToe::of("xo.x.....");
    searcher.set_root(state.data());
    found = searcher.run(simulations(20000));
    CHECK_EQUAL(found.roles[1].moves[0].move, 6);
    CHECK(found.roles[1].bounds == (Bounds{0, 0}));
  }
}

// Only role 1 decides; two ends are equal for it but not for role 0.
struct Indifferent {
  static constexpr int roles = 2, words = 1;
  using State = std::array<std::uint64_t, words>;

  static int moves(int) { return 3; }
  static State initial() { return {0}; }
  static bool terminal(const State& state) { return state[0] >= 2; }
  static int goal(const State& state, int role) {
    if (role == 1) return 100;
    return state[0] == 2 ? 0 : state[0] == 3 ? 100 : 40;  // state 4: role 0 has left
  }
  static int legal(const State& state, int role, int* out) {
    return first_moves(role == static_cast<int>(state[0]) ? 2 : 1, out);
  }
  static State next(const State& state, const int* moves) {
    if (state[0] == 0) return {moves[0] == 0 ? std::uint64_t{1} : 4};
    return {2 + static_cast<std::uint64_t>(moves[1])};
  }
};

void indifference_proves_nothing() {
  LanesOf<Indifferent> lanes(64);
  Searcher searcher(lanes, config_of(4));
  const Statistics found = searcher.run(simulations(2000));
  CHECK(!searcher.tree().constant_sum());
  CHECK(found.roles[0].bounds == (Bounds{40, 100}));
  for (const MoveStatistics& move : found.roles[0].moves) {
    CHECK(move.bounds == (move.move == 0 ? Bounds{0, 100} : Bounds{40, 40}));
  }
  CHECK_EQUAL(found.simulations, std::uint64_t{2000});
}

void pennies_have_no_pure_solution() {
  LanesOf<MatchingPennies<1>> lanes(64);
  Searcher searcher(lanes, config_of(8));
  const Statistics found = searcher.run(simulations(2000));
  for (int role = 0; role < 2; ++role) {
    CHECK(found.roles[role].bounds == kUnknown);
    CHECK_BETWEEN(found.roles[role].moves[0].visits, 1000.0, 1400.0);
  }
}

void odd_games_are_proven() {
  // A state that is not terminal and has no legal move for a role ends the game with the goals that hold.
  LanesOf<DeadEnd> dead_end(64);
  Searcher faulty(dead_end, config_of(8));
  Statistics found = faulty.run(simulations(1000));
  CHECK(found.simulations < 1000);
  CHECK(found.roles[0].bounds == (Bounds{100, 100}));
  CHECK_EQUAL(found.roles[0].moves[0].move, 1);
  // One legal move per state, for long: all of it in the tree, and proven from the end back to the start.
  LanesOf<LongRoad<2000>> road(64);
  Searcher deep(road, config_of(8));
  found = deep.run(simulations(100000));
  CHECK(found.simulations < 100000);
  CHECK_EQUAL(found.max_depth, 2000u);
  CHECK(found.roles[0].bounds == (Bounds{100, 100}));
  CHECK_EQUAL(deep.tree().node(deep.tree().root()).plies, 2000);
  deep.advance({1});
  CHECK(deep.statistics().roles[0].bounds == (Bounds{100, 100}));
  check_consistent(deep.tree());
  // A game that is over at once, and a game without end.
  LanesOf<OverAtOnce> over(64);
  found = Searcher(over, config_of(8)).run(Limits{});
  CHECK(found.roles[0].bounds == (Bounds{70, 70}));
  CHECK(found.roles[1].bounds == (Bounds{0, 0}));
  LanesOf<Endless> endless(64);
  Config config = config_of(8);
  config.playout.limit = 50;
  found = Searcher(endless, config).run(simulations(100));
  CHECK(found.roles[0].bounds == kUnknown);
}

void equal_searches_prove_the_same() {
  using Game = RandomGame<2, false, Sum::kRarelyBroken>;
  Game::seed = 77;
  Game::plies = 9;
  Game::width = transpositions ? 30 : 0;
  for (int in_flight : {1, 10, 64}) {
    LanesOf<Game> narrow(64), wide(512);
    Searcher first(narrow, config_of(in_flight)), second(wide, config_of(in_flight));
    for (int part = 0; part < 4; ++part) {
      first.run(simulations(500));
      second.run(simulations(500));
      CHECK_EQUAL(first.tree_hash(), second.tree_hash());
    }
  }
}

}  // namespace

TESTS(int, char**) {
  for (const bool on : {false, true}) {
    transpositions = on;
    every_kind_of_game();
    every_kind_of_game_with_shared_states();
    proven_moves_are_played();
    tic_tac_toe_is_a_draw();
    wins_are_short_and_losses_long();
    indifference_proves_nothing();
    pennies_have_no_pure_solution();
    odd_games_are_proven();
    equal_searches_prove_the_same();
  }
}

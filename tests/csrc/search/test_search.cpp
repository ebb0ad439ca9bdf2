// The complete search, on games with known values.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <thread>

#include "check.hpp"
#include "fixtures/games.hpp"
#include "fixtures/lanes_of.hpp"
#include "fixtures/limits.hpp"
#include "fixtures/tree_checks.hpp"
#include "search/driver/searcher.hpp"

namespace {

using namespace ggp;

// Without the solver, which would end most runs on these small games early; test_search_solver.cpp tests it.
Config config_of(int in_flight, std::uint64_t seed = 1) {
  Config config;
  config.in_flight = in_flight;
  config.seed = seed;
  config.solver.enabled = false;
  return config;
}

Limits seconds(double count) {
  Limits limits;
  limits.seconds = count;
  return limits;
}

// The mean goal, in 0..1, of a mean reward.
double goal(double reward) { return (reward + 1) / 2; }

// Every reachable position of tic-tac-toe with up to `most` empty cells: the best move keeps the value.
void plays_every_late_position_of_tic_tac_toe(int most) {
  LanesOf<TicTacToe> lanes(64);
  Searcher searcher(lanes, config_of(8));
  int positions = 0;
  std::vector<bool> seen(1 << 18);
  std::vector<TicTacToe::State> open{TicTacToe::initial()};
  while (!open.empty()) {
    const TicTacToe::State state = open.back();
    open.pop_back();
    if (seen[state[0]] || TicTacToe::terminal(state)) continue;
    seen[state[0]] = true;
    const int mover = TicTacToe::mover(state);
    int legal[10];
    const int count = TicTacToe::legal(state, mover, legal);
    for (int i = 0; i < count; ++i) {
      const int moves[] = {mover == 0 ? legal[i] : 9, mover == 1 ? legal[i] : 9};
      open.push_back(TicTacToe::next(state, moves));
    }
    if (count > most || count == 1 || state[0] % 5 != 0) continue;
    searcher.set_root(state.data());
    const Statistics found = searcher.run(simulations(2000));
    const int best = found.roles[mover].moves[0].move;
    const int moves[] = {mover == 0 ? best : 9, mover == 1 ? best : 9};
    CHECK_EQUAL(solve<TicTacToe>(TicTacToe::next(state, moves))[mover], solve<TicTacToe>(state)[mover]);
    ++positions;
  }
  CHECK(positions > 200);
}

TEST(finds_wins_in_one_and_three_plies) {
  LanesOf<TicTacToe> lanes(256);
  for (int in_flight : {1, 32, 256}) {
    Searcher searcher(lanes, config_of(in_flight));
    const TicTacToe::State in_one = TicTacToe::of("xx.oo....");
    searcher.set_root(in_one.data());
    Statistics found = searcher.run(simulations(3000));
    CHECK_EQUAL(found.roles[0].moves[0].move, 2);
    CHECK_BETWEEN(goal(found.roles[0].moves[0].mean), 1.0, 1.0);
    // 0 and 8 are own marks, 4 is the other's: a fork at 2 or 6 wins in three plies.
    const TicTacToe::State in_three = TicTacToe::of("x...o..ox");
    searcher.set_root(in_three.data());
    found = searcher.run(simulations(3000));
    const int best[] = {found.roles[0].moves[0].move, 9};
    CHECK_EQUAL(solve<TicTacToe>(in_three)[0], solve<TicTacToe>(TicTacToe::next(in_three, best))[0]);
    check_consistent(searcher.tree());
  }
}

TEST(values_the_empty_board_as_a_draw) {
  LanesOf<TicTacToe> lanes(64);
  Searcher searcher(lanes, config_of(16));
  const Statistics found = searcher.run(simulations(100000));
  CHECK_BETWEEN(goal(found.roles[0].moves[0].mean), 0.47, 0.56);
  CHECK_BETWEEN(goal(found.roles[0].mean) + goal(found.roles[1].mean), 1 - 1e-4, 1 + 1e-4);
  CHECK_EQUAL(found.roles[0].moves.size(), std::size_t{9});
  CHECK_EQUAL(found.roles[1].moves.size(), std::size_t{1});
  CHECK_EQUAL(found.roles[1].moves[0].move, 9);
  CHECK_EQUAL(found.roles[1].moves[0].visits, std::uint64_t{100000});
  for (std::size_t i = 1; i < 9; ++i) {
    CHECK(found.roles[0].moves[i - 1].visits >= found.roles[0].moves[i].visits);
  }
  // Best play fills the board.
  CHECK_EQUAL(found.principal_variation.size(), std::size_t{9});
  CHECK_EQUAL(found.principal_variation[0][0], found.roles[0].moves[0].move);
  CHECK_EQUAL(found.max_depth, 9u);
  CHECK_EQUAL(found.nodes, searcher.tree().nodes());
  check_consistent(searcher.tree());
  CHECK(found.roles[0].moves[0].reply >= 0);
  const Statistics plain = read_statistics(searcher.tree(), searcher.tree().root(), FinalMove::kVisits, false);
  CHECK(plain.principal_variation.empty());
  CHECK_EQUAL(plain.roles[0].moves[0].reply, -1);
  CHECK_EQUAL(plain.roles[0].moves[0].visits, found.roles[0].moves[0].visits);
}

TEST(meets_the_limit_of_simulations_exactly) {
  LanesOf<TicTacToe> lanes(256);
  for (int in_flight : {1, 7, 256}) {
    Searcher searcher(lanes, config_of(in_flight));
    std::uint64_t total = 0;
    for (std::uint64_t count : {1, 2, 100, 255, 1000, 5000}) {
      const Statistics found = searcher.run(simulations(count));
      total += count;
      CHECK_EQUAL(found.simulations, count);
      CHECK_EQUAL(found.visits, total);
      CHECK_EQUAL(std::uint64_t{searcher.tree().node(searcher.tree().root()).visits}, total);
      check_consistent(searcher.tree());
    }
    CHECK_EQUAL(searcher.run(simulations(0)).visits, total);
  }
}

TEST(keeps_the_tree_after_played_moves) {
  LanesOf<TicTacToe> lanes(64);
  Searcher searcher(lanes, config_of(16));
  const Statistics before = searcher.run(simulations(20000));
  const Index child = searcher.tree().child(searcher.tree().root(), std::vector<int>{4, 9}.data());
  CHECK(is_node(child));
  const std::uint32_t visits = searcher.tree().node(child).visits;
  const std::uint64_t hash = searcher.tree().hash(child);
  CHECK(visits > 1000);
  searcher.advance({4, 9});
  CHECK_EQUAL(searcher.statistics().visits, std::uint64_t{visits});
  CHECK_EQUAL(searcher.tree_hash(), hash);
  CHECK(searcher.tree().has_discarded());
  CHECK(searcher.root_state() == std::vector<std::uint64_t>{0x10});
  CHECK_EQUAL(searcher.run(simulations(500)).visits, std::uint64_t{visits + 500});
  const_cast<Tree&>(searcher.tree()).free_discarded(100);
  CHECK(searcher.tree().has_discarded());
  const_cast<Tree&>(searcher.tree()).free_discarded(before.nodes);
  CHECK(!searcher.tree().has_discarded());
  CHECK(searcher.tree().nodes() < before.nodes);
  check_consistent(searcher.tree());
  CHECK_THROWS(std::invalid_argument, searcher.advance({9, 4}));
  CHECK_THROWS(std::invalid_argument, searcher.advance({9}));
  CHECK_THROWS(std::invalid_argument, searcher.advance({0, 0}));
  CHECK_EQUAL(searcher.statistics().visits, std::uint64_t{visits + 500});
  for (const std::vector<int>& moves : {std::vector<int>{9, 0}, {1, 9}, {9, 2}}) searcher.advance(moves);
  searcher.run(simulations(3000));
  CHECK_EQUAL(searcher.statistics().roles[0].moves[0].move, 7);
  check_consistent(searcher.tree());
  searcher.advance({7, 9});
  Statistics end = searcher.run(simulations(100));
  CHECK(end.terminal && end.simulations == 0 && end.roles[0].moves.empty());
  CHECK_EQUAL(goal(end.roles[0].mean), 1.0);
  CHECK_EQUAL(goal(end.roles[1].mean), 0.0);
  CHECK_THROWS(std::invalid_argument, searcher.advance({9, 3}));
}

TEST(advances_without_a_tree) {
  LanesOf<MatchingPennies<3>> lanes(64);
  Searcher searcher(lanes, config_of(4));
  for (int round = 0; round < 3; ++round) searcher.advance({1, 1});
  CHECK(searcher.statistics().terminal);
  CHECK_EQUAL(goal(searcher.statistics().roles[0].mean), 1.0);
}

TEST(stays_within_its_memory) {
  LanesOf<TicTacToe> lanes(64);
  Config config = config_of(64);
  config.memory_bytes = kLeastMemory / 4;
  CHECK_THROWS(std::invalid_argument, Searcher(lanes, config));
  LanesOf<MatchingPennies<21>> pennies(64);
  config.memory_bytes = kLeastMemory;
  Searcher searcher(pennies, config);
  Statistics found;
  for (int i = 0; i < 4; ++i) {
    found = searcher.run(simulations(25000));
    CHECK(found.bytes <= kLeastMemory);
    CHECK_EQUAL(found.visits, std::uint64_t(25000 * (i + 1)));
    check_consistent(searcher.tree());
  }
  CHECK(found.bytes > kLeastMemory * 3 / 4);
  Searcher board(lanes, config);  // 1.5 MB without a limit
  found = board.run(simulations(100000));
  CHECK(found.bytes <= kLeastMemory && found.bytes > kLeastMemory * 3 / 4);
  CHECK_BETWEEN(goal(found.roles[0].moves[0].mean), 0.45, 0.75);
  check_consistent(board.tree());
}

TEST(stops_on_request_or_when_time_is_up) {
  LanesOf<MatchingPennies<21>> lanes(64);
  Searcher searcher(lanes, config_of(64));
  std::thread other([&] {
    while (searcher.statistics().simulations == 0) std::this_thread::yield();
    CHECK_THROWS(std::logic_error, searcher.run(simulations(1)));
    CHECK_THROWS(std::logic_error, searcher.advance({0, 0}));
    searcher.stop();
  });
  const Statistics found = searcher.run(Limits{});
  other.join();
  CHECK(found.simulations > 0);
  CHECK_EQUAL(found.visits, found.simulations);
  check_consistent(searcher.tree());
  const auto start = std::chrono::steady_clock::now();
  const Statistics timed = searcher.run(seconds(0.2));
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  CHECK_BETWEEN(took, 0.2, 1.0);
  CHECK_BETWEEN(timed.seconds, 0.2, took);
  check_consistent(searcher.tree());
  Limits interrupted;
  int asked = 0;
  interrupted.context = &asked;
  interrupted.interrupted = [](void* context) { return ++*static_cast<int*>(context) == 2; };
  searcher.run(interrupted);
  CHECK_EQUAL(asked, 2);
  CHECK_EQUAL(searcher.run(seconds(0)).simulations, std::uint64_t{0});
}

TEST(finds_the_optimum_of_a_puzzle) {
  CHECK_EQUAL(solve<Countdown>(Countdown::initial())[0], 100);
  LanesOf<Countdown> lanes(64);
  for (int in_flight : {1, 64}) {
    Config config = config_of(in_flight);
    config.selection.exploration = 2.8;  // enough to leave ends that look good
    Searcher searcher(lanes, config);
    const Statistics found = searcher.run(simulations(20000));
    Countdown::State state = Countdown::initial();
    CHECK_EQUAL(found.principal_variation.size(), std::size_t{7});
    for (const auto& moves : found.principal_variation) state = Countdown::next(state, moves.data());
    CHECK_EQUAL(Countdown::goal(state, 0), 100);
  }
}

TEST(plays_for_three) {
  LanesOf<ThreePlayerNim> lanes(64);
  for (std::uint64_t matches = 2; matches <= 11; ++matches) {
    for (std::uint64_t mover = 0; mover < 3; ++mover) {
      const ThreePlayerNim::State state{matches, mover};
      Searcher searcher(lanes, config_of(16));
      searcher.set_root(state.data());
      const Statistics found = searcher.run(simulations(20000));
      int moves[] = {0, 0, 0};
      moves[mover] = found.roles[mover].moves[0].move;
      const int reached = solve<ThreePlayerNim>(ThreePlayerNim::next(state, moves))[mover];
      CHECK_EQUAL(reached, solve<ThreePlayerNim>(state)[mover]);
    }
  }
}

TEST(mixes_where_both_choose_at_once) {
  LanesOf<MatchingPennies<1>> once(64);
  Statistics found;
  for (int in_flight : {1, 8, 64}) {
    for (std::uint64_t seed : {1, 2, 3}) {
      Searcher searcher(once, config_of(in_flight, seed));
      found = searcher.run(simulations(20000));
      for (int role = 0; role < 2; ++role) {
        CHECK_BETWEEN(found.roles[role].moves[0].visits, 10000.0, 12000.0);
        CHECK_BETWEEN(goal(found.roles[role].mean), 0.45, 0.55);
      }
    }
  }
  LanesOf<MatchingPennies<5>> lanes(128);
  Searcher searcher(lanes, config_of(32));
  found = searcher.run(simulations(50000));
  for (int role = 0; role < 2; ++role) {
    CHECK_EQUAL(found.roles[role].moves[0].visits + found.roles[role].moves[1].visits, std::uint64_t{50000});
    CHECK_BETWEEN(found.roles[role].moves[0].visits, 25000.0, 34000.0);
    CHECK_BETWEEN(goal(found.roles[role].mean), 0.42, 0.58);
  }
  check_consistent(searcher.tree());
  const Index child = searcher.tree().child(searcher.tree().root(), std::vector<int>{1, 0}.data());
  const std::uint32_t visits = searcher.tree().node(child).visits;
  const std::uint64_t hash = searcher.tree().hash(child);
  searcher.advance({1, 0});
  CHECK_EQUAL(searcher.statistics().visits, std::uint64_t{visits});
  CHECK_EQUAL(searcher.tree_hash(), hash);
  check_consistent(searcher.tree());
}

TEST(handles_many_joint_moves) {
  LanesOf<Crowd> lanes(64);
  Searcher searcher(lanes, config_of(64));
  const Statistics found = searcher.run(simulations(2000));
  CHECK_EQUAL(found.visits, std::uint64_t{2000});
  CHECK_EQUAL(found.roles.size(), std::size_t{12});
  CHECK_EQUAL(found.roles[11].moves.size(), std::size_t{100});
  check_consistent(searcher.tree());
}

TEST(walks_long_roads) {
  LanesOf<LongRoad<10000>> lanes(64);
  Searcher searcher(lanes, config_of(64));
  Statistics found = searcher.run(simulations(500));
  CHECK_EQUAL(found.roles[0].moves[0].move, 1);
  CHECK_EQUAL(goal(found.roles[0].moves[0].mean), 1.0);
  CHECK(found.max_depth > 100);
  check_consistent(searcher.tree());
  searcher.advance({1});
  CHECK(searcher.statistics().visits > 100);
  // One legal move: nothing to search.
  found = searcher.run(Limits{});
  CHECK_EQUAL(found.simulations, std::uint64_t{0});
  CHECK_EQUAL(found.roles[0].moves.size(), std::size_t{1});
  CHECK_EQUAL(goal(found.roles[0].moves[0].mean), 1.0);
  // A shorter road is in the tree up to its end.
  LanesOf<LongRoad<300>> shorter(64);
  Searcher deep(shorter, config_of(3));
  found = deep.run(simulations(5000));
  CHECK_EQUAL(found.max_depth, 300u);
  check_consistent(deep.tree());
}

TEST(cuts_off_endless_playouts) {
  LanesOf<Endless> lanes(64);
  Config config = config_of(8);
  config.playout.limit = 50;
  Searcher searcher(lanes, config);
  const Statistics found = searcher.run(simulations(20));
  CHECK_EQUAL(found.visits, std::uint64_t{20});
  CHECK_EQUAL(found.roles[0].moves[0].move, 1);
  check_consistent(searcher.tree());
}

TEST(answers_at_once_when_the_game_is_over) {
  LanesOf<OverAtOnce> lanes(64);
  Searcher searcher(lanes, config_of(64));
  const Statistics found = searcher.run(Limits{});
  CHECK(found.terminal);
  CHECK_EQUAL(found.simulations, std::uint64_t{0});
  CHECK_EQUAL(goal(found.roles[0].mean), 0.7);
  CHECK_EQUAL(goal(found.roles[1].mean), 0.0);
  CHECK(found.principal_variation.empty());
}

TEST(survives_states_without_legal_moves) {
  LanesOf<DeadEnd> lanes(64);
  for (int in_flight : {1, 20}) {
    Config config = config_of(in_flight);
    config.playout.limit = 1u << 31;  // a play-out that is stuck ends nevertheless
    Searcher searcher(lanes, config);
    const Statistics found = searcher.run(simulations(1000));
    CHECK_EQUAL(found.visits, std::uint64_t{1000});
    CHECK_EQUAL(found.roles[0].moves[0].move, 1);
    CHECK_EQUAL(goal(found.roles[0].moves[0].mean), 1.0);
    CHECK_EQUAL(found.nodes, std::uint64_t{1});
    searcher.advance({0, 0});
    CHECK(searcher.run(Limits{}).terminal);
  }
}

}  // namespace

TESTS(int, char**) {
  plays_every_late_position_of_tic_tac_toe(5);
}

// Flags: -O1
//
// Long searches in little memory: they stay within the limit, keep their counts and continue to grow.
#include <algorithm>
#include <cmath>
#include <set>

#include "check.hpp"
#include "fixtures/games.hpp"
#include "fixtures/lanes_of.hpp"
#include "fixtures/limits.hpp"
#include "fixtures/random_game.hpp"
#include "fixtures/tree_checks.hpp"
#include "search/driver/searcher.hpp"
#include "search/tree/recycler.hpp"

namespace {

using namespace ggp;

Config small(int in_flight, bool solver) {
  Config config;
  config.in_flight = in_flight;
  config.memory_bytes = kLeastMemory;
  config.selection.exploration = 10;  // trees as wide as they are deep
  config.solver.enabled = solver;
  return config;
}

// Creates many nodes of random sizes, so that the memory is replaced many times.
template <class Game>
void memory_turns_over(int in_flight, bool solver, int parts, std::uint64_t simulations_each) {
  LanesOf<Game> lanes(512);
  Searcher searcher(lanes, small(in_flight, solver));
  std::uint64_t visits = 0;
  std::set<std::uint64_t> seen;
  for (int part = 0; part < parts; ++part) {
    const Statistics found = searcher.run(simulations(simulations_each));
    visits += found.simulations;
    CHECK_EQUAL(found.visits, visits);
    CHECK(found.bytes <= kLeastMemory + 4096);  // the root is never refused
    CHECK(found.bytes > kLeastMemory / 2);
    CHECK_EQUAL(found.nodes, searcher.tree().nodes());
    check_consistent(searcher.tree());
    // The tree continues to grow: nodes with few visits are new.
    seen.insert(searcher.tree_hash());
    std::size_t fresh = 0;
    searcher.tree().for_each_node([&](Index node) { fresh += searcher.tree().node(node).visits < 10; });
    CHECK(fresh > 20);
  }
  CHECK_EQUAL(seen.size(), std::size_t(parts));
}

using Turns = RandomGame<2, false, Sum::kFree>;
using Puzzle = RandomGame<1, false, Sum::kFree>;
using Three = RandomGame<3, false, Sum::kFree>;
using AtOnce = RandomGame<2, true, Sum::kFree>;

TEST(every_kind_of_game) {
  Turns::plies = Puzzle::plies = Three::plies = AtOnce::plies = 30;
  Turns::one_in = Puzzle::one_in = Three::one_in = AtOnce::one_in = 100000;
  Turns::seed = Puzzle::seed = Three::seed = AtOnce::seed = 12;
  memory_turns_over<Turns>(512, false, 2, 50000);
  memory_turns_over<Turns>(16, true, 2, 20000);
  memory_turns_over<Puzzle>(64, false, 2, 20000);
  memory_turns_over<Three>(64, true, 2, 20000);
  memory_turns_over<AtOnce>(256, false, 2, 20000);
  memory_turns_over<MatchingPennies<31>>(64, true, 2, 20000);
}

// A subtree without visits is removed for the searched one; the statistics of its edge stay.
TEST(the_least_visited_node_is_removed) {
  Turns::plies = 40;
  Turns::seed = 3;
  LanesOf<Turns> lanes(64);
  Searcher searcher(lanes, small(16, false));
  searcher.run(simulations(60000));
  const Tree& tree = searcher.tree();
  std::uint32_t least = 1u << 30, most = 0;
  tree.for_each_node([&](Index index) {
    const Node& node = tree.node(index);
    if (node.mover == kSimultaneous) return;
    const Choice& choice = node.choices()[0];
    for (std::uint32_t i = 0; i < choice.tried; ++i) {
      const Action action = tree.actions(choice)[i];
      if (is_node(action.child)) least = std::min(least, tree.node(action.child).visits);
      if (action.child == kNone && action.visits > 1) most = std::max(most, action.visits);
    }
  });
  CHECK(least < 50);
  CHECK(most > 1);       // some nodes were recycled,
  CHECK(most < 20000);   // but no important node
}

// The value found in a fifth of the memory equals the value found with all of it.
TEST(values_stay) {
  using Game = RandomGame<2, false, Sum::kConstant>;
  Game::plies = 40;
  Game::one_in = 100000;
  Game::seed = 5;
  LanesOf<Game> lanes(64);
  Config large = small(16, false);
  large.memory_bytes = 1 << 28;
  Searcher free(lanes, large);
  const Statistics expected = free.run(simulations(100000));
  LanesOf<Game> others(64);
  Searcher tight(others, small(16, false));
  const Statistics found = tight.run(simulations(100000));
  CHECK(expected.bytes > 4 * found.bytes);
  CHECK(std::abs(found.roles[0].mean - expected.roles[0].mean) < 0.1);
  // Also from move to move.
  for (int turn = 0; turn < 5; ++turn) {
    const Statistics before = tight.statistics();
    if (before.terminal) break;
    std::vector<int> moves;
    for (const RoleStatistics& role : before.roles) moves.push_back(role.moves[0].move);
    tight.advance(moves);
    tight.run(simulations(20000));
    check_consistent(tight.tree());
    CHECK(tight.statistics().bytes <= kLeastMemory + 4096);
  }
}

// Proofs stay true while nodes are removed and created.
TEST(bounds_stay_sound) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Turns::plies = 16;
    Turns::seed = seed;
    LanesOf<Turns> lanes(64);
    Searcher searcher(lanes, small(16, true));
    searcher.run(simulations(50000));
    const Tree& tree = searcher.tree();
    check_consistent(tree);
    FinalBounds<Turns> final_bounds(tree.constant_sum());
    int checked = 0;
    tree.for_each_node([&](Index index) {
      Turns::State state;
      std::copy_n(tree.state(index).begin(), Turns::words, state.begin());
      if (state[1] > 5) return;
      const auto truth = final_bounds.of(state);
      for (int role = 0; role < 2; ++role) {
        CHECK(tree.node(index).bounds(role).pessimistic <= truth[role].first);
        CHECK(tree.node(index).bounds(role).optimistic >= truth[role].second);
      }
      ++checked;
    });
    CHECK(checked > 50);
  }
}

TEST(equal_searches_recycle_the_same) {
  Turns::plies = 30;
  Turns::seed = 9;
  LanesOf<Turns> narrow(64), wide(512);
  Searcher first(narrow, small(64, true)), second(wide, small(64, true));
  for (int part = 0; part < 3; ++part) {
    first.run(simulations(40000));
    second.run(simulations(40000));
    CHECK_EQUAL(first.tree_hash(), second.tree_hash());
  }
  CHECK(first.statistics().bytes > kLeastMemory * 3 / 4);
}

}  // namespace

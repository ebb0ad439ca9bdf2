// Games: connect_four battle
//
// Complete searches with all moves as first: the same tree on every computer, within the memory, in all games.
#include <algorithm>
#include <cmath>
#include <set>

#include "check.hpp"
#include "fixtures/count_allocations.hpp"
#include "fixtures/every_kernel.hpp"
#include "fixtures/games.hpp"
#include "fixtures/lanes_of.hpp"
#include "fixtures/limits.hpp"
#include "fixtures/program_of.hpp"
#include "fixtures/random_game.hpp"
#include "fixtures/tree_checks.hpp"
#include "interfaces/quality.hpp"
#include "network/simulator/network_simulator.hpp"
#include "search/driver/searcher.hpp"

namespace {

using namespace ggp;
using Policy = PlayoutConfig::Policy;

Config config_of(std::uint32_t reference, Policy policy, int in_flight) {
  Config config;
  config.in_flight = in_flight;
  config.playout.policy = policy;
  config.selection.exploration = 0.3;
  config.selection.grave.enabled = true;
  config.selection.grave.reference = reference;
  return config;
}

// Tables do not count more simulations than their nodes had.
std::size_t check_tables(const Tree& tree, std::size_t moves) {
  std::size_t tables = 0;
  tree.for_each_node([&](Index index) {
    const AmafSum* sums = tree.amaf(index);
    if (sums == nullptr) return;
    ++tables;
    for (std::size_t move = 0; move < moves; ++move) {
      CHECK(sums[move].count <= tree.node(index).visits);
      CHECK(std::abs(sums[move].reward) <= static_cast<float>(sums[move].count));
    }
  });
  return tables;
}

// ---- memory

using Turns = RandomGame<2, false, Sum::kFree>;
using AtOnce = RandomGame<2, true, Sum::kFree>;

template <class Game>
void memory_turns_over(std::uint32_t reference, int in_flight, bool solver) {
  Game::plies = 30;
  Game::one_in = 100000;
  Game::seed = 12;
  Config config = config_of(reference, Policy::kUniform, in_flight);
  config.memory_bytes = kLeastMemory;
  config.selection.exploration = 10;  // trees as wide as they are deep
  config.solver.enabled = solver;
  LanesOf<Game> narrow(64), wide(128);
  Searcher searcher(narrow, config), other(wide, config);
  std::set<std::uint64_t> seen;
  for (int part = 0; part < 3; ++part) {
    const Statistics found = searcher.run(simulations(8000));
    CHECK(found.bytes <= kLeastMemory + 4096);  // the root is never refused
    CHECK(found.bytes > kLeastMemory / 2);
    CHECK_EQUAL(found.nodes, searcher.tree().nodes());
    check_consistent(searcher.tree());
    const std::size_t tables = check_tables(searcher.tree(), 10);
    CHECK(tables > 10 && tables * 80 <= kLeastMemory / 2);
    other.run(simulations(8000));
    CHECK_EQUAL(searcher.tree_hash(), other.tree_hash());
    seen.insert(searcher.tree_hash());
    if (part == 1) {
      // Tables are kept when moves are played.
      searcher.advance(found.principal_variation[0]);
      other.advance(found.principal_variation[0]);
      CHECK(check_tables(searcher.tree(), 10) > 1);
      CHECK_EQUAL(searcher.tree_hash(), other.tree_hash());
    }
  }
  CHECK_EQUAL(seen.size(), std::size_t{3});
}

// ---- determinism

template <class Game>
void check_game(const std::vector<int>& moves) {
  const auto hashes = [&](Searcher& searcher) {
    std::vector<std::uint64_t> found;
    for (int part = 0; part < 3; ++part) {
      searcher.run(simulations(300));
      found.push_back(searcher.tree_hash());
      if (part == 1) searcher.advance(moves);
    }
    return found;
  };
  std::set<std::vector<std::uint64_t>> seen;
  for (int in_flight : {1, 10, 64}) {
    for (std::uint32_t reference : {0u, 30u}) {
      const Config config = config_of(reference, Policy::kUniform, in_flight);
      LanesOf<Game> narrow(64), wide(256), widest(512);
      Searcher first(narrow, config), second(wide, config), third(widest, config);
      const auto expected = hashes(first);
      CHECK(hashes(second) == expected);
      CHECK(hashes(third) == expected);
      first.set_root(narrow.initial());
      CHECK(hashes(first) == expected);
      seen.insert(expected);
    }
  }
  CHECK_EQUAL(seen.size(), std::size_t{6});
}

// The tree after searches with moves between them, on every kernel and width.
void same_trees_on_every_kernel(const char* path) {
  const auto program = program_of(ground_program_file(path));
  std::set<std::uint64_t> different;
  for (Policy policy : {Policy::kUniform, Policy::kMast, Policy::kNst}) {
    different.insert(tree_on_every_kernel(program, config_of(20, policy, 50), 200));
  }
  CHECK_EQUAL(different.size(), std::size_t{3});
}

// ---- all kinds of games

template <class Game>
Statistics searched(std::uint32_t reference, std::uint64_t count, int in_flight) {
  LanesOf<Game> lanes(64);
  Config config = config_of(reference, Policy::kUniform, in_flight);
  config.solver.enabled = false;
  Searcher searcher(lanes, config);
  const Statistics found = searcher.run(simulations(count));
  CHECK_EQUAL(found.simulations, count);
  check_consistent(searcher.tree());
  check_tables(searcher.tree(), Game::roles * static_cast<std::size_t>(Game::moves(0)));
  return found;
}

TEST(copes_with_odd_games) {
  for (std::uint32_t reference : {0u, 50u}) {
    CHECK_EQUAL(searched<LongRoad<500>>(reference, 300, 64).roles[0].moves[0].move, 1);
    CHECK_EQUAL(searched<Crowd>(reference, 500, 64).roles.size(), std::size_t{12});
    CHECK_EQUAL(searched<DeadEnd>(reference, 500, 20).roles[0].moves[0].move, 1);
    CHECK_EQUAL(searched<TicTacToe>(reference, 5000, 1).principal_variation.size(), std::size_t{9});
  }
  LanesOf<OverAtOnce> over(64);
  CHECK(Searcher(over, config_of(50, Policy::kUniform, 8)).run(Limits{}).terminal);
}

// Tables learn goals, although the rewards are the quality 0.25 of a win; with learns = reward they learn the rewards.
TEST(tables_learn_goals) {
  class WithQuality final : public LanesOf<TicTacToe>, public Quality {
   public:
    using LanesOf::LanesOf;
    double quality(int) override { return 0.25; }
    double quality_for(int, int) override { return 0.25; }

   private:
    void* find_interface(InterfaceId id) override { return select_interface<Quality>(*this, id); }
  };
  for (const auto learns : {PlayoutConfig::Learns::kGoal, PlayoutConfig::Learns::kReward}) {
    WithQuality lanes(64);
    Config config = config_of(0, Policy::kUniform, 1);
    config.solver.enabled = false;
    config.reward.source = RewardConfig::Source::kQuality;
    config.playout.learns = learns;
    Searcher searcher(lanes, config);
    searcher.run(simulations(9));  // so all simulations end in play-outs
    const AmafSum* sums = searcher.tree().amaf(searcher.tree().root());
    double most = 0;
    for (int move = 0; move < 20; ++move) {
      if (sums[move].count > 0) most = std::max(most, std::abs(double{sums[move].reward}) / sums[move].count);
      if (learns == PlayoutConfig::Learns::kGoal) CHECK_EQUAL(sums[move].reward, std::round(sums[move].reward));
    }
    if (learns == PlayoutConfig::Learns::kReward) CHECK_BETWEEN(most, 0.01, 0.25);
    if (learns == PlayoutConfig::Learns::kGoal) CHECK_BETWEEN(most, 0.26, 1);
  }
}

}  // namespace

TESTS(int count, char** paths) {
  memory_turns_over<Turns>(0, 64, true);
  memory_turns_over<Turns>(20, 64, false);
  memory_turns_over<AtOnce>(20, 16, false);
  takes_no_memory_once_warm(config_of(50, Policy::kUniform, 64));
  check_game<TicTacToe>({4, 9});
  check_game<MatchingPennies<7>>({0, 1});
  check_game<ThreePlayerNim>({2, 0, 0});
  for (int i = 1; i < count; ++i) same_trees_on_every_kernel(paths[i]);
}

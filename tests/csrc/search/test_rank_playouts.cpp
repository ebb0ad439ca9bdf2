// Games: connect_four battle
//
// Play-outs by rank: the odds of ranks, the order of moves, learning compared with lists of played moves, and complete
// searches. test_lane_choice.cpp checks that kernels choose the move of the drawn rank.
#include <cmath>
#include <numeric>
#include <set>

#include "check.hpp"
#include "fixtures/count_allocations.hpp"
#include "fixtures/every_kernel.hpp"
#include "fixtures/games.hpp"
#include "fixtures/lanes_of.hpp"
#include "fixtures/limits.hpp"
#include "fixtures/odd_games.hpp"
#include "fixtures/program_of.hpp"
#include "network/simulator/network_simulator.hpp"
#include "search/driver/searcher.hpp"
#include "search/playout/rank_playout.hpp"

namespace {

using namespace ggp;
using Policy = PlayoutConfig::Policy;

Config config_of(int in_flight = 0) {
  Config config;
  config.solver.enabled = false;  // proofs would end the searches of these small games
  config.in_flight = in_flight;
  config.playout.policy = Policy::kRank;
  return config;
}

// ---- ranks

// Pearson's statistic over ranks that are expected at least five times, the others combined.
double chi_square(const std::vector<int>& counts, const std::vector<double>& odds, int draws, int& degrees) {
  double sum = 0, rest = 0, left = draws;
  degrees = -1;
  int rest_count = draws;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    const double expected = draws * odds[rank];
    if (expected < 5) continue;
    sum += (counts[rank] - expected) * (counts[rank] - expected) / expected;
    rest_count -= counts[rank];
    left -= expected;
    ++degrees;
  }
  rest = left;
  if (rest >= 5) {
    sum += (rest_count - rest) * (rest_count - rest) / rest;
    ++degrees;
  }
  return sum;
}

TEST(ranks_have_the_right_odds) {
  constexpr int kDraws = 40000;
  std::uint64_t random = 3;
  for (const int n : {1, 2, 3, 7, 30, 200}) {
    for (const double sharpness : {0.0, 0.01, 0.3, 0.5, 0.99}) {  // 0: every rank alike, before the first sort
      std::vector<double> odds(n, 1.0 / n);
      for (int r = 0; sharpness > 0 && r < n; ++r)
        odds[r] = sharpness * std::pow(1 - sharpness, r) / (1 - std::pow(1 - sharpness, n));
      CHECK_NEAR(std::accumulate(odds.begin(), odds.end(), 0.0), 1);
      Config config = config_of();
      if (sharpness > 0) config.playout.rank.sharpness = sharpness;
      MoveOrder order(config, {n});
      if (sharpness > 0) order.sort();
      std::vector<int> counts(n);
      for (int i = 0; i < kDraws; ++i) {
        const std::uint32_t rank = draw_rank(order.draw(), random, static_cast<std::uint32_t>(n));
        CHECK(rank < static_cast<std::uint32_t>(n));
        ++counts[rank];
      }
      int degrees = 0;
      const double statistic = chi_square(counts, odds, kDraws, degrees);
      // Four standard deviations of a sum of `degrees` squares.
      CHECK_BETWEEN(statistic, 0.0, degrees + 4 * std::sqrt(2.0 * std::max(degrees, 1)) + 8);
    }
  }
}

// ---- the order

TEST(moves_are_sorted_by_their_values) {
  Config config = config_of();
  config.playout.unknown = 0.1;
  MoveOrder order(config, {4, 60});
  CHECK(order.draw().kind == RankDraw::Kind::kUniform);  // until there are data
  for (std::uint32_t rank = 0; rank < 60; ++rank) CHECK_EQUAL(order.ranks(1)[order.orders()[1][rank]], rank);
  order.averages().learn(0, 2, 0.5);
  order.averages().learn(0, 0, -1);
  order.averages().learn_many(0, 3, 3 * 0.4, 3);
  for (int i = 0; i < MoveOrder::kLeastGrowth; ++i) {
    CHECK(!order.due());
    order.complete();
  }
  CHECK(order.due());
  order.sort();
  CHECK(order.draw().kind == RankDraw::Kind::kGeometric);
  const std::vector<std::uint32_t> found(order.orders()[0], order.orders()[0] + 4);
  CHECK(found == (std::vector<std::uint32_t>{2, 3, 1, 0}));
  for (std::uint32_t rank = 0; rank < 4; ++rank) CHECK_EQUAL(order.ranks(0)[found[rank]], rank);
  // Equal moves have an arbitrary but fixed order, with each move once.
  std::set<std::uint32_t> seen(order.orders()[1], order.orders()[1] + 60);
  CHECK_EQUAL(seen.size(), std::size_t{60});
  CHECK(!std::is_sorted(order.orders()[1], order.orders()[1] + 60));
  MoveOrder same(config, {4, 60});
  same.sort();
  CHECK(std::equal(order.orders()[1], order.orders()[1] + 60, same.orders()[1]));

  // As weights: 3 (0.4 - 0.14), 0.5 - 0.14, none, -1 - 0.14.
  config.playout.rank.adaptation = 1;
  MoveOrder adapted(config, {4});
  adapted.averages().learn(0, 2, 0.5);
  adapted.averages().learn(0, 0, -1);
  adapted.averages().learn_many(0, 3, 3 * 0.4, 3);
  adapted.sort();
  CHECK(std::vector<std::uint32_t>(adapted.orders()[0], adapted.orders()[0] + 4) ==
        (std::vector<std::uint32_t>{3, 2, 1, 0}));
  config.playout.rank.adaptation = 0;

  // With a prior of two visits: 0.7 / 3, 1.4 / 5, 0.1, -0.8 / 3.
  config.playout.rank.prior = 2;
  MoveOrder drawn(config, {4});
  drawn.averages().learn(0, 2, 0.5);
  drawn.averages().learn(0, 0, -1);
  drawn.averages().learn_many(0, 3, 3 * 0.4, 3);
  drawn.sort();
  CHECK((std::vector<std::uint32_t>(drawn.orders()[0], drawn.orders()[0] + 4)) ==
        (std::vector<std::uint32_t>{3, 2, 1, 0}));
}

TEST(the_times_of_sorting_depend_on_simulations) {
  MoveOrder order(config_of(), {3});
  std::vector<int> times;
  for (int i = 1; i <= 5000; ++i) {
    order.complete();
    if (!order.due()) continue;
    order.sort();
    times.push_back(i);
  }
  for (int i = 0; i < 16; ++i) CHECK_EQUAL(times[i], 64 * (i + 1));
  for (std::size_t i = 17; i < times.size(); ++i) CHECK_EQUAL(times[i], static_cast<int>(std::ceil(times[i - 1] * 1.06)));
  // A fifth remains: 1000 of 5000, and 64 more until the next.
  order.played();
  for (int i = 0; i < 63; ++i) order.complete();
  CHECK(!order.due());
  order.complete();
  CHECK(order.due());
  CHECK(order.draw().kind == RankDraw::Kind::kGeometric);
  order.reset();
  CHECK(order.draw().kind == RankDraw::Kind::kUniform);
}

// ---- learning in vectors

std::shared_ptr<const LaneProgram> program_in(const char* path) {
  return program_of(ground_program_file(path));
}

// Lists of the played moves, and sums by role and move.
struct Naive {
  struct Sum {
    double rewards = 0, visits = 0;
  };
  explicit Naive(const Simulator& simulator) : sums(simulator.roles()), played(simulator.lanes()) {
    for (int role = 0; role < simulator.roles(); ++role) sums[role].resize(simulator.moves(role));
  }
  void learn(int lane, const double* rewards) {
    for (const auto& [role, move] : played[lane]) {
      sums[role][move].rewards += rewards[role];
      sums[role][move].visits += 1;
    }
  }
  std::vector<std::vector<Sum>> sums;
  std::vector<std::set<std::pair<int, int>>> played;  // by lane
};

// Plays lanes to their ends, once each; rewards have `kinds` values. All simulations are learned, because none begins
// in a waiting lane.
void learns_as_lists_do(const std::shared_ptr<const LaneProgram>& program, int kinds) {
  NetworkSimulator simulator(program, *find_kernel("portable", 128));
  RankPlayout policy(config_of(), simulator, simulator);
  MoveLearner& learner = *policy.learner();
  Lanes lanes(simulator);
  Naive naive(simulator);
  std::uint64_t random = 5;
  std::vector<std::uint64_t> playing(2, ~std::uint64_t{0});
  std::vector<std::uint32_t> first(simulator.roles(), program->first_move);
  for (int role = 1; role < simulator.roles(); ++role) {
    first[role] = first[role - 1] + static_cast<std::uint32_t>(simulator.moves(role - 1));
  }
  for (int lane = 0; lane < 128; ++lane) {
    learner.begin(lane, lane);
    // Choices in the tree count each time.
    learner.add(lane, {0, lane % simulator.moves(0)}, false);
    learner.add(lane, {0, lane % simulator.moves(0)}, false);
  }
  while (playing[0] != 0 || playing[1] != 0) {
    simulator.evaluate();
    std::vector<double> rewards(simulator.roles());
    for (int lane = 0; lane < 128; ++lane) {
      const std::uint64_t bit = std::uint64_t{1} << (lane % 64);
      if ((playing[lane / 64] & simulator.terminal()[lane / 64] & bit) == 0) continue;
      playing[lane / 64] ^= bit;
      for (double& reward : rewards) reward = draw_below(random, kinds) / double(kinds) - 0.3;
      naive.learn(lane, rewards.data());
      const int first_move = lane % simulator.moves(0);
      naive.sums[0][first_move].rewards += 2 * rewards[0];
      naive.sums[0][first_move].visits += 2;
      learner.learn(lane, rewards.data());
    }
    std::vector<std::vector<int>> legal(128);
    for (int lane = 0; lane < 128; ++lane)
      for (int role = 0; role < simulator.roles(); ++role) legal[lane].push_back(simulator.legal_count(lane, role));
    policy.choose(lanes, playing.data());
    for (int lane = 0; lane < 128; ++lane) {
      if ((playing[lane / 64] >> (lane % 64) & 1) == 0) continue;
      for (int role = 0; role < simulator.roles(); ++role)
        for (int move = 0; move < simulator.moves(role) && legal[lane][role] > 1; ++move)
          if (simulator.lanes_of(first[role] + move)[lane / 64] >> (lane % 64) & 1) naive.played[lane].insert({role, move});
    }
    simulator.step();
  }
  learner.give_up();
  double most = 0;
  for (int role = 0; role < simulator.roles(); ++role) {
    for (int move = 0; move < simulator.moves(role); ++move) {
      const Naive::Sum& sum = naive.sums[role][move];
      CHECK_NEAR(policy.order().averages().visits(role, move), sum.visits);
      CHECK_NEAR(policy.order().averages().means(role)[move], sum.visits > 0 ? sum.rewards / sum.visits : 0);
      most = std::max(most, sum.visits);
    }
  }
  CHECK(most > 20);
}

// ---- searches

TEST(learns_what_helps_by_lists) {
  LanesOf<LongChoice<60>> lanes(64);
  Config config = config_of(8);
  config.playout.rank.sharpness = 0.9;
  // The better of two moves has the probability 10 / 11, so the value of ones is 9 / 11 once the better move is known.
  Searcher ranked(lanes, config);
  CHECK_BETWEEN(ranked.run(simulations(3000)).roles[0].mean, 0.6, 0.9);
  config.playout.policy = Policy::kUniform;
  Searcher even(lanes, config);
  CHECK_BETWEEN(even.run(simulations(3000)).roles[0].mean, -0.1, 0.3);
}

TEST(odd_games_are_searched) { copes_with_odd_games(config_of()); }

// The tree after searches with moves between them, on every kernel and width.
void same_trees_on_every_kernel(const std::shared_ptr<const LaneProgram>& program) {
  std::set<std::uint64_t> different;
  different.insert(tree_on_every_kernel(program, config_of(50), 400));
  Config grave = config_of(50);
  grave.selection.grave.enabled = true;
  different.insert(tree_on_every_kernel(program, grave, 400));
  Config bonus = config_of(50);  // rewards of many values
  bonus.reward.relative_bonus.enabled = true;
  different.insert(tree_on_every_kernel(program, bonus, 400));
  CHECK_EQUAL(different.size(), std::size_t{3});
}

// The tree depends neither on the first lane of a search nor on earlier runs that were dropped.
void runs_in_any_lanes(const std::shared_ptr<const LaneProgram>& program) {
  std::vector<std::uint64_t> hashes[2];
  for (const int shift : {0, 1}) {
    NetworkSimulator simulator(program, *find_kernel("portable", 256)), one(program, *find_kernel("portable", 64));
    Lanes lanes(simulator), scout(one);
    Searcher searcher(lanes, scout, config_of(40));
    for (int run = 0; run < 3; ++run) {
      searcher.begin(simulations(500), shift * 37 * (run + 1));
      while (!searcher.done()) {
        lanes.evaluate();
        searcher.ask();
        lanes.store();
        searcher.read();
        searcher.choose();
        lanes.step();
        searcher.reload();
        lanes.load();
      }
      searcher.end();
      const Statistics found = searcher.statistics();
      hashes[shift].push_back(searcher.tree_hash());
      if (run == 1) searcher.advance(found.principal_variation[0]);
    }
  }
  CHECK(hashes[0] == hashes[1]);
}

void vectors_take_no_memory_once_warm(const std::shared_ptr<const LaneProgram>& program) {
  NetworkSimulator simulator(program, *find_kernel("portable", 64));
  Config config = config_of(64);
  config.memory_bytes = kLeastMemory;
  Searcher searcher(simulator, config);
  searcher.run(simulations(20000));
  const std::uint64_t before = allocations;
  searcher.run(simulations(5000));
  CHECK(allocations - before < 2500);
}

}  // namespace

TESTS(int count, char** paths) {
  takes_no_memory_once_warm(config_of(64));
  CHECK_EQUAL(count, 3);
  for (int i = 1; i < count; ++i) {
    const auto program = program_in(paths[i]);
    learns_as_lists_do(program, 2);
    learns_as_lists_do(program, 100);  // more than there are classes
    same_trees_on_every_kernel(program);
  }
  runs_in_any_lanes(program_in(paths[1]));
  vectors_take_no_memory_once_warm(program_in(paths[1]));
}

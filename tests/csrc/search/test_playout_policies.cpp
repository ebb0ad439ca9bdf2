// Flags: -O1
// Games: connect_four battle
//
// Play-out policies that learn: each formula compared with values computed by hand, and complete searches with them.
#include <cmath>
#include <functional>
#include <set>

#include "check.hpp"
#include "fixtures/count_allocations.hpp"
#include "fixtures/every_kernel.hpp"
#include "fixtures/games.hpp"
#include "fixtures/lanes_of.hpp"
#include "fixtures/limits.hpp"
#include "fixtures/odd_games.hpp"
#include "fixtures/program_of.hpp"
#include "fixtures/replies.hpp"
#include "network/simulator/network_simulator.hpp"
#include "search/driver/searcher.hpp"
#include "search/playout/learned_playout.hpp"
#include "search/playout/sampling.hpp"

namespace {

using namespace ggp;
using Policy = PlayoutConfig::Policy;

// ---- the parts

TEST(averages_are_means_by_role_and_move) {
  MoveAverages averages({3, 2}, 0.25);
  CHECK_NEAR(averages.means(1)[1], 0.25);
  averages.learn(0, 2, 1);
  averages.learn(0, 2, -1);
  averages.learn(0, 2, 0.5);
  averages.learn(1, 0, -0.5);
  CHECK_NEAR(averages.means(0)[2], 0.5 / 3);
  CHECK_NEAR(averages.visits(0, 2), 3);
  CHECK_NEAR(averages.means(1)[0], -0.5);
  CHECK_NEAR(averages.means(0)[0], 0.25);

  // 3 visits with a sum of 0.5 weigh 0.6 and 0.1 after a decay of 0.2: then one more of 1 makes 1.1 / 1.6.
  averages.decay(0.2);
  CHECK_NEAR(averages.means(0)[2], 0.5 / 3);
  averages.learn(0, 2, 1);
  CHECK_NEAR(averages.means(0)[2], 1.1 / 1.6);
  CHECK_NEAR(averages.visits(0, 2), 1.6);
  averages.decay(0.2);  // 0.32 and 0.04: the second is dropped
  CHECK_NEAR(averages.visits(1, 0), 0);
  CHECK_NEAR(averages.means(1)[0], 0.25);
  averages.clear();
  CHECK_NEAR(averages.visits(0, 2), 0);
  CHECK_NEAR(averages.means(0)[2], 0.25);
}

TEST(ngrams_are_means_by_context_and_move) {
  Ngrams ngrams(1024, 10);
  const std::uint64_t context = 0x1234'0000'0000'0007, other = 0x4321'0000'0000'0006;
  CHECK_EQUAL(ngrams.find(context, 3).visits, 0);
  ngrams.learn(context, 3, 1);
  ngrams.learn(context, 3, 0);
  ngrams.learn(context, 3, 0.5);
  CHECK_EQUAL(ngrams.find(context, 3).visits, 3);
  CHECK_NEAR(ngrams.find(context, 3).mean, 0.5);
  CHECK_EQUAL(ngrams.find(context, 4).visits, 0);
  // Slot 7 + 3 is slot 6 + 4: the other n-gram must occur more often than the first to replace it.
  for (int i = 0; i < 3; ++i) {
    CHECK_EQUAL(ngrams.find(context, 3).visits, 3 - i);
    CHECK_NEAR(ngrams.find(context, 3).mean, 0.5);
    ngrams.learn(other, 4, -1);
    CHECK_EQUAL(ngrams.find(other, 4).visits, 0);
  }
  ngrams.learn(other, 4, -1);
  CHECK_EQUAL(ngrams.find(other, 4).visits, 1);
  CHECK_EQUAL(ngrams.find(context, 3).visits, 0);
  CHECK_NEAR(ngrams.find(other, 4).mean, -1);

  for (int i = 0; i < 7; ++i) ngrams.learn(context, 0, 0.5);
  ngrams.decay(0.5);  // 7 -> 4, 1 -> 1
  CHECK_EQUAL(ngrams.find(context, 0).visits, 4);
  CHECK_EQUAL(ngrams.find(other, 4).visits, 1);
  CHECK_NEAR(ngrams.find(context, 0).mean, 0.5);
  ngrams.decay(0.1);
  CHECK_EQUAL(ngrams.find(context, 0).visits, 0);
  CHECK_EQUAL(ngrams.find(other, 4).visits, 0);

  for (int i = 0; i < 70000; ++i) ngrams.learn(context, 9, i % 2 == 0 ? 1 : 0);
  CHECK_EQUAL(ngrams.find(context, 9).visits, Ngrams::kMostVisits);
  CHECK_BETWEEN(ngrams.find(context, 9).mean, 0.499, 0.501);
  ngrams.clear();
  CHECK_EQUAL(ngrams.find(context, 9).visits, 0);
}

TEST(plies_are_distinguished) {
  Plies plies, swapped, once;
  plies.add(0, 3);
  plies.turn();
  plies.turn();  // no choice since then
  plies.add(1, 4);
  plies.turn();
  swapped.add(1, 4);
  swapped.turn();
  swapped.add(0, 3);
  swapped.turn();
  once.add(0, 3);
  once.add(1, 4);
  once.turn();
  CHECK(plies.last == swapped.before_last && plies.before_last == swapped.last);
  CHECK(once.before_last == 0 && once.last != plies.last && once.last != plies.before_last);
  CHECK(Ngrams::context2(plies, 0) != Ngrams::context2(plies, 1));
  CHECK(Ngrams::context3(plies, 0) != Ngrams::context3(swapped, 0));
}

TEST(tables_are_bounded) {
  constexpr std::size_t kPlenty = std::size_t{1} << 30;
  CHECK_EQUAL(ngram_slots(2, 16, kPlenty), std::size_t{1024});
  CHECK_EQUAL(ngram_slots(2, 310, kPlenty), std::size_t{1} << 17);
  CHECK_EQUAL(ngram_slots(3, 16, kPlenty), std::size_t{4096});
  CHECK_EQUAL(ngram_slots(3, 100000, kPlenty), std::size_t{1} << 20);
  CHECK_EQUAL(ngram_slots(3, 100000, 1 << 18), std::size_t{1} << 15);
  CHECK_EQUAL(ngram_slots(2, 310, 0), std::size_t{1024});
}

TEST(draws_have_the_right_odds) {
  constexpr int kDraws = 40000;
  std::uint64_t random = 7;
  const std::int32_t keys[] = {order_key(0.5f), order_key(-1.0f), order_key(0.5f), order_key(0.25f),
                               order_key(0.5f)};
  int best[5] = {}, even[5] = {}, explored = 0;
  for (int i = 0; i < kDraws; ++i) {
    ++best[best_place(keys, 5, draw(random))];
    ++even[even_place(draw(random), 5)];
    explored += explores(draw(random), static_cast<std::uint64_t>(0.3 * 0x1p32));
  }
  // Pearson's statistic; 18.5 is exceeded with probability 0.001 at 4 degrees of freedom.
  const auto chi_square = [](const int* counts, const double* odds) {
    double sum = 0;
    for (int i = 0; i < 5; ++i) {
      const double expected = kDraws * odds[i];
      if (expected == 0) CHECK_EQUAL(counts[i], 0);
      if (expected > 0) sum += (counts[i] - expected) * (counts[i] - expected) / expected;
    }
    return sum;
  };
  const double of_best[] = {1.0 / 3, 0, 1.0 / 3, 0, 1.0 / 3};
  CHECK_BETWEEN(chi_square(best, of_best), 0.0, 18.5);
  const double of_even[] = {0.2, 0.2, 0.2, 0.2, 0.2};
  CHECK_BETWEEN(chi_square(even, of_even), 0.0, 18.5);
  CHECK_BETWEEN(explored / double{kDraws}, 0.29, 0.31);
}

// ---- the policy

PlayoutConfig greedy(Policy policy, int ngram = 2) {
  PlayoutConfig config;
  config.policy = policy;
  config.epsilon = 0;
  config.ngram = ngram;
  config.threshold = 3;
  return config;
}

// Role 0 after (., 1): move 2 has the mean 0.5, but -1 after (0, 1); move 6 has 0.1; 0, 3, 4 are bad.
void teach_triples(LearnedPlayout& policy) {
  teach(policy, {0, 1, 2}, -1, 3);
  teach(policy, {3, 1, 2}, 1, 9);
  teach(policy, {4, 1, 6}, 0.1, 3);
  teach(policy, {3}, -1, 20);
  teach(policy, {4}, -1, 20);
}

TEST(plays_the_best_average) {
  LanesOf<TicTacToe> lanes(64);
  LearnedPlayout policy(greedy(Policy::kMast), lanes, 1 << 20);
  teach(policy, {4, 0}, 0.5);
  teach(policy, {4, 0}, -1);
  teach(policy, {2, 0, 7}, 0.25);
  CHECK_NEAR(policy.averages().means(0)[4], -0.25);
  CHECK_NEAR(policy.averages().means(0)[2], 0.25);
  CHECK_NEAR(policy.averages().means(0)[7], 0.25);
  CHECK_NEAR(policy.averages().means(1)[0], 0.25 / 3);
  std::set<int> seen;
  for (std::uint64_t seed = 0; seed < 60; ++seed) seen.insert(reply(policy, {}, seed));
  CHECK(seen == (std::set<int>{2, 7}));
  CHECK_EQUAL(reply(policy, {2, 0}), 7);
  CHECK_EQUAL(reply(policy, {8}), 0);
  // Unknown moves count 0.
  CHECK(reply(policy, {2, 0, 7, 1}) != 4);

  const std::uint32_t moves[] = {4, 7, 1};
  CHECK_EQUAL(policy.learner()->first_to_try(0, moves, 3, 11), 1u);
  CHECK_EQUAL(policy.learner()->first_to_try(0, moves, 1, 11), 0u);
  int places[3] = {};
  const std::uint32_t alike[] = {1, 4, 3, 5};
  std::uint64_t random = 1;
  for (int i = 0; i < 3000; ++i) {
    const std::uint32_t place = policy.learner()->first_to_try(0, alike, 4, draw(random));
    CHECK(place != 1);
    ++places[place == 0 ? 0 : place - 1];
  }
  for (int count : places) CHECK_BETWEEN(count, 900, 1100);

  policy.learner()->reset();
  seen.clear();
  for (std::uint64_t seed = 0; seed < 100; ++seed) seen.insert(reply(policy, {}, seed));
  CHECK_EQUAL(seen.size(), std::size_t{9});
}

TEST(explores_with_probability_epsilon) {
  LanesOf<TicTacToe> lanes(64);
  PlayoutConfig config = greedy(Policy::kMast);
  config.epsilon = 0.45;
  LearnedPlayout policy(config, lanes, 1 << 20);
  teach(policy, {4}, 1);
  int best = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) best += reply(policy, {}, mix64(seed)) == 4;
  // 0.55 + 0.45 / 9 = 0.6; four standard deviations.
  CHECK_BETWEEN(best / 4000.0, 0.6 - 0.031, 0.6 + 0.031);
}

TEST(longer_sequences_count_from_their_threshold_on) {
  LanesOf<TicTacToe> lanes(64);
  LearnedPlayout policy(greedy(Policy::kNst), lanes, 1 << 20);
  // Role 1: move 1 has an average of 0.4, move 2 of 0.1; after move 0 of role 0 move 2 is the better one.
  teach(policy, {8, 1}, -1, 7);
  teach(policy, {0, 1}, 1, 3);  // the pair (0, 1): -1, visits 3
  CHECK_NEAR(policy.averages().means(1)[1], 0.4);
  teach(policy, {8, 2}, 1, 9);
  teach(policy, {0, 2}, -1, 2);  // the pair (0, 2): 1, visits 2, still below 3
  teach(policy, {7, 3}, 0.5);
  CHECK_EQUAL(reply(policy, {5}), 1);
  // Q(1) = 0.4 and R(0, 1) = -1 make -0.3; only Q(2) = -7/11; unknown moves are at 0.
  CHECK(reply(policy, {0}) > 3);
  teach(policy, {0, 2}, -1, 1);  // Q(2) = -6/12, R(0, 2) = 1: 0.25
  Plies plies;
  plies.add(0, 0);
  plies.turn();
  const Ngrams::Entry pair = policy.ngrams(2).find(Ngrams::context2(plies, 1), 2);
  CHECK_EQUAL(pair.visits, 3);
  CHECK_NEAR(pair.mean, 1);
  CHECK_EQUAL(reply(policy, {0}), 2);
  // Other contexts fall back to the averages: 0.4.
  CHECK_EQUAL(reply(policy, {4}), 1);
  // A policy with only averages does so, too.
  LearnedPlayout mast(greedy(Policy::kMast), lanes, 1 << 20);
  teach(mast, {0, 1}, 1, 3);
  teach(mast, {8, 1}, -1, 7);
  CHECK_EQUAL(reply(mast, {0}), 1);
}

TEST(triples_join_in) {
  LanesOf<TicTacToe> lanes(64);
  for (int ngram : {2, 3}) {
    LearnedPlayout policy(greedy(Policy::kNst, ngram), lanes, 1 << 20);
    teach_triples(policy);
    // 2: Q = 0.5, R2 = 0.5, R3 = -1 -> 0. 6: Q = R2 = 0.1, its triple is another one -> 0.1.
    CHECK_EQUAL(reply(policy, {0, 1}), ngram == 3 ? 6 : 2);
    CHECK_EQUAL(reply(policy, {3, 1}), 2);
    CHECK_EQUAL(reply(policy, {5, 1}), 2);
  }
}

TEST(remembers_plies_before_the_root) {
  LanesOf<TicTacToe> lanes(64);
  PlayoutConfig config = greedy(Policy::kNst, 3);
  config.decay = 1;
  LearnedPlayout policy(config, lanes, 1 << 20);
  teach_triples(policy);
  policy.learner()->played({{0, 0}});
  policy.learner()->played({});  // a forced move
  policy.learner()->played({{1, 1}});
  CHECK_EQUAL(reply(policy, {}), 6);
  policy.learner()->reset();
  teach_triples(policy);
  policy.learner()->played({{0, 3}});
  policy.learner()->played({{1, 1}});
  CHECK_EQUAL(reply(policy, {}), 2);
}

TEST(forgets_between_moves) {
  LanesOf<TicTacToe> lanes(64);
  PlayoutConfig config = greedy(Policy::kNst);
  config.decay = 0.5;
  LearnedPlayout policy(config, lanes, 1 << 20);
  teach(policy, {0, 1}, -1, 5);
  Plies plies;
  plies.add(0, 0);
  plies.turn();
  const std::uint64_t context = Ngrams::context2(plies, 1);
  policy.learner()->played({{0, 4}});
  CHECK_NEAR(policy.averages().visits(1, 1), 2.5);
  CHECK_EQUAL(policy.ngrams(2).find(context, 1).visits, 3);
  CHECK_NEAR(policy.averages().means(1)[1], 1);
  config.decay = 0;
  LearnedPlayout forgetful(config, lanes, 1 << 20);
  teach(forgetful, {0, 1}, -1, 5);
  forgetful.learner()->played({{0, 4}});
  CHECK_NEAR(forgetful.averages().visits(1, 1), 0);
  CHECK_EQUAL(forgetful.ngrams(2).find(context, 1).visits, 0);
}

// Both roles choose in every ply: the previous ply is the joint move.
TEST(sequences_of_joint_moves) {
  LanesOf<MatchingPennies<9>> lanes(64);
  LearnedPlayout policy(greedy(Policy::kNst), lanes, 1 << 20);
  const auto both = [&](int lane, int first, int second) {
    policy.learner()->add(lane, {0, first}, false);
    policy.learner()->add(lane, {1, second}, true);
  };
  const double wins[] = {1, 0.5}, loses[] = {-1, -0.5};
  for (int i = 0; i < 3; ++i) {
    for (int first : {0, 1}) {
      for (int second : {0, 1}) {
        // After two equal coins 1 is good for role 0, after two different coins 0 is good.
        for (int reply : {0, 1}) {
          policy.learner()->begin(0, 1);
          both(0, first, second);
          both(0, reply, 1 - reply);
          policy.learner()->learn(0, (first == second) == (reply == 1) ? wins : loses);
        }
      }
    }
  }
  CHECK_NEAR(policy.averages().means(0)[0], 0);
  CHECK_NEAR(policy.averages().visits(1, 1), 24);
  for (int first : {0, 1}) {
    for (int second : {0, 1}) {
      const std::uint64_t mask = 1;
      std::uint64_t state[2] = {1, 0}, after[2] = {};
      const std::uint64_t* from[64] = {state};
      std::uint64_t* to[64] = {after};
      lanes.load(&mask, from);
      policy.learner()->begin(0, 1);
      both(0, first, second);
      Lanes turn(lanes);
      turn.evaluate();
      policy.choose(turn, &mask);
      turn.step();
      lanes.store(&mask, to);
      // Role 0 knows its reply r, role 1 the other coin of that joint move, 1 - r: the coins differ, so role 0 does not
      // win.
      CHECK_EQUAL(after[1], std::uint64_t{0});
      const double rewards[] = {1, 1};
      const double before = policy.averages().visits(0, first == second);
      policy.learner()->learn(0, rewards);
      CHECK_EQUAL(policy.averages().visits(0, first == second), before + 1 + (first == (first == second)));
    }
  }
}

// ---- searches

Config config_of(Policy policy, int in_flight = 0) {
  Config config;
  config.solver.enabled = false;  // proofs would end the searches of these small games
  config.playout = greedy(policy, 3);
  config.playout.epsilon = 0.3;
  config.in_flight = in_flight;
  return config;
}

TEST(learns_what_helps) {
  LanesOf<LongChoice<60>> lanes(64);
  double means[3];
  for (Policy policy : {Policy::kUniform, Policy::kMast, Policy::kNst}) {
    Searcher searcher(lanes, config_of(policy, 8));
    means[static_cast<int>(policy)] = searcher.run(simulations(3000)).roles[0].mean;
  }
  // Only ones have the value 1; with a uniform move in 30 of 100 cases the value is 0.7.
  CHECK_BETWEEN(means[0], -0.1, 0.3);
  CHECK_BETWEEN(means[1], 0.5, 0.8);
  CHECK_BETWEEN(means[2], 0.5, 0.8);
}

TEST(odd_games_are_searched) {
  for (Policy policy : {Policy::kMast, Policy::kNst}) {
    copes_with_odd_games(config_of(policy));
    // Longer than the recorded part of a simulation.
    CHECK_EQUAL(searched<LongChoice<LearnedPlayout::kLongest + 2000>>(config_of(policy), 100).visits, std::uint64_t{100});
  }
}

// The tree after searches with moves between them, on every kernel and width.
void same_trees_on_every_kernel(const char* path) {
  const auto program = program_of(ground_program_file(path));
  std::set<std::uint64_t> different;
  for (const Policy policy : {Policy::kUniform, Policy::kMast, Policy::kNst})
    different.insert(tree_on_every_kernel(program, config_of(policy, 50), 300));
  CHECK_EQUAL(different.size(), std::size_t{3});
}

}  // namespace

TESTS(int count, char** paths) {
  takes_no_memory_once_warm(config_of(Policy::kNst, 64));
  for (int i = 1; i < count; ++i) same_trees_on_every_kernel(paths[i]);
}

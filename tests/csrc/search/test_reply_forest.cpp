// Flags: -O1
//
// Reply forests: growth, longest match and Eq. 1, compared with values computed by hand.
#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "fixtures/replies.hpp"
#include "search/playout/reply_playout.hpp"

namespace {

using namespace ggp;
using Policy = PlayoutConfig::Policy;
using Context = ReplyForest::Context;
using From = ReplyForestConfig::Context;
using Acceptance = ReplyForestConfig::Acceptance;

// The stored reply after plies, the latest last; without visits if no reply is stored.
ReplyForest::Reply stored(const ReplyForest& forest, const std::vector<std::uint64_t>& plies, std::uint32_t reply) {
  for (int role = 0; role < forest.roles(); ++role) {
    Context context = ReplyForest::empty(role);
    for (std::size_t i = plies.size(); i-- > 0 && context != ReplyForest::kNone;) context = forest.longer(context, plies[i]);
    if (context == ReplyForest::kNone) continue;
    for (const ReplyForest::Reply& each : forest.replies(context))
      if (each.number == reply) return each;
  }
  return {};
}

// Learns that a reply followed plies.
void learn(ReplyForest& forest, const std::vector<std::uint64_t>& plies, std::uint32_t reply, float outcome) {
  const ReplyForest::Made made{0, plies.size(), 0, reply, outcome};
  forest.learn(plies.data(), &made, 1);
}

// ---- the forest

TEST(contexts_grow_by_one_ply_an_update) {
  ReplyForest forest(1 << 20, 32, 1);
  const std::vector<std::uint64_t> plies = {100, 200};  // reply 7 comes after 200, which comes after 100
  learn(forest, plies, 7, 1);
  CHECK_EQUAL(forest.contexts(), std::size_t{1});
  CHECK_EQUAL(stored(forest, {200}, 7).visits, 1u);
  CHECK_NEAR(stored(forest, {200}, 7).mean, 1);

  learn(forest, plies, 7, 0);
  CHECK_EQUAL(forest.contexts(), std::size_t{2});
  CHECK_EQUAL(stored(forest, {200}, 7).visits, 2u);
  CHECK_NEAR(stored(forest, {200}, 7).mean, 0.5);
  CHECK_NEAR(stored(forest, {200}, 7).inverse_root, std::sqrt(0.5));
  CHECK_EQUAL(stored(forest, {100, 200}, 7).visits, 1u);
  CHECK_NEAR(stored(forest, {100, 200}, 7).mean, 0);

  learn(forest, plies, 7, 1);  // no plies are left to grow by
  CHECK_EQUAL(forest.contexts(), std::size_t{2});
  CHECK_NEAR(stored(forest, {200}, 7).mean, 2.0 / 3);
  CHECK_NEAR(stored(forest, {100, 200}, 7).mean, 0.5);

  learn(forest, {300, 200}, 7, 1);
  CHECK_EQUAL(forest.contexts(), std::size_t{3});
  CHECK_EQUAL(stored(forest, {200}, 7).visits, 4u);
  CHECK_EQUAL(stored(forest, {300, 200}, 7).visits, 1u);
  CHECK_EQUAL(stored(forest, {100, 200}, 7).visits, 2u);
  // Another reply starts with the shortest context, and shares it.
  learn(forest, plies, 8, 0.5);
  CHECK_EQUAL(forest.contexts(), std::size_t{3});
  CHECK_EQUAL(stored(forest, {200}, 8).visits, 1u);
  CHECK_EQUAL(stored(forest, {100, 200}, 8).visits, 0u);
  // The first move of a simulation has no context.
  learn(forest, {}, 9, 1);
  CHECK_EQUAL(forest.contexts(), std::size_t{3});
  forest.clear();
  CHECK_EQUAL(forest.contexts(), std::size_t{0});
  CHECK_EQUAL(stored(forest, {200}, 7).visits, 0u);
}

TEST(contexts_are_as_long_as_is_allowed) {
  ReplyForest forest(1 << 20, 3, 1);
  for (int i = 0; i < 10; ++i) learn(forest, {1, 2, 3, 4, 5}, 7, 1);
  CHECK_EQUAL(forest.contexts(), std::size_t{3});
  CHECK_EQUAL(stored(forest, {3, 4, 5}, 7).visits, 8u);
}

// Moves that pass through the forest together, from several simulations and two roles, have the same effect as one
// after the other, also if they share a context.
TEST(moves_learned_together_are_learned_in_their_order) {
  ReplyForest together(1 << 20, 32, 2), alone(1 << 20, 32, 2);
  std::uint64_t random = 7;
  std::vector<std::uint64_t> plies(24);
  std::vector<ReplyForest::Made> moves;
  for (int round = 0; round < 150; ++round) {
    moves.clear();
    for (std::uint64_t& ply : plies) ply = mix64(draw_below(random, 3));
    for (const std::size_t first : {0, 12})
      for (std::size_t end = first + 12; end-- > first;) {
        const std::uint32_t role = draw_below(random, 2), reply = 4 * role + draw_below(random, 4);
        moves.push_back({first, end, role, reply, static_cast<float>(draw_below(random, 3)) / 2});
      }
    together.learn(plies.data(), moves.data(), moves.size());
    for (const ReplyForest::Made& move : moves) alone.learn(plies.data(), &move, 1);
  }
  CHECK_BETWEEN(alone.contexts(), std::size_t{300}, std::size_t{1000000});
  CHECK_EQUAL(together.contexts(), alone.contexts());
  for (int i = 0; i < 2000; ++i) {
    Context one = ReplyForest::empty(i % 2), other = one;
    for (;;) {
      const std::uint64_t ply = mix64(draw_below(random, 3));
      one = together.longer(one, ply);
      other = alone.longer(other, ply);
      CHECK_EQUAL(one == ReplyForest::kNone, other == ReplyForest::kNone);
      if (one == ReplyForest::kNone) break;
      const auto left = together.replies(one), right = alone.replies(other);
      CHECK_EQUAL(left.count, right.count);
      for (std::uint32_t k = 0; k < left.count; ++k) {
        CHECK_EQUAL(left.first[k].number, right.first[k].number);
        CHECK_EQUAL(left.first[k].visits, right.first[k].visits);
        CHECK(left.first[k].mean == right.first[k].mean);
      }
    }
  }
}

// Many replies to one context move to larger lists; all are found again.
TEST(lists_widen) {
  ReplyForest forest(1 << 20, 1, 1);
  const std::uint64_t ply = 5;
  for (std::uint32_t round = 1; round <= 3; ++round)
    for (std::uint32_t reply = 0; reply < 100; ++reply) learn(forest, {ply}, reply, reply % 2 == 0 ? 1 : 0);
  CHECK_EQUAL(forest.replies(forest.longer(ReplyForest::empty(0), ply)).count, 100u);
  for (std::uint32_t reply = 0; reply < 100; ++reply) {
    CHECK_EQUAL(stored(forest, {ply}, reply).visits, 3u);
    CHECK_NEAR(stored(forest, {ply}, reply).mean, reply % 2 == 0 ? 1 : 0);
  }
}

TEST(memory_is_bounded) {
  constexpr std::size_t kBytes = 1 << 20;
  ReplyForest forest(kBytes, 32, 1);
  std::uint64_t random = 3;
  std::vector<std::uint64_t> plies(10);
  for (int i = 0; i < 100000; ++i) {
    for (std::uint64_t& ply : plies) ply = draw_below(random, 12);
    learn(forest, plies, draw_below(random, 20), 0.5f);
    if (i < 500) learn(forest, {11, 12}, 7, 1);
    CHECK(forest.bytes() <= kBytes);
  }
  CHECK(forest.is_full());
  const ReplyForest::Reply before = stored(forest, {11, 12}, 7);
  CHECK_EQUAL(before.visits, 499u);
  const std::size_t contexts = forest.contexts();
  forest.make_room();
  CHECK(!forest.is_full());
  CHECK_BETWEEN(forest.contexts(), std::size_t{10}, contexts / 2);
  const ReplyForest::Reply after = stored(forest, {11, 12}, 7);
  CHECK_EQUAL(after.visits, before.visits);
  CHECK_NEAR(after.mean, before.mean);
  // It grows again.
  for (int i = 0; i < 2; ++i) learn(forest, {98, 99}, 7, 1);
  CHECK_EQUAL(stored(forest, {98, 99}, 7).visits, 1u);
}

TEST(contexts_scale_with_memory) {
  constexpr std::size_t kMebibyte = 1 << 20;
  const auto most = [](std::size_t bytes) { return ReplyForest(bytes, 32, 2).most_contexts(); };
  CHECK_EQUAL(most(64 * kMebibyte), std::size_t{1} << 19);
  CHECK_EQUAL(most(1024 * kMebibyte), std::size_t{1} << 23);
  CHECK_EQUAL(most(2048 * kMebibyte), std::size_t{1} << 24);
  for (const std::size_t mebibytes : {1, 5, 100, 1000}) CHECK(256 * most(mebibytes * kMebibyte) >= mebibytes * kMebibyte);
  // A forest with more memory keeps replies for which a smaller forest has no space.
  ReplyForest small(kMebibyte, 32, 1), large(16 * kMebibyte, 32, 1);
  for (std::uint64_t ply = 0; ply < 20000; ++ply)
    for (ReplyForest* forest : {&small, &large}) learn(*forest, {mix64(ply)}, 7, 1);
  CHECK(small.is_full());
  CHECK(small.contexts() <= small.most_contexts());
  CHECK(!large.is_full());
  CHECK_EQUAL(large.contexts(), std::size_t{20000});
}

// ---- the policy, in tic-tac-toe

ReplyForestConfig certain(From context = From::kLongest) {
  ReplyForestConfig config;
  config.epsilon = 1;
  config.context = context;
  return config;
}

constexpr int kDraws = 20000;

// The shares of the nine moves among many draws, within five standard deviations of the expected shares.
void check_shares(ReplyPlayout& policy, const std::vector<int>& moves, const std::vector<double>& expected) {
  std::vector<int> count(9);
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) ++count[reply(policy, moves, mix64(seed))];
  for (int move = 0; move < 9; ++move) {
    const double share = expected[move], error = 5 * std::sqrt(share * (1 - share) / kDraws);
    CHECK_BETWEEN(count[move] / double{kDraws}, share - error, share + error);
  }
}

TEST(replies_are_drawn_by_equation_1) {
  LanesOf<TicTacToe> lanes(64);
  ReplyPlayout policy(certain(), lanes);
  teach(policy, {0, 4}, -1);
  // N = n = 1: u(4) = 1 + 0.7 sqrt(ln 1), which is always played.
  for (std::uint64_t seed = 0; seed < 50; ++seed) CHECK_EQUAL(reply(policy, {0}, seed), 4);
  teach(policy, {0, 5}, 1);
  // N = 2: u(4) = 1 + 0.7 sqrt(ln 2) = 1.582788, u(5) = 0.582788; P(4) = 0.730886, P(5) = 0.269114. The drawn reply is
  // played with probability u; 0.269114 * 0.417212 = 0.112278 remains for eight moves uniformly.
  const double rest = 0.112278 / 8;
  check_shares(policy, {0}, {0, rest, rest, rest, 0.730886 + rest, 0.269114 * 0.582788 + rest, rest, rest, rest});
  // Role 0 has no replies, and no role has a reply to 8.
  check_shares(policy, {}, std::vector<double>(9, 1.0 / 9));
  check_shares(policy, {8}, {0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0});
  // If 4 is occupied, 5 is the only reply, with u = 0: never played.
  const double sixth = 1.0 / 6;
  check_shares(policy, {4, 1, 0}, {0, 0, sixth, sixth, 0, sixth, sixth, sixth, sixth});
}

// As above, with the other probabilities of playing the drawn reply.
TEST(drawn_replies_are_accepted_by_their_mean_or_probability) {
  LanesOf<TicTacToe> lanes(64);
  const double share[] = {0.730886, 0.269114};  // P(4), P(5)
  const double width = 0.7 * std::sqrt(std::log(2.0) / 2);
  for (const auto acceptance : {Acceptance::kMean, Acceptance::kProbability}) {
    const bool by_mean = acceptance == Acceptance::kMean;
    ReplyForestConfig config = certain();
    config.acceptance = acceptance;
    ReplyPlayout policy(config, lanes);
    teach(policy, {0, 4}, -1);
    teach(policy, {0, 5}, 1);
    // The means are 1 and 0.
    double four = by_mean ? share[0] : share[0] * share[0], five = by_mean ? 0 : share[1] * share[1];
    double rest = (1 - four - five) / 8;
    check_shares(policy, {0}, {0, rest, rest, rest, four + rest, five + rest, rest, rest, rest});
    // Each reply twice, 4 with the mean 0.5: N = 4, u(4) = 0.5 + width * sqrt(2), u(5) = width * sqrt(2).
    teach(policy, {0, 4}, 1);
    teach(policy, {0, 5}, 1);
    const double u[] = {0.5 + width * std::sqrt(2.0), width * std::sqrt(2.0)};
    const double p[] = {u[0] / (u[0] + u[1]), u[1] / (u[0] + u[1])};
    four = p[0] * (by_mean ? 0.5 : p[0]), five = by_mean ? 0 : p[1] * p[1];
    rest = (1 - four - five) / 8;
    check_shares(policy, {0}, {0, rest, rest, rest, four + rest, five + rest, rest, rest, rest});
  }
}

TEST(the_forest_is_asked_with_probability_epsilon) {
  LanesOf<TicTacToe> lanes(64);
  ReplyForestConfig config = certain();
  config.epsilon = 0.36;
  ReplyPlayout policy(config, lanes);
  teach(policy, {0, 4}, -1);
  const double other = 0.64 / 8;
  check_shares(policy, {0}, {0, other, other, other, 0.36 + other, other, other, other, other});
}

// After 0 role 1 has won by 4; after 6 and 0, by 5.
void teach_two_contexts(ReplyPlayout& policy) {
  teach(policy, {0, 4}, -1);
  teach(policy, {2, 6, 0, 5}, -1, 2);
}

TEST(the_longest_context_counts) {
  LanesOf<TicTacToe> lanes(64);
  ReplyPlayout longest(certain(), lanes);
  teach_two_contexts(longest);
  const std::uint32_t five = longest.reply(1, 5);
  const std::uint64_t six = ReplyPlayout::key({1, 6}), zero = ReplyPlayout::key({0, 0});
  CHECK_EQUAL(stored(longest.forest(), {zero}, five).visits, 2u);
  CHECK_EQUAL(stored(longest.forest(), {six, zero}, five).visits, 1u);
  for (std::uint64_t seed = 0; seed < 50; ++seed) CHECK_EQUAL(reply(longest, {2, 6, 0}, seed), 5);
  // Without the 6 both count: N = 3, u(4) = 1 + 0.7 sqrt(ln 3) = 1.733703, u(5) = 1 + 0.7 sqrt(ln 3 / 2) = 1.518807.
  check_shares(longest, {2, 7, 0}, {0, 0, 0, 0, 0.533035, 0.466965, 0, 0, 0});
  // If 5 is occupied, the longer context has no legal reply: 4, from the shorter one.
  for (std::uint64_t seed = 0; seed < 50; ++seed) CHECK_EQUAL(reply(longest, {5, 6, 0}, seed), 4);

  // Each by its own: u(4) = 1.733703 after 0, u(5) = 1 after 6 and 0.
  ReplyPlayout each(certain(From::kEach), lanes);
  teach_two_contexts(each);
  check_shares(each, {2, 6, 0}, {0, 0, 0, 0, 0.634196, 0.365804, 0, 0, 0});
}

TEST(plies_before_the_root_are_context) {
  LanesOf<TicTacToe> lanes(64);
  ReplyPlayout policy(certain(), lanes);
  teach_two_contexts(policy);
  policy.learner()->played({{0, 2}});
  policy.learner()->played({});  // a forced move
  policy.learner()->played({{1, 6}});
  for (std::uint64_t seed = 0; seed < 50; ++seed) CHECK_EQUAL(reply(policy, {2, 6, 0}, seed, 2), 5);
  // Learned sequences begin after the root.
  teach(policy, {0, 3}, -1, 5);
  CHECK_EQUAL(stored(policy.forest(), {ReplyPlayout::key({1, 6}), ReplyPlayout::key({0, 0})}, policy.reply(1, 3)).visits,
              0u);
  policy.learner()->reset();
  CHECK_EQUAL(policy.forest().contexts(), std::size_t{0});
  check_shares(policy, {0}, {0, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125});
}

TEST(play_outs_are_not_learned) {
  LanesOf<TicTacToe> lanes(64);
  ReplyPlayout policy(certain(), lanes);
  const int played = reply(policy, {0, 4}, 1);
  CHECK_EQUAL(policy.learner()->choices(3).size(), std::size_t{3});
  const double rewards[] = {0, 0};
  policy.learner()->learn(3, rewards);
  CHECK_EQUAL(policy.forest().contexts(), std::size_t{1});
  CHECK_NEAR(stored(policy.forest(), {ReplyPlayout::key({0, 0})}, policy.reply(1, 4)).mean, 0.5);
  CHECK_EQUAL(stored(policy.forest(), {ReplyPlayout::key({1, 4})}, policy.reply(0, played)).visits, 0u);
}

// Both roles choose in every ply: the previous ply is the joint move, and both have replied.
TEST(joint_moves_are_one_ply) {
  LanesOf<MatchingPennies<9>> lanes(64);
  ReplyPlayout policy(certain(), lanes);
  policy.learner()->begin(0, 1);
  for (const int coin : {0, 1}) {
    policy.learner()->add(0, {0, coin}, false);
    policy.learner()->add(0, {1, 1 - coin}, true);
  }
  const double rewards[] = {1, -1};
  policy.learner()->learn(0, rewards);
  const std::uint64_t ply = ReplyPlayout::key({0, 0}) + ReplyPlayout::key({1, 1});
  CHECK_EQUAL(policy.forest().contexts(), std::size_t{2});  // one of each role
  CHECK_NEAR(stored(policy.forest(), {ply}, policy.reply(0, 1)).mean, 1);
  CHECK_NEAR(stored(policy.forest(), {ply}, policy.reply(1, 0)).mean, 0);
  CHECK_EQUAL(stored(policy.forest(), {ply}, policy.reply(1, 0)).visits, 1u);
}

// Lanes 1 and 70 of 128; the second begins later, and both get more turns than there are rows at first.
TEST(reported_plies_stay_until_play_outs_end) {
  ReportedPlies reported(128);
  LaneMask mask(2);
  const auto turns = [&](int count) {
    for (int i = 0; i < count; ++i) {
      const int turn = static_cast<int>(reported.turn());
      ReportedMove* const row = reported.next(mask);
      row[1] = {0, turn};
      row[70] = {1, turn};
    }
  };
  turns(1000);  // without lanes: no row is kept
  reported.begin(1);
  add_lane(mask, 1);
  turns(50);
  reported.begin(70);
  add_lane(mask, 70);
  for (int i = 0; i < 60; ++i) {
    turns(5);
    CHECK_EQUAL(reported.first(1), std::uint64_t{1000});
    CHECK_EQUAL(reported.first(70), std::uint64_t{1050});
    for (int lane : {1, 70})
      for (std::uint64_t turn = reported.first(lane); turn < reported.turn(); ++turn) {
        CHECK_EQUAL(reported.at(turn, lane).role, int{lane == 70});
        CHECK_EQUAL(reported.at(turn, lane).move, static_cast<int>(turn));
      }
  }
}

}  // namespace

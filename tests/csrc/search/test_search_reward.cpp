// Rewards and bonuses compared with numbers computed by hand.
#include <cmath>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "check.hpp"
#include "fixtures/games.hpp"
#include "fixtures/lanes_of.hpp"
#include "fixtures/limits.hpp"
#include "interfaces/quality.hpp"
#include "search/driver/searcher.hpp"
#include "search/playout/reward.hpp"

namespace {

using namespace ggp;

bool near(double a, double b) { return std::abs(a - b) < 1e-9; }

RewardConfig with_relative(double a, double k) {
  RewardConfig config;
  config.relative_bonus = {true, a, false, k};
  return config;
}

std::vector<double> map(Reward& reward, std::vector<int> goals, std::uint32_t length, double quality = NAN) {
  std::vector<double> rewards(goals.size());
  reward.map({goals.data(), length / 3, length - length / 3, quality}, static_cast<int>(goals.size()), rewards.data());
  return rewards;
}

TEST(winners_have_the_one_highest_goal) {
  const auto of = [](std::vector<int> goals) { return winner(goals.data(), static_cast<int>(goals.size())); };
  CHECK_EQUAL(of({100, 0}), 0);
  CHECK_EQUAL(of({0, 100}), 1);
  CHECK_EQUAL(of({50, 50}), -1);
  CHECK_EQUAL(of({30, 40, 30}), 1);
  CHECK_EQUAL(of({40, 40, 30}), -1);
  CHECK_EQUAL(of({-1, 10}), 1);
  CHECK_EQUAL(of({51}), 0);
  CHECK_EQUAL(of({50}), -1);
}

// Three wins of role 0 of length 10, 20, 30: mean 20, sample deviation 10. Then one of length 10.
TEST(relative_bonus_follows_the_equations) {
  BonusReward reward(std::make_unique<GoalReward>(), with_relative(0.25, 2));
  for (const std::uint32_t length : {10u, 20u, 30u}) CHECK_EQUAL(map(reward, {100, 0}, length)[0], 1.0);
  reward.progress(0.05, 3);
  const double b = -1 + 2 / (1 + std::exp(-2.0 * 1.0));  // lambda = (20 - 10) / 10
  const std::vector<double> rewards = map(reward, {100, 0}, 10);
  CHECK(near(rewards[0], 1 + 0.25 * b));
  CHECK(near(rewards[1], -1 - 0.25 * b));
  // Role 1 has its own statistics, which are still empty. Draws have no statistics.
  CHECK_EQUAL(map(reward, {0, 100}, 10)[1], 1.0);
  CHECK_EQUAL(map(reward, {50, 50}, 10)[0], 0.0);
  // Now the lengths are 10, 20, 30, 10: mean 17.5, variance 275 / 3.
  const double lambda = (17.5 - 40) / std::sqrt(275.0 / 3);
  CHECK(near(map(reward, {100, 0}, 40)[0], 1 + 0.25 * (-1 + 2 / (1 + std::exp(-2 * lambda)))));
  // After a move the statistics start again.
  reward.reset();
  reward.progress(1, 0);
  CHECK_EQUAL(map(reward, {100, 0}, 10)[0], 1.0);
}

TEST(goals_between_get_their_share) {
  BonusReward reward(std::make_unique<GoalReward>(), with_relative(0.5, 1));
  for (const std::uint32_t length : {10u, 20u, 30u}) map(reward, {75, 60, 0}, length);
  reward.progress(1, 3);
  const double bonus = 0.5 * sigmoid_bonus(-1, 1);
  const std::vector<double> rewards = map(reward, {75, 60, 0}, 30);
  CHECK(near(rewards[0], 0.5 + bonus));
  CHECK(near(rewards[1], 0.2 + bonus));
  CHECK(near(rewards[2], -1 - bonus));
}

TEST(warm_up_ends_by_share_or_number) {
  RewardConfig config = with_relative(0.25, 2);
  config.warm_up_share = 0.2;
  for (const std::uint64_t number : {0ull, 7ull}) {
    config.warm_up_simulations = number;
    BonusReward reward(std::make_unique<GoalReward>(), config);
    for (const std::uint32_t length : {10u, 20u, 30u}) map(reward, {100, 0}, length);
    reward.progress(0.19, 6);
    CHECK_EQUAL(map(reward, {100, 0}, 10)[0], 1.0);
    reward.progress(number == 0 ? 0.2 : 0.19, 7);
    CHECK(map(reward, {100, 0}, 10)[0] > 1.0);
  }
}

// a' of Eq. 10 by the definition of the sample covariance.
TEST(size_is_estimated_by_covariance) {
  std::mt19937 random(5);
  std::vector<double> y, marked;
  BonusSize size;
  for (int i = 0; i < 500; ++i) {
    const bool first = random() % 3 == 0;
    y.push_back(20 + random() % 30 + (first ? 10 : 0));
    marked.push_back(first ? y.back() : 0);
    size.add(y.back(), first);
  }
  const auto mean = [](const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  };
  double covariance = 0, variance = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    covariance += (y[i] - mean(y)) * (marked[i] - mean(marked));
    variance += (y[i] - mean(y)) * (y[i] - mean(y));
  }
  CHECK(std::abs(size.value() - std::abs(covariance / variance)) < 1e-9);
  CHECK(size.value() > 0.1);
}

// a' of Eq. 9 is for the searching role, and is not the same for both roles.
TEST(size_belongs_to_the_searching_role) {
  RewardConfig config;
  config.relative_bonus = {true, 0.25, true, 2};
  config.warm_up_share = 0;
  std::mt19937 random(5);
  const auto size_for = [&](int searching, bool moves) {
    BonusReward reward(std::make_unique<GoalReward>(), config);
    std::vector<std::pair<double, bool>> seen;
    const auto end = [&](std::uint32_t length, bool second_wins) {
      map(reward, second_wins ? std::vector<int>{0, 100} : std::vector<int>{100, 0}, length);
      seen.push_back({length, second_wins == (searching == 1)});
    };
    reward.change_root(searching);
    reward.progress(1, 0);
    std::mt19937 random(5);
    for (int i = 0; i < 400; ++i) {
      const bool second_wins = random() % 4 == 0;
      end(20 + random() % 30 + 15 * second_wins, second_wins);
    }
    if (moves) {
      reward.change_root(searching);
      reward.progress(1, 0);
      seen.clear();
      for (const std::uint32_t length : {30u, 40u, 50u}) end(length, length == 50);
    }
    BonusSize size;
    for (const auto& [y, wins] : seen) size.add(y, wins);
    // Much longer than usual: b is -1.
    CHECK(near(map(reward, {100, 0}, 1'000'000)[0], 1 - size.value()));
    return size.value();
  };
  CHECK(std::abs(size_for(0, false) - size_for(1, false)) > 0.1);
  CHECK(!near(size_for(1, true), size_for(1, false)));
  // A match begins: nothing is kept.
  BonusReward reward(std::make_unique<GoalReward>(), config), fresh(std::make_unique<GoalReward>(), config);
  for (const std::uint32_t length : {10u, 50u}) map(reward, {0, 100}, length);
  reward.reset();
  for (BonusReward* each : {&reward, &fresh}) {
    each->change_root(1);
    each->progress(1, 0);
  }
  for (const std::uint32_t length : {20u, 30u, 40u}) CHECK(map(reward, {0, 100}, length) == map(fresh, {0, 100}, length));
}

TEST(qualities_count_for_the_winner) {
  RewardConfig config;
  config.qualitative_bonus = {true, 0.25, false, 4};
  BonusReward reward(std::make_unique<GoalReward>(), config);
  for (const double quality : {0.2, 0.4, 0.6}) map(reward, {0, 100}, 10, quality);
  reward.progress(1, 3);
  CHECK(near(map(reward, {0, 100}, 10, 0.6)[1], 1 + 0.25 * sigmoid_bonus(1, 4)));
  CHECK_EQUAL(map(reward, {0, 100}, 10)[1], 1.0);  // without quality there is no bonus
  QualityReward quality;
  CHECK(near(map(quality, {0, 100}, 10, 0.75)[1], 0.75));
  CHECK(near(map(quality, {0, 100}, 10, 0.75)[0], -0.75));
  CHECK_EQUAL(map(quality, {50, 50}, 10, 0.75)[0], 0.0);
  CHECK_EQUAL(map(quality, {100, 0}, 10)[0], 1.0);
}

// Both bonuses are added, each with its own statistics.
TEST(bonuses_add_up) {
  RewardConfig config = with_relative(0.25, 2);
  config.qualitative_bonus = {true, 0.5, false, 3};
  BonusReward reward(std::make_unique<GoalReward>(), config);
  map(reward, {100, 0}, 10, 0.2);
  map(reward, {100, 0}, 20, 0.4);
  map(reward, {100, 0}, 30, 0.6);
  reward.progress(1, 3);
  CHECK(near(map(reward, {100, 0}, 30, 0.6)[0], 1 + 0.25 * sigmoid_bonus(-1, 2) + 0.5 * sigmoid_bonus(1, 3)));
}

TEST(extremes_stay_numbers) {
  CHECK_EQUAL(sigmoid_bonus(1e300, 1000), 1.0);
  CHECK_EQUAL(sigmoid_bonus(-1e300, 1000), -1.0);
  CHECK_EQUAL(sigmoid_bonus(-1e300, 0), 0.0);
  for (const bool online : {false, true}) {
    RewardConfig config = with_relative(10, 1000);
    config.relative_bonus.online_a = online;
    BonusReward reward(std::make_unique<GoalReward>(), config);
    reward.progress(1, 0);
    for (int i = 0; i < 1000; ++i) CHECK_EQUAL(map(reward, {100, 0}, 7)[0], 1.0);  // no variance
    for (const std::uint32_t length : {1u, 0xFFFFFFFEu, 7u, 0xFFFFFFFEu})
      for (const double value : map(reward, {100, 0}, length)) CHECK(std::abs(value) <= 11.0);
  }
}

// The quality of an end is computed only if the rewards depend on it.
TEST(quality_is_computed_if_used) {
  class WithQuality final : public LanesOf<TicTacToe>, public Quality {
   public:
    using LanesOf::LanesOf;
    double quality(int) override {
      ++computed;
      return 0.25;
    }
    double quality_for(int lane, int) override { return quality(lane); }
    int computed = 0;

   private:
    void* find_interface(InterfaceId id) override { return select_interface<Quality>(*this, id); }
  };
  const auto computed = [](const RewardConfig& reward) {
    WithQuality lanes(64);
    Config config;
    config.in_flight = 8;
    config.reward = reward;
    Searcher(lanes, config).run(simulations(100));
    return lanes.computed;
  };
  RewardConfig by_quality, with_bonus;
  by_quality.source = RewardConfig::Source::kQuality;
  with_bonus.qualitative_bonus.enabled = true;
  CHECK_EQUAL(computed({}), 0);
  CHECK_EQUAL(computed(with_relative(0.25, 2)), 0);
  CHECK(computed(by_quality) > 50);
  CHECK(computed(with_bonus) > 50);
}

}  // namespace

#include "search/playout/reward.hpp"

#include <algorithm>
#include <utility>

namespace ggp {

namespace {

// The smallest determinant of a matrix that is not singular.
constexpr double kSmallest = 1e-9;

}  // namespace

void GoalReward::map(const Ending& ending, int roles, double* rewards) {
  for (int role = 0; role < roles; ++role) rewards[role] = reward_of_goal(std::max(0, ending.goals[role]));
}

void QualityReward::map(const Ending& ending, int roles, double* rewards) {
  if (std::isnan(ending.quality)) return GoalReward().map(ending, roles, rewards);
  const int best = winner(ending.goals, roles);
  for (int role = 0; role < roles; ++role) {
    rewards[role] = best < 0 ? 0.0 : role == best ? ending.quality : -ending.quality;
  }
}

BonusReward::BonusReward(std::unique_ptr<Reward> plain, const RewardConfig& config)
    : plain_(std::move(plain)),
      config_(config),
      relative_{config.relative_bonus, -1.0, {}, {}},
      qualitative_{config.qualitative_bonus, 1.0, {}, {}} {}

// Returns a and b(lambda) for a simulation, or nothing without earlier data to compare; then adds the simulation to the
// statistics.
std::optional<BonusReward::Part> BonusReward::Bonus::observe(double y, int winner, int roles, int searching) {
  of_winner.resize(roles);
  of_searcher.resize(roles);
  RunningMoments& moments = of_winner[winner];
  const double deviation = std::sqrt(moments.variance());
  std::optional<Part> bonus;
  if (deviation > 0) {
    bonus = {config.online_a ? of_searcher[searching].value() : config.a,
             sigmoid_bonus(sign * (y - moments.mean()) / deviation, config.k)};
  }
  moments.add(y);
  for (int role = 0; role < roles; ++role) of_searcher[role].add(y, winner == role);
  return bonus;
}

void BonusReward::map(const Ending& ending, int roles, double* rewards) {
  plain_->map(ending, roles, rewards);
  const int best = winner(ending.goals, roles);
  if (best < 0) return;
  std::optional<Part> relative, qualitative;
  const std::uint32_t length = ending.tree_plies + ending.playout_plies;
  const bool has_quality = qualitative_.config.enabled && !std::isnan(ending.quality);
  if (relative_.config.enabled) relative = relative_.observe(length, best, roles, searching_);
  if (has_quality) qualitative = qualitative_.observe(ending.quality, best, roles, searching_);
  if (config_.joint_a && has_quality) {
    const double correlation = lengths_and_qualities_.correlation(), determinant = 1 - correlation * correlation;
    lengths_and_qualities_.add(-static_cast<double>(length), ending.quality);
    if (relative && qualitative && determinant >= kSmallest) {
      const double of_length = relative->size, of_quality = qualitative->size;
      relative->size = std::abs(of_length - correlation * of_quality) / determinant;
      qualitative->size = std::abs(of_quality - correlation * of_length) / determinant;
    }
  }
  if (relative && config_.combine == RewardConfig::Combine::kEither) qualitative.reset();
  add((relative ? relative->value() : 0.0) + (qualitative ? qualitative->value() : 0.0), roles, rewards);
}

void BonusReward::alter(int winner, double quality, int roles, double* rewards) {
  if (winner < 0 || !qualitative_.config.enabled || std::isnan(quality)) return;
  const std::optional<Part> bonus = qualitative_.observe(quality, winner, roles, searching_);
  if (bonus) add(bonus->value(), roles, rewards);
}

void BonusReward::add(double bonus, int roles, double* rewards) const {
  if (!altering_) return;
  for (int role = 0; role < roles; ++role) {
    if (rewards[role] != 0) rewards[role] += rewards[role] > 0 ? bonus : -bonus;
  }
}

void BonusReward::progress(double share, std::uint64_t simulations) {
  const bool by_number = config_.warm_up_simulations > 0;
  altering_ = by_number ? simulations >= config_.warm_up_simulations : share >= config_.warm_up_share;
}

void BonusReward::change_root(int role) {
  for (Bonus* bonus : {&relative_, &qualitative_}) {
    bonus->of_winner.clear();
    bonus->of_searcher.clear();
  }
  lengths_and_qualities_ = {};
  altering_ = false;
  searching_ = role;
}

std::unique_ptr<Reward> make_reward(const Config& config) {
  const RewardConfig& reward = config.reward;
  std::unique_ptr<Reward> plain;
  if (reward.source == RewardConfig::Source::kQuality)
    plain = std::make_unique<QualityReward>();
  else
    plain = std::make_unique<GoalReward>();
  if (!reward.relative_bonus.enabled && !reward.qualitative_bonus.enabled) return plain;
  return std::make_unique<BonusReward>(std::move(plain), reward);
}

}  // namespace ggp

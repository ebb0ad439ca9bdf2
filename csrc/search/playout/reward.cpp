#include "search/playout/reward.hpp"

#include <algorithm>
#include <utility>

namespace ggp {

int winner(const int* goals, int roles) {
  const int* best = std::max_element(goals, goals + roles);
  if (roles == 1) return *best > 50 ? 0 : -1;
  return std::count(goals, goals + roles, *best) == 1 ? static_cast<int>(best - goals) : -1;
}

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

// Returns a b(lambda) for a simulation, or nothing without earlier data to compare; then adds the simulation to the
// statistics.
std::optional<double> BonusReward::Bonus::observe(double y, int winner, int roles, int searching) {
  of_winner.resize(roles);
  of_searcher.resize(roles);
  RunningMoments& moments = of_winner[winner];
  const double deviation = std::sqrt(moments.variance());
  std::optional<double> bonus;
  if (deviation > 0) {
    bonus = (config.online_a ? of_searcher[searching].value() : config.a) *
            sigmoid_bonus(sign * (y - moments.mean()) / deviation, config.k);
  }
  moments.add(y);
  for (int role = 0; role < roles; ++role) of_searcher[role].add(y, winner == role);
  return bonus;
}

void BonusReward::map(const Ending& ending, int roles, double* rewards) {
  plain_->map(ending, roles, rewards);
  const int best = winner(ending.goals, roles);
  if (best < 0) return;
  std::optional<double> relative, qualitative;
  if (relative_.config.enabled)
    relative = relative_.observe(ending.tree_plies + ending.playout_plies, best, roles, searching_);
  if (qualitative_.config.enabled && !std::isnan(ending.quality))
    qualitative = qualitative_.observe(ending.quality, best, roles, searching_);
  if (!altering_) return;
  if (relative && config_.combine == RewardConfig::Combine::kEither) qualitative.reset();
  const double bonus = relative.value_or(0.0) + qualitative.value_or(0.0);
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

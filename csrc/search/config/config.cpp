#include "search/config/config.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "search/config/config_fields.hpp"

namespace ggp {

namespace {

// Throws if a component needs an evaluation and none is named.
void check_evaluation(const Config& config) {
  const EarlyTerminationConfig& early = config.playout.early_termination;
  const PriorsConfig& priors = config.selection.priors;
  const bool evaluates_priors = priors.source == PriorsConfig::Source::kEvaluation && priors.visits > 0;
  const char* user = uses_puct(config.selection)        ? "selection.formula puct"
                     : uses_heuristic(config.selection) ? "selection.implicit_minimax"
                     : evaluates_priors               ? "selection.priors"
                     : ends_early(early)              ? "playout.early_termination"
                     : config.playout.policy == PlayoutConfig::Policy::kEvaluation ? "playout.policy evaluation"
                                                                                   : nullptr;
  const bool named = config.evaluation.name != EvaluationConfig::kNone;
  const bool read = config.evaluation.file != EvaluationConfig::kNone;
  if (named && read) {
    throw std::invalid_argument("evaluation.name is " + config.evaluation.name + " and evaluation.file is " +
                                config.evaluation.file + "; a search has one evaluation, so give one of the two");
  }
  if (user != nullptr && !named && !read) {
    throw std::invalid_argument(std::string(user) + " needs an evaluation; name one of the game by evaluation.name, or a "
                                "file of weights by evaluation.file");
  }
  if (config.playout.mast_moves == PlayoutConfig::MastMoves::kPolicy &&
      config.playout.policy != PlayoutConfig::Policy::kGameMast) {
    throw std::invalid_argument("playout.mast_moves policy needs playout.policy game-mast");
  }
  if (config.playout.policy == PlayoutConfig::Policy::kPool && !config.selection.grave.enabled) {
    throw std::invalid_argument("playout.policy pool needs selection.grave.enabled");
  }
  if (!priors.locality && priors.source != PriorsConfig::Source::kGame) {
    throw std::invalid_argument("selection.priors.locality false needs selection.priors.source game");
  }
  if (uses_heuristic(config.selection) && config.selection.grave.enabled) {
    throw std::invalid_argument("selection.grave excludes selection.implicit_minimax");
  }
  if (uses_puct(config.selection) &&
      (config.selection.grave.enabled || uses_heuristic(config.selection) || priors.visits > 0 ||
       priors.source == PriorsConfig::Source::kGame)) {
    throw std::invalid_argument(
        "selection.formula puct excludes selection.grave, selection.implicit_minimax and selection.priors");
  }
}

void check_bonuses(const RewardConfig& reward) {
  const auto estimated = [](const BonusConfig& bonus) { return bonus.enabled && bonus.online_a; };
  if (reward.joint_a && !(estimated(reward.relative_bonus) && estimated(reward.qualitative_bonus) &&
                          reward.combine == RewardConfig::Combine::kSum)) {
    throw std::invalid_argument("reward.joint_a needs both bonuses with online_a, and reward.combine sum");
  }
}

}  // namespace

int evaluation_number(const Config& config, const std::vector<std::string>& known) {
  const bool read = config.evaluation.file != EvaluationConfig::kNone;
  const std::string& name = read ? config.evaluation.file : config.evaluation.name;
  if (name == EvaluationConfig::kNone) return -1;
  const auto found = std::find(known.begin(), known.end(), name);
  if (found != known.end()) return static_cast<int>(found - known.begin());
  std::string all;
  for (const std::string& each : known) all += (all.empty() ? "" : ", ") + each;
  throw std::invalid_argument((read ? "evaluation.file is " : "evaluation.name is ") + name + ", but this game has " +
                              (all.empty() ? "no evaluation" : "only " + all));
}

const Config& checked(const Config& config, int lanes) {
  check_fields(config);
  if (config.in_flight > lanes) {
    throw std::invalid_argument("in_flight must be 1 .. " + std::to_string(lanes) +
                                ", the lanes of the simulator, not " + std::to_string(config.in_flight));
  }
  check_evaluation(config);
  check_bonuses(config.reward);
  return config;
}

}  // namespace ggp

#include "search/config.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "search/level_minimax.hpp"

namespace ggp {

namespace {

void check_range(const char* name, double value, double low, double high) {
  if (value >= low && value <= high) return;
  throw std::invalid_argument(std::string(name) + " must be " + std::to_string(low) + " .. " + std::to_string(high) +
                              ", not " + std::to_string(value));
}

void check(const PlayoutConfig& playout) {
  check_range("playout.epsilon", playout.epsilon, 0, 1);
  check_range("playout.temperature", playout.temperature, PlayoutConfig::kColdest, 1000);
  check_range("playout.candidates", playout.candidates, 1, PlayoutConfig::kMostCandidates);
  check_range("playout.unknown", playout.unknown, -1, 1);
  check_range("playout.ngram", playout.ngram, 2, 3);
  check_range("playout.threshold", playout.threshold, 1, 65535);
  check_range("playout.decay", playout.decay, 0, 1);
  check_range("playout.early_termination.plies", playout.early_termination.plies, 0, EarlyTerminationConfig::kNever);
  check_range("playout.early_termination.threshold", playout.early_termination.threshold, 0, 1);
  check_range("playout.early_termination.every", playout.early_termination.every, 1, EarlyTerminationConfig::kNever);
  check_range("playout.forest.epsilon", playout.forest.epsilon, 0, 1);
  check_range("playout.forest.bias", playout.forest.bias, 0, 100);
  check_range("playout.forest.longest", playout.forest.longest, 1, ReplyForestConfig::kMostLongest);
  check_range("playout.rank.tournament", playout.rank.tournament, 1, PlayoutConfig::kMostCandidates);
  check_range("playout.rank.sharpness", playout.rank.sharpness, RankConfig::kLeastSharp, 1 - RankConfig::kLeastSharp);
  check_range("playout.rank.prior", playout.rank.prior, 0, 1000);
  check_range("playout.forest.memory_bytes", static_cast<double>(playout.forest.memory_bytes), kLeastMemory, 0x1p60);
}

void check(const SuddenDeathConfig& sudden) {
  constexpr auto kMost = static_cast<double>(std::uint64_t{1} << 62);
  check_range("sudden_death.plies", sudden.plies, 1, LevelMinimax::kMostPlies);
  check_range("sudden_death.every", static_cast<double>(sudden.every), 1, kMost);
  check_range("sudden_death.death_percent", sudden.death_percent, 0, 100);
  check_range("sudden_death.win_percent", sudden.win_percent, 0, 100);
  check_range("sudden_death.states", static_cast<double>(sudden.states), 1, kMost);
  check_range("sudden_death.time_share", sudden.time_share, 0, 0.9);
}

// Throws if a component needs an evaluation and none is named.
void check_evaluation(const Config& config) {
  check_range("selection.implicit_minimax.alpha", config.selection.implicit_minimax.alpha, 0, 1);
  check_range("selection.priors.visits", config.selection.priors.visits, 0, PriorsConfig::kMost);
  const EarlyTerminationConfig& early = config.playout.early_termination;
  const char* user = uses_heuristic(config.selection) && config.selection.implicit_minimax.alpha > 0
                         ? "selection.implicit_minimax"
                     : uses_heuristic(config.selection) ? "selection.priors"
                     : ends_early(early)                ? "playout.early_termination"
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
  if (uses_heuristic(config.selection) && config.selection.grave.enabled) {
    throw std::invalid_argument("selection.grave excludes selection.implicit_minimax and selection.priors");
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
  if (!std::isfinite(config.selection.exploration) || config.selection.exploration < 0) {
    throw std::invalid_argument("selection.exploration must be a finite number of at least 0, not " +
                                std::to_string(config.selection.exploration));
  }
  check_range("selection.grave.bias", config.selection.grave.bias, 0, 1);
  check_range("selection.grave.reference", config.selection.grave.reference, 0, GraveConfig::kMostReference);
  if (config.in_flight < 0 || config.in_flight > lanes) {
    throw std::invalid_argument("in_flight must be 1 .. " + std::to_string(lanes) +
                                ", the lanes of the simulator, not " + std::to_string(config.in_flight));
  }
  if (config.memory_bytes < kLeastMemory) {
    throw std::invalid_argument("memory_bytes must be at least " + std::to_string(kLeastMemory) + ", not " +
                                std::to_string(config.memory_bytes));
  }
  check_range("reward.warm_up_share", config.reward.warm_up_share, 0, 1);
  for (const BonusConfig& bonus : {config.reward.relative_bonus, config.reward.qualitative_bonus}) {
    check_range("the a of a bonus", bonus.a, 0, 10);
    check_range("the k of a bonus", bonus.k, 0, 1000);
  }
  if (config.playout.limit == 0) throw std::invalid_argument("playout.limit must be at least 1 ply, not 0");
  check(config.playout);
  check(config.sudden_death);
  check_evaluation(config);
  return config;
}

}  // namespace ggp

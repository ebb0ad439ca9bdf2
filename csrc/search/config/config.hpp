// The configuration of a search, from which its components are made. Every field has a row in config_fields.cpp with its
// key, range and meaning; its default stands here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ggp {

// The tree; see transpositions.hpp.
struct TreeConfig {
  bool reuse = true;
  bool transpositions = false;
  std::uint32_t transpositions_from = 20000;
};

// All moves as first, see amaf.hpp.
struct GraveConfig {
  bool enabled = false;
  std::uint32_t reference = 50;
  double bias = 1e-3;
  static constexpr std::uint32_t kMostReference = 1u << 30;
};

// The evaluation that the search uses; see Evaluations. The simulator has the evaluation of a file under its name.
struct EvaluationConfig {
  std::string name = kNone;
  std::string file = kNone;
  static constexpr const char* kNone = "none";
};

// Evaluations in the tree, see heuristic.hpp.
struct ImplicitMinimaxConfig {
  enum class Term : std::uint8_t { kMinimax, kConstant, kProgressive };
  double alpha = 0;
  Term term = Term::kMinimax;
};

// Priors of the moves of new nodes, see move_knowledge.hpp.
struct PriorsConfig {
  enum class Source : std::uint8_t { kEvaluation, kGame };
  Source source = Source::kEvaluation;
  std::uint32_t visits = 0;
  bool locality = true;
  static constexpr std::uint32_t kMost = 1u << 30;
};

// Selection by learned probabilities, see puct.hpp.
struct PuctConfig {
  double first_play = 0.2;
  double base = 20'000;
};

// Selection in the tree, see selection.hpp.
struct SelectionConfig {
  enum class Formula : std::uint8_t { kUct, kUcb1, kUcb1Tuned, kPuct, kUcbV, kThompson };
  Formula formula = Formula::kUct;
  double exploration = 1.4;
  GraveConfig grave;
  ImplicitMinimaxConfig implicit_minimax;
  PriorsConfig priors;
  PuctConfig puct;
};

// Backpropagation.
struct BackupConfig {
  std::uint32_t maximum_from = 0;
};

// Play-outs that end by an evaluation; see Simulations::end_early().
struct EarlyTerminationConfig {
  std::uint32_t plies = kNever;
  double threshold = 0;
  std::uint32_t every = 1;
  static constexpr std::uint32_t kNever = 1u << 31;
};

// Forests of reply trees, see reply_playout.hpp.
struct ReplyForestConfig {
  enum class Context : std::uint8_t { kLongest, kEach };
  enum class Fallback : std::uint8_t { kUniform, kGame, kGameLight };
  enum class Acceptance : std::uint8_t { kU, kMean, kProbability };
  double epsilon = 0.15;
  double bias = 0.7;
  std::uint32_t longest = 32;
  Context context = Context::kLongest;
  Acceptance acceptance = Acceptance::kU;
  Fallback fallback = Fallback::kUniform;
  std::size_t memory_bytes = std::size_t{64} << 20;
  static constexpr std::uint32_t kMostLongest = 1024;
};

// Pools of moves, see pool_playout.hpp.
struct PoolConfig {
  std::uint32_t size = 10;
  double probability = 0.5;
  std::uint32_t visits = 50;
};

// Choices by rank, see rank_playout.hpp and move_order.hpp.
struct RankConfig {
  double sharpness = 0.5;
  double prior = 0;
  double adaptation = 0;
  static constexpr double kLeastSharp = 0.01;
};

// Play-outs; see playout.hpp, learned_playout.hpp, rank_playout.hpp, pool_playout.hpp, game_playout.hpp,
// evaluation_playout.hpp, WinningMoves::look_ahead() and RankedMoves::best_move_with().
struct PlayoutConfig {
  enum class Policy : std::uint8_t {
    kUniform, kMast, kNst, kGame, kGameLight, kGameMast, kEvaluation, kBhrf, kRank, kPool
  };
  enum class Learns : std::uint8_t { kGoal, kReward };
  enum class MastMoves : std::uint8_t { kAll, kPolicy };
  Policy policy = Policy::kUniform;
  bool decisive = true;
  std::uint32_t limit = 100000;
  double epsilon = 0.4;
  double unknown = 0.0;
  int ngram = 2;
  int threshold = 7;
  double decay = 0.2;
  Learns learns = Learns::kGoal;
  bool orders_tree = true;
  MastMoves mast_moves = MastMoves::kAll;
  EarlyTerminationConfig early_termination;
  ReplyForestConfig forest;
  PoolConfig pool;
  RankConfig rank;
};

// A bonus added to rewards, see reward.hpp.
struct BonusConfig {
  bool enabled = false;
  double a = 0.25;
  bool online_a = false;
  double k = 2.0;
};

// Rewards at the end of a simulation.
struct RewardConfig {
  enum class Source : std::uint8_t { kGoal, kQuality };
  enum class Combine : std::uint8_t { kSum, kEither };
  Source source = Source::kGoal;
  double warm_up_share = 0.05;
  std::uint64_t warm_up_simulations = 0;
  Combine combine = Combine::kSum;
  bool joint_a = false;
  BonusConfig relative_bonus, qualitative_bonus;
};

// The solver.
struct SolverConfig {
  bool enabled = true;
};

// A minimax of a few plies in addition to the search, see sudden_death.hpp.
struct SuddenDeathConfig {
  enum class Strategy : std::uint8_t { kOff, kAlways, kTriggered, kMidway, kFinal };
  Strategy strategy = Strategy::kOff;
  static constexpr std::uint32_t kMostPlies = 100;
  std::uint32_t plies = 4;
  std::uint64_t every = 1000;
  double death_percent = 10;
  double win_percent = 10;
  std::uint64_t states = 50'000'000;
  double time_share = 0.5;
};

// The choice among moves without a proof, see statistics.hpp.
enum class FinalMove : std::uint8_t { kVisits, kScore };

struct Config {
  int in_flight = 0;  // 0: chosen by in_flight_for() in simulations.cpp
  std::uint64_t seed = 1;
  std::size_t memory_bytes = std::size_t{1} << 30;
  TreeConfig tree;
  EvaluationConfig evaluation;
  SelectionConfig selection;
  BackupConfig backup;
  PlayoutConfig playout;
  RewardConfig reward;
  SolverConfig solver;
  SuddenDeathConfig sudden_death;
  FinalMove final_move = FinalMove::kVisits;
};

constexpr int kMostInFlight = 512;  // the lanes of the widest simulator
constexpr std::size_t kLeastMemory = std::size_t{1} << 20;

// Returns the configuration. Throws std::invalid_argument, with one line that names the value and its range, if it is
// not valid for a simulator with `lanes` lanes.
const Config& checked(const Config& config, int lanes);

// Whether the tree stores evaluations.
inline bool uses_heuristic(const SelectionConfig& selection) { return selection.implicit_minimax.alpha > 0; }
// Whether moves have learned probabilities.
inline bool uses_puct(const SelectionConfig& selection) {
  return selection.formula == SelectionConfig::Formula::kPuct;
}
// Whether the tree stores priors.
inline bool uses_priors(const SelectionConfig& selection) {
  const PriorsConfig& priors = selection.priors;
  return uses_puct(selection) || priors.source == PriorsConfig::Source::kGame || priors.visits > 0;
}
// Whether rewards may differ from the goals.
inline bool alters_goals(const RewardConfig& reward) {
  return reward.source != RewardConfig::Source::kGoal || reward.relative_bonus.enabled || reward.qualitative_bonus.enabled;
}
// Whether rewards depend on the quality of a win.
inline bool uses_quality(const RewardConfig& reward) {
  return reward.source == RewardConfig::Source::kQuality || reward.qualitative_bonus.enabled;
}
inline bool ends_early(const EarlyTerminationConfig& early) {
  return early.plies < EarlyTerminationConfig::kNever || early.threshold > 0;
}
// Returns the number of the configured evaluation (by name or file) in the list of a game, -1 if none is configured.
// Throws std::invalid_argument, with one line, if the game has no such evaluation.
int evaluation_number(const Config& config, const std::vector<std::string>& known);

// Limits of a run; the first limit reached ends it. Without a limit it ends with Searcher::stop().
struct Limits {
  std::uint64_t simulations = std::numeric_limits<std::uint64_t>::max();
  double seconds = std::numeric_limits<double>::infinity();
  // Processor time of the calling thread.
  double cpu_seconds = std::numeric_limits<double>::infinity();
  // Ends the run also if the best move of this role can no longer change: its lead in visits exceeds the simulations
  // that the other limits still allow at the present speed. A quarter of all simulations that these limits allow must
  // have been made at this root; visits from earlier roots do not count. Checked about ten times a second.
  int settled_role = -1;
  // Called about ten times a second during the run; true ends it. May be null.
  bool (*interrupted)(void* context) = nullptr;
  void* context = nullptr;
};

}  // namespace ggp

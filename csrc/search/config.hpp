// The configuration of a search, from which its components are made. Every field has a line in config_fields.cpp, which
// makes it accessible by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ggp {

// The tree.
struct TreeConfig {
  // Whether the part below a played move is kept.
  bool reuse = true;
  // Whether edges to the same state share one node; see transpositions.hpp.
  bool transpositions = false;
  // Number of nodes at which a tree without sharing checks whether sharing would pay; 0: never.
  std::uint32_t transpositions_from = 20000;
};

// All moves as first, see amaf.hpp.
struct GraveConfig {
  bool enabled = false;
  // Visits from which a node is a reference, at most kMostReference; 0 is RAVE.
  std::uint32_t reference = 50;
  double bias = 1e-3;  // 0 .. 1
  static constexpr std::uint32_t kMostReference = 1u << 30;
};

// The evaluation that the search uses; see Evaluations.
struct EvaluationConfig {
  std::string name = kNone;
  std::string file = kNone;  // a file of weights; the simulator has its evaluation under the name of the file
  static constexpr const char* kNone = "none";
};

// Evaluations in the tree, see heuristic.hpp.
struct ImplicitMinimaxConfig {
  enum class Term : std::uint8_t { kMinimax, kConstant, kProgressive };
  double alpha = 0;  // weight, 0 .. 1; 0: not used
  Term term = Term::kMinimax;
};
// Priors of the moves of new nodes, see move_knowledge.hpp.
struct PriorsConfig {
  enum class Source : std::uint8_t { kEvaluation, kGame };
  Source source = Source::kEvaluation;
  // Number of visits that a prior counts as, at most kMost. 0: no priors if they come from the evaluation; the numbers
  // of the game if they come from the game.
  std::uint32_t visits = 0;
  static constexpr std::uint32_t kMost = 1u << 30;
};

// Selection by learned probabilities, see puct.hpp.
struct PuctConfig {
  double first_play = 0.2;  // reduction of the value of untried moves below the root, 0 .. 2
  double base = 20'000;     // number of visits from which exploration grows, 1 .. 1e9
};

// Selection in the tree.
struct SelectionConfig {
  enum class Formula : std::uint8_t { kUct, kUcb1, kUcb1Tuned, kPuct };
  Formula formula = Formula::kUct;
  // C of the exploration term, for rewards in -1..1; finite, at least 0.
  double exploration = 1.4;
  GraveConfig grave;
  ImplicitMinimaxConfig implicit_minimax;
  PriorsConfig priors;
  PuctConfig puct;
};

// Backpropagation.
struct BackupConfig {
  // Observed visits from which a node passes the mean of its best action upwards instead of the reward; 0: never.
  std::uint32_t maximum_from = 0;
};

// Play-outs that end by an evaluation; see Searcher::end_early().
struct EarlyTerminationConfig {
  std::uint32_t plies = kNever;  // number of plies after which a play-out ends; the reward is the evaluation
  double threshold = 0;          // absolute evaluation of a role at which a play-out ends, 0 .. 1; 0: never
  std::uint32_t every = 1;       // plies between two such checks, at least 1
  static constexpr std::uint32_t kNever = 1u << 31;
};

// Forests of reply trees, see reply_playout.hpp.
struct ReplyForestConfig {
  enum class Context : std::uint8_t { kLongest, kEach };
  enum class Fallback : std::uint8_t { kUniform, kGame, kGameLight };
  enum class Acceptance : std::uint8_t { kU, kMean, kProbability };
  double epsilon = 0.15;      // probability that a ply uses the forest, 0 .. 1
  double bias = 0.7;          // b of Eq. 1, 0 .. 100
  std::uint32_t longest = 32;  // plies of a context, 1 .. kMostLongest
  Context context = Context::kLongest;
  Acceptance acceptance = Acceptance::kU;  // the probability with which a drawn reply is played
  Fallback fallback = Fallback::kUniform;  // the policy of plies that do not use the forest
  std::size_t memory_bytes = std::size_t{64} << 20;  // in addition to the tree; at least kLeastMemory
  static constexpr std::uint32_t kMostLongest = 1024;
};

// Choices by rank, see rank_playout.hpp.
struct RankConfig {
  double sharpness = 0.5;  // probability of rank 0 among many moves, kLeastSharp .. 1 - kLeastSharp
  double prior = 0;        // weight of the value of unknown moves, in visits, 0 .. 1000
  double adaptation = 0;   // exponent of the visits of a move, 0 .. 1; see move_order.hpp
  static constexpr double kLeastSharp = 0.01;
};

// Play-outs; see playout.hpp, learned_playout.hpp, rank_playout.hpp, game_playout.hpp and evaluation_playout.hpp.
struct PlayoutConfig {
  enum class Policy : std::uint8_t { kUniform, kMast, kNst, kGame, kGameLight, kGameMast, kEvaluation, kBhrf, kRank };
  Policy policy = Policy::kUniform;
  // Whether play-outs look one move ahead, as far as the simulator can; see WinningMoves::look_ahead().
  bool decisive = true;
  // Plies after which a play-out is cut off and scored with the goals of the state.
  std::uint32_t limit = 100000;
  // The following is for learning policies.
  double epsilon = 0.4;  // mast, nst, game-mast, evaluation: probability of another move than the best, 0 .. 1
  double unknown = 0.0;  // value of a move without visits, -1 .. 1
  int ngram = 2;         // nst: length of the longest sequences, 2 .. 3
  int threshold = 7;     // nst: visits from which a sequence counts, 1 .. 65535
  double decay = 0.2;    // factor of the statistics when a move is played, 0 .. 1
  // What policies and all moves as first learn: the goals in -1 .. 1, or the reward, which a bonus or the quality may
  // have changed.
  enum class Learns : std::uint8_t { kGoal, kReward };
  Learns learns = Learns::kGoal;
  // Whether the learned values order untried moves of the tree; else their order is random.
  bool orders_tree = true;
  // game-mast: the moves among which the best is played, all legal ones or those from which the policy draws; see
  // RankedMoves::best_move_with().
  enum class MastMoves : std::uint8_t { kAll, kPolicy };
  MastMoves mast_moves = MastMoves::kAll;
  EarlyTerminationConfig early_termination;
  ReplyForestConfig forest;  // bhrf
  RankConfig rank;           // rank
};

// A bonus added to rewards, see reward.hpp.
struct BonusConfig {
  bool enabled = false;
  double a = 0.25;        // its size, 0 .. 10, if fixed
  bool online_a = false;  // estimate the size from the simulations instead
  double k = 2.0;         // steepness of the sigmoid, 0 .. 1000
};

// Rewards at the end of a simulation.
struct RewardConfig {
  enum class Source : std::uint8_t { kGoal, kQuality };
  Source source = Source::kGoal;
  // Simulations that feed the statistics of the bonuses but get no bonus: a share of the expected simulations, 0 .. 1,
  // or, if not 0, a number.
  double warm_up_share = 0.05;
  std::uint64_t warm_up_simulations = 0;
  // If both bonuses are enabled: add both, or the Relative Bonus if it is known and else the other.
  enum class Combine : std::uint8_t { kSum, kEither };
  Combine combine = Combine::kSum;
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
  std::uint32_t plies = 4;            // k, 1 .. LevelMinimax::kMostPlies
  std::uint64_t every = 1000;         // midway: simulations, at least 1
  double death_percent = 10;          // x1, 0 .. 100
  double win_percent = 10;            // x2, 0 .. 100
  std::uint64_t states = 50'000'000;  // successors after which one minimax search stops, at least 1
  double time_share = 0.5;            // part of the limits of time for one minimax search, 0 .. 0.9
};

// The choice among moves without a proof, see statistics.hpp.
enum class FinalMove : std::uint8_t { kVisits, kScore };

struct Config {
  // Simulations in flight, 1 .. lanes; 0: chosen by in_flight.hpp.
  int in_flight = 0;
  std::uint64_t seed = 1;
  // Limit of the tree in bytes; at least kLeastMemory. The search continues at the limit: the least visited nodes are
  // removed.
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
  // Ends the run also if the best move of this role can no longer change: its visits lead by more than the simulations
  // that the other limits still allow at the present speed, and a quarter of the simulations that they allow in total
  // were made at this root. Visits from earlier roots do not count there: they examined this position as one of many.
  // Checked about ten times a second.
  int settled_role = -1;
  // Called about ten times a second during the run; true ends it. May be null.
  bool (*interrupted)(void* context) = nullptr;
  void* context = nullptr;
};

}  // namespace ggp

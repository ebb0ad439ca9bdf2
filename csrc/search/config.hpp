// What a search is told once: the one configuration object from which its components are made. Every field has a line
// in config_fields.cpp, by which it is set from outside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ggp {

// The tree itself.
struct TreeConfig {
  // Whether edges to the same state share one node; see transpositions.hpp.
  bool transpositions = false;
  // Nodes from which on a tree that does without looks whether it would pay; 0 is never.
  std::uint32_t transpositions_from = 20000;
};

// All moves as first, see amaf.hpp.
struct GraveConfig {
  bool enabled = false;
  // Visits from which a node has statistics enough of its own, at most kMostReference; 0 is RAVE.
  std::uint32_t reference = 50;
  double bias = 1e-3;  // 0 .. 1
  static constexpr std::uint32_t kMostReference = 1u << 30;
};

// Which evaluation of the game the search has; see Simulator::evaluations().
struct EvaluationConfig {
  std::string name = kNone;
  std::string file = kNone;  // the simulator has that of a file of weights under the name of the file
  static constexpr const char* kNone = "none";
};

// Evaluations in the tree, see heuristic.hpp.
struct ImplicitMinimaxConfig {
  enum class Term : std::uint8_t { kMinimax, kConstant, kProgressive };
  double alpha = 0;  // weight, 0 .. 1; 0 does without
  Term term = Term::kMinimax;
};
struct PriorsConfig {
  std::uint32_t visits = 0;  // that the evaluation of a new node stands for, at most kMost; 0 does without
  static constexpr std::uint32_t kMost = 1u << 30;
};

// In the tree.
struct SelectionConfig {
  enum class Formula : std::uint8_t { kUct, kUcb1, kUcb1Tuned };
  Formula formula = Formula::kUct;
  // C of the exploration term, for rewards in -1..1; finite, at least 0.
  double exploration = 1.4;
  GraveConfig grave;
  ImplicitMinimaxConfig implicit_minimax;
  PriorsConfig priors;
};

// What goes up the tree.
struct BackupConfig {
  // Observed visits from which a node hands up the mean of its best action in place of the reward; 0 never does.
  std::uint32_t maximum_from = 0;
};

// Play-outs that end by an evaluation; see Searcher::end_early().
struct EarlyTerminationConfig {
  std::uint32_t plies = kNever;  // after so many; the reward is the evaluation
  double threshold = 0;          // where the evaluation says so much for a role, 0 .. 1; 0 never ends one
  std::uint32_t every = 1;       // plies between two looks at that, at least 1
  static constexpr std::uint32_t kNever = 1u << 31;
};

// Forests of reply trees, see reply_playout.hpp.
struct ReplyForestConfig {
  enum class Context : std::uint8_t { kLongest, kEach };
  enum class Fallback : std::uint8_t { kUniform, kGame };
  double epsilon = 0.15;      // probability that a ply asks the forest, 0 .. 1
  double bias = 0.7;          // b of Eq. 1, 0 .. 100
  std::uint32_t longest = 32;  // plies of a context, 1 .. kMostLongest
  Context context = Context::kLongest;
  Fallback fallback = Fallback::kUniform;  // what moves where the forest does not
  std::size_t memory_bytes = std::size_t{64} << 20;  // besides that of the tree; at least kLeastMemory
  static constexpr std::uint32_t kMostLongest = 1024;
};

// Choices by rank, see rank_playout.hpp.
struct RankConfig {
  enum class Draw : std::uint8_t { kGeometric, kTournament, kGreedy, kUniform };
  Draw draw = Draw::kGeometric;  // how the rank is drawn, rank_choice.hpp
  double sharpness = 0.5;         // geometric: probability of the first of many, kLeastSharp .. 1 - kLeastSharp
  int tournament = 4;             // numbers of which the smallest is the rank, 1 .. PlayoutConfig::kMostCandidates
  double prior = 0;               // visits for which the value of the unknown counts, 0 .. 1000
  double adaptation = 0;          // how much the visits of a move count beside its value, 0 .. 1; see move_order.hpp
  static constexpr double kLeastSharp = 0.01;
};

// Beyond the tree; see playout.hpp, learned_playout.hpp, rank_playout.hpp, game_playout.hpp and evaluation_playout.hpp.
struct PlayoutConfig {
  enum class Policy : std::uint8_t { kUniform, kMast, kNst, kGame, kGameMast, kEvaluation, kBhrf, kRank };
  enum class Sampling : std::uint8_t { kGreedy, kGibbs, kTournament };
  Policy policy = Policy::kUniform;
  // Whether play-outs look a move ahead, as far as the simulator can; see WinningMoves::look_ahead().
  bool decisive = true;
  // Plies after which a play-out that does not end is cut off and scored with the goals that hold there.
  std::uint32_t limit = 100000;
  // The rest is for the policies that learn. How they choose by the values of moves:
  Sampling sampling = Sampling::kGreedy;
  double epsilon = 0.4;      // greedy (also of ranks), evaluation: probability of any move, 0 .. 1
  double temperature = 0.2;  // gibbs: kColdest .. 1000
  int candidates = 4;        // tournament: moves that are drawn, 1 .. kMostCandidates
  double unknown = 0.0;      // value of a move that nothing is known of, -1 .. 1
  int ngram = 2;             // nst: the longest sequences, 2 .. 3
  int threshold = 7;         // nst: visits from which a sequence counts, 1 .. 65535
  double decay = 0.2;        // what remains of the statistics when a move is played, 0 .. 1
  EarlyTerminationConfig early_termination;
  ReplyForestConfig forest;  // bhrf
  RankConfig rank;           // rank
  static constexpr double kColdest = 0.001;
  static constexpr int kMostCandidates = 64;
};

// A bonus on rewards, see reward.hpp.
struct BonusConfig {
  bool enabled = false;
  double a = 0.25;        // its size, 0 .. 10, where it is fixed
  bool online_a = false;  // estimate the size from the simulations instead
  double k = 2.0;         // steepness of the sigmoid, 0 .. 1000
};

// At the end of a simulation.
struct RewardConfig {
  enum class Source : std::uint8_t { kGoal, kQuality };
  Source source = Source::kGoal;
  // Simulations that feed the statistics of the bonuses but are not altered: a share of those that are
  // expected, 0 .. 1, or, where it is not 0, a number.
  double warm_up_share = 0.05;
  std::uint64_t warm_up_simulations = 0;
  // Where both bonuses are enabled: add both, or the Relative Bonus where it can be told and else the other.
  enum class Combine : std::uint8_t { kSum, kEither };
  Combine combine = Combine::kSum;
  BonusConfig relative_bonus, qualitative_bonus;
};

// What is proven on the way.
struct SolverConfig {
  bool enabled = true;
};

// A minimax of a few plies beside the search, see sudden_death.hpp.
struct SuddenDeathConfig {
  enum class Strategy : std::uint8_t { kOff, kAlways, kTriggered, kMidway, kFinal };
  Strategy strategy = Strategy::kOff;
  std::uint32_t plies = 4;            // k, 1 .. LevelMinimax::kMostPlies
  std::uint64_t every = 1000;         // midway: simulations, at least 1
  double death_percent = 10;          // x1, 0 .. 100
  double win_percent = 10;            // x2, 0 .. 100
  std::uint64_t states = 50'000'000;  // successors after which one look is given up, at least 1
  double time_share = 0.5;            // of the limits of time that one look may take, 0 .. 0.9
};

// Which of the moves that nothing is proven of is played, see statistics.hpp.
enum class FinalMove : std::uint8_t { kVisits, kScore };

struct Config {
  // Simulations under way at the same time, 1 .. lanes; 0 leaves it to in_flight.hpp.
  int in_flight = 0;
  std::uint64_t seed = 1;
  // Bytes that the tree may take; at least kLeastMemory. The search goes on when they are taken: what is
  // least visited gives way.
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

// Throws std::invalid_argument, one line naming the value and its range, where the configuration does not fit
// a simulator of that many lanes; else returns it.
const Config& checked(const Config& config, int lanes);

// Whether the tree keeps evaluations.
inline bool uses_heuristic(const SelectionConfig& selection) {
  return selection.implicit_minimax.alpha > 0 || selection.priors.visits > 0;
}
inline bool ends_early(const EarlyTerminationConfig& early) {
  return early.plies < EarlyTerminationConfig::kNever || early.threshold > 0;
}
// The place of the evaluation that is named, or whose file is, among those that a game has, -1 where none is named. Throws
// std::invalid_argument, one line, where the game has no such evaluation.
int evaluation_number(const Config& config, const std::vector<std::string>& known);

// When a run ends; the first limit that is reached counts. Without any it ends with Searcher::stop().
struct Limits {
  std::uint64_t simulations = std::numeric_limits<std::uint64_t>::max();
  double seconds = std::numeric_limits<double>::infinity();
  // Processor time of the calling thread.
  double cpu_seconds = std::numeric_limits<double>::infinity();
  // Ends the run also when the best move of this role can no longer change: its visits lead by more than the
  // simulations that the other limits still allow at the present speed. Looked at about ten times a second.
  int settled_role = -1;
  // Asked about ten times a second while the run goes on; true ends it. May be null.
  bool (*interrupted)(void* context) = nullptr;
  void* context = nullptr;
};

}  // namespace ggp

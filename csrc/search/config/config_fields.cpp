#include "search/config/config_fields.hpp"

#include <cmath>
#include <limits>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <type_traits>

namespace ggp {

namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr std::uint64_t kMostWhole = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMostCount = std::uint64_t{1} << 62;
constexpr int kMebibyteBits = 20;

// A field. The value of a choice is the number of its word, so the words of a choice stand in the order of its enum.
struct Field {
  const char* key;
  const char* help;
  FieldValue (*get)(const Config&);
  void (*set)(Config&, const FieldValue&);
  std::uint64_t low = 0, high = 0;  // the ends of the range of a whole number, both included
  double least = 0, most = 0;       // of a real number, which is finite
  const char* words = nullptr;      // of a choice, divided by blanks
  bool may_be_left_out = false;     // 0 is the value of a whole number whose key is left out
};

#define GGP_VALUE(Type, member)                                                        \
  [](const Config& config) -> FieldValue { return static_cast<Type>(config.member); }, \
      [](Config& config, const FieldValue& value) {                                    \
        using Member = std::decay_t<decltype(config.member)>;                          \
        config.member = static_cast<Member>(std::get<Type>(value));                    \
      }
#define GGP_FLAG(member, help) {#member, help, GGP_VALUE(bool, member)}
#define GGP_NAME(member, help) {#member, help, GGP_VALUE(std::string, member)}
#define GGP_WHOLE(member, low, high, help) {#member, help, GGP_VALUE(std::uint64_t, member), low, high}
#define GGP_REAL(member, low, high, help) {#member, help, GGP_VALUE(double, member), 0, 0, low, high}
#define GGP_WORD(member, words, help) {#member, help, GGP_VALUE(std::uint64_t, member), 0, 0, 0, 0, words}
// The key of a member in bytes is in MiB.
#define GGP_MEBIBYTES(key, member, help)                                                                  \
  {key, help,                                                                                             \
   [](const Config& config) -> FieldValue { return std::uint64_t{config.member >> kMebibyteBits}; },      \
   [](Config& config, const FieldValue& value) {                                                          \
     config.member = static_cast<std::size_t>(std::get<std::uint64_t>(value)) << kMebibyteBits;           \
   },                                                                                                     \
   kLeastMemory >> kMebibyteBits, std::uint64_t{1} << 40}
#define GGP_BONUS(bonus, about)                                                                           \
  GGP_FLAG(reward.bonus.enabled, about),                                                                  \
  GGP_REAL(reward.bonus.a, 0, 10, "size of the bonus, if `online_a` is false"),                           \
  GGP_FLAG(reward.bonus.online_a,                                                                         \
           "whether the size is estimated from the simulations, as a' of Eq. 10 for the role to move at the root"), \
  GGP_REAL(reward.bonus.k, 0, 1000, "steepness of the sigmoid of Eq. 5")

// No other place has the key, the range, the words or the meaning of a field. Its default stands in config.hpp.
constexpr Field kFields[] = {
    {"in_flight",
     "number of simulations of a tree in progress at the same time; a small number learns more from each simulation, a "
     "large one is faster; if left out, it follows from the expected number of simulations",
     GGP_VALUE(std::uint64_t, in_flight), 1, kMostInFlight, 0, 0, nullptr, true},
    GGP_WHOLE(seed, 0, kMostWhole, "seed of all random numbers"),
    GGP_MEBIBYTES("memory_mb", memory_bytes,
                  "memory limit of all trees together in MiB; at the limit the least visited nodes are removed"),

    GGP_FLAG(tree.reuse,
             "whether the part of the tree below a played move is kept; if false, every turn begins with an empty tree"),
    GGP_FLAG(tree.transpositions,
             "whether moves that lead to the same state after the same number of plies share a node, which makes the "
             "tree a directed acyclic graph"),
    GGP_WHOLE(tree.transpositions_from, 0, std::numeric_limits<std::uint32_t>::max(),
              "number of nodes at which a tree without transpositions tests whether they would pay, and then has them; "
              "0 disables the test"),

    GGP_NAME(evaluation.name,
             "name of an evaluation of the game, or `none`: `pieces` of `fast:breakthrough`, `found`, the evaluation "
             "that preparation found for a rule sheet, or `learned`, the network that `ggp-agent learn` trained for it"),
    GGP_NAME(evaluation.file,
             "path of a file of weights or of a learned network (`.npz`) for a rule sheet, or `none`; in a configuration "
             "file the path is relative to that file"),

    GGP_WORD(selection.formula, "uct ucb1 ucb1-tuned puct ucb-v thompson",
             "`uct`, `ucb1` (twice the logarithm), `ucb1-tuned`, `ucb-v` (by the variance of the rewards) or `thompson` (a "
             "random sample); or `puct`, which needs an evaluation with probabilities of moves, as a learned network has"),
    GGP_REAL(selection.exploration, 0, kUnbounded, "constant C of the formula, for rewards in -1 .. 1"),
    GGP_FLAG(selection.grave.enabled,
             "whether the mean of a move is mixed with the mean of all simulations that played it later (GRAVE, Cazenave "
             "2015); untried moves are then compared with the others instead of coming first"),
    GGP_WHOLE(selection.grave.reference, 0, GraveConfig::kMostReference,
              "number of visits from which a node uses its own GRAVE statistics, not its ancestor's; 0 gives RAVE (Gelly "
              "and Silver 2011)"),
    GGP_REAL(selection.grave.bias, 0, 1,
             "with a higher bias the mean of the move itself dominates after fewer visits"),
    GGP_REAL(selection.implicit_minimax.alpha, 0, 1,
             "weight of the evaluation beside the mean of a move (implicit minimax, Lanctot et al. 2014); 0 disables it"),
    GGP_WORD(selection.implicit_minimax.term, "minimax constant progressive",
             "weighted term: `minimax`, the evaluation backed up by minimax; `constant`, the evaluation of the state "
             "after the move; `progressive`, the backed-up evaluation divided by the visits plus one"),
    GGP_WORD(selection.priors.source, "evaluation game",
             "origin of node priors (Gelly and Silver 2007): `evaluation`, the evaluation of the state after the move; "
             "`game`, the knowledge of a native game about its moves, which also enables the priors"),
    GGP_WHOLE(selection.priors.visits, 0, PriorsConfig::kMost,
              "number of visits that the prior of a move counts for; 0 disables the priors of the evaluation, and takes "
              "the numbers of the game otherwise"),
    GGP_FLAG(selection.priors.locality,
             "whether the priors of a game depend on the distance from the last move (Go)"),
    GGP_REAL(selection.puct.first_play, 0, 2, "reduction of the value of untried moves below the root, for `puct`"),
    GGP_REAL(selection.puct.base, 1, 1e9, "number of visits of a node from which exploration grows, for `puct`"),

    GGP_WHOLE(backup.maximum_from, 0, std::uint64_t{1} << 31,
              "number of visits from which a node passes on the mean of its best move instead of the reward (maximum "
              "backpropagation, Coulom 2006); 0 disables it"),

    GGP_WORD(playout.policy, "uniform mast nst game game-light game-mast evaluation bhrf rank pool",
             "`uniform`, any legal move; `mast`, by the means of moves; `nst`, by the means of sequences of moves "
             "(N-grams); `rank`, by the rank of the legal moves in order of their means; `bhrf`, by a forest of reply "
             "trees; `pool`, by a pool of moves; `evaluation`, the move to the state with the best evaluation; in native "
             "games `game`, the policy of the game, `game-light`, a second one with less knowledge (Go), and "
             "`game-mast`, the policy of the game or the move with the best mean"),
    GGP_FLAG(playout.decisive,
             "whether every policy looks one move ahead: it makes a move that wins at once and avoids moves that let "
             "another role win at once, as far as the network knows them"),
    GGP_WHOLE(playout.limit, 1, std::uint64_t{1} << 31,
              "number of plies after which a play-out ends with the goals of its state"),
    GGP_REAL(playout.epsilon, 0, 1,
             "probability of any move instead of the best one, for `mast`, `nst`, `game-mast` and `evaluation`"),
    GGP_REAL(playout.unknown, -1, 1, "value of a move without statistics"),
    GGP_WHOLE(playout.ngram, 2, 3, "length of the longest sequences in plies, for `nst`"),
    GGP_WHOLE(playout.threshold, 1, 65535, "number of visits from which a sequence counts, for `nst`"),
    GGP_REAL(playout.decay, 0, 1, "factor for the weight of the statistics whenever a move is played"),
    GGP_WORD(playout.learns, "goal reward",
             "result of a simulation that learning policies and GRAVE learn: `goal`, the goals mapped to -1 .. 1; "
             "`reward`, the reward with its bonus or quality"),
    GGP_FLAG(playout.orders_tree,
             "whether a learning policy orders the untried moves of the tree; otherwise their order is random"),
    GGP_WORD(playout.mast_moves, "all policy",
             "moves among which `game-mast` takes the best: `all` legal moves, or those from which the `policy` of the "
             "game drew last: in Amazons the moves of one amazon"),
    GGP_WHOLE(playout.early_termination.plies, 0, EarlyTerminationConfig::kNever,
              "number of plies after which a play-out ends with the evaluation as its reward; the default disables it"),
    GGP_REAL(playout.early_termination.threshold, 0, 1,
             "value of a state at which a play-out ends: a role with this value or more has won, one with this value or "
             "more below 0 has lost; 0 disables it"),
    GGP_WHOLE(playout.early_termination.every, 1, EarlyTerminationConfig::kNever,
              "number of plies between two comparisons with the threshold"),
    GGP_REAL(playout.forest.epsilon, 0, 1, "probability that a ply uses the forest of reply trees, for `bhrf`"),
    GGP_REAL(playout.forest.bias, 0, 100, "b of Eq. 1"),
    GGP_WHOLE(playout.forest.longest, 1, ReplyForestConfig::kMostLongest, "largest number of plies in a context"),
    GGP_WORD(playout.forest.context, "longest each",
             "source of replies: `longest`, the longest context that has a legal reply; `each`, the longest context of "
             "each legal move"),
    GGP_WORD(playout.forest.acceptance, "u mean probability",
             "probability with which a drawn reply is played: `u`, its u of Eq. 1, which may exceed 1; `mean`, its mean "
             "outcome; `probability`, its P of Eq. 1"),
    GGP_WORD(playout.forest.fallback, "uniform game game-light",
             "policy of the other plies: `uniform` or, in native games, `game` or `game-light`"),
    GGP_MEBIBYTES("playout.forest.memory_mb", playout.forest.memory_bytes,
                  "memory limit of the forest in MiB besides the tree, 1024 for 8 million contexts; at the limit the "
                  "rarest contexts are removed when a move is played"),
    GGP_WHOLE(playout.pool.size, 1, 1000, "maximum number of moves of a role in the pool"),
    GGP_REAL(playout.pool.probability, 0, 1, "probability that a ply draws from the pool"),
    GGP_WHOLE(playout.pool.visits, 1, std::uint64_t{1} << 31, "minimum number of visits of a node with a pool"),
    GGP_REAL(playout.rank.sharpness, RankConfig::kLeastSharp, 1 - RankConfig::kLeastSharp,
             "rank r among the legal moves, 0 for the best, has a probability proportional to (1 - sharpness)^r, for "
             "`rank`"),
    GGP_REAL(playout.rank.prior, 0, 1000,
             "number of visits that `playout.unknown` counts for in the mean of every move"),
    GGP_REAL(playout.rank.adaptation, 0, 1,
             "order of the moves: 0, by their means; 1, by weights as in play-out policy adaptation, where every "
             "simulation counts; values between mix both"),

    GGP_WORD(reward.source, "goal quality",
             "`goal`, the goals mapped from 0 .. 100 to -1 .. 1, or `quality`, the terminal quality q for the winner "
             "and -q for the others (native games only)"),
    GGP_REAL(reward.warm_up_share, 0, 1,
             "part of the expected simulations that feed the statistics of the bonuses without a bonus"),
    GGP_WHOLE(reward.warm_up_simulations, 0, std::uint64_t{1} << 63,
              "number of these simulations; if it is not 0 it replaces `warm_up_share`"),
    GGP_WORD(reward.combine, "sum either",
             "rule for both bonuses together: `sum` adds them; `either` adds the relative bonus if there are lengths to "
             "compare with, otherwise the qualitative bonus"),
    GGP_FLAG(reward.joint_a,
             "whether `online_a` estimates both sizes together, by the correlation of length and quality"),
    GGP_BONUS(relative_bonus,
              "whether simulations that are shorter than others with the same winner get a bonus (Pepels et al. 2014)"),
    GGP_BONUS(qualitative_bonus,
              "whether simulations of higher quality get a bonus (Pepels et al. 2014; native games, or an evaluation by "
              "fluents)"),

    GGP_FLAG(solver.enabled,
             "whether the search keeps proven bounds on the goals of every node, skips decided moves, and ends when the "
             "goals at the root are proven"),

    GGP_WORD(sudden_death.strategy, "off always triggered midway final",
             "time of a minimax search beside the tree search: `off`, never; `always`, at the root before the first "
             "simulation; `triggered`, at the root when a simulation has ended within `plies`; `midway`, after every "
             "`every` simulations, at promising moves after which a simulation has ended within `plies`; `final`, at "
             "the end, at the move that would be played and at other promising moves"),
    GGP_WHOLE(sudden_death.plies, 1, SuddenDeathConfig::kMostPlies, "depth of the minimax search"),
    GGP_WHOLE(sudden_death.every, 1, kMostCount, "number of simulations between two minimax searches of `midway`"),
    GGP_REAL(sudden_death.death_percent, 0, 100,
             "per cent of the tried moves, the best by their means, that are examined if they have lost simulations"),
    GGP_REAL(sudden_death.win_percent, 0, 100,
             "per cent of the tried moves, the best by their means, that are examined if they have won simulations"),
    GGP_WHOLE(sudden_death.states, 1, kMostCount,
              "number of successors after which one minimax search is abandoned"),
    GGP_REAL(sudden_death.time_share, 0, 0.9,
             "part of the time limits that one minimax search may take; `final` reserves it"),

    GGP_WORD(final_move, "visits score",
             "choice among the unproven moves: `visits`, the most visited one; `score`, the one with the highest mean"),
};

std::vector<std::string> words_of(const Field& field) {
  std::vector<std::string> result;
  std::istringstream words(field.words == nullptr ? "" : field.words);
  for (std::string word; words >> word;) result.push_back(word);
  return result;
}

const Field& field_of(const std::string& key) {
  std::string keys;
  for (const Field& field : kFields) {
    if (field.key == key) return field;
    keys += (keys.empty() ? "" : ", ") + std::string(field.key);
  }
  throw std::invalid_argument("the search has no key " + key + "; known are " + keys);
}

// The number with the fewest digits, at least 6, that are read as this number; large whole numbers without exponent.
std::string text(double value) {
  if (std::abs(value) >= 1e6 && std::abs(value) < 1e15 && value == std::trunc(value))
    return std::to_string(static_cast<std::int64_t>(value));
  std::string result;
  for (int digits = 6; digits <= std::numeric_limits<double>::max_digits10; ++digits) {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out.precision(digits);
    out << value;
    result = out.str();
    std::istringstream in(result);
    in.imbue(std::locale::classic());
    double again = 0;
    if (in >> again && again == value) break;
  }
  return result;
}

std::string text(const std::string& value) {
  std::string quoted = "\"";
  for (const char letter : value) {
    if (letter == '"' || letter == '\\') quoted += '\\';
    quoted += letter;
  }
  return quoted + '"';
}

std::string text(const FieldValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&value)) return text(*real);
  return text(std::get<std::string>(value));
}

std::string scope(const Field& field, bool is_real) {
  if (!is_real) return std::to_string(field.low) + " .. " + std::to_string(field.high);
  if (field.most == kUnbounded) return "finite and at least " + text(field.least);
  return text(field.least) + " .. " + text(field.most);
}

[[noreturn]] void refuse(const Field& field, const std::string& wanted, const FieldValue& instead) {
  throw std::invalid_argument(std::string(field.key) + " must be " + wanted + ", not " + text(instead));
}

// Checks the range of a value that has the type of its field.
void check(const Field& field, const FieldValue& value) {
  if (field.words != nullptr) return;
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) {
    if (*whole == 0 && field.may_be_left_out) return;
    if (*whole < field.low || *whole > field.high) refuse(field, scope(field, false), value);
  } else if (const auto* real = std::get_if<double>(&value)) {
    if (!std::isfinite(*real) || *real < field.least || *real > field.most) refuse(field, scope(field, true), value);
  }
}

// The value of a field; of a choice its word.
FieldValue value_of(const Field& field, const Config& config) {
  const FieldValue value = field.get(config);
  if (field.words == nullptr) return value;
  return words_of(field).at(std::get<std::uint64_t>(value));
}

std::uint64_t number_of_word(const Field& field, const FieldValue& value) {
  const std::vector<std::string> words = words_of(field);
  std::string known;
  for (std::size_t number = 0; number < words.size(); ++number) {
    if (value == FieldValue(words[number])) return number;
    known += (known.empty() ? "" : ", ") + text(words[number]);
  }
  refuse(field, "one of " + known, value);
}

}  // namespace

void set_field(Config& config, const std::string& key, const FieldValue& value) {
  const Field& field = field_of(key);
  const FieldValue now = field.get(config);
  FieldValue wanted = value;
  if (field.words != nullptr) {
    wanted = number_of_word(field, value);
  } else if (std::holds_alternative<bool>(now)) {
    if (!std::holds_alternative<bool>(value)) refuse(field, "true or false", value);
  } else if (std::holds_alternative<std::string>(now)) {
    if (!std::holds_alternative<std::string>(value)) refuse(field, "a name", value);
  } else if (std::holds_alternative<std::uint64_t>(now)) {
    if (!std::holds_alternative<std::uint64_t>(value)) refuse(field, "a whole number " + scope(field, false), value);
    if (value == FieldValue(std::uint64_t{0}) && field.low > 0) refuse(field, scope(field, false), value);
  } else if (const auto* whole = std::get_if<std::uint64_t>(&value)) {
    wanted = static_cast<double>(*whole);
  } else if (!std::holds_alternative<double>(value)) {
    refuse(field, "a number" + std::string(field.most == kUnbounded ? ", " : " ") + scope(field, true), value);
  }
  check(field, wanted);
  field.set(config, wanted);
}

void check_fields(const Config& config) {
  for (const Field& field : kFields) check(field, field.get(config));
}

std::vector<FieldEntry> field_entries() {
  constexpr const char* kKinds[] = {"flag", "whole", "real", "name"};  // in the order of FieldValue
  std::vector<FieldEntry> result;
  for (const Field& field : kFields) {
    const std::string kind = field.words != nullptr ? "word" : kKinds[field.get(Config()).index()];
    const std::string initial = field.may_be_left_out ? "" : text(value_of(field, Config()));
    result.push_back({field.key, field.help, words_of(field), field.low, field.high, field.least, field.most, kind, initial});
  }
  return result;
}

std::string describe(const Config& config) {
  std::string result;
  for (const Field& field : kFields) {
    result += field.key + (" = " + text(value_of(field, config))) + "\n";
  }
  return result;
}

}  // namespace ggp

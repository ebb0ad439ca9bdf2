#include "search/config_fields.hpp"

#include <cmath>
#include <limits>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "search/level_minimax.hpp"

namespace ggp {

namespace {

template <class Choice>
using Words = std::vector<std::pair<std::string, Choice>>;

const Words<SelectionConfig::Formula> kFormulas = {
    {"uct", SelectionConfig::Formula::kUct},
    {"ucb1", SelectionConfig::Formula::kUcb1},
    {"ucb1-tuned", SelectionConfig::Formula::kUcb1Tuned},
    {"puct", SelectionConfig::Formula::kPuct},
};

const Words<PlayoutConfig::Policy> kPolicies = {
    {"uniform", PlayoutConfig::Policy::kUniform}, {"mast", PlayoutConfig::Policy::kMast},
    {"nst", PlayoutConfig::Policy::kNst},         {"game", PlayoutConfig::Policy::kGame},
    {"game-light", PlayoutConfig::Policy::kGameLight}, {"game-mast", PlayoutConfig::Policy::kGameMast},
    {"evaluation", PlayoutConfig::Policy::kEvaluation}, {"bhrf", PlayoutConfig::Policy::kBhrf},
    {"rank", PlayoutConfig::Policy::kRank},
};

const Words<ReplyForestConfig::Context> kContexts = {
    {"longest", ReplyForestConfig::Context::kLongest},
    {"each", ReplyForestConfig::Context::kEach},
};

const Words<ReplyForestConfig::Acceptance> kAcceptances = {
    {"u", ReplyForestConfig::Acceptance::kU},
    {"mean", ReplyForestConfig::Acceptance::kMean},
    {"probability", ReplyForestConfig::Acceptance::kProbability},
};

const Words<ReplyForestConfig::Fallback> kFallbacks = {
    {"uniform", ReplyForestConfig::Fallback::kUniform},
    {"game", ReplyForestConfig::Fallback::kGame},
    {"game-light", ReplyForestConfig::Fallback::kGameLight},
};

const Words<ImplicitMinimaxConfig::Term> kTerms = {
    {"minimax", ImplicitMinimaxConfig::Term::kMinimax},
    {"constant", ImplicitMinimaxConfig::Term::kConstant},
    {"progressive", ImplicitMinimaxConfig::Term::kProgressive},
};

const Words<PriorsConfig::Source> kPriorSources = {
    {"evaluation", PriorsConfig::Source::kEvaluation},
    {"game", PriorsConfig::Source::kGame},
};

const Words<PlayoutConfig::Learns> kLearned = {
    {"goal", PlayoutConfig::Learns::kGoal},
    {"reward", PlayoutConfig::Learns::kReward},
};

const Words<PlayoutConfig::MastMoves> kMastMoves = {
    {"all", PlayoutConfig::MastMoves::kAll},
    {"policy", PlayoutConfig::MastMoves::kPolicy},
};

const Words<RewardConfig::Source> kSources = {
    {"goal", RewardConfig::Source::kGoal},
    {"quality", RewardConfig::Source::kQuality},
};

const Words<RewardConfig::Combine> kCombinations = {
    {"sum", RewardConfig::Combine::kSum},
    {"either", RewardConfig::Combine::kEither},
};

const Words<SuddenDeathConfig::Strategy> kStrategies = {
    {"off", SuddenDeathConfig::Strategy::kOff},
    {"always", SuddenDeathConfig::Strategy::kAlways},
    {"triggered", SuddenDeathConfig::Strategy::kTriggered},
    {"midway", SuddenDeathConfig::Strategy::kMidway},
    {"final", SuddenDeathConfig::Strategy::kFinal},
};

const Words<FinalMove> kFinalMoves = {
    {"visits", FinalMove::kVisits},
    {"score", FinalMove::kScore},
};

// A field whose value is one of several words.
template <class Choice>
struct OneOf {
  Choice& field;
  const Words<Choice>& words;
};

// A field that is a number `low` .. `high`, both included; a number that is not whole is finite.
template <class Number>
struct Ranged {
  Number& field;
  Number low, high;
};

template <class Number>
Ranged<Number> ranged(Number& field, std::common_type_t<Number> low, std::common_type_t<Number> high) {
  return {field, low, high};
}

// A field that is a whole number `low` .. `high`, or 0 if its key is left out.
struct OrLeftOut {
  int& field;
  int low, high;
};

// A field in bytes whose key is in MiB, `low` .. `high` of them.
struct Mebibytes {
  static constexpr int kShift = 20;
  std::size_t& bytes;
  std::size_t low = kLeastMemory >> kShift, high = std::size_t{1} << 40;
};

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

template <class Visit>
void for_each_field(const std::string& prefix, BonusConfig& bonus, Visit& visit) {
  visit(prefix + "enabled", bonus.enabled);
  visit(prefix + "a", ranged(bonus.a, 0, 10));
  visit(prefix + "online_a", bonus.online_a);
  visit(prefix + "k", ranged(bonus.k, 0, 1000));
}

// Calls visit(key, field) for each field: a reference to a bool or a string, a OneOf, or a number with its range (Ranged,
// OrLeftOut, Mebibytes). No other place has a range.
template <class Visit>
void for_each_field(Config& config, Visit visit) {
  visit("in_flight", OrLeftOut{config.in_flight, 1, kMostInFlight});
  visit("seed", ranged(config.seed, 0, std::numeric_limits<std::uint64_t>::max()));
  visit("memory_mb", Mebibytes{config.memory_bytes});

  visit("tree.reuse", config.tree.reuse);
  visit("tree.transpositions", config.tree.transpositions);
  visit("tree.transpositions_from", ranged(config.tree.transpositions_from, 0, std::numeric_limits<std::uint32_t>::max()));

  visit("evaluation.name", config.evaluation.name);
  visit("evaluation.file", config.evaluation.file);

  SelectionConfig& selection = config.selection;
  visit("selection.formula", OneOf<SelectionConfig::Formula>{selection.formula, kFormulas});
  visit("selection.exploration", ranged(selection.exploration, 0, kUnbounded));
  visit("selection.grave.enabled", selection.grave.enabled);
  visit("selection.grave.reference", ranged(selection.grave.reference, 0, GraveConfig::kMostReference));
  visit("selection.grave.bias", ranged(selection.grave.bias, 0, 1));
  visit("selection.implicit_minimax.alpha", ranged(selection.implicit_minimax.alpha, 0, 1));
  visit("selection.implicit_minimax.term",
        OneOf<ImplicitMinimaxConfig::Term>{selection.implicit_minimax.term, kTerms});
  visit("selection.priors.source", OneOf<PriorsConfig::Source>{selection.priors.source, kPriorSources});
  visit("selection.priors.visits", ranged(selection.priors.visits, 0, PriorsConfig::kMost));
  visit("selection.puct.first_play", ranged(selection.puct.first_play, 0, 2));
  visit("selection.puct.base", ranged(selection.puct.base, 1, 1e9));

  visit("backup.maximum_from", ranged(config.backup.maximum_from, 0, 1u << 31));

  PlayoutConfig& playout = config.playout;
  visit("playout.policy", OneOf<PlayoutConfig::Policy>{playout.policy, kPolicies});
  visit("playout.decisive", playout.decisive);
  visit("playout.limit", ranged(playout.limit, 1, 1u << 31));
  visit("playout.epsilon", ranged(playout.epsilon, 0, 1));
  visit("playout.unknown", ranged(playout.unknown, -1, 1));
  visit("playout.ngram", ranged(playout.ngram, 2, 3));
  visit("playout.threshold", ranged(playout.threshold, 1, 65535));
  visit("playout.decay", ranged(playout.decay, 0, 1));
  visit("playout.learns", OneOf<PlayoutConfig::Learns>{playout.learns, kLearned});
  visit("playout.orders_tree", playout.orders_tree);
  visit("playout.mast_moves", OneOf<PlayoutConfig::MastMoves>{playout.mast_moves, kMastMoves});
  visit("playout.early_termination.plies", ranged(playout.early_termination.plies, 0, EarlyTerminationConfig::kNever));
  visit("playout.early_termination.threshold", ranged(playout.early_termination.threshold, 0, 1));
  visit("playout.early_termination.every", ranged(playout.early_termination.every, 1, EarlyTerminationConfig::kNever));
  visit("playout.forest.epsilon", ranged(playout.forest.epsilon, 0, 1));
  visit("playout.forest.bias", ranged(playout.forest.bias, 0, 100));
  visit("playout.forest.longest", ranged(playout.forest.longest, 1, ReplyForestConfig::kMostLongest));
  visit("playout.forest.context", OneOf<ReplyForestConfig::Context>{playout.forest.context, kContexts});
  visit("playout.forest.acceptance",
        OneOf<ReplyForestConfig::Acceptance>{playout.forest.acceptance, kAcceptances});
  visit("playout.forest.fallback", OneOf<ReplyForestConfig::Fallback>{playout.forest.fallback, kFallbacks});
  visit("playout.forest.memory_mb", Mebibytes{playout.forest.memory_bytes});
  visit("playout.rank.sharpness", ranged(playout.rank.sharpness, RankConfig::kLeastSharp, 1 - RankConfig::kLeastSharp));
  visit("playout.rank.prior", ranged(playout.rank.prior, 0, 1000));
  visit("playout.rank.adaptation", ranged(playout.rank.adaptation, 0, 1));

  RewardConfig& reward = config.reward;
  visit("reward.source", OneOf<RewardConfig::Source>{reward.source, kSources});
  visit("reward.warm_up_share", ranged(reward.warm_up_share, 0, 1));
  visit("reward.warm_up_simulations", ranged(reward.warm_up_simulations, 0, std::uint64_t{1} << 63));
  visit("reward.combine", OneOf<RewardConfig::Combine>{reward.combine, kCombinations});
  for_each_field("reward.relative_bonus.", reward.relative_bonus, visit);
  for_each_field("reward.qualitative_bonus.", reward.qualitative_bonus, visit);

  visit("solver.enabled", config.solver.enabled);

  SuddenDeathConfig& sudden = config.sudden_death;
  constexpr std::uint64_t kMostCount = std::uint64_t{1} << 62;
  visit("sudden_death.strategy", OneOf<SuddenDeathConfig::Strategy>{sudden.strategy, kStrategies});
  visit("sudden_death.plies", ranged(sudden.plies, 1, LevelMinimax::kMostPlies));
  visit("sudden_death.every", ranged(sudden.every, 1, kMostCount));
  visit("sudden_death.death_percent", ranged(sudden.death_percent, 0, 100));
  visit("sudden_death.win_percent", ranged(sudden.win_percent, 0, 100));
  visit("sudden_death.states", ranged(sudden.states, 1, kMostCount));
  visit("sudden_death.time_share", ranged(sudden.time_share, 0, 0.9));

  visit("final_move", OneOf<FinalMove>{config.final_move, kFinalMoves});
}

// Calls visit(field) for the field of that key.
template <class Visit>
void for_the_field(Config& config, const std::string& key, Visit visit) {
  bool known = false;
  for_each_field(config, [&](const std::string& name, auto&& field) {
    if (name != key) return;
    known = true;
    visit(field);
  });
  if (known) return;
  std::string keys;
  for (const std::string& name : field_keys()) keys += (keys.empty() ? "" : ", ") + name;
  throw std::invalid_argument("the search has no key " + key + "; known are " + keys);
}

std::string text(bool value) { return value ? "true" : "false"; }

template <class Whole, class = std::enable_if_t<std::is_integral_v<Whole>>>
std::string text(Whole value) {
  return std::to_string(value);
}

// The fewest digits, at least 6, with which reading the text gives the same number; large whole numbers without exponent.
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

template <class Choice>
std::string text(const OneOf<Choice>& choice) {
  for (const auto& [word, value] : choice.words) {
    if (value == choice.field) return text(word);
  }
  throw std::logic_error("a choice of the configuration has no word");
}

template <class Number>
std::string text(const Ranged<Number>& number) {
  return text(number.field);
}

std::string text(const OrLeftOut& number) { return text(number.field); }

std::string text(const Mebibytes& memory) { return text(memory.bytes >> Mebibytes::kShift); }

template <class Field>
std::vector<std::string> words(const Field&) {
  return {};
}

template <class Choice>
std::vector<std::string> words(const OneOf<Choice>& choice) {
  std::vector<std::string> result;
  for (const auto& entry : choice.words) result.push_back(entry.first);
  return result;
}

std::string given(const FieldValue& value) {
  return std::visit([](const auto& known) { return text(known); }, value);
}

[[noreturn]] void refuse(const std::string& wanted, const std::string& instead) {
  throw std::invalid_argument("must be " + wanted + ", not " + instead);
}

template <class Number>
std::string scope(Number low, Number high) {
  if constexpr (std::is_floating_point_v<Number>) {
    if (high == kUnbounded) return "finite and at least " + text(low);
  }
  return text(low) + " .. " + text(high);
}

template <class Number>
void check_range(Number value, Number low, Number high) {
  bool fits = value >= low && value <= high;
  if constexpr (std::is_floating_point_v<Number>) fits = fits && std::isfinite(value);
  if (!fits) refuse(scope(low, high), text(value));
}

template <class Whole, class = std::enable_if_t<std::is_integral_v<Whole>>>
Whole number_in(const FieldValue& value, Whole low, Whole high) {
  const auto* number = std::get_if<std::uint64_t>(&value);
  if (number == nullptr) refuse("a whole number " + scope(low, high), given(value));
  check_range(*number, static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high));
  return static_cast<Whole>(*number);
}

double number_in(const FieldValue& value, double low, double high) {
  double number = 0;
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) {
    number = static_cast<double>(*whole);
  } else if (const auto* real = std::get_if<double>(&value)) {
    number = *real;
  } else {
    refuse("a number" + std::string(high == kUnbounded ? ", " : " ") + scope(low, high), given(value));
  }
  check_range(number, low, high);
  return number;
}

void assign(bool& field, const FieldValue& value) {
  if (!std::holds_alternative<bool>(value)) refuse("true or false", given(value));
  field = std::get<bool>(value);
}

template <class Number>
void assign(const Ranged<Number>& number, const FieldValue& value) {
  number.field = number_in(value, number.low, number.high);
}

void assign(const OrLeftOut& number, const FieldValue& value) {
  number.field = number_in(value, number.low, number.high);
}

void assign(const Mebibytes& memory, const FieldValue& value) {
  memory.bytes = number_in(value, memory.low, memory.high) << Mebibytes::kShift;
}

void assign(std::string& field, const FieldValue& value) {
  const auto* name = std::get_if<std::string>(&value);
  if (name == nullptr) refuse("a name", given(value));
  field = *name;
}

template <class Choice>
void assign(const OneOf<Choice>& choice, const FieldValue& value) {
  std::string known;
  for (const auto& [word, meant] : choice.words) {
    if (value == FieldValue(word)) {
      choice.field = meant;
      return;
    }
    known += (known.empty() ? "" : ", ") + text(word);
  }
  refuse("one of " + known, given(value));
}

// Checks fields that have a range; others are right.
template <class Field>
void check(const Field&) {}

template <class Number>
void check(const Ranged<Number>& number) {
  check_range(number.field, number.low, number.high);
}

void check(const OrLeftOut& number) {
  if (number.field != 0) check_range(number.field, number.low, number.high);
}

void check(const Mebibytes& memory) { check_range(memory.bytes >> Mebibytes::kShift, memory.low, memory.high); }

template <class Field, class = void>
struct HasRange : std::false_type {};

template <class Field>
struct HasRange<Field, std::void_t<decltype(std::declval<Field>().low)>> : std::true_type {};

// Adds the range of a field, if it has one.
template <class Field>
void add_range(FieldRanges& found, const std::string& key, const Field& field) {
  if constexpr (HasRange<Field>::value) {
    if constexpr (std::is_integral_v<decltype(field.low)>) {
      found.wholes.push_back({key, static_cast<std::uint64_t>(field.low), static_cast<std::uint64_t>(field.high)});
    } else {
      found.reals.push_back({key, field.low, field.high});
    }
  }
}

// Calls act(); its complaint then begins with the key.
template <class Act>
void naming(const std::string& key, Act act) {
  try {
    act();
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(key + " " + error.what());
  }
}

}  // namespace

void set_field(Config& config, const std::string& key, const FieldValue& value) {
  for_the_field(config, key, [&](auto&& field) { naming(key, [&] { assign(field, value); }); });
}

void check_fields(const Config& config) {
  Config copy = config;
  for_each_field(copy, [](const std::string& key, auto&& field) { naming(key, [&] { check(field); }); });
}

std::vector<std::string> field_keys() {
  Config config;
  std::vector<std::string> result;
  for_each_field(config, [&](const std::string& key, auto&&) { result.push_back(key); });
  return result;
}

std::vector<std::string> field_words(const std::string& key) {
  Config config;
  std::vector<std::string> result;
  for_the_field(config, key, [&](auto&& field) { result = words(field); });
  return result;
}

FieldRanges field_ranges() {
  Config config;
  FieldRanges result;
  for_each_field(config, [&](const std::string& key, auto&& field) { add_range(result, key, field); });
  return result;
}

std::string describe(const Config& config) {
  Config copy = config;
  std::string result;
  for_each_field(copy, [&](const std::string& key, auto&& field) { result += key + " = " + text(field) + "\n"; });
  return result;
}

}  // namespace ggp

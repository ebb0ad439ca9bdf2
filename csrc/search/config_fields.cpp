#include "search/config_fields.hpp"

#include <limits>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace ggp {

namespace {

template <class Choice>
using Words = std::vector<std::pair<std::string, Choice>>;

const Words<SelectionConfig::Formula> kFormulas = {
    {"uct", SelectionConfig::Formula::kUct},
    {"ucb1", SelectionConfig::Formula::kUcb1},
    {"ucb1-tuned", SelectionConfig::Formula::kUcb1Tuned},
};

const Words<PlayoutConfig::Policy> kPolicies = {
    {"uniform", PlayoutConfig::Policy::kUniform}, {"mast", PlayoutConfig::Policy::kMast},
    {"nst", PlayoutConfig::Policy::kNst},         {"game", PlayoutConfig::Policy::kGame},
    {"game-mast", PlayoutConfig::Policy::kGameMast}, {"evaluation", PlayoutConfig::Policy::kEvaluation},
    {"bhrf", PlayoutConfig::Policy::kBhrf},       {"rank", PlayoutConfig::Policy::kRank},
};

const Words<RankConfig::Draw> kRankDraws = {
    {"geometric", RankConfig::Draw::kGeometric},
    {"tournament", RankConfig::Draw::kTournament},
    {"greedy", RankConfig::Draw::kGreedy},
    {"uniform", RankConfig::Draw::kUniform},
};

const Words<ReplyForestConfig::Context> kContexts = {
    {"longest", ReplyForestConfig::Context::kLongest},
    {"each", ReplyForestConfig::Context::kEach},
};

const Words<ReplyForestConfig::Fallback> kFallbacks = {
    {"uniform", ReplyForestConfig::Fallback::kUniform},
    {"game", ReplyForestConfig::Fallback::kGame},
};

const Words<ImplicitMinimaxConfig::Term> kTerms = {
    {"minimax", ImplicitMinimaxConfig::Term::kMinimax},
    {"constant", ImplicitMinimaxConfig::Term::kConstant},
    {"progressive", ImplicitMinimaxConfig::Term::kProgressive},
};

const Words<PlayoutConfig::Sampling> kSamplings = {
    {"greedy", PlayoutConfig::Sampling::kGreedy},
    {"gibbs", PlayoutConfig::Sampling::kGibbs},
    {"tournament", PlayoutConfig::Sampling::kTournament},
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

// A field in bytes whose key is in MiB.
struct Mebibytes {
  static constexpr int kShift = 20;
  std::size_t& bytes;
};

template <class Visit>
void for_each_field(const std::string& prefix, BonusConfig& bonus, Visit& visit) {
  visit(prefix + "enabled", bonus.enabled);
  visit(prefix + "a", bonus.a);
  visit(prefix + "online_a", bonus.online_a);
  visit(prefix + "k", bonus.k);
}

// Calls visit(key, field) for each field, which is a reference to a plain type, a OneOf or Mebibytes.
template <class Visit>
void for_each_field(Config& config, Visit visit) {
  visit("in_flight", config.in_flight);
  visit("seed", config.seed);
  visit("memory_mb", Mebibytes{config.memory_bytes});

  visit("tree.transpositions", config.tree.transpositions);
  visit("tree.transpositions_from", config.tree.transpositions_from);

  visit("evaluation.name", config.evaluation.name);
  visit("evaluation.file", config.evaluation.file);

  SelectionConfig& selection = config.selection;
  visit("selection.formula", OneOf<SelectionConfig::Formula>{selection.formula, kFormulas});
  visit("selection.exploration", selection.exploration);
  visit("selection.grave.enabled", selection.grave.enabled);
  visit("selection.grave.reference", selection.grave.reference);
  visit("selection.grave.bias", selection.grave.bias);
  visit("selection.implicit_minimax.alpha", selection.implicit_minimax.alpha);
  visit("selection.implicit_minimax.term",
        OneOf<ImplicitMinimaxConfig::Term>{selection.implicit_minimax.term, kTerms});
  visit("selection.priors.visits", selection.priors.visits);

  visit("backup.maximum_from", config.backup.maximum_from);

  PlayoutConfig& playout = config.playout;
  visit("playout.policy", OneOf<PlayoutConfig::Policy>{playout.policy, kPolicies});
  visit("playout.decisive", playout.decisive);
  visit("playout.limit", playout.limit);
  visit("playout.sampling", OneOf<PlayoutConfig::Sampling>{playout.sampling, kSamplings});
  visit("playout.epsilon", playout.epsilon);
  visit("playout.temperature", playout.temperature);
  visit("playout.candidates", playout.candidates);
  visit("playout.unknown", playout.unknown);
  visit("playout.ngram", playout.ngram);
  visit("playout.threshold", playout.threshold);
  visit("playout.decay", playout.decay);
  visit("playout.early_termination.plies", playout.early_termination.plies);
  visit("playout.early_termination.threshold", playout.early_termination.threshold);
  visit("playout.early_termination.every", playout.early_termination.every);
  visit("playout.forest.epsilon", playout.forest.epsilon);
  visit("playout.forest.bias", playout.forest.bias);
  visit("playout.forest.longest", playout.forest.longest);
  visit("playout.forest.context", OneOf<ReplyForestConfig::Context>{playout.forest.context, kContexts});
  visit("playout.forest.fallback", OneOf<ReplyForestConfig::Fallback>{playout.forest.fallback, kFallbacks});
  visit("playout.forest.memory_mb", Mebibytes{playout.forest.memory_bytes});
  visit("playout.rank.draw", OneOf<RankConfig::Draw>{playout.rank.draw, kRankDraws});
  visit("playout.rank.sharpness", playout.rank.sharpness);
  visit("playout.rank.tournament", playout.rank.tournament);
  visit("playout.rank.prior", playout.rank.prior);
  visit("playout.rank.adaptation", playout.rank.adaptation);

  RewardConfig& reward = config.reward;
  visit("reward.source", OneOf<RewardConfig::Source>{reward.source, kSources});
  visit("reward.warm_up_share", reward.warm_up_share);
  visit("reward.warm_up_simulations", reward.warm_up_simulations);
  visit("reward.combine", OneOf<RewardConfig::Combine>{reward.combine, kCombinations});
  for_each_field("reward.relative_bonus.", reward.relative_bonus, visit);
  for_each_field("reward.qualitative_bonus.", reward.qualitative_bonus, visit);

  visit("solver.enabled", config.solver.enabled);

  SuddenDeathConfig& sudden = config.sudden_death;
  visit("sudden_death.strategy", OneOf<SuddenDeathConfig::Strategy>{sudden.strategy, kStrategies});
  visit("sudden_death.plies", sudden.plies);
  visit("sudden_death.every", sudden.every);
  visit("sudden_death.death_percent", sudden.death_percent);
  visit("sudden_death.win_percent", sudden.win_percent);
  visit("sudden_death.states", sudden.states);
  visit("sudden_death.time_share", sudden.time_share);

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

// All digits, so that reading the text gives the same number.
std::string text(double value) {
  std::ostringstream stream;
  stream.imbue(std::locale::classic());
  stream.precision(std::numeric_limits<double>::max_digits10);
  stream << value;
  return stream.str();
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

[[noreturn]] void refuse(const std::string& wanted, const FieldValue& value) {
  throw std::invalid_argument("must be " + wanted + ", not " +
                              std::visit([](const auto& given) { return text(given); }, value));
}

void assign(bool& field, const FieldValue& value) {
  if (!std::holds_alternative<bool>(value)) refuse("true or false", value);
  field = std::get<bool>(value);
}

template <class Whole, class = std::enable_if_t<std::is_integral_v<Whole>>>
void assign(Whole& field, const FieldValue& value) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<Whole>::max());
  const auto* number = std::get_if<std::uint64_t>(&value);
  if (number == nullptr || *number > kMost) refuse("a whole number 0 .. " + text(kMost), value);
  field = static_cast<Whole>(*number);
}

void assign(double& field, const FieldValue& value) {
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) {
    field = static_cast<double>(*whole);
  } else if (const auto* number = std::get_if<double>(&value)) {
    field = *number;
  } else {
    refuse("a number", value);
  }
}

void assign(std::string& field, const FieldValue& value) {
  const auto* name = std::get_if<std::string>(&value);
  if (name == nullptr) refuse("a name", value);
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
  refuse("one of " + known, value);
}

void assign(const Mebibytes& memory, const FieldValue& value) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max() >> Mebibytes::kShift;
  std::size_t number = 0;
  assign(number, value);
  if (number > kMost) refuse("a whole number 0 .. " + text(kMost), value);
  memory.bytes = number << Mebibytes::kShift;
}

}  // namespace

void set_field(Config& config, const std::string& key, const FieldValue& value) {
  for_the_field(config, key, [&](auto&& field) {
    try {
      assign(field, value);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(key + " " + error.what());
    }
  });
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

std::string describe(const Config& config) {
  Config copy = config;
  std::string result;
  for_each_field(copy, [&](const std::string& key, auto&& field) { result += key + " = " + text(field) + "\n"; });
  return result;
}

}  // namespace ggp

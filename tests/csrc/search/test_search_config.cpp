// The fields of the configuration by name: every member has a key, and every key accepts valid values only.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "check.hpp"
#include "search/config/config_fields.hpp"

namespace {

using namespace ggp;

// Counts the members of a struct without constructors: the most values with which it can be initialised.
struct Anything {
  template <class Type>
  operator Type() const;
};

template <class Struct, class = void, class... Values>
struct Members {
  static constexpr std::size_t kCount = sizeof...(Values) - 1;
};

template <class Struct, class... Values>
struct Members<Struct, std::void_t<decltype(Struct{std::declval<Values>()...})>, Values...> {
  static constexpr std::size_t kCount = Members<Struct, void, Values..., Anything>::kCount;
};

template <class Struct>
constexpr std::size_t members() {
  return Members<Struct>::kCount;
}

TEST(every_member_has_a_key) {
  // Sections are members, too, but have no key of their own.
  constexpr std::size_t sections_at_the_top = 8, sections_of_selection = 4, sections_of_playout = 4, bonuses = 2;
  constexpr std::size_t keys = members<Config>() - sections_at_the_top + members<TreeConfig>() +
                               members<SelectionConfig>() - sections_of_selection + members<GraveConfig>() +
                               members<EvaluationConfig>() + members<ImplicitMinimaxConfig>() +
                               members<PriorsConfig>() + members<PuctConfig>() + members<BackupConfig>() +
                               members<PlayoutConfig>() - sections_of_playout + members<EarlyTerminationConfig>() +
                               members<ReplyForestConfig>() + members<PoolConfig>() + members<RankConfig>() +
                               members<RewardConfig>() - bonuses + bonuses * members<BonusConfig>() +
                               members<SolverConfig>() + members<SuddenDeathConfig>();
  std::set<std::string> known;
  for (const FieldEntry& entry : field_entries()) known.insert(entry.key);
  CHECK_EQUAL(known.size(), keys);
  CHECK_EQUAL(field_entries().size(), keys);
}

// The one line of the configuration's description that names the key.
std::string line_of(const Config& config, const std::string& key) {
  const std::string all = "\n" + describe(config);
  const std::size_t begin = all.find("\n" + key + " = ") + 1;
  CHECK(begin != 0);
  return all.substr(begin, all.find('\n', begin) - begin);
}

// Sets a field to an invalid value; returns the message.
std::string complaint(const std::string& key, const FieldValue& value) {
  Config config;
  const std::string before = describe(config), found = refusal([&] { set_field(config, key, value); });
  CHECK(!found.empty() && describe(config) == before);
  return found;
}

TEST(values_land_in_their_fields) {
  Config config;
  set_field(config, "in_flight", std::uint64_t{8});
  set_field(config, "seed", std::numeric_limits<std::uint64_t>::max());
  set_field(config, "memory_mb", std::uint64_t{3});
  set_field(config, "selection.formula", std::string("ucb1-tuned"));
  set_field(config, "selection.exploration", std::uint64_t{2});
  set_field(config, "selection.grave.reference", std::uint64_t{7});
  set_field(config, "playout.policy", std::string("game-mast"));
  set_field(config, "playout.unknown", -1.0);
  set_field(config, "reward.qualitative_bonus.a", 0.1);
  set_field(config, "solver.enabled", false);
  CHECK_EQUAL(config.in_flight, 8);
  CHECK_EQUAL(config.seed, std::numeric_limits<std::uint64_t>::max());
  CHECK_EQUAL(config.memory_bytes, std::size_t{3} << 20);
  CHECK(config.selection.formula == SelectionConfig::Formula::kUcb1Tuned);
  CHECK_EQUAL(config.selection.exploration, 2.0);
  CHECK_EQUAL(config.selection.grave.reference, 7u);
  CHECK(config.playout.policy == PlayoutConfig::Policy::kGameMast);
  CHECK_EQUAL(config.playout.unknown, -1.0);
  CHECK_EQUAL(config.reward.qualitative_bonus.a, 0.1);
  CHECK_EQUAL(config.reward.relative_bonus.a, BonusConfig().a);
  CHECK(!config.solver.enabled);

  CHECK_EQUAL(line_of(config, "memory_mb"), "memory_mb = 3");
  CHECK_EQUAL(line_of(config, "selection.formula"), "selection.formula = \"ucb1-tuned\"");
  CHECK_EQUAL(line_of(config, "solver.enabled"), "solver.enabled = false");
  CHECK_EQUAL(std::stod(line_of(config, "reward.qualitative_bonus.a").substr(29)), 0.1);
}

TEST(unsuitable_configurations_are_refused) {
  CHECK_EQUAL(complaint("solver.enabled", std::uint64_t{1}), "solver.enabled must be true or false, not 1");
  CHECK_EQUAL(complaint("playout.ngram", true), "playout.ngram must be a whole number 2 .. 3, not true");
  CHECK_EQUAL(complaint("playout.limit", std::uint64_t{1} << 32),
              "playout.limit must be 1 .. 2147483648, not 4294967296");
  CHECK_EQUAL(complaint("playout.limit", 1.5), "playout.limit must be a whole number 1 .. 2147483648, not 1.5");
  CHECK_EQUAL(complaint("memory_mb", std::uint64_t{1} << 44),
              "memory_mb must be 1 .. 1099511627776, not 17592186044416");
  CHECK_EQUAL(complaint("playout.decay", std::string("a")), "playout.decay must be a number 0 .. 1, not \"a\"");
  CHECK_EQUAL(complaint("playout.mast_moves", std::string("best")),
              "playout.mast_moves must be one of \"all\", \"policy\", not \"best\"");
  CHECK_EQUAL(complaint("reward.source", false), "reward.source must be one of \"goal\", \"quality\", not false");
  for (const char* key : {"", "playout", "playout.", "bias", "Seed"}) {
    CHECK_EQUAL(complaint(key, true).rfind("the search has no key " + std::string(key) + "; known are in_flight,", 0),
                std::size_t{0});
  }
}

// The error message of check_fields(); empty without an error.
template <class Change>
std::string complaint_about(Change change) {
  Config config;
  change(config);
  return refusal([&] { check_fields(config); });
}

TEST(ranges_are_checked_however_a_field_was_set) {
  CHECK_EQUAL(complaint_about([](Config&) {}), "");
  CHECK_EQUAL(complaint_about([](Config& config) { config.in_flight = 513; }), "in_flight must be 1 .. 512, not 513");
  CHECK_EQUAL(complaint_about([](Config& config) { config.memory_bytes = 1000; }),
              "memory_mb must be 1 .. 1099511627776, not 0");
  CHECK_EQUAL(complaint_about([](Config& config) { config.selection.exploration = -0.1; }),
              "selection.exploration must be finite and at least 0, not -0.1");
  CHECK_EQUAL(complaint_about([](Config& config) { config.playout.rank.sharpness = 1; }),
              "playout.rank.sharpness must be 0.01 .. 0.99, not 1");
  CHECK_EQUAL(complaint_about([](Config& config) { config.reward.qualitative_bonus.k = 1000.5; }),
              "reward.qualitative_bonus.k must be 0 .. 1000, not 1000.5");
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK_EQUAL(complaint_about([&](Config& config) { config.selection.exploration = infinity; }),
              "selection.exploration must be finite and at least 0, not inf");
}

TEST(ranges_are_known_by_key) {
  for (const FieldEntry& entry : field_entries()) {
    const std::string& key = entry.key;
    const std::string beginning = key + " must be ";
    Config config;
    if (entry.kind == "whole") {
      CHECK(entry.low < entry.high);
      set_field(config, key, entry.low);
      set_field(config, key, entry.high);
      check_fields(config);
      const std::string range = beginning + std::to_string(entry.low) + " .. ";
      if (entry.low > 0) CHECK(complaint(key, entry.low - 1).rfind(range, 0) == 0);
      if (entry.high + 1 > 0) CHECK(complaint(key, entry.high + 1).rfind(range, 0) == 0);
    } else if (entry.kind == "real") {
      CHECK(entry.least < entry.most);
      set_field(config, key, entry.least);
      CHECK(complaint(key, entry.least - 0.001).rfind(beginning, 0) == 0);
      CHECK(complaint(key, entry.most + 0.001).rfind(beginning, 0) == 0);
      CHECK(complaint(key, std::numeric_limits<double>::quiet_NaN()).rfind(beginning, 0) == 0);
    }
  }
}

TEST(words_are_known_by_key) {
  for (const FieldEntry& entry : field_entries()) {
    CHECK_EQUAL(entry.words.empty(), entry.kind != "word");
    if (entry.key == "selection.formula") {  // stored trees contain the numbers of these words
      const std::vector<std::string> first(entry.words.begin(), entry.words.begin() + 4);
      CHECK(first == (std::vector<std::string>{"uct", "ucb1", "ucb1-tuned", "puct"}));
    }
    Config config;
    for (const std::string& word : entry.words) {
      set_field(config, entry.key, word);
      CHECK_EQUAL(line_of(config, entry.key), entry.key + " = \"" + word + "\"");
    }
  }
}

}  // namespace

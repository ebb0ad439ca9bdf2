// Searches side by side on one simulator: each makes the same tree as alone.
#include <memory>
#include <vector>

#include "check.hpp"
#include "fixtures/games.hpp"
#include "fixtures/lanes_of.hpp"
#include "fixtures/limits.hpp"
#include "search/driver/side_by_side.hpp"

namespace {

using namespace ggp;

Config config_of(int in_flight, std::uint64_t seed, double exploration) {
  Config config;
  config.in_flight = in_flight;
  config.seed = seed;
  config.selection.exploration = exploration;
  return config;
}

// The work of one search: runs of given lengths, with a joint move between the second and the third.
struct Story {
  int first_lane;
  Config config;
  std::vector<std::uint64_t> runs;
  std::vector<std::uint64_t> hashes;
};

template <class Game>
std::vector<std::uint64_t> told_alone(const Story& story, const std::vector<int>& moves) {
  LanesOf<Game> lanes(512);
  Searcher searcher(lanes, story.config);
  std::vector<std::uint64_t> hashes;
  for (std::size_t i = 0; i < story.runs.size(); ++i) {
    if (i == 2) searcher.advance(moves);
    searcher.run(simulations(story.runs[i]));
    hashes.push_back(searcher.tree_hash());
  }
  return hashes;
}

template <class Game>
void neighbours_do_not_matter(const std::vector<int>& moves) {
  LanesOf<Game> lanes(256), scout(64);
  SideBySide searches(lanes, scout);
  std::vector<Story> stories;
  // Blocks of one lane, of several lanes, across two groups, and of a complete group; runs of all lengths.
  int lane = 3;
  for (int in_flight : {1, 1, 7, 1, 30, 40, 1, 64, 2, 5}) {
    const auto seed = static_cast<std::uint64_t>(lane);
    Config config = config_of(in_flight, seed, 0.5 + 0.01 * lane);
    config.selection.grave.enabled = lane % 2 == 0;
    config.selection.grave.reference = 20;
    using Policy = PlayoutConfig::Policy;
    config.playout.policy = lane % 3 == 0 ? Policy::kUniform : lane % 3 == 1 ? Policy::kMast : Policy::kNst;
    stories.push_back({lane, config, {100 + seed * 3, 40, 500, 1 + seed}, {}});
    lane += in_flight;
  }
  std::vector<std::unique_ptr<Searcher>> searchers;
  for (Story& story : stories) {
    searchers.push_back(
        std::make_unique<Searcher>(searches.lanes(), searches.scout(), story.config));
    searches.start(*searchers.back(), story.first_lane, story.runs[0]);
  }
  std::size_t left = stories.size();
  while (left > 0) {
    const std::vector<Searcher*> done = searches.run(never, nullptr);
    CHECK(!done.empty());
    for (Searcher* searcher : done) {
      std::size_t which = 0;
      while (searchers[which].get() != searcher) ++which;
      Story& story = stories[which];
      CHECK_EQUAL(searcher->statistics().simulations, story.runs[story.hashes.size()]);
      story.hashes.push_back(searcher->tree_hash());
      if (story.hashes.size() == 2) searcher->advance(moves);
      if (story.hashes.size() < story.runs.size()) {
        searches.start(*searcher, story.first_lane, story.runs[story.hashes.size()]);
      } else {
        --left;
      }
    }
  }
  CHECK(searches.run(never, nullptr).empty());
  for (const Story& story : stories) CHECK(told_alone<Game>(story, moves) == story.hashes);
}

TEST(runs_may_follow_each_other_in_the_same_lanes_or_others) {
  LanesOf<TicTacToe> lanes(64), scout(64);
  SideBySide searches(lanes, scout);
  Searcher first(searches.lanes(), searches.scout(), config_of(4, 1, 1.0));
  Searcher second(searches.lanes(), searches.scout(), config_of(2, 2, 1.0));
  int lane = 5;
  for (Searcher* searcher : {&first, &second, &first}) {
    searches.start(*searcher, lane, 300);
    lane += 1;
    CHECK(searches.run(never, nullptr) == std::vector<Searcher*>{searcher});
  }
  CHECK_EQUAL(first.statistics().visits, std::uint64_t{600});
  CHECK_EQUAL(second.statistics().visits, std::uint64_t{300});
  LanesOf<TicTacToe> own(64);
  Searcher alone(own, config_of(4, 1, 1.0));
  for (int run = 0; run < 2; ++run) alone.run(simulations(300));
  CHECK_EQUAL(first.tree_hash(), alone.tree_hash());
}

TEST(running_searches_are_not_changed) {
  LanesOf<MatchingPennies<21>> lanes(64), scout(64);
  SideBySide searches(lanes, scout);
  Searcher searcher(searches.lanes(), searches.scout(), config_of(8, 1, 1.0));
  searches.start(searcher, 0, ~std::uint64_t{0});
  CHECK_THROWS(std::logic_error, searches.start(searcher, 0, 1));
  CHECK_THROWS(std::logic_error, searcher.advance({0, 0}));
  int asked = 0;
  const auto second_time = [](void* context) { return ++*static_cast<int*>(context) == 2; };
  CHECK(searches.run(second_time, &asked).empty());
  CHECK_EQUAL(asked, 2);
  searches.stop();
  searcher.advance({0, 0});
  searches.start(searcher, 56, 10);
  CHECK_EQUAL(searches.run(never, nullptr).size(), std::size_t{1});
  CHECK_EQUAL(searcher.statistics().simulations, std::uint64_t{10});
}

TEST(nothing_to_search_is_done_at_once) {
  LanesOf<OverAtOnce> lanes(64), scout(64);
  SideBySide searches(lanes, scout);
  Searcher searcher(searches.lanes(), searches.scout(), config_of(1, 1, 1.0));
  searches.start(searcher, 63, 100);
  CHECK(searches.run(never, nullptr) == std::vector<Searcher*>{&searcher});
  CHECK(searcher.statistics().terminal);
  for (int lane : {-1, 64}) CHECK_THROWS(std::invalid_argument, searches.start(searcher, lane, 1));
}

}  // namespace

TESTS(int, char**) {
  neighbours_do_not_matter<TicTacToe>({4, 9});
  neighbours_do_not_matter<MatchingPennies<7>>({0, 1});
  neighbours_do_not_matter<ThreePlayerNim>({2, 0, 0});
}

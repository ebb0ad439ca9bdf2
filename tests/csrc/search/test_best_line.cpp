// The best line of a search of a game of one role: found, replayed, kept while its moves are played.
#include <algorithm>
#include <functional>
#include <vector>

#include "check.hpp"
#include "fixtures/games.hpp"
#include "fixtures/lanes_of.hpp"
#include "fixtures/limits.hpp"
#include "fixtures/random_game.hpp"
#include "search/driver/searcher.hpp"

namespace {

using namespace ggp;
using Puzzle = RandomGame<1, false, Sum::kFree>;

std::vector<Config> configurations() {
  std::vector<Config> all(5);
  all[0].in_flight = 1;
  all[1].in_flight = 64;
  all[2].playout.policy = PlayoutConfig::Policy::kMast;
  all[3].selection.grave.enabled = true;
  all[4].tree.transpositions = true;
  for (Config& config : all) config.memory_bytes = kLeastMemory;
  return all;
}

// The goal at the end of moves from a state; -1 if they are not a line.
int goal_after(Puzzle::State state, const std::vector<int>& moves) {
  for (const int move : moves) {
    if (Puzzle::terminal(state)) return -1;
    std::vector<int> legal(5);
    legal.resize(Puzzle::legal(state, 0, legal.data()));
    if (std::find(legal.begin(), legal.end(), move) == legal.end()) return -1;
    state = Puzzle::next(state, &move);
  }
  return Puzzle::terminal(state) ? Puzzle::goal(state, 0) : -1;
}

void each_puzzle(const std::function<void(const Config&)>& look) {
  Puzzle::plies = 7;
  for (const Config& config : configurations()) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      Puzzle::seed = seed;
      Puzzle::width = seed % 2 == 0 ? 5 : 0;  // few states of a ply: several moves lead to the same state
      look(config);
    }
  }
}

TEST(a_proven_goal_has_its_line) {
  each_puzzle([](const Config& config) {
    LanesOf<Puzzle> lanes(64);
    Searcher searcher(lanes, config);
    searcher.run(simulations(100'000));
    const Searcher::Line line = searcher.best_line();
    CHECK_EQUAL(line.goal, solve<Puzzle>(Puzzle::initial())[0]);
    CHECK_EQUAL(goal_after(Puzzle::initial(), line.moves), line.goal);
  });
}

TEST(lines_get_better_and_the_tree_stays) {
  each_puzzle([](const Config& config) {
    LanesOf<Puzzle> lanes(64), others(64);
    Searcher searcher(lanes, config), silent(others, config);
    int before = -1;
    for (int run = 0; run < 10; ++run) {
      searcher.run(simulations(7));
      silent.run(simulations(7));
      const Searcher::Line line = searcher.best_line();
      CHECK(line.goal >= before && line.goal == goal_after(Puzzle::initial(), line.moves));
      CHECK(line.moves == searcher.best_line().moves);
      before = line.goal;
    }
    CHECK(before >= 0);
    CHECK_EQUAL(searcher.tree_hash(), silent.tree_hash());
    CHECK(silent.best_line().moves == searcher.best_line().moves);
  });
}

TEST(a_line_is_kept_over_its_moves_alone) {
  each_puzzle([](const Config& config) {
    for (const bool follows : {true, false}) {
      LanesOf<Puzzle> lanes(64);
      Searcher searcher(lanes, config);
      searcher.run(simulations(30));
      const Searcher::Line line = searcher.best_line();
      if (line.moves.size() < 2) continue;
      std::vector<int> legal(5);
      legal.resize(Puzzle::legal(Puzzle::initial(), 0, legal.data()));
      const int other = legal[0] == line.moves[0] ? legal[1] : legal[0];
      searcher.advance({follows ? line.moves[0] : other});
      const Searcher::Line rest = searcher.best_line();
      CHECK_EQUAL(rest.goal, follows ? line.goal : -1);
      CHECK(rest.moves == (follows ? std::vector<int>(line.moves.begin() + 1, line.moves.end()) : std::vector<int>()));
      searcher.set_root(lanes.initial());
      CHECK_EQUAL(searcher.best_line().goal, -1);
    }
  });
}

TEST(several_roles_have_none) {
  LanesOf<RandomGame<2, false, Sum::kFree>> lanes(64);
  Searcher searcher(lanes, Config());
  searcher.run(simulations(200));
  CHECK_EQUAL(searcher.best_line().goal, -1);
}

}  // namespace

// Play-outs by a pool: the moves that a hand-made table of all moves as first gives.
#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

#include "check.hpp"
#include "fixtures/games.hpp"
#include "fixtures/interface_of.hpp"
#include "fixtures/lanes_of.hpp"
#include "games/registry.hpp"
#include "search/playout/pool_playout.hpp"
#include "search/tree/tree.hpp"

namespace {

using namespace ggp;

// The moves that the first role makes in the initial state over 200 turns of one lane, if the table has these means.
std::set<int> played(Simulator& simulator, const PoolConfig& config, const std::vector<AmafSum>& table, MoveDraw fallback) {
  PoolPlayout playout(config, fallback, simulator);
  MoveLearner& learner = playout;
  Lanes lanes(simulator);
  const std::uint64_t first = 1, *const initial = simulator.initial();
  std::set<int> moves;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    simulator.load(&first, &initial);
    simulator.seed(0, seed);
    learner.begin(0, seed);
    learner.leave_tree(0, table.empty() ? nullptr : table.data());
    lanes.evaluate();
    learner.choose(lanes, &first);
    lanes.step();
    CHECK_EQUAL(learner.choices(0).size(), 1u);
    moves.insert(static_cast<int>(learner.choices(0)[0].move));
  }
  return moves;
}

TEST(plies_draw_from_the_best_moves_of_the_table) {
  LanesOf<TicTacToe> lanes(64);
  std::vector<AmafSum> table(20);  // ten moves of each role
  for (int move = 0; move < 9; ++move) table[move] = {-1, 10};
  table[4] = {5, 10};
  table[8] = {2, 10};
  table[2] = {0, 0};   // no data
  table[10 + 3] = {10, 10};  // of the other role
  const MoveDraw uniform = MoveDraw::kUniform;
  CHECK(played(lanes, {2, 1, 50}, table, uniform) == (std::set<int>{4, 8}));
  CHECK(played(lanes, {1, 1, 50}, table, uniform) == std::set<int>{4});
  CHECK(played(lanes, {3, 1, 50}, table, uniform) == (std::set<int>{0, 4, 8}));  // of equal means the lower move
  // With other draws, without a table, and if the move of the pool is not legal, every move is possible.
  CHECK_EQUAL(played(lanes, {1, 0.5, 50}, table, uniform).size(), 9u);
  CHECK_EQUAL(played(lanes, {1, 0, 50}, table, uniform).size(), 9u);
  CHECK_EQUAL(played(lanes, {1, 1, 50}, {}, uniform).size(), 9u);
  table[9] = {10, 10};  // waiting, which is not legal for the role to move
  CHECK_EQUAL(played(lanes, {1, 1, 50}, table, uniform).size(), 9u);
}

// Native games look moves up. The light policy of Go never passes on an empty board, so a pass in the pool is not played.
TEST(native_games_draw_from_the_pool_and_by_their_policy) {
  for (const auto& module : modules()) {
    const std::string name = module->facts().name;
    if (name != "go_5x5" && name != "kalah" && name != "breakthrough_6x6") continue;
    const std::unique_ptr<Simulator> simulator = module->simulator(64, false);
    const bool is_go = name == "go_5x5";
    const MoveDraw fallback = is_go ? MoveDraw::kLight : MoveDraw::kPolicy;
    std::vector<int> legal(simulator->moves(0));
    simulator->evaluate();
    legal.resize(simulator->legal(0, 0, legal.data()));
    simulator->step();
    std::vector<AmafSum> table(simulator->moves(0) + simulator->moves(1));
    for (const int move : legal) table[move] = {0.1f * static_cast<float>(move), 1};
    const int best = legal[legal.size() - 1 - is_go];  // the last move of Go is the pass
    table[best].reward = 1000;
    CHECK(played(*simulator, {1, 1, 50}, table, fallback) == std::set<int>{best});
    CHECK(played(*simulator, {1, 0.3, 50}, table, fallback).size() > 1);
    if (!is_go) continue;
    table[legal.back()].reward = 2000;
    CHECK_EQUAL(played(*simulator, {1, 1, 50}, table, fallback).size(), 25u);
  }
}

}  // namespace

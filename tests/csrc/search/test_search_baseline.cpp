// Searches as the programs of papers make them: every turn begins with an empty tree, and untried moves are in random
// order.
#include <vector>

#include "check.hpp"
#include "fixtures/games.hpp"
#include "fixtures/lanes_of.hpp"
#include "fixtures/limits.hpp"
#include "fixtures/tree_checks.hpp"
#include "search/driver/searcher.hpp"
#include "search/playout/move_order.hpp"

namespace {

using namespace ggp;
using Policy = PlayoutConfig::Policy;

Config config_of(Policy policy) {
  Config config;
  config.in_flight = 1;
  config.playout.policy = policy;
  return config;
}

// The moves of the root in the order in which they were tried.
std::vector<std::uint32_t> order_at_root(const Config& config, std::uint64_t count) {
  LanesOf<TicTacToe> lanes(64);
  Searcher searcher(lanes, config);
  searcher.run(simulations(count));
  const Tree& tree = searcher.tree();
  const Choice& choice = tree.node(tree.root()).choices()[0];
  std::vector<std::uint32_t> moves;
  for (std::uint32_t i = 0; i < choice.tried; ++i) moves.push_back(tree.move(choice, i));
  return moves;
}

TEST(the_tree_is_kept_or_not) {
  for (const bool reuse : {true, false}) {
    for (const bool shares : {true, false}) {
      Config config = config_of(Policy::kMast);
      config.tree.reuse = reuse;
      config.tree.transpositions = shares;
      LanesOf<TicTacToe> lanes(64);
      Searcher searcher(lanes, config);
      searcher.run(simulations(1000));
      searcher.advance({4, 9});
      const Tree& tree = searcher.tree();
      CHECK_EQUAL(tree.node(tree.root()).visits > 0, reuse);
      if (!reuse) CHECK_EQUAL(tree.nodes(), std::size_t{1});
      CHECK_EQUAL(tree.node(tree.root()).mover, 1);
      const Statistics found = searcher.run(simulations(500));
      if (!reuse) CHECK_EQUAL(found.visits, std::uint64_t{500});
      check_consistent(tree);
    }
  }
}

TEST(untried_moves_are_ordered_or_not) {
  for (const Policy policy : {Policy::kMast, Policy::kNst, Policy::kRank}) {
    Config config = config_of(policy);
    // Play-outs do not affect the random order of the first moves.
    config.playout.orders_tree = false;
    CHECK(order_at_root(config, 9) == order_at_root(config_of(Policy::kUniform), 9));
    config.playout.orders_tree = true;
    CHECK(order_at_root(config, 9) != order_at_root(config_of(Policy::kUniform), 9));
  }
}

// With decay = 0 the order of ranks is forgotten with the averages.
TEST(ranks_are_forgotten) {
  Config config;
  for (const double decay : {0.0, 0.5}) {
    config.playout.decay = decay;
    MoveOrder order(config, {4});
    const std::vector<std::uint32_t> first(order.orders()[0], order.orders()[0] + 4);
    const RankDraw even = order.draw();
    for (int move = 0; move < 4; ++move) order.averages().learn(0, move, 0.1 * move);
    order.sort();
    CHECK(order.draw().kind != even.kind);
    order.played();
    CHECK_EQUAL(order.draw().kind == even.kind, decay == 0);
    CHECK_EQUAL(order.averages().visits(0, 3) == 0, decay == 0);
  }
}

}  // namespace

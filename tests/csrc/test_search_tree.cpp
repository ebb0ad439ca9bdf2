// Links: search
//
// The parts below the driver: arena, joint table, tree, UCT.
#include <algorithm>
#include <cmath>
#include <set>

#include "check.hpp"
#include "search/config.hpp"
#include "search/reward.hpp"
#include "search/selection.hpp"
#include "search/traversal.hpp"
#include "search/tree.hpp"

namespace {

using namespace ggp;

LegalMoves legal_of(const std::vector<int>& counts) {
  LegalMoves legal;
  legal.begin.push_back(0);
  for (int count : counts) {
    for (int move = 0; move < count; ++move) legal.moves.push_back(10 * move + 7);
    legal.begin.push_back(legal.moves.size());
  }
  return legal;
}

void arena_keeps_items_in_place_and_blocks_together() {
  TypedArena<int> arena(8, 5);
  int* first = arena.at(arena.allocate(1));
  *first = 42;
  std::size_t last_end = 1;
  for (int round = 0; round < 1000; ++round) {
    const Index block = arena.allocate(5);
    CHECK(block >= last_end);
    CHECK_EQUAL(arena.at(block + 4) - arena.at(block), 4);
    for (int i = 0; i < 5; ++i) arena.at(block)[i] = round;
    last_end = block + 5;
  }
  CHECK_EQUAL(*first, 42);
  CHECK(first == arena.at(0));
  CHECK_EQUAL(arena.bytes(), arena.size() * sizeof(int));
}

void arena_refuses_more_than_indices_can_name() {
  Arena arena(1, 1);
  CHECK_THROWS(std::bad_alloc, arena.allocate(std::size_t{1} << 32));
  CHECK_EQUAL(arena.size(), std::size_t{0});
}

void joint_table_finds_what_was_added() {
  JointTable table;
  CHECK_EQUAL(table.find(3, 5), kNone);
  Index previous = kNone;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const std::size_t before = table.bytes(), cost = table.cost_of_add();
    previous = table.add(static_cast<Index>(i % 7), i, previous);
    CHECK_EQUAL(table.bytes(), before + cost);
  }
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const Index found = table.find(static_cast<Index>(i % 7), i);
    CHECK(found != kNone);
    CHECK_EQUAL(table.at(found).code, i);
    CHECK_EQUAL(table.find(static_cast<Index>(i % 7 + 1), i), kNone);
  }
  std::size_t linked = 0;
  for (Index at = previous; at != kNone; at = table.at(at).next) ++linked;
  CHECK_EQUAL(linked, std::size_t{20000});
}

void moves_are_tried_once_each_in_a_random_order() {
  Tree tree(2, 1, 50, std::size_t{1} << 24);
  const Index node = tree.add_node(legal_of({1, 50}));
  CHECK_EQUAL(tree.node(node).mover, 1);
  std::uint64_t random = 9;
  std::vector<std::uint32_t> order;
  for (int i = 0; i < 50; ++i) CHECK_EQUAL(tree.add_action(node, 1, draw(random)), i);
  const Choice& choice = tree.node(node).choices()[1];
  for (std::uint32_t i = 0; i < 50; ++i) order.push_back(tree.actions(choice)[i].move);
  CHECK_EQUAL(std::set<std::uint32_t>(order.begin(), order.end()).size(), std::size_t{50});
  CHECK(!std::is_sorted(order.begin(), order.end()));
}

void given_up_blocks_are_used_again() {
  Tree tree(1, 1, 64, std::size_t{1} << 24);
  const Index first = tree.add_node(legal_of({64}));
  for (int i = 0; i < 33; ++i) tree.add_action(first, 0, i);  // took 2 + 4 + 8 + 16 + 32 + 64
  const std::size_t bytes = tree.bytes();
  const Index second = tree.add_node(legal_of({64}));
  const std::size_t node_bytes = tree.bytes() - bytes;
  for (int i = 0; i < 32; ++i) tree.add_action(second, 0, i);  // 2, 4, 8, 16, 32 were given up
  CHECK_EQUAL(tree.bytes(), bytes + node_bytes);
}

void joint_codes_differ() {
  Tree tree(3, 1, 4, std::size_t{1} << 24);
  const Node& node = tree.node(tree.add_node(legal_of({4, 1, 3})));
  CHECK_EQUAL(node.mover, kSimultaneous);
  std::set<std::uint64_t> codes;
  for (std::uint32_t a = 0; a < 4; ++a) {
    for (std::uint32_t c = 0; c < 3; ++c) {
      const std::uint32_t places[] = {a, 0, c};
      codes.insert(joint_code(node, places, 3));
    }
  }
  CHECK_EQUAL(codes.size(), std::size_t{12});
}

void terminal_outcomes_are_interned() {
  Tree tree(2, 1, 4, std::size_t{1} << 24);
  const int win[] = {100, 0}, loss[] = {0, 100}, undefined[] = {-1, 0};
  const Index a = tree.terminal(win), b = tree.terminal(loss), c = tree.terminal(undefined);
  CHECK(is_terminal(a) && !is_node(a) && a != b && b != c && a != c);
  CHECK_EQUAL(tree.terminal(win), a);
  CHECK_EQUAL(tree.terminal(undefined), c);
  CHECK_EQUAL(tree.goals(b)[1], 100);
  CHECK(!is_terminal(kNone) && !is_node(kNone));
}

// Eq. of selection.hpp by hand: Q + C sqrt(ln(N + O) / (n + o)).
void uct_follows_its_formula() {
  const double c = 1.4;
  const Uct uct(c);
  std::uint64_t random = 1;
  Node node{100, 20, 0, kNone, kNone};
  Choice choice{0.0, 0, 3, 0, 3};
  Action actions[] = {
      {10.0, 50, kNone, 0, 10, 0}, {-9.0, 49, kNone, 1, 0, 0}, {0.0, 0, kNone, 2, 10, 0}};
  auto value = [&](double q, double visits) { return q + c * std::sqrt(std::log(120.0) / visits); };
  const double values[] = {value(10.0 / 50, 60), value(-9.0 / 49, 49), value(0.0, 10)};
  CHECK(values[2] > values[0] && values[0] > values[1]);
  CHECK_EQUAL(uct.select(node, choice, actions, random), 2u);
  actions[2].unobserved = 5000;  // value(0.0, 5000) falls behind
  CHECK_EQUAL(uct.select(node, choice, actions, random), 0u);
  actions[1].reward = 9.0;
  CHECK(value(9.0 / 49, 49) > value(10.0 / 50, 60));
  CHECK_EQUAL(uct.select(node, choice, actions, random), 1u);
  actions[0] = actions[1];
  CHECK_EQUAL(uct.select(node, choice, actions, random), 0u);  // a tie goes to the first
  choice.tried = 2;
  CHECK_EQUAL(uct.select(node, choice, actions, random), 2u);  // an untried move comes first
  // Counts beyond the tables.
  choice.tried = 3;
  node = {2000000, 0, 0, kNone, kNone};
  actions[0] = {500000.0, 1000000, kNone, 0, 0, 0};
  actions[1] = {450000.0, 900000, kNone, 1, 0, 0};
  actions[2] = {49900.0, 100000, kNone, 2, 0, 0};
  CHECK(0.499 + c * std::sqrt(std::log(2e6) / 1e5) > 0.5 + c * std::sqrt(std::log(2e6) / 9e5));
  CHECK_EQUAL(uct.select(node, choice, actions, random), 2u);
}

void ucb1_tuned_follows_its_formula() {
  const double c = 1.4;
  const Ucb1Tuned tuned(c);
  std::uint64_t random = 1;
  const Node node{1000, 0, 0, kNone, kNone};
  const Choice choice{0.0, 0, 2, 0, 2};
  const auto value = [&](double q, double visits) {
    const double p = (q + 1) / 2;
    const double variance = p * (1 - p) + std::sqrt(2 * std::log(1000.0) / visits);
    return q + c * std::sqrt(std::log(1000.0) / visits * std::min(1.0, 4 * variance));
  };
  // The second is as uncertain as can be, the first nearly sure: UCT would take the first.
  Action actions[] = {{760.0, 800, kNone, 0, 0, 0}, {0.0, 5, kNone, 1, 0, 0}};
  for (double reward = 4; reward > -4; reward -= 0.125) {
    actions[1].reward = reward;
    const bool second = value(reward / 5, 5) > value(0.95, 800);
    CHECK_EQUAL(tuned.select(node, choice, actions, random), second ? 1u : 0u);
  }
}

void simultaneous_roles_draw_among_actions_alike() {
  const Uct uct(0.7);
  const Node node{300, 0, kSimultaneous, kNone, kNone};
  const Choice choice{0.0, 0, 3, 0, 3};
  const Action actions[] = {
      {0.0, 100, kNone, 0, 0, 0}, {0.8, 100, kNone, 1, 0, 0}, {-4.0, 100, kNone, 2, 0, 0}};
  std::uint64_t random = 1;
  int drawn[3] = {};
  for (int i = 0; i < 3000; ++i) ++drawn[uct.select(node, choice, actions, random)];
  CHECK_BETWEEN(drawn[0], 1350, 1650);
  CHECK_EQUAL(drawn[0] + drawn[1], 3000);
}

void rewards_run_from_minus_one_to_one() {
  GoalReward reward;
  const int goals[] = {100, 37, -1, 0};
  double rewards[4];
  reward.map({goals, 3, 5, NAN}, 4, rewards);
  CHECK_EQUAL(rewards[0], 1.0);
  CHECK_EQUAL(rewards[1], -0.26);
  CHECK_EQUAL(rewards[2], -1.0);
  CHECK_EQUAL(rewards[3], -1.0);
}

// Builds a tree by descents alone, each with rewards that depend on its number, and takes some back.
void backup_and_withdrawal_keep_the_counts() {
  for (const std::vector<int>& counts : {std::vector<int>{3, 1}, std::vector<int>{2, 3}}) {
    Tree tree(2, 1, 3, std::size_t{1} << 24);
    tree.set_root(tree.add_node(legal_of(counts)));
    const Uct uct(0.7);
    Traversal traversal(tree, uct);
    traversal.seed(4);
    std::vector<Path> paths(40);
    std::size_t expanded = 0;
    for (Path& path : paths) {
      if (traversal.descend(path, tree.root()) != Edge::kExpand) continue;
      traversal.set_child(path, tree.add_node(legal_of(counts)));
      traversal.descend(path, traversal.child(path));
      ++expanded;
    }
    CHECK(expanded > 3);
    CHECK_EQUAL(tree.nodes(), expanded + 1);
    const Node& root = tree.node(tree.root());
    CHECK_EQUAL(root.unobserved, 40);
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const double rewards[] = {i % 2 ? 1.0 : 0.0, 0.25};
      if (i % 4 == 3) {
        traversal.withdraw(paths[i]);
      } else {
        traversal.backup(paths[i], rewards);
      }
    }
    CHECK_EQUAL(root.visits, 30u);
    CHECK_EQUAL(root.choices()[0].reward, 10.0);
    CHECK_EQUAL(root.choices()[1].reward, 7.5);
    for (Index node = 0; node < tree.nodes(); ++node) {
      const Node& here = tree.node(node);
      CHECK_EQUAL(here.unobserved, 0);
      for (int role = 0; role < 2; ++role) {
        const Choice& choice = here.choices()[role];
        double reward = 0;
        std::uint32_t visits = 0;
        for (std::uint32_t i = 0; i < choice.tried; ++i) {
          CHECK_EQUAL(tree.actions(choice)[i].unobserved, 0);
          reward += tree.actions(choice)[i].reward;
          visits += tree.actions(choice)[i].visits;
        }
        if (choice.count > 1) {
          CHECK_EQUAL(visits, here.visits);
          CHECK_EQUAL(reward, choice.reward);
        }
      }
    }
    // The copy of the whole is the whole.
    CHECK_EQUAL(tree.extract(tree.root()).hash(), tree.hash());
    CHECK_EQUAL(tree.extract(tree.root()).nodes(), tree.nodes());
  }
}

void configurations_are_checked() {
  CHECK_EQUAL(checked(Config{}, 128).in_flight, 128);
  Config config;
  config.in_flight = 65;
  CHECK_EQUAL(checked(config, 128).in_flight, 65);
  CHECK_THROWS(std::invalid_argument, checked(config, 64));
  config.in_flight = -1;
  CHECK_THROWS(std::invalid_argument, checked(config, 64));
  config = Config{};
  config.selection.exploration = -0.1;
  CHECK_THROWS(std::invalid_argument, checked(config, 64));
  config.selection.exploration = NAN;
  CHECK_THROWS(std::invalid_argument, checked(config, 64));
  config = Config{};
  config.memory_bytes = 1000;
  CHECK_THROWS(std::invalid_argument, checked(config, 64));
  config = Config{};
  config.playout.limit = 0;
  CHECK_THROWS(std::invalid_argument, checked(config, 64));
}

}  // namespace

int main() {
  arena_keeps_items_in_place_and_blocks_together();
  arena_refuses_more_than_indices_can_name();
  joint_table_finds_what_was_added();
  moves_are_tried_once_each_in_a_random_order();
  given_up_blocks_are_used_again();
  joint_codes_differ();
  terminal_outcomes_are_interned();
  uct_follows_its_formula();
  ucb1_tuned_follows_its_formula();
  simultaneous_roles_draw_among_actions_alike();
  rewards_run_from_minus_one_to_one();
  backup_and_withdrawal_keep_the_counts();
  configurations_are_checked();
}

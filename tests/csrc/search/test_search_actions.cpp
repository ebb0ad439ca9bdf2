// Single-visit actions and full actions: both report the same, and single-visit actions become full as soon as they
// must.
#include <vector>

#include "check.hpp"
#include "fixtures/games.hpp"
#include "fixtures/lanes_of.hpp"
#include "fixtures/legal_of.hpp"
#include "fixtures/limits.hpp"
#include "fixtures/random_game.hpp"
#include "fixtures/tree_checks.hpp"
#include "search/driver/searcher.hpp"
#include "search/driver/traversal.hpp"
#include "search/selection/selection.hpp"

namespace {

using namespace ggp;

void check_alike(const Action& one, const Action& other) {
  CHECK_EQUAL(one.mean, other.mean);
  CHECK_EQUAL(one.visits, other.visits);
  CHECK_EQUAL(one.child, other.child);
  CHECK_EQUAL(one.unobserved, other.unobserved);
  CHECK(one.bounds == other.bounds);
}

// All operations on an action before its second visit.
TEST(a_single_visit_action_reports_what_a_full_one_does) {
  SingleVisitAction one[2];
  Action action[2];
  const Actions single(one, false), full(action, true);
  std::uint64_t random = 7;
  for (int i = 0; i < 1000; ++i) {
    const std::uint32_t place = i % 2;
    const double reward = draw_below(random, 2001) / 1000.0 - 1;
    for (const Actions& actions : {single, full}) actions.add(place);
    check_alike(single[place], full[place]);
    for (const Actions& actions : {single, full}) actions.begin(place);
    check_alike(single[place], full[place]);
    CHECK_EQUAL(single[place].unobserved, 1);
    for (const Actions& actions : {single, full}) actions.withdraw(place);
    check_alike(single[place], full[place]);
    for (const Actions& actions : {single, full}) actions.begin(place);
    for (const Actions& actions : {single, full}) actions.observe(place, reward);
    check_alike(single[place], full[place]);
    CHECK_EQUAL(single[place].visits, 1u);
  }
}

// The data of an action, with its move and its values.
struct Kept {
  Action action;
  std::uint32_t move;
  std::vector<float> values;
};
std::vector<Kept> read(const Tree& tree, Index node, int role) {
  const Choice& choice = tree.node(node).choice(role);
  std::vector<Kept> kept;
  for (std::uint32_t i = 0; i < choice.tried; ++i) {
    kept.push_back({tree.actions(choice)[i], tree.move(choice, i), {}});
    if (tree.values(node) == nullptr) continue;
    const float* values = tree.values(node) + (choice.count - 1 - i) * tree.values_of_move();
    kept.back().values.assign(values, values + tree.values_of_move());
  }
  return kept;
}

void check_kept(const Tree& tree, Index node, int role, const std::vector<Kept>& before) {
  const std::vector<Kept> now = read(tree, node, role);
  CHECK(now.size() >= before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    check_alike(now[i].action, before[i].action);
    CHECK_EQUAL(now[i].move, before[i].move);
    CHECK(now[i].values == before[i].values);
  }
}

// Tries one more move, and completes some simulations.
void try_one(Tree& tree, Index node, int role, std::uint64_t& random) {
  const int place = tree.add_action(node, role, draw(random));
  CHECK(place >= 0);
  const Choice& choice = tree.node(node).choice(role);
  const Actions actions = tree.actions(choice);
  if (place % 5 != 4) actions.begin(place);
  if (place % 5 < 3) actions.observe(place, place % 5 - 1);
}

// Gives a node values that differ by move and role.
void add_values(Tree& tree, Index node) {
  std::vector<float> evaluations;
  for (std::uint32_t i = 0; i < tree.node(node).choices()[0].count * tree.roles(); ++i)
    evaluations.push_back(static_cast<float>(i));
  CHECK(tree.add_values(node, evaluations.data()));
}

// The actions become full by make_full() after `full_after` actions, or with the last action.
void actions_become_full(int roles, int widest, int count, bool evaluates, std::uint32_t full_after) {
  Tree tree(roles, 1, widest, std::size_t{1} << 24, false, 0, evaluates);
  std::vector<int> counts(roles, 1);
  counts.back() = count;
  const Index node = tree.add_node(legal_of(counts), kNoState, true);
  tree.set_root(node);
  if (evaluates) add_values(tree, node);
  const int role = roles - 1;
  const Choice& choice = tree.node(node).choice(role);
  std::uint64_t random = 5;
  for (std::uint32_t tried = 0; tried < choice.count; ++tried) {
    CHECK_EQUAL(choice.tried, tried);
    const std::vector<Kept> before = read(tree, node, role);
    if (tried == full_after) {
      CHECK(!choice.full);
      const std::uint64_t hash = tree.hash();
      CHECK(tree.make_full(node, role) == tree.actions(choice).all());
      check_kept(tree, node, role, before);
      CHECK_EQUAL(tree.hash(), hash);
    }
    CHECK_EQUAL(choice.full, tried >= full_after);
    try_one(tree, node, role, random);
    check_kept(tree, node, role, before);
  }
  CHECK(choice.full);
  tree.discard(node);
  CHECK_EQUAL(tree.bytes(), std::size_t{0});
}

// Each role of a simultaneous node becomes full independently.
TEST(roles_become_full_alone) {
  Tree tree(2, 1, 60, std::size_t{1} << 24);
  tree.set_root(tree.add_node(legal_of({2, 5}), kNoState, true));
  const UctSelection uct(0.7);
  Traversal traversal(tree, uct);
  const double rewards[] = {0.5, -0.5};
  Node& root = tree.node(tree.root());
  for (int i = 1; i <= 6; ++i) {
    Path path;
    traversal.descend(path, tree.root());
    traversal.backup(path, rewards);
    CHECK_EQUAL(root.choice(0).full, i >= 2);
    CHECK_EQUAL(root.choice(1).full, i >= 5);
  }
  CHECK_EQUAL(root.visits, 6u);
}

// A tree of two nodes; the second gets no more memory.
struct Tight {
  Tree tree{2, 1, 2000, std::size_t{1} << 16};
  Index node;
  std::vector<Index> others;

  explicit Tight(int tried) {
    tree.set_root(tree.add_node(legal_of({200, 1}), kNoState, true));
    node = tree.add_node(legal_of({200, 1}), kNoState);
    std::uint64_t random = 3;
    for (int i = 0; i < tried; ++i) {
      try_one(tree, node, 0, random);
      try_one(tree, tree.root(), 0, random);
    }
    for (Index other; (other = tree.add_node(legal_of({3, 1}), kNoState)) != kNone;) others.push_back(other);
  }
  Choice& choice() { return tree.node(node).choice(0); }
  void give_back_others() {
    for (const Index other : others) tree.discard(other);
  }
};

TEST(refused_memory_leaves_single_visit_actions) {
  Tight tight(20);
  Tree& tree = tight.tree;
  const std::vector<Kept> before = read(tree, tight.node, 0);
  CHECK(tree.make_full(tight.node, 0) == nullptr);
  CHECK(!tight.choice().full);
  check_kept(tree, tight.node, 0, before);
  CHECK(tree.make_full(tree.root(), 0) != nullptr);  // never refused
  tight.give_back_others();
  CHECK(tree.make_full(tight.node, 0) != nullptr);
  check_kept(tree, tight.node, 0, before);
}

// A simulation that needs full actions plays out from the node, and a terminal child is not stored.
TEST(simulations_do_without_refused_memory) {
  Tight tight(20);
  Tree& tree = tight.tree;
  const UctSelection uct(0.7);
  Traversal traversal(tree, uct);
  const std::vector<Kept> before = read(tree, tight.node, 0);
  Path path;
  CHECK(traversal.descend(path, tight.node) == Edge::kNoMemory);
  CHECK_EQUAL(path.depth(), 0u);
  CHECK_EQUAL(tree.node(tight.node).unobserved, 0);
  check_kept(tree, tight.node, 0, before);
  const int goals[] = {100, 0};
  path.begins.reserve_more(1);
  path.begins.add(0);
  path.words.reserve_more(2);
  path.words.add(tight.node);
  path.words.add(3);
  traversal.set_child(path, tree.terminal(goals));
  CHECK_EQUAL(traversal.child(path), kNone);
  tight.give_back_others();
  traversal.set_child(path, tree.terminal(goals));
  CHECK(is_terminal(traversal.child(path)));
  CHECK(tight.choice().full);
  // Known data is still used for the choice among existing actions.
  tree.make_full(tight.node, 0)[3].child = kNone;
  check_kept(tree, tight.node, 0, before);
}

// A searched tree stays the same when all its actions become full.
template <class Game>
void searched_trees_are_the_same_with_full_actions(bool transpositions, bool grave, std::size_t memory_bytes) {
  LanesOf<Game> lanes(64);
  Config config;
  config.in_flight = 16;
  config.memory_bytes = memory_bytes;
  config.tree.transpositions = transpositions;
  config.selection.grave.enabled = grave;
  Searcher searcher(lanes, config);
  searcher.run(simulations(6000));
  check_consistent(searcher.tree());
  Tree& tree = const_cast<Tree&>(searcher.tree());  // no run follows
  const std::uint64_t hash = tree.hash();
  CHECK_EQUAL(hash, searcher.tree_hash());
  std::size_t single = 0;
  tree.for_each_node([&](Index index) {
    for (int role = 0; role < Game::roles; ++role) {
      if (!tree.node(index).chooses(role)) continue;
      const Choice& choice = tree.node(index).choice(role);
      single += !choice.full;
      if (memory_bytes > kLeastMemory) CHECK(tree.make_full(index, role) != nullptr);
    }
  });
  CHECK_EQUAL(single > 0, !grave);
  CHECK_EQUAL(tree.hash(), hash);
  check_consistent(tree);
}

using Puzzle = RandomGame<1, false, Sum::kFree>;
using Turns = RandomGame<2, false, Sum::kConstant>;
using AtOnce = RandomGame<2, true, Sum::kFree>;

}  // namespace

TESTS(int, char**) {
  for (const bool evaluates : {false, true}) {
    actions_become_full(2, 100, 1, evaluates, 1);
    actions_become_full(2, 100, 8, evaluates, 8);
    actions_become_full(1, 300, 30, evaluates, 0);
    actions_become_full(2, 3000, 300, evaluates, 7);
    actions_become_full(3, 70000, 40, evaluates, 12);
  }
  Puzzle::plies = Turns::plies = AtOnce::plies = 20;
  Puzzle::width = Turns::width = AtOnce::width = 30;
  for (const bool transpositions : {false, true}) {
    for (const bool grave : {false, true}) {
      for (const std::size_t memory : {kLeastMemory, std::size_t{1} << 26}) {
        searched_trees_are_the_same_with_full_actions<Puzzle>(transpositions, grave, memory);
        searched_trees_are_the_same_with_full_actions<Turns>(transpositions, grave, memory);
        searched_trees_are_the_same_with_full_actions<AtOnce>(transpositions, grave, memory);
      }
    }
  }
}

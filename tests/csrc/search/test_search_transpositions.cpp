// Edges that share nodes: the table, counts of edges while nodes are removed and created, and proofs.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "check.hpp"
#include "fixtures/games.hpp"
#include "fixtures/lanes_of.hpp"
#include "fixtures/legal_of.hpp"
#include "fixtures/limits.hpp"
#include "fixtures/random_game.hpp"
#include "fixtures/tree_checks.hpp"
#include "search/driver/searcher.hpp"

namespace {

using namespace ggp;

Config config_of(int in_flight, bool solver, bool transpositions = true) {
  Config config;
  config.in_flight = in_flight;
  config.solver.enabled = solver;
  config.tree.transpositions = transpositions;
  config.tree.transpositions_from = 0;
  return config;
}

// Few tags, so that many nodes share a tag, and other nodes collide in the slots.
TEST(the_table_keeps_what_was_entered) {
  Transpositions table;
  std::map<Index, std::uint32_t> entered;
  std::uint64_t random = 4;
  for (int round = 0; round < 6000; ++round) {
    if (entered.empty() || draw_below(random, 10) < (round / 600 % 2 == 0 ? 7u : 4u)) {
      const Index node = draw_below(random, 1u << 30);
      const std::uint32_t tag = draw_below(random, 3) == 0 ? draw_below(random, 50) : 0xFFFFFFF0u + draw_below(random, 16);
      if (!entered.emplace(node, tag).second) continue;
      if (table.is_full()) table.grow();
      table.enter(tag, node);
    } else {
      auto gone = entered.lower_bound(draw_below(random, 1u << 30));
      if (gone == entered.end()) gone = entered.begin();
      table.remove(gone->second, gone->first);
      entered.erase(gone);
    }
    if (round % 150 != 0) continue;
    for (const auto& [node, tag] : entered) {
      CHECK_EQUAL(table.find(tag, [node = node](Index found) { return found == node; }), node);
      CHECK_EQUAL(table.find(tag + 1000, [node = node](Index found) { return found == node; }), kNone);
    }
  }
  CHECK(entered.size() > 50);
  while (!entered.empty()) {
    table.remove(entered.begin()->second, entered.begin()->first);
    entered.erase(entered.begin());
  }
  CHECK_EQUAL(table.find(0, [](Index) { return true; }), kNone);
}

TEST(no_collision_merges_states) {
  Tree tree(1, 1, 2, std::size_t{1} << 24, true);
  tree.set_root(tree.add_node(legal_of({2}), kNoState, true));
  const Node& root = tree.node(tree.root());
  std::unordered_map<std::uint32_t, std::uint64_t> by_tag;
  int collisions = 0;
  for (std::uint64_t state = 0; collisions < 3; ++state) {
    const auto [other, first] = by_tag.emplace(Transpositions::tag(&state, 1, 1), state);
    if (first) continue;
    ++collisions;
    const Index one = tree.add_child(root, legal_of({2}), &other->second);
    CHECK_EQUAL(tree.known(root, &state), kNone);
    const Index two = tree.add_child(root, legal_of({2}), &state);
    CHECK(one != two);
    CHECK_EQUAL(tree.known(root, &other->second), one);
    CHECK_EQUAL(tree.known(root, &state), two);
    // The same state a ply later is another node.
    CHECK_EQUAL(tree.known(tree.node(one), &state), kNone);
    tree.discard(one);
    CHECK_EQUAL(tree.known(root, &other->second), kNone);
    CHECK_EQUAL(tree.known(root, &state), two);
  }
}

TEST(edges_and_plies_have_an_end) {
  Tree tree(1, 1, 2, std::size_t{1} << 24, true);
  tree.set_root(tree.add_node(legal_of({2}), kNoState, true));
  Node& root = tree.node(tree.root());
  const std::uint64_t state = 7;
  const Index node = tree.add_child(root, legal_of({2}), &state);
  int parents = 1;
  while (tree.add_parent(node)) ++parents;
  CHECK_EQUAL(parents, int{kMostParents});
  for (; parents > 1; --parents) tree.discard(node);
  CHECK_EQUAL(tree.known(root, &state), node);
  tree.discard(node);
  CHECK_EQUAL(tree.known(root, &state), kNone);
  CHECK_EQUAL(tree.nodes(), std::size_t{1});
  root.set_ply(kMostPly - 1);
  const Index late = tree.add_child(root, legal_of({2}), &state);
  CHECK_EQUAL(tree.known(root, &state), kNone);
  CHECK_EQUAL(tree.node(late).ply(), kMostPly);
  const Index later = tree.add_child(tree.node(late), legal_of({2}), &state);
  CHECK_EQUAL(tree.node(later).ply(), kMostPly);
  tree.discard(later);
  tree.discard(late);
}

// States of many words take only the memory of nonzero bytes, and are read unchanged, also from another tree.
void many_words_are_packed(bool shares) {
  constexpr int kWords = 130;
  std::uint64_t random = 1;
  const auto some_state = [&](std::uint64_t most) {
    std::vector<std::uint64_t> state(kWords);
    for (std::uint64_t i = most == 0 ? 0 : 1 + draw_below(random, most); i > 0; --i)
      state[draw_below(random, kWords)] = mix64(random + i) | 1;
    return state;
  };
  Tree tree(1, kWords, 64, std::size_t{1} << 24, shares);
  const LegalMoves legal = legal_of({64});
  std::vector<std::vector<std::uint64_t>> states{some_state(kWords)};
  tree.set_root(tree.add_node(legal, states[0].data(), true));
  const std::size_t before = tree.bytes(), room = tree.room();
  std::vector<Index> nodes;
  for (int i = 0; i < 60; ++i) {
    states.push_back(some_state(i == 0 ? 0 : i < 30 ? 5 : 200));
    CHECK_EQUAL(tree.known(tree.node(tree.root()), states.back().data()), kNone);
    nodes.push_back(tree.add_child(tree.node(tree.root()), legal, states.back().data()));
    if (i == 29) CHECK(tree.bytes() - before < 30 * (64 + 3 * 8 + 5 * 8 + 64 * 2 + 60));
  }
  std::vector<std::uint64_t> unpacked(kWords);
  for (int i = 0; i < 60; ++i) {
    CHECK(tree.state(nodes[i]) == states[i + 1]);
    CHECK_EQUAL(tree.state(nodes[i], unpacked.data()), static_cast<const std::uint64_t*>(unpacked.data()));
    CHECK(unpacked == states[i + 1]);
    CHECK_EQUAL(tree.known(tree.node(tree.root()), states[i + 1].data()), shares ? nodes[i] : kNone);
    const int place = tree.add_action(tree.root(), 0, 0);
    tree.make_full(tree.root(), 0)[place].child = nodes[i];
  }
  if (shares) check_edges(tree);
  CHECK_EQUAL(tree.nodes(), std::size_t{61});
  auto& choice = tree.node(tree.root()).choices()[0];
  for (std::uint32_t i = 0; i < choice.tried; ++i) tree.discard(std::exchange(tree.actions(choice).all()[i].child, kNone));
  CHECK_EQUAL(tree.nodes(), std::size_t{1});
  CHECK(tree.room() + 10'000 > room);
}

// Tic-tac-toe has 4,520 positions that are not terminal.
TEST(each_position_has_one_node) {
  LanesOf<TicTacToe> lanes(256);
  Config config = config_of(256, false);
  config.selection.exploration = 20;
  Searcher searcher(lanes, config);
  const Statistics found = searcher.run(simulations(80000));
  CHECK_BETWEEN(found.nodes, 4000u, 4520u);
  check_consistent(searcher.tree());
  config.tree.transpositions = false;
  CHECK(Searcher(lanes, config).run(simulations(80000)).nodes > 3 * found.nodes);
}

// From move to move the kept part is complete, and nodes without incoming edges are removed.
// Returns the number of shared nodes.
template <class Game>
std::size_t moves_are_played(int in_flight, bool solver) {
  LanesOf<Game> lanes(64);
  Searcher searcher(lanes, config_of(in_flight, solver));
  std::uint64_t random = 3;
  std::size_t shared = 0;
  for (;;) {
    const Statistics found = searcher.run(simulations(2000));
    const Tree& tree = searcher.tree();
    check_consistent(tree);
    if (found.terminal) break;
    tree.for_each_node([&](Index index) { shared += tree.node(index).parents() > 1; });
    std::vector<int> moves;
    for (const RoleStatistics& role : found.roles) {
      const auto count = std::min<std::uint32_t>(2, static_cast<std::uint32_t>(role.moves.size()));
      moves.push_back(role.moves[draw_below(random, count)].move);
    }
    const Index child = tree.child(tree.root(), moves.data());
    const std::uint64_t hash = child == kNone ? 0 : is_node(child) ? tree.hash(child) : 1;
    searcher.advance(moves);
    if (hash > 1) CHECK_EQUAL(searcher.tree_hash(), hash);
    check_consistent(searcher.tree());
  }
  return shared;
}

using Puzzle = RandomGame<1, false, Sum::kFree>;
using Turns = RandomGame<2, false, Sum::kConstant>;
using Broken = RandomGame<2, false, Sum::kRarelyBroken>;
using Three = RandomGame<3, false, Sum::kFree>;
using AtOnce = RandomGame<2, true, Sum::kFree>;

void set_up(std::uint64_t seed, std::uint64_t plies, std::uint64_t width, std::uint64_t one_in) {
  Puzzle::seed = Turns::seed = Broken::seed = Three::seed = AtOnce::seed = seed;
  Puzzle::plies = Turns::plies = Broken::plies = Three::plies = AtOnce::plies = plies;
  Puzzle::width = Turns::width = Broken::width = Three::width = AtOnce::width = width;
  Puzzle::one_in = Turns::one_in = Broken::one_in = Three::one_in = AtOnce::one_in = one_in;
}

TEST(games_are_played) {
  std::size_t shared = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    set_up(seed, 12, 20, 40);
    const bool solver = seed % 2 == 0;
    const int in_flight = seed < 3 ? 1 : 40;
    shared += moves_are_played<Puzzle>(in_flight, solver);
    shared += moves_are_played<Turns>(in_flight, false);
    shared += moves_are_played<Three>(in_flight, solver);
    shared += moves_are_played<AtOnce>(in_flight, solver);
    shared += moves_are_played<MatchingPennies<9>>(in_flight, solver);
  }
  CHECK(shared > 2000);
}

// Nodes are removed and created in little memory, which includes the table.
template <class Game>
void memory_turns_over(int in_flight, bool solver) {
  LanesOf<Game> lanes(512);
  Config config = config_of(in_flight, solver);
  config.memory_bytes = kLeastMemory;
  config.selection.exploration = 10;
  Searcher searcher(lanes, config);
  std::uint64_t visits = 0;
  std::uint64_t hash = 0;
  for (int part = 0; part < 2; ++part) {
    const Statistics found = searcher.run(simulations(25000));
    visits += found.simulations;
    CHECK_EQUAL(found.visits, visits);
    CHECK(found.bytes <= kLeastMemory + 4096);
    CHECK(found.bytes > kLeastMemory / 2);
    CHECK(searcher.tree_hash() != hash);
    hash = searcher.tree_hash();
    check_consistent(searcher.tree());
    // Some nodes are shared, and some nodes are new.
    const Tree& tree = searcher.tree();
    std::size_t shared = 0, fresh = 0;
    tree.for_each_node([&](Index index) {
      shared += tree.node(index).parents() > 1;
      fresh += tree.node(index).visits < 10;
    });
    CHECK(shared > 20 && fresh > 20);
  }
}

TEST(least_visited_nodes_are_removed) {
  set_up(12, 30, 3000, 100000);
  memory_turns_over<Turns>(256, false);
  memory_turns_over<Turns>(16, true);
  memory_turns_over<Puzzle>(64, false);
  memory_turns_over<Three>(64, true);
  memory_turns_over<AtOnce>(128, false);
}

// A walk around a ring of 12 places that visits the same states again and again. It ends at place 5, with a win
// for role 0 if role 1 had to move there. State: the place, the role to move.
struct Ring {
  static constexpr int roles = 2, words = 2;
  using State = std::array<std::uint64_t, words>;

  static int moves(int) { return 3; }
  static State initial() { return {0, 0}; }
  static bool terminal(const State& state) { return state[0] == 5; }
  static int goal(const State& state, int role) { return static_cast<int>(state[1]) == role ? 100 : 0; }
  static int legal(const State& state, int role, int* out) {
    out[0] = role == static_cast<int>(state[1]) ? 0 : 2;
    out[1] = 1;
    return out[0] == 0 ? 2 : 1;
  }
  static State next(const State& state, const int* moves) {
    return {(state[0] + (moves[state[1]] == 0 ? 1 : 11)) % 12, 1 - state[1]};
  }
};

TEST(there_are_no_cycles) {
  LanesOf<Ring> lanes(64);
  for (bool solver : {false, true}) {
    Config config = config_of(20, solver);
    config.playout.limit = 100;
    Searcher searcher(lanes, config);
    Statistics found;
    for (int turn = 0; turn < 6; ++turn) {
      found = searcher.run(simulations(1500));
      CHECK_EQUAL(found.simulations, std::uint64_t{1500});
      check_consistent(searcher.tree());
      CHECK(found.nodes <= 6u * (found.max_depth + 1));
      searcher.advance({turn % 2 == 0 ? 0 : 2, turn % 2 == 0 ? 2 : 1});
    }
  }
}

// The root has the same proof with and without shared nodes: the value of the game.
TEST(the_same_is_proven) {
  std::uint64_t with = 0, without = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    set_up(seed, 9, 10, 12);
    LanesOf<Turns> lanes(64);
    const int value = FinalBounds<Turns>(true).of(Turns::initial())[0].first;
    for (int in_flight : {1, 30}) {
      for (bool transpositions : {false, true}) {
        Searcher searcher(lanes, config_of(in_flight, true, transpositions));
        const Statistics found = searcher.run(simulations(200000));
        CHECK(found.simulations < 200000);
        for (int role = 0; role < 2; ++role) {
          if (found.roles[role].moves.size() < 2) continue;
          CHECK_EQUAL(int{found.roles[role].bounds.pessimistic}, role == 0 ? value : 100 - value);
          CHECK(found.roles[role].bounds.settled());
        }
        (transpositions ? with : without) += found.simulations;
      }
    }
  }
  CHECK(with < without / 2);
}

// A tree that starts to share nodes during a search has one node for each state afterwards, with equal proofs.
template <class Game>
std::size_t sharing_begins(int in_flight, bool solver) {
  LanesOf<Game> lanes(64);
  Config config = config_of(in_flight, solver, false);
  config.tree.transpositions_from = 300;
  Searcher searcher(lanes, config);
  std::size_t shared = 0;
  for (int turn = 0; turn < 3; ++turn) {
    const Statistics found = searcher.run(simulations(3000));
    const Tree& tree = searcher.tree();
    if (found.terminal) break;
    check_edges(tree);
    tree.for_each_node([&](Index index) {
      CHECK_EQUAL(tree.node(index).unobserved, 0);
      shared += tree.node(index).parents() > 1;
    });
    std::vector<int> moves;
    for (const RoleStatistics& role : found.roles) moves.push_back(role.moves[0].move);
    searcher.advance(moves);
  }
  return shared;
}

TEST(sharing_starts_late) {
  std::size_t shared = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    set_up(seed, 12, 20, 40);
    for (int in_flight : {1, 40}) {
      shared += sharing_begins<Puzzle>(in_flight, true);
      shared += sharing_begins<Turns>(in_flight, false);
      shared += sharing_begins<Turns>(in_flight, true);
      shared += sharing_begins<Three>(in_flight, true);
      shared += sharing_begins<AtOnce>(in_flight, true);
    }
  }
  CHECK(shared > 300);
  // States that rarely repeat are not shared.
  set_up(5, 30, 100000000, 100000);
  CHECK_EQUAL(sharing_begins<Turns>(40, false), std::size_t{0});
}

// Sharing keeps the counts of a run: exactly the requested simulations.
TEST(sharing_costs_no_simulation) {
  LanesOf<TicTacToe> lanes(64);
  Config config = config_of(64, false, false);
  config.tree.transpositions_from = 1000;
  Searcher searcher(lanes, config);
  const Statistics found = searcher.run(simulations(30000));
  CHECK_EQUAL(found.simulations, std::uint64_t{30000});
  CHECK_EQUAL(found.visits, std::uint64_t{30000});
  CHECK(searcher.tree().shares());
  CHECK(found.nodes <= 4520u);
  const std::uint64_t hash = searcher.tree_hash();
  Searcher again(lanes, config);
  again.run(simulations(30000));
  CHECK_EQUAL(again.tree_hash(), hash);
  config.tree.transpositions_from = 0;
  Searcher never(lanes, config);
  never.run(simulations(30000));
  CHECK(!never.tree().shares());
}

}  // namespace

TESTS(int, char**) {
  many_words_are_packed(false);
  many_words_are_packed(true);
}

// Priors of moves in new nodes: their effect on selection, their tables, and the priors of untried moves.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "check.hpp"
#include "fixtures/games.hpp"
#include "fixtures/lanes_of.hpp"
#include "fixtures/limits.hpp"
#include "fixtures/tree_checks.hpp"
#include "interfaces/evaluations.hpp"
#include "interfaces/move_priors.hpp"
#include "search/driver/searcher.hpp"

namespace {

using namespace ggp;

// The prior of a move of tic-tac-toe in a state: the corners are known to be bad, the squares of the edges are not known.
Prior prior_of(const TicTacToe::State& state, int move) {
  const auto others = static_cast<float>(__builtin_popcountll(state[0]));
  if (move == 4) return {0.5f, 20};
  return move % 2 == 0 ? Prior{-1.0f + others / 100, 1000} : Prior{0, 0};
}

// Tic-tac-toe with these priors, and with an evaluation that is 1 for the role that moved and has the centre, -1 for
// a role that moved and has not, and unknown if the square 8 is taken.
class Known : public LanesOf<TicTacToe>, public MovePriors, public Evaluations {
 public:
  using LanesOf::LanesOf;
  std::unique_ptr<Simulator> clone() const override { return std::make_unique<Known>(lanes()); }

  int move_priors(int lane, int role, bool, float* values, std::uint32_t* visits) override {
    const State state = state_of(lane);
    if (role != TicTacToe::mover(state)) return 0;
    int moves[10];
    const int count = legal(lane, role, moves);
    for (int i = 0; i < count; ++i) {
      values[i] = prior_of(state, moves[i]).value;
      visits[i] = prior_of(state, moves[i]).visits;
    }
    return count;
  }

  std::vector<std::string> evaluations() const override { return {"centre"}; }
  void values(int, const std::uint64_t*, float*) override {}
  int successor_values(int, int lane, int role, float* out) override {
    const State state = state_of(lane);
    if (role != TicTacToe::mover(state)) return 0;
    int moves[10];
    const int count = legal(lane, role, moves);
    for (int i = 0; i < count; ++i) {
      out[2 * i + role] = moves[i] == 8 ? std::numeric_limits<float>::quiet_NaN() : moves[i] == 4 ? 1.0f : -1.0f;
      out[2 * i + 1 - role] = -out[2 * i + role];
    }
    return count;
  }

 private:
  void* find_interface(InterfaceId id) override { return select_interface<MovePriors, Evaluations>(*this, id); }
};

Config config_of(int in_flight) {
  Config config;
  config.in_flight = in_flight;
  config.solver.enabled = false;
  config.selection.priors.source = PriorsConfig::Source::kGame;
  return config;
}

std::map<int, std::uint64_t> visits_at_root(const Statistics& found, int role) {
  std::map<int, std::uint64_t> visits;
  for (const MoveStatistics& move : found.roles[role].moves) visits[move.move] = move.visits;
  return visits;
}

// ---- selection

struct Hand {
  Node node{20, 0, 0, 0, kNone, 0, false, kNoWinner, 0};
  Choice choice{0.0f, 4, 2, true, 0, kUnknown, 0};
  Action actions[2] = {{0.5f, 10, kNone, 0, kUnknown}, {0.5f, 10, kNone, 0, kUnknown}};
  // The sum, two untried moves, the second action, the first action.
  Prior table[5] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}};
  std::uint64_t random = 1;

  std::uint32_t select(const Selection& by, const AmafView* amaf = nullptr) {
    table[0].visits = 0;
    for (int i = 1; i < 5; ++i) table[0].visits += table[i].visits;
    KnownMoves known;
    known.priors = {table, 4};
    if (amaf != nullptr) known.amaf = *amaf;
    return by.select(node, choice, actions, known, random);
  }
};

TEST(untried_moves_are_compared_by_their_priors) {
  const UctSelection greedy(0), uct(1);
  Hand by;
  by.table[1] = {0.4f, 10};
  by.table[2] = {0.6f, 10};
  CHECK_EQUAL(by.select(greedy), 3u);  // the second untried move: 0.6
  by.table[2] = {0.45f, 10};
  CHECK_EQUAL(by.select(greedy), 0u);  // no forced first visit: an action has 0.5
  by.table[3] = {1.0f, 10};
  CHECK_EQUAL(by.select(greedy), 1u);  // (10 * 0.5 + 10 * 1) / 20 = 0.75
  by.table[3] = {1.0f, 0};
  CHECK_EQUAL(by.select(greedy), 0u);  // without visits a prior does not count
  by.table[4] = {-1.0f, 2};
  CHECK_EQUAL(by.select(greedy), 1u);  // (10 * 0.5 - 2 * 1) / 12 = 0.25
  // The visits of priors count in the exploration term: of equal means the one with fewer visits is explored.
  by.table[1] = {0.5f, 10};
  by.table[2] = {0.5f, 9};
  by.table[3] = by.table[4] = {0.5f, 10};
  CHECK_EQUAL(by.select(uct), 3u);
  // A move without a prior comes first.
  by.table[2] = {0, 0};
  by.table[1] = {1.0f, 1000};
  CHECK_EQUAL(by.select(uct), 3u);
}

TEST(untried_moves_with_equal_bounds_are_drawn) {
  Hand by;
  by.table[1] = by.table[2] = {0.9f, 9};
  int drawn[2] = {0, 0};
  for (int i = 0; i < 1000; ++i) ++drawn[by.select(UctSelection(0)) - 2];
  CHECK_BETWEEN(drawn[0], 400, 600);
}

// Both means of GRAVE have the prior (Gelly and Silver, AIJ 2011).
TEST(all_moves_as_first_have_the_priors_too) {
  Hand by;
  const std::uint32_t moves[] = {0, 1, 2, 3};
  AmafSum sums[] = {{0, 0}, {9, 10}, {-10, 10}, {-10, 10}};
  const AmafView amaf{sums, moves, 4, 0.01f};
  by.table[1] = {0.3f, 9};
  by.table[2] = {-0.9f, 9};
  by.table[3] = by.table[4] = {0.0f, 0};
  CHECK_EQUAL(by.select(UctSelection(0), &amaf), 2u);  // 0.3, though the second was good later: near (0.9 - 0.9) / 2
  by.table[2] = {0.5f, 9};
  CHECK_EQUAL(by.select(UctSelection(0), &amaf), 3u);
}

// ---- the search

// A search with priors from the start leaves moves untried that are known to be bad. Without priors, or with priors
// that act after the first visit only, every move is tried.
TEST(known_moves_are_not_tried_first) {
  Known lanes(64);
  Searcher searcher(lanes, config_of(1));
  const auto visits = visits_at_root(searcher.run(simulations(300)), 0);
  for (const int corner : {0, 2, 6, 8}) CHECK_EQUAL(visits.at(corner), std::uint64_t{0});
  for (const int edge : {1, 3, 5, 7}) CHECK(visits.at(edge) > 0);
  CHECK(visits.at(4) > 30);
  Config without;
  without.in_flight = 1;
  Searcher plain(lanes, without);
  for (const auto& [move, count] : visits_at_root(plain.run(simulations(300)), 0)) CHECK(count > 0);
}

// Without exploration the search follows the priors, and a configured number of visits replaces the numbers of the game.
TEST(the_number_of_visits_can_be_configured) {
  Known lanes(64);
  Config config = config_of(1);
  config.selection.exploration = 0;
  config.selection.priors.visits = 1 << 20;
  Searcher searcher(lanes, config);
  const auto visits = visits_at_root(searcher.run(simulations(300)), 0);
  // Every edge once, because nothing is known about it; then the centre, or an edge that won.
  for (const int corner : {0, 2, 6, 8}) CHECK_EQUAL(visits.at(corner), std::uint64_t{0});
  const Tree& tree = searcher.tree();
  const Prior* table = tree.priors(tree.root());
  CHECK_EQUAL(table[0].visits, 5u << 20);
}

TEST(evaluations_of_successors_are_priors) {
  Known lanes(64);
  Config config = config_of(1);
  config.evaluation.name = "centre";
  config.selection.exploration = 0.01;
  config.selection.priors.source = PriorsConfig::Source::kEvaluation;
  config.selection.priors.visits = 1000;
  Searcher searcher(lanes, config);
  const auto visits = visits_at_root(searcher.run(simulations(200)), 0);
  // The evaluation does not know the square 8, so it is tried first.
  for (const int move : {0, 1, 2, 3, 5, 6, 7}) CHECK_EQUAL(visits.at(move), std::uint64_t{0});
  CHECK(visits.at(8) > 0);
  CHECK(visits.at(4) > 0);
}

// Every node has the priors of its own moves, in the order of their list, for any set of tried moves.
void check_tables(const Tree& tree) {
  int checked = 0, untried = 0;
  tree.for_each_node([&](Index index) {
    const Choice& choice = tree.node(index).choices()[0];
    if (choice.count == 1) return;
    const std::vector<std::uint64_t> packed = tree.state(index);
    const TicTacToe::State state{packed[0]};
    const Prior* table = tree.priors(index);
    CHECK(table != nullptr);
    std::vector<std::uint32_t> room;
    const std::uint32_t* moves = tree.list_moves(choice, room);
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < choice.count; ++i) {
      const Prior expected = prior_of(state, static_cast<int>(moves[i]));
      CHECK_EQUAL(table[1 + i].value, expected.value);
      CHECK_EQUAL(table[1 + i].visits, expected.visits);
      sum += expected.visits;
    }
    CHECK_EQUAL(table[0].visits, sum);
    ++checked;
    untried += choice.tried > 0 && !choice.is_complete();
  });
  CHECK(checked > 10 && untried > 0);
}

TEST(priors_stay_with_their_moves) {
  for (const bool shares : {false, true}) {
    for (const bool grave : {false, true}) {
      for (const int in_flight : {1, 16}) {
        Config config = config_of(in_flight);
        config.selection.grave.enabled = grave;
        config.selection.grave.reference = 0;
        config.playout.policy = PlayoutConfig::Policy::kMast;
        config.tree.transpositions = shares;
        Known lanes(64);
        Searcher searcher(lanes, config);
        searcher.run(simulations(2000));
        check_tables(searcher.tree());
        check_consistent(searcher.tree());
        searcher.advance({1, 9});
        searcher.run(simulations(500));
        check_tables(searcher.tree());
        check_consistent(searcher.tree());
        Archive written;
        searcher.archive(written);
        Archive read(written.written().data(), written.written().size());
        Known others(64);
        Searcher again(others, config);
        again.archive(read);
        CHECK_EQUAL(again.tree_hash(), searcher.tree_hash());
        searcher.run(simulations(200));
        again.run(simulations(200));
        CHECK_EQUAL(again.tree_hash(), searcher.tree_hash());
      }
    }
  }
}

TEST(the_same_on_any_number_of_lanes) {
  Known narrow(64), wide(256);
  Searcher one(narrow, config_of(16)), other(wide, config_of(16));
  one.run(simulations(3000));
  other.run(simulations(3000));
  CHECK_EQUAL(one.tree_hash(), other.tree_hash());
}

// The tables are freed with their nodes, and the smallest memory is enough.
TEST(tables_are_freed) {
  Tree tree(2, 1, 10, std::size_t{1} << 20, false, 0, true, MoveTables::kPriors);
  LegalMoves legal{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {0, 9, 10}};
  const std::uint64_t state[] = {0};
  const std::vector<float> values(9, 0.5f), evaluations(18, 0.5f);
  const std::vector<std::uint32_t> visits(9, 3);
  const std::size_t before = tree.bytes();
  std::size_t once = 0;
  for (int i = 0; i < 100'000; ++i) {
    const Index node = tree.add_node(legal, state);
    CHECK(node != kNone);
    CHECK(tree.add_priors(node, values.data(), visits.data()));
    CHECK(tree.add_values(node, evaluations.data()));
    if (i == 0) once = tree.bytes();
    CHECK_EQUAL(tree.bytes(), once);
    tree.discard(node);
  }
  CHECK_EQUAL(tree.bytes(), before);
  Config config = config_of(16);
  config.memory_bytes = kLeastMemory;
  config.evaluation.name = "centre";
  config.selection.implicit_minimax.alpha = 0.5;
  Known lanes(64);
  Searcher searcher(lanes, config);
  searcher.run(simulations(30'000));
  check_consistent(searcher.tree());
}

TEST(games_without_priors_are_refused) {
  LanesOf<TicTacToe> lanes(64);
  CHECK_EQUAL(refusal([&] { Searcher(lanes, config_of(1)); }),
              "selection.priors.source game is for native games with priors of moves; this game has none");
}

// A simultaneous node has no priors: the search equals a search without priors.
TEST(simultaneous_nodes_have_no_priors) {
  class Silent final : public LanesOf<MatchingPennies<3>>, public MovePriors {
   public:
    using LanesOf::LanesOf;
    int move_priors(int, int, bool, float*, std::uint32_t*) override { return 0; }

   private:
    void* find_interface(InterfaceId id) override { return select_interface<MovePriors>(*this, id); }
  };
  Silent lanes(64);
  LanesOf<MatchingPennies<3>> others(64);
  Config config = config_of(8);
  Searcher with(lanes, config);
  config.selection.priors = {};
  Searcher without(others, config);
  with.run(simulations(1000));
  without.run(simulations(1000));
  CHECK_EQUAL(with.tree_hash(), without.tree_hash());
}

}  // namespace

// Evaluations in the search: backup in the tree, selection and play-outs.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "check.hpp"
#include "fixtures/games.hpp"
#include "fixtures/lanes_of.hpp"
#include "fixtures/legal_of.hpp"
#include "fixtures/limits.hpp"
#include "fixtures/tree_checks.hpp"
#include "search/driver/searcher.hpp"
#include "search/playout/evaluation_playout.hpp"
#include "search/proof/solver.hpp"
#include "search/selection/heuristic.hpp"

namespace {

using namespace ggp;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// A turn-taking tree whose nodes and values are made by hand. Every node has the moves 0, 1 and 2.
class ByHand {
 public:
  // `values` are the evaluations of the states after the three moves for the first role, as everywhere below.
  explicit ByHand(const std::vector<float>& values, double alpha = 0.5)
      : tree(2, 1, 4, std::size_t{1} << 24, false, 0, true), heuristic(tree, selection(alpha)) {
    root = node(0, values);
    tree.set_root(root);
  }

  // The path by these moves from the root, whose nodes exist.
  Path path(const std::vector<std::uint32_t>& moves) {
    Path made;
    Index at = root;
    for (const std::uint32_t move : moves) {
      Choice& choice = tree.node(at).choices()[0];
      if (tree.place_of(choice, move) == choice.tried) {
        std::vector<std::uint32_t> room;
        const std::uint32_t* list = tree.list_moves(choice, room);
        tree.add_untried(at, tree.node(at).mover, static_cast<std::uint32_t>(std::find(list, list + 3, move) - list));
      }
      made.begins.reserve_more(1);
      made.begins.add(static_cast<std::uint32_t>(made.words.size()));
      made.words.reserve_more(2);
      made.words.add(at);
      made.words.add(tree.place_of(choice, move));
      at = action(made).child;
    }
    return made;
  }
  Action& action(const Path& path) {
    const std::uint32_t* step = path.last();
    return tree.make_full(step[0], tree.node(step[0]).mover)[step[1]];
  }
  // Creates the node after these moves, with the evaluations of its successors.
  void expand(const std::vector<std::uint32_t>& moves, const std::vector<float>& values) {
    const Path to = path(moves);
    action(to).child = node(static_cast<int>(moves.size() % 2), values);
    heuristic.learn(to);
  }
  // The game ends after these moves.
  void end(const std::vector<std::uint32_t>& moves, const int* goals, Solver& solver) {
    const Path to = path(moves);
    action(to).child = tree.terminal(goals);
    heuristic.end(to, goals);
    solver.learn(to);
    heuristic.learn(to);
  }
  // v of the last move, for a role, and v0 of the role that chooses.
  float v(const std::vector<std::uint32_t>& moves, int role = 0) { return values(moves)[1 + role]; }
  float v0(const std::vector<std::uint32_t>& moves) { return values(moves)[0]; }

  Tree tree;
  Heuristic heuristic;
  Index root;

 private:
  static SelectionConfig selection(double alpha) {
    SelectionConfig made;
    made.implicit_minimax.alpha = alpha;
    return made;
  }
  Index node(int mover, const std::vector<float>& values) {
    LegalMoves legal{{0, 1, 2}, {0}};
    legal.begin.push_back(mover == 0 ? 3 : 1);
    legal.begin.push_back(4);
    legal.moves = mover == 0 ? std::vector<int>{0, 1, 2, 3} : std::vector<int>{3, 0, 1, 2};
    const Index made = tree.add_node(legal, kNoState);
    std::vector<float> by_role;
    for (const float value : values) by_role.insert(by_role.end(), {value, -value});
    CHECK(tree.add_values(made, by_role.data()));
    return made;
  }
  // The values of a move, tried or not.
  const float* values(std::vector<std::uint32_t> moves) {
    const std::uint32_t move = moves.back();
    moves.pop_back();
    const Index at = moves.empty() ? root : action(path(moves)).child;
    std::vector<std::uint32_t> room;
    const std::uint32_t* list = tree.list_moves(tree.node(at).choices()[0], room);
    return tree.values(at) + (std::find(list, list + 3, move) - list) * tree.values_of_move();
  }
};

// Lines 13 and 8 of Algorithm 1: v0 first, then the best successor value over all legal moves, alternating between the
// roles.
TEST(evaluations_go_up_by_minimax) {
  ByHand by({0.25f, 0.5f, -0.5f});
  CHECK_EQUAL(by.v({0}), 0.25f);
  CHECK_EQUAL(by.v({0}, 1), -0.25f);
  // The other role replies with the lowest value for the first, whichever move is tried first.
  by.expand({0}, {0.75f, -0.125f, 0.0f});
  CHECK_EQUAL(by.v({0}), -0.125f);
  CHECK_EQUAL(by.v({0}, 1), 0.125f);
  by.path({0, 0});
  CHECK_EQUAL(by.v({0}), -0.125f);
  // The best reply turns out to be bad for the other role: the next best counts, although it was not tried.
  by.expand({0, 1}, {0.625f, -1.0f, 0.5f});
  CHECK_EQUAL(by.v({0, 1}), 0.625f);
  CHECK_EQUAL(by.v({0}), 0.0f);
  CHECK_EQUAL(by.v({0}, 1), 0.0f);
  // A worse move there changes nothing above.
  by.expand({0, 1, 1}, {0.5f, 0.25f, 0.125f});
  CHECK_EQUAL(by.v({0, 1, 1}), 0.125f);
  CHECK_EQUAL(by.v({0, 1}), 0.625f);
  by.expand({0, 1, 0}, {-0.75f, 0.25f, 0.125f});
  CHECK_EQUAL(by.v({0, 1}), 0.5f);
  CHECK_EQUAL(by.v({0}), 0.0f);
  CHECK_EQUAL(by.v({1}), 0.5f);
  // v0 does not change, in the view of the role that chooses.
  CHECK_EQUAL(by.v0({0}), 0.25f);
  CHECK_EQUAL(by.v0({0, 1}), 0.125f);
}

TEST(unknown_evaluations_are_ignored) {
  ByHand by({0.25f, kNan, kNan});
  by.expand({0}, {kNan, kNan, kNan});
  CHECK_EQUAL(by.v({0}), 0.25f);
  by.expand({1}, {kNan, 0.5f, kNan});
  CHECK_EQUAL(by.v({1}), 0.5f);
}

TEST(proofs_override_evaluations) {
  ByHand by({0.25f, 0.5f, -1.0f});
  Solver solver(by.tree, true);
  by.expand({0}, {0.75f, 0.25f, 0.5f});
  by.expand({1}, {0.25f, 0.5f, 0.5f});
  // The other role wins by its second reply.
  const int lost[] = {0, 100};
  by.end({0, 1}, lost, solver);
  CHECK_EQUAL(by.v({0}), -1.0f);
  CHECK_EQUAL(by.v({0}, 1), 1.0f);
  CHECK_EQUAL(by.v0({0}), 0.25f);
  // Other values below do not matter.
  by.expand({0, 2}, {-0.5f, -0.5f, -0.5f});
  CHECK_EQUAL(by.v({0}), -1.0f);
  // A bound that does not prove the goal is kept, too.
  const int drawn[] = {50, 50};
  by.end({1, 0}, drawn, solver);
  CHECK_EQUAL(by.v({1}), 0.0f);
}

// Eq. 2 and the other terms, in numbers.
TEST(selection_mixes_evaluations_in) {
  const float values[] = {0.5f, -0.25f, 0.25f, kNan, kNan, kNan};
  const auto value = [&](float alpha, ImplicitMinimaxConfig::Term term, std::uint32_t role = 0) {
    return HeuristicView{values, 3, 2, role, alpha, term}.value(1, 2, 0.125f, 4);
  };
  using Term = ImplicitMinimaxConfig::Term;
  CHECK_EQUAL(value(0.0f, Term::kMinimax), 0.125f);
  CHECK_EQUAL(value(1.0f, Term::kMinimax), -0.25f);
  CHECK_EQUAL(value(0.5f, Term::kMinimax), -0.0625f);         // (0.125 - 0.25) / 2
  CHECK_EQUAL(value(0.5f, Term::kMinimax, 1), 0.1875f);       // (0.125 + 0.25) / 2
  CHECK_EQUAL(value(0.5f, Term::kConstant), 0.3125f);         // (0.125 + 0.5) / 2
  CHECK_BETWEEN(value(0.5f, Term::kProgressive), 0.0375f - 1e-6f, 0.0375f + 1e-6f);  // (0.125 - 0.25 / 5) / 2
  CHECK_EQUAL((HeuristicView{values, 3, 2, 0, 0.5f, Term::kMinimax}.value(0, 2, 0.125f, 4)), 0.125f);

  // Both moves are equal by simulations: the evaluation decides, because the exploration terms are equal.
  const Node node{20, 0, 0, 0, kNone, 0, false, kNoWinner, 0};
  const Choice choice{0.0f, 2, 2, true, 0, kUnknown, 0};
  const Action actions[8] = {{0.1f, 10, kNone, 0, kUnknown}, {0.1f, 10, kNone, 0, kUnknown}};
  const float two[] = {0, 0.3f, -0.3f, 0, 0.2f, -0.2f};  // the second action, the first
  std::uint64_t random = 1;
  const auto chosen = [&](std::uint32_t role) {
    KnownMoves known;
    known.heuristic = {two, 3, 2, role, 0.5f, Term::kMinimax};
    return UctSelection(1).select(node, choice, actions, known, random);
  };
  CHECK_EQUAL(chosen(0), 1u);
  CHECK_EQUAL(chosen(1), 0u);
}

// Tic-tac-toe with an evaluation: the squares of the first role minus the squares of the second, the centre double, by
// 8.
class Evaluated final : public LanesOf<TicTacToe>, public Evaluations {
 public:
  using LanesOf::LanesOf;
  std::vector<std::string> evaluations() const override { return {"squares"}; }
  void values(int evaluation, const std::uint64_t* mask, float* out) override {
    CHECK_EQUAL(evaluation, 0);
    for (int lane = 0; lane < lanes(); ++lane) {
      if ((mask[lane / 64] >> (lane % 64) & 1) == 0) continue;
      out[2 * lane] = value(state_of(lane));
      out[2 * lane + 1] = -out[2 * lane];
      ++asked;
    }
  }
  int successor_values(int, int lane, int role, float* out) override {
    const State state = state_of(lane);
    if (role != TicTacToe::mover(state)) return 0;
    int moves[10];
    const int count = legal(lane, role, moves);
    for (int i = 0; i < count; ++i, out += 2) {
      const int joint[] = {moves[i], moves[i]};
      const State next = TicTacToe::next(state, joint);
      out[0] = TicTacToe::terminal(next) ? static_cast<float>(TicTacToe::goal(next, 0)) / 50 - 1 : value(next);
      out[1] = -out[0];
      ++asked;
    }
    return count;
  }
  static float value(const State& state) {
    int sum = 0;
    for (int i = 0; i < 9; ++i) {
      const int weight = i == 4 ? 2 : 1;
      sum += weight * (static_cast<int>(state[0] >> i & 1) - static_cast<int>(state[0] >> (9 + i) & 1));
    }
    return static_cast<float>(sum) / 8;
  }
  int asked = 0;

 private:
  void* find_interface(InterfaceId id) override { return select_interface<Evaluations>(*this, id); }
};

Config config_of(int in_flight) {
  Config config;
  config.in_flight = in_flight;
  config.evaluation.name = "squares";
  return config;
}

// Every value of a tree is the value of the best legal move after it, tried or not; all are known.
void check_values(const Tree& tree) {
  int backed_up = 0, by_untried = 0;
  tree.for_each_node([&](Index index) {
    const Node& node = tree.node(index);
    const Choice& choice = node.choices()[0];
    CHECK(tree.values(index) != nullptr);
    for (std::uint32_t i = 0; i < choice.count; ++i) {
      const float* values = tree.values(index) + i * tree.values_of_move();
      CHECK(!std::isnan(values[0]) && std::abs(values[1]) <= 1);
      CHECK_EQUAL(values[1], -values[2]);
    }
    for (std::uint32_t i = 0; i < choice.tried; ++i) {
      const Action action = tree.actions(choice)[i];
      const float* values = tree.values(index) + (choice.count - 1 - i) * tree.values_of_move();
      if (action.bounds.settled()) CHECK_EQUAL(values[1 + node.mover], action.bounds.pessimistic / 50.0f - 1);
      if (action.child == kNone || !is_node(action.child)) continue;
      const Node& below = tree.node(action.child);
      const Choice& answers = below.choices()[0];
      float best = -2;
      std::uint32_t best_at = 0;
      for (std::uint32_t j = 0; j < answers.count; ++j) {
        const float of_answer = tree.values(action.child)[j * tree.values_of_move() + 1 + below.mover];
        if (of_answer > best) best = of_answer, best_at = j;
      }
      if (action.bounds.settled()) continue;
      CHECK_EQUAL(values[1 + below.mover], best);
      ++backed_up;
      by_untried += best_at < answers.count - answers.tried;
    }
  });
  CHECK(backed_up > 0 && by_untried > 0);
}

TEST(a_search_backs_up_values) {
  for (const int in_flight : {1, 16, 64}) {
    for (const bool solver : {true, false}) {
      Config config = config_of(in_flight);
      config.selection.implicit_minimax.alpha = 0.4;
      config.solver.enabled = solver;
      Evaluated lanes(64);
      Searcher searcher(lanes, config);
      searcher.run(simulations(2000));
      check_values(searcher.tree());
      check_consistent(searcher.tree());
      CHECK(lanes.asked > 0);
      searcher.advance({0, 9});
      check_values(searcher.tree());
      searcher.run(simulations(500));
      check_values(searcher.tree());
    }
  }
}

TEST(the_same_on_any_number_of_lanes) {
  Config config = config_of(16);
  config.selection.implicit_minimax.alpha = 0.4;
  config.playout.early_termination.threshold = 0.25;
  Evaluated narrow(64), wide(256);
  Searcher one(narrow, config), other(wide, config);
  one.run(simulations(3000));
  other.run(simulations(3000));
  CHECK_EQUAL(one.tree_hash(), other.tree_hash());
}

// If no component uses evaluations, the search computes no evaluation and grows the tree of a search without them.
TEST(unused_evaluations_are_not_computed) {
  Config plain;
  plain.in_flight = 16;
  Evaluated lanes(64), named(64);
  Searcher without(lanes, plain), with(named, config_of(16));
  without.run(simulations(2000));
  with.run(simulations(2000));
  CHECK_EQUAL(without.tree_hash(), with.tree_hash());
  CHECK_EQUAL(without.tree().bytes(), with.tree().bytes());
  CHECK(!with.tree().evaluates());
  CHECK_EQUAL(named.asked, 0);
}

// pd 0: the reward of a simulation is the evaluation of the state at the edge of the tree.
TEST(fixed_early_termination_rewards_by_the_evaluation) {
  Config config = config_of(1);
  config.solver.enabled = false;
  config.playout.early_termination.plies = 0;
  Evaluated lanes(64);
  Searcher searcher(lanes, config);
  const Statistics found = searcher.run(simulations(9));  // each move once
  for (const MoveStatistics& move : found.roles[0].moves) {
    CHECK_EQUAL(move.mean, move.move == 4 ? 0.25 : 0.125);
  }
  // One ply later the second role has replied, so the value for the first is 0 or a quarter more or less.
  config.playout.early_termination.plies = 1;
  Searcher later(lanes, config);
  const Statistics answered = later.run(simulations(9));
  for (const MoveStatistics& move : answered.roles[0].moves) {
    CHECK(move.mean == 0 || std::abs(move.mean) == 0.125);
  }
}

// det x: play-outs end with a win as soon as a role is ahead by the threshold.
TEST(dynamic_early_termination_ends_decided_play_outs) {
  Config config = config_of(1);
  config.solver.enabled = false;
  config.playout.early_termination.threshold = 0.25;
  Evaluated lanes(64);
  Searcher searcher(lanes, config);
  const Statistics found = searcher.run(simulations(9));
  for (const MoveStatistics& move : found.roles[0].moves) {
    if (move.move != 4) CHECK(std::abs(move.mean) == 1 || move.mean == 0);
  }
  CHECK(lanes.asked > 9);
  const auto asked_with = [&](std::uint32_t every) {
    config.playout.early_termination.every = every;
    lanes.asked = 0;
    Searcher(lanes, config).run(simulations(200));
    return lanes.asked;
  };
  CHECK(asked_with(3) < asked_with(1));
}

// Coulom 2006: with maximum backpropagation the value of a node is the value of its best action, not the average.
TEST(maximum_backpropagation_passes_the_best_upwards) {
  Config config;
  config.in_flight = 1;
  config.solver.enabled = false;
  config.selection.exploration = 5;  // many visits of bad moves
  const auto root_mean = [&](std::uint32_t from) {
    config.backup.maximum_from = from;
    Evaluated lanes(64);
    Searcher searcher(lanes, config);
    const TicTacToe::State state{0b000000011 | std::uint64_t{0b000011000} << 9};  // xx. / .oo: x wins by 2
    searcher.set_root(state.data());
    return searcher.run(simulations(2000)).roles[0].mean;
  };
  CHECK(root_mean(0) < 0.9);
  CHECK(root_mean(100) > root_mean(0) + 0.05);
}

// A greedy policy plays a winning move, and else the centre.
TEST(play_outs_follow_the_evaluation) {
  class Successors final : public LanesOf<TicTacToe>, public Evaluations {
   public:
    using LanesOf::LanesOf;
    std::vector<std::string> evaluations() const override { return {"lowest"}; }
    void values(int, const std::uint64_t*, float*) override { CHECK(false); }
    int successor_values(int, int lane, int role, float* out) override {
      int moves[10];
      const int count = legal(lane, role, moves);
      for (int i = 0; i < count; ++i) {
        out[2 * i + role] = -static_cast<float>(moves[i]) / 10;
        out[2 * i + 1 - role] = -out[2 * i + role];
      }
      return count;
    }

   private:
    void* find_interface(InterfaceId id) override { return select_interface<Evaluations>(*this, id); }
  };
  Config config;
  config.in_flight = 1;
  config.solver.enabled = false;
  config.evaluation.name = "lowest";
  config.playout.policy = PlayoutConfig::Policy::kEvaluation;
  config.playout.epsilon = 0;
  Successors lanes(64);
  Searcher searcher(lanes, config);
  // Both take the lowest square: x 0, o 1, x 2, o 3, x 4, o 5, x 6 wins by 2-4-6. After x 1: o 0, x 2, o 3, x 4, o 5,
  // x 6 wins again; after x 3: o 0, x 1, o 2, x 4, o 5, x 6, o 7, x 8: a draw.
  const Statistics found = searcher.run(simulations(9));
  for (const MoveStatistics& move : found.roles[0].moves) {
    if (move.move <= 1) CHECK_EQUAL(move.mean, 1.0);
    if (move.move == 3) CHECK_EQUAL(move.mean, 0.0);
  }
}

TEST(impossible_configurations_are_refused_in_one_line) {
  Evaluated lanes(64);
  LanesOf<TicTacToe> bare(64);
  const auto message = [](Simulator& simulator, const Config& config) {
    return refusal([&] { Searcher(simulator, config); });
  };
  Config config = config_of(1);
  CHECK_EQUAL(message(lanes, config), "");
  CHECK_EQUAL(message(bare, config), "evaluation.name is squares, but this game has no evaluation");
  config.evaluation.name = "circles";
  CHECK_EQUAL(message(lanes, config), "evaluation.name is circles, but this game has only squares");
  config = Config();
  config.in_flight = 1;
  config.selection.implicit_minimax.alpha = 0.4;
  CHECK_EQUAL(message(lanes, config), "selection.implicit_minimax needs an evaluation; name one of the game by "
                                      "evaluation.name, or a file of weights by evaluation.file");
  config.evaluation.file = "my.weights";
  CHECK_EQUAL(message(lanes, config), "evaluation.file is my.weights, but this game has only squares");
  config.evaluation.name = "squares";
  CHECK_EQUAL(message(lanes, config), "evaluation.name is squares and evaluation.file is my.weights; a search has one "
                                      "evaluation, so give one of the two");
  config.evaluation = {};
  config.selection.implicit_minimax.alpha = 1.5;
  CHECK(message(lanes, config).rfind("selection.implicit_minimax.alpha must be 0", 0) == 0);
  config = Config();
  config.in_flight = 1;
  config.playout.policy = PlayoutConfig::Policy::kEvaluation;
  CHECK(message(lanes, config).rfind("playout.policy evaluation needs an evaluation", 0) == 0);
  config = Config();
  config.in_flight = 1;
  config.playout.early_termination.plies = 20;
  CHECK(message(lanes, config).rfind("playout.early_termination needs an evaluation", 0) == 0);
}

}  // namespace

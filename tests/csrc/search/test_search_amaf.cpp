// All moves as first: the formula by hand, and searches replayed one simulation at a time, with every table and every
// choice in the tree compared with the records of the simulations.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "check.hpp"
#include "fixtures/choosers.hpp"
#include "fixtures/games.hpp"
#include "fixtures/lanes_of.hpp"
#include "fixtures/legal_of.hpp"
#include "fixtures/limits.hpp"
#include "fixtures/random_game.hpp"
#include "search/driver/searcher.hpp"
#include "search/selection/amaf.hpp"

namespace {

using namespace ggp;

// ---- by hand

TEST(the_value_follows_its_formula) {
  // Q = 0.2 over 10, A = 6 / 20: beta = 20 / (20 + 10 + 0.01 * 200) = 0.625.
  CHECK_NEAR(grave_value(0.2f, 10, {6, 20}, 0.01f), 0.375 * 0.2 + 0.625 * 0.3);
  CHECK_NEAR(grave_value(0.2f, 10, {6, 20}, 0.0f), (0.2 + 2 * 0.3) / 3);
  CHECK_NEAR(grave_value(0.2f, 10, {6, 20}, 1.0f), 0.2 * 210 / 230 + 0.3 * 20 / 230);
  CHECK_NEAR(grave_value(-0.7f, 10, {0, 0}, 0.01f), -0.7);
  CHECK_NEAR(grave_value(-0.7f, 0, {-3, 4}, 0.01f), -0.75);
  CHECK_NEAR(grave_value(-0.7f, 0, {0, 0}, 0.01f), -0.7);
  // A million on both sides: beta = 1 / (1 + 1 + 100).
  CHECK_NEAR(grave_value(0.5f, 1000000, {-1000000, 1000000}, 1e-4f), 0.5 * 101 / 102 - 1.0 / 102);
}

Chosen chosen(int role, std::uint32_t move, bool same_ply = false) {
  return {move, static_cast<std::uint16_t>(role), same_ply};
}

TEST(simulations_are_summed_up_from_each_node_on) {
  constexpr std::uint64_t kMemory = 1 << 20;
  Tree tree(2, 1, 3, kMemory, false, 6);
  GraveConfig config;
  config.reference = 4;
  Amaf amaf(tree, config, {3, 3});
  const Index root = tree.add_node(legal_of({3, 1}), kNoState, true), below = tree.add_node(legal_of({1, 3}), kNoState);
  tree.set_root(root);

  Path path;
  amaf.arrive(path, root);
  CHECK_EQUAL(path.reference, root);
  amaf.arrive(path, below);
  CHECK(tree.amaf(below) == nullptr);  // too few visits
  tree.node(below).visits = 2;
  amaf.arrive(path, below);
  CHECK(tree.amaf(below) != nullptr);
  CHECK_EQUAL(path.reference, root);  // a table, not yet a reference
  tree.node(below).visits = 4;
  amaf.arrive(path, below);
  CHECK_EQUAL(path.reference, below);

  path.words.reserve_more(4);
  path.words.add(root);
  path.words.add(0);
  path.words.add(below);
  path.words.add(0);
  path.begins.reserve_more(2);
  path.begins.add(0);
  path.begins.add(2);
  const double rewards[] = {0.5, -0.25};
  // Role 0 plays 2, role 1 plays 1; then the play-out: 0 plays 1 and again 1, 1 plays 1 again, 0 plays 2 again.
  amaf.learn(path, {chosen(0, 2), chosen(1, 1), chosen(0, 1), chosen(1, 1), chosen(0, 1), chosen(0, 2)}, rewards);
  const double wins[] = {1, 1};
  amaf.learn(path, {chosen(0, 2), chosen(1, 0)}, wins);
  const auto check = [&](Index node, int role, int move, std::uint32_t count, double reward) {
    CHECK_EQUAL(amaf.view(node, role, nullptr, 0).by_move[move].count, count);
    CHECK_NEAR(amaf.view(node, role, nullptr, 0).by_move[move].reward, reward);
  };
  check(root, 0, 2, 2, 1.5);
  check(root, 0, 1, 1, 0.5);
  check(root, 0, 0, 0, 0);
  check(root, 1, 1, 1, -0.25);
  check(root, 1, 0, 1, 1);
  check(below, 0, 2, 1, 0.5);  // in the play-out of the first simulation
  check(below, 0, 1, 1, 0.5);
  check(below, 1, 1, 1, -0.25);
  check(below, 1, 0, 1, 1);
  CHECK(amaf.view(root, 0, nullptr, 0).by_move + 3 == amaf.view(root, 1, nullptr, 0).by_move);

  // Large numbers are halved, and the mean stays.
  tree.amaf(root)[0] = {static_cast<float>(Amaf::kMost / 4), Amaf::kMost - 1};
  amaf.learn(path, {chosen(0, 0), chosen(1, 0)}, wins);
  CHECK_EQUAL(tree.amaf(root)[0].count, Amaf::kMost / 2);
  CHECK_NEAR(tree.amaf(root)[0].reward / tree.amaf(root)[0].count, 0.25);
}

TEST(tables_take_half_of_the_memory_at_most) {
  Tree tree(2, 1, 1000, 1 << 16, false, 2000);  // four tables
  std::vector<Index> nodes;
  for (int i = 0; i < 4; ++i) nodes.push_back(tree.add_node(legal_of({2, 1}), kNoState));
  const std::size_t bare = tree.bytes();
  CHECK(tree.add_amaf(nodes[0], false) != nullptr && tree.add_amaf(nodes[1], false) != nullptr);
  CHECK_EQUAL(tree.bytes(), bare + 2 * 16000);
  CHECK_EQUAL(tree.amaf(nodes[1])[1999].count, 0u);
  CHECK(tree.add_amaf(nodes[2], false) == nullptr && tree.amaf(nodes[2]) == nullptr);
  CHECK(tree.add_amaf(nodes[2], true) != nullptr);
  tree.discard(nodes[0]);
  tree.discard(nodes[1]);
  CHECK(tree.add_amaf(nodes[3], false) != nullptr);
  tree.discard(nodes[2]);
  tree.discard(nodes[3]);
  CHECK_EQUAL(tree.bytes(), std::size_t{0});
}

// ---- selection

TEST(untried_moves_are_compared_with_the_others) {
  const UctSelection uct(0);
  std::uint64_t random = 1;
  Chooser of = chooser(30, 0, 4, 2);
  const Action actions[8] = {action(0.1, 20), action(0.3, 10)};
  const std::uint32_t moves[] = {2, 1, 0, 3};
  AmafSum sums[] = {{6, 20}, {8, 40}, {8, 40}, {0, 0}};
  const auto select = [&](const Selection& by) {
    return by.select(of.node, of.choice, actions, {AmafView{sums, moves, 4, 0.01f}}, random);
  };
  CHECK_EQUAL(select(uct), 1u);  // 0.3 twice against 0.2
  sums[1] = {13, 40};
  CHECK_EQUAL(select(uct), 3u);  // the second untried move
  sums[2] = {13, 40};
  CHECK_EQUAL(select(uct), 2u);  // equal: the first
  sums[0] = {6.5, 20};
  CHECK_EQUAL(select(uct), 2u);  // 0.375 * 0.3 + 0.625 * 0.325
  sums[0] = {7, 20};
  CHECK_EQUAL(select(uct), 1u);  // 0.375 * 0.3 + 0.625 * 0.35
  // Untried moves without data come first, drawn uniformly; but a tried move without sums has only its mean.
  sums[1] = {0, 0};
  CHECK_EQUAL(select(uct), 3u);
  sums[2] = {0, 0};
  int drawn[2] = {};
  for (int i = 0; i < 1000; ++i) ++drawn[select(uct) - 2];
  CHECK_BETWEEN(drawn[0], 430, 570);
  // Exploration as if an untried move had one visit: 0.5 sqrt(ln 30 / n).
  sums[0] = {0, 20};
  sums[1] = sums[2] = {-2, 10};
  const double root = 0.5 * std::sqrt(std::log(30.0));
  CHECK(root - 0.2 > 0.1 + root / std::sqrt(20.0) && root - 0.2 > 0.375 * 0.3 + root / std::sqrt(10.0));
  CHECK_EQUAL(select(UctSelection(0.5)), 2u);
  CHECK_EQUAL(select(uct), 1u);
  // Memory is short: only tried moves count.
  of.choice.count = 2;
  CHECK_EQUAL(select(UctSelection(0.5)), 1u);
  // UCB1-tuned: V of an untried move is more than sqrt(2 ln N), so its term equals the term of UCT.
  of.choice.count = 4;
  SelectionConfig tuned;
  tuned.formula = SelectionConfig::Formula::kUcb1Tuned;
  tuned.exploration = 0.5;
  CHECK_EQUAL(select(*make_selection(tuned)), 2u);
  // The only move.
  of = chooser(3, 0, 1, 1);
  CHECK_EQUAL(select(uct), 0u);
}

TEST(proofs_close_actions_here_too) {
  const UctSelection uct(1.4);
  std::uint64_t random = 1;
  Chooser of = chooser(90, 0, 3, 2);
  of.node.narrowed = true;
  of.choice.bounds = {50, 100};
  Action actions[8] = {action(1, 30, 0, {50, 50}), action(0.7, 30, 0, {0, 50})};
  const std::uint32_t moves[] = {2, 1, 0};
  const AmafSum sums[] = {{50, 50}, {50, 50}, {-5, 50}};
  const KnownMoves known{AmafView{sums, moves, 3, 0.01f}};
  const auto select = [&] { return uct.select(of.node, of.choice, actions, known, random); };
  CHECK_EQUAL(select(), 2u);  // only the untried move is open
  of.choice.count = 2;
  CHECK_EQUAL(select(), 2u);  // no move is open: the number of tried moves
  of.choice.count = 3;
  of.choice.bounds = {50, 50};
  CHECK_EQUAL(select(), 0u);  // the move with the proven value; no new move is tried
}

TEST(simultaneous_roles_draw_among_values_alike) {
  const UctSelection uct(0);
  std::uint64_t random = 1;
  const Chooser of = chooser(30, kSimultaneous, 3, 2);
  const Action actions[8] = {action(0.5, 10), action(-0.5, 20)};
  const std::uint32_t moves[] = {2, 1, 0};
  const AmafSum sums[] = {{10, 20}, {-10, 20}, {5, 10}};
  int drawn[3] = {};
  const KnownMoves known{AmafView{sums, moves, 3, 0.0f}};
  for (int i = 0; i < 2000; ++i) ++drawn[uct.select(of.node, of.choice, actions, known, random)];
  CHECK_BETWEEN(drawn[0], 880, 1120);
  CHECK_EQUAL(drawn[1], 0);
}

// ---- searches, replayed

// Records the state that was loaded into lane 0 and the joint moves chosen there since then.
template <class Game>
class Spy final : public LanesOf<Game> {
 public:
  using State = typename Game::State;
  using Joint = std::array<int, Game::roles>;
  using LanesOf<Game>::LanesOf;

  void load(const std::uint64_t* mask, const std::uint64_t* const* states) override {
    LanesOf<Game>::load(mask, states);
    if ((mask[0] & 1) == 0) return;
    loaded.emplace();
    std::copy_n(states[0], Game::words, loaded->begin());
    joints.clear();
  }
  void choose(int lane, int role, int move) override {
    LanesOf<Game>::choose(lane, role, move);
    if (lane != 0) return;
    joint_[role] = move;
    ++chosen_;
  }
  void step() override {
    LanesOf<Game>::step();
    if (chosen_ == Game::roles) joints.push_back(joint_);
    chosen_ = 0;
  }

  std::optional<State> loaded;
  std::vector<Joint> joints;

 private:
  Joint joint_{};
  int chosen_ = 0;
};

// A search of one simulation after the other, with independent records of all of them.
template <class Game>
class Replay {
 public:
  using State = typename Game::State;
  using Joint = std::array<int, Game::roles>;

  Replay(std::uint32_t reference, double exploration, PlayoutConfig::Policy policy)
      : lanes_(64), config_(config_of(reference, exploration, policy)), searcher_(lanes_, config_) {}

  void simulate() {
    const auto before = snapshot();
    lanes_.loaded.reset();
    lanes_.joints.clear();
    searcher_.run(simulations(1));

    // The tree part, from the counts; every choice by the formula.
    const Tree& tree = searcher_.tree();
    std::vector<Index> nodes;
    std::vector<Joint> joints;
    Index reference = tree.root();
    for (Index at = tree.root(); at != kNone && is_node(at) && tree.node(at).visits > visits(before, at);) {
      const std::uint32_t was = visits(before, at);
      if (at == tree.root() || was >= config_.selection.grave.reference / 2) books_[at];
      if (was >= config_.selection.grave.reference) reference = at;
      nodes.push_back(at);
      joints.push_back(step(before, at, reference));
      at = tree.child(at, joints.back().data());
    }
    // The rest from the moves chosen in the lane since its state was loaded.
    std::vector<State> states{Game::initial()};
    for (const Joint& joint : joints) states.push_back(Game::next(states.back(), joint.data()));
    if (lanes_.loaded) {
      const auto at = std::find(states.begin(), states.end(), *lanes_.loaded) - states.begin();
      CHECK(at < static_cast<long>(states.size()));
      for (std::size_t i = 0; at + i < joints.size(); ++i) CHECK(joints[at + i] == lanes_.joints[i]);
      joints.resize(at);
      joints.insert(joints.end(), lanes_.joints.begin(), lanes_.joints.end());
      states.resize(1);
      for (const Joint& joint : joints) states.push_back(Game::next(states.back(), joint.data()));
    }
    CHECK(Game::terminal(states.back()));
    take_in(nodes, joints, states);
    compare();
  }

  const Tree& tree() const { return searcher_.tree(); }
  std::size_t checked_choices = 0, guided_by_others = 0;

 private:
  struct Known {
    std::uint32_t visits;
    std::map<std::pair<int, std::uint32_t>, std::pair<std::uint32_t, double>> moves;  // visits, mean
  };
  using Snapshot = std::map<Index, Known>;
  using Book = std::map<std::pair<int, int>, std::pair<std::uint32_t, double>>;  // count, rewards

  static Config config_of(std::uint32_t reference, double exploration, PlayoutConfig::Policy policy) {
    Config config;
    config.in_flight = 1;
    config.solver.enabled = false;
    config.playout.policy = policy;
    config.selection.exploration = exploration;
    config.selection.grave.enabled = true;
    config.selection.grave.reference = reference;
    config.selection.grave.bias = 0.01;
    return config;
  }

  Snapshot snapshot() const {
    Snapshot found;
    const Tree& tree = searcher_.tree();
    tree.for_each_node([&](Index index) {
      const Node& node = tree.node(index);
      Known& known = found[index];
      known.visits = node.visits;
      for (int role = 0; role < Game::roles; ++role) {
        for (std::uint32_t i = 0; node.chooses(role) && i < node.choice(role).tried; ++i) {
          const Action action = tree.actions(node.choice(role))[i];
          known.moves[{role, tree.move(node.choice(role), i)}] = {action.visits, action.mean};
        }
      }
    });
    return found;
  }
  static std::uint32_t visits(const Snapshot& before, Index index) {
    const auto found = before.find(index);
    return found == before.end() ? 0 : found->second.visits;
  }

  // The joint move that the simulation took in a node; checks that the formula chooses it.
  Joint step(const Snapshot& before, Index index, Index reference) {
    const Tree& tree = searcher_.tree();
    const Node& node = tree.node(index);
    const auto found = before.find(index);
    Joint joint;
    for (int role = 0; role < Game::roles; ++role) {
      if (!node.chooses(role)) {
        joint[role] = tree.only_move(node, role);
        continue;
      }
      const Choice& choice = node.choice(role);
      std::vector<std::uint32_t> room;
      const std::uint32_t* moves = tree.list_moves(choice, room);
      double best = -100, taken = -100;
      bool unknown = false;
      for (std::uint32_t i = 0; i < choice.count; ++i) {
        const bool tried = i < choice.tried;
        const std::uint32_t move = moves[tried ? choice.count - 1 - i : i - choice.tried];
        std::uint32_t p = 0;
        double mean = 0;
        if (found != before.end()) {
          const auto known = found->second.moves.find({role, move});
          if (known != found->second.moves.end()) std::tie(p, mean) = known->second;
        }
        const auto [count, rewards] = books_[reference][{role, static_cast<int>(move)}];
        const double beta = count / (count + p + config_.selection.grave.bias * count * p + 1e-300);
        const double n = visits(before, index);
        double bound = (1 - beta) * mean + (count > 0 ? beta * rewards / count : 0);
        bound += config_.selection.exploration * std::sqrt(std::log(std::max(n, 1.0)) / std::max(p, 1u));
        if (p == 0 && count == 0) {
          bound = 100;
          unknown = true;
        }
        best = std::max(best, bound);
        if (!tried || tree.actions(choice)[i].visits == p) continue;
        CHECK_EQUAL(taken, -100);
        joint[role] = static_cast<int>(move);
        taken = bound;
      }
      const bool alone = node.mover != kSimultaneous || unknown;
      CHECK_BETWEEN(taken, best - 1e-4 - (alone ? 0 : Selection::kAlike), best);
      ++checked_choices;
      guided_by_others += reference != index;
    }
    return joint;
  }

  void take_in(const std::vector<Index>& nodes, const std::vector<Joint>& joints, const std::vector<State>& states) {
    for (std::size_t from = 0; from < nodes.size(); ++from) {
      const auto book = books_.find(nodes[from]);
      if (book == books_.end()) continue;
      std::set<std::pair<int, int>> moves;
      for (std::size_t ply = from; ply < joints.size(); ++ply) {
        int legal[10];
        for (int role = 0; role < Game::roles; ++role) {
          if (Game::legal(states[ply], role, legal) > 1) moves.insert({role, joints[ply][role]});
        }
      }
      for (const auto& move : moves) {
        auto& [count, rewards] = book->second[move];
        ++count;
        rewards += Game::goal(states.back(), move.first) / 50.0 - 1;
      }
    }
  }

  void compare() {
    const Tree& tree = searcher_.tree();
    tree.for_each_node([&](Index index) {
      const AmafSum* sum = tree.amaf(index);
      const auto book = books_.find(index);
      CHECK_EQUAL(sum != nullptr, book != books_.end());
      for (int role = 0; sum != nullptr && role < Game::roles; ++role) {
        for (int move = 0; move < Game::moves(role); ++move, ++sum) {
          const auto [count, rewards] = book->second[{role, move}];
          CHECK_EQUAL(sum->count, count);
          CHECK_BETWEEN(sum->reward, rewards - 1e-4, rewards + 1e-4);
        }
      }
    });
  }

  Spy<Game> lanes_;
  Config config_;
  Searcher searcher_;
  std::map<Index, Book> books_;
};

template <class Game>
void simulations_report_the_same() {
  using Policy = PlayoutConfig::Policy;
  for (Policy policy : {Policy::kUniform, Policy::kNst}) {
    for (std::uint32_t reference : {0u, 6u, 1u << 30}) {
      for (double exploration : {0.0, 0.5}) {
        Replay<Game> replay(reference, exploration, policy);
        for (int simulation = 0; simulation < 150; ++simulation) replay.simulate();
        CHECK(replay.checked_choices > 150);
        CHECK_EQUAL(replay.guided_by_others > 0, reference > 0);
        std::size_t tables = 0, nodes = 0;
        replay.tree().for_each_node([&](Index index) {
          ++nodes;
          tables += replay.tree().amaf(index) != nullptr;
        });
        CHECK(nodes > 5);
        if (reference == 0) CHECK_EQUAL(tables, nodes);
        if (reference == 6) CHECK(tables > 1 && tables < nodes);
        if (reference > 6) CHECK_EQUAL(tables, std::size_t{1});
      }
    }
  }
}

using Three = RandomGame<3, false, Sum::kFree>;
using AtOnce = RandomGame<2, true, Sum::kFree>;

}  // namespace

TESTS(int, char**) {
  simulations_report_the_same<TicTacToe>();
  simulations_report_the_same<MatchingPennies<7>>();
  Three::plies = AtOnce::plies = 9;
  Three::one_in = AtOnce::one_in = 1000;
  simulations_report_the_same<Three>();
  simulations_report_the_same<AtOnce>();
}

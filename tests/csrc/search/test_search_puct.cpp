// Games: connect_four
//
// PUCT: selection is the formula of search/selection/puct.hpp, and a search by a learned network grows the same tree on every
// kernel and beside other searches.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "check.hpp"
#include "fixtures/every_kernel.hpp"
#include "fixtures/learned_game.hpp"
#include "fixtures/limits.hpp"
#include "fixtures/program_of.hpp"
#include "fixtures/tree_checks.hpp"
#include "search/driver/side_by_side.hpp"
#include "search/selection/puct.hpp"

namespace {

using namespace ggp;

// ---- selection

// The table of a node from the probabilities by place: it lists the untried moves, then the tried ones from the last to
// the first.
class ProbabilityTable {
 public:
  ProbabilityTable(std::uint32_t tried, float value, const std::vector<float>& by_place)
      : words_(2 + (by_place.size() + 1) / 2) {
    const auto count = static_cast<std::uint32_t>(by_place.size());
    Probabilities& made = *new (words_.data()) Probabilities{value, 0, count, 0};
    for (std::uint32_t place = 0; place < count; ++place) {
      made.of_moves()[place < tried ? count - 1 - place : place - tried] = by_place[place];
      if (place < tried) made.explored += by_place[place];
    }
    made.find_likeliest(count - tried);
  }
  const Probabilities& head() const { return *reinterpret_cast<const Probabilities*>(words_.data()); }

 private:
  std::vector<std::uint64_t> words_;
};

std::uint32_t select_by_puct(const SelectionConfig& config, const Node& node, const Choice& choice,
                             const Action* actions, const ProbabilityTable& table, bool at_root) {
  KnownMoves known;
  known.probabilities = &table.head();
  known.at_root = at_root;
  std::uint64_t random = 1;
  return Puct(config).select(node, choice, actions, known, random);
}

// A node of one mover with random statistics, and the parameters of PUCT.
struct RandomNode {
  Node node{0, 0, 0, 0, kNone, 0, false, kNoWinner, 0};
  Choice choice{0.0f, 0, 0, true, 0, kUnknown, 0};
  std::vector<Action> actions;
  SelectionConfig config;
  float value = 0;
  bool is_root = false;
  std::vector<float> probabilities;  // by place

  explicit RandomNode(std::uint64_t& random) {
    const auto real = [&](float low, float high) {
      return low + (high - low) * static_cast<float>(draw_below(random, 1'000'001)) / 1e6f;
    };
    config.exploration = real(0, 3);
    config.puct.first_play = real(0, 1);
    is_root = draw_below(random, 2) == 0;
    config.puct.base = real(1, 1000);
    choice.count = 2 + draw_below(random, 12);
    choice.tried = draw_below(random, choice.count + 1);
    choice.mean = real(-1, 1);
    value = real(-1, 1);
    float total = 0;
    for (std::uint32_t i = 0; i < choice.count; ++i) total += probabilities.emplace_back(real(0, 1));
    for (float& probability : probabilities) probability /= total;
    node.narrowed = draw_below(random, 2) == 0;
    // An untried move keeps the choice open, so that its bounds are not settled.
    for (std::uint32_t i = 0; i < choice.tried; ++i) {
      const Bounds bounds = node.narrowed && draw_below(random, 3) == 0 ? Bounds{0, 0} : kUnknown;
      const auto unobserved = static_cast<std::uint16_t>(draw_below(random, 3));
      actions.push_back({real(-1, 1), draw_below(random, 4) * draw_below(random, 30), kNone, unobserved, bounds});
      node.visits += actions.back().visits;
      node.unobserved = static_cast<std::uint16_t>(node.unobserved + unobserved);
    }
  }

  std::uint32_t selected() {
    const ProbabilityTable table(choice.tried, value, probabilities);
    return select_by_puct(config, node, choice, actions.data(), table, is_root);
  }

  // The bounds of the moves by the formula of the header, in its order; NaN for closed actions.
  std::vector<double> bounds() const {
    const double visits = node.visits, all = visits + node.unobserved, base = config.puct.base;
    const double c = config.exploration + std::log((1 + all + base) / base);
    const double mean = (visits * choice.mean + value) / (visits + 1);
    double tried = 0;
    for (std::uint32_t place = 0; place < choice.tried; ++place) tried += probabilities[place];
    const double unknown = is_root ? mean : mean - config.puct.first_play * std::sqrt(tried);
    std::vector<double> found;
    for (std::uint32_t place = 0; place < choice.count; ++place) {
      const bool is_tried = place < choice.tried;
      const double n = is_tried ? actions[place].visits : 0, o = is_tried ? actions[place].unobserved : 0;
      const double q = n > 0 ? double{actions[place].mean} : unknown;
      const bool closed = is_tried && node.narrowed && is_closed(node, choice, actions[place]);
      found.push_back(closed ? std::nan("") : q + c * probabilities[place] * std::sqrt(1 + all) / (1 + n + o));
    }
    return found;
  }
};

TEST(selection_is_the_formula) {
  std::uint64_t random = 44;
  int tried = 0, untried = 0, closed = 0;
  for (int i = 0; i < 20'000; ++i) {
    RandomNode made(random);
    const std::vector<double> bounds = made.bounds();
    double best = -std::numeric_limits<double>::infinity();
    for (const double bound : bounds)
      if (!std::isnan(bound)) best = std::max(best, bound);
    if (std::isinf(best)) continue;  // all actions are closed: the solver settles such a node
    const std::uint32_t place = made.selected();
    CHECK(place < made.choice.count);
    CHECK(bounds[place] > best - 1e-4 * (1 + std::abs(best)));
    ++(place < made.choice.tried ? tried : untried);
    for (const double bound : bounds) closed += std::isnan(bound);
  }
  CHECK(tried > 3000 && untried > 3000 && closed > 3000);
}

// Four moves of which two were tried; all have the same probability.
struct Even {
  Node node{20, 0, 0, 0, kNone, 0, false, kNoWinner, 0};
  Choice choice{0.5f, 4, 2, true, 0, kUnknown, 0};
  Action actions[2] = {{0.5f, 10, kNone, 0, kUnknown}, {0.5f, 10, kNone, 0, kUnknown}};
  std::vector<float> probabilities = {0.25f, 0.25f, 0.25f, 0.25f};  // by place

  std::uint32_t selected(double exploration, double first_play) {
    SelectionConfig config;
    config.exploration = exploration;
    config.puct.first_play = first_play;
    return select_by_puct(config, node, choice, actions, ProbabilityTable(2, 0.5f, probabilities), false);
  }
};

TEST(ties_go_to_the_first) {
  Even even;
  even.probabilities = {0, 0, 0, 0};
  CHECK_EQUAL(even.selected(0, 0), 0u);  // all have the value 0.5: the action tried first
  even.probabilities = {0, 0, 0.5f, 0.5f};
  CHECK_EQUAL(even.selected(1, 0), 2u);  // the untried move that is listed first
}

TEST(untried_moves_are_reduced) {
  Even even;
  CHECK_EQUAL(even.selected(1, 0), 2u);
  CHECK_EQUAL(even.selected(1, 2), 0u);  // 0.5 - 2 sqrt(0.5): below the tried actions
  // Simulations in flight count in the exploration term only.
  even.actions[0].unobserved = 1;
  even.node.unobserved = 1;
  CHECK_EQUAL(even.selected(1, 2), 1u);
}

TEST(proven_nodes_follow_their_proof) {
  Even even;
  even.node.narrowed = true;
  even.choice.bounds = {100, 100};
  even.actions[1].bounds = {100, 100};
  even.actions[1].mean = -1;
  CHECK_EQUAL(even.selected(1, 0), 1u);
  even.choice.bounds = kUnknown;
  even.actions[0].bounds = even.actions[1].bounds = {0, 0};
  CHECK_EQUAL(even.selected(0, 2), 2u);  // both actions are proven losses
}

TEST(short_of_memory_only_tried_moves_count) {
  Even even;
  even.choice.count = 2;  // of four legal moves: the table still has 4
  even.probabilities = {0.1f, 0.4f, 0.25f, 0.25f};
  CHECK_EQUAL(even.selected(1, 0), 1u);
}

// ---- the search

Config config_of(int in_flight) {
  Config config;
  config.in_flight = in_flight;
  config.evaluation.name = "learned";
  config.selection.formula = SelectionConfig::Formula::kPuct;
  config.playout.early_termination.plies = 0;
  return config;
}

using Program = std::shared_ptr<const LaneProgram>;

std::unique_ptr<Simulator> learned(const NetworkSimulator& simulator, const std::shared_ptr<const LearnedGame>& game,
                                   const char* isa) {
  return LearnedSimulator(simulator, game, learning_kernel(isa), "learned").clone();
}

void the_same_tree_on_every_kernel(const Program& program) {
  const auto game = some_learned_game(*program);
  std::set<std::uint64_t> different;
  for (const int in_flight : {1, 16})
    different.insert(tree_on_every_kernel(
        program, config_of(in_flight), 200,
        [&](const NetworkSimulator& simulator, const char* isa) { return learned(simulator, game, isa); }));
  CHECK_EQUAL(different.size(), std::size_t{2});
}

// Values of all searches are computed in one batch, and no tree depends on its neighbours.
void the_same_tree_beside_others(const Program& program) {
  const auto game = some_learned_game(*program);
  const NetworkSimulator plain(program, *find_kernel("portable", 128));
  const auto lanes = learned(plain, game, "portable"), scout = learned(plain, game, "portable"),
             own = learned(plain, game, "portable");
  SideBySide searches(*lanes, *scout);
  std::vector<std::unique_ptr<Searcher>> searchers;
  std::vector<Config> configs;
  int lane = 3;
  for (const int in_flight : {1, 7, 1, 30, 64}) {
    configs.push_back(config_of(in_flight));
    configs.back().selection.exploration = 1 + 0.1 * lane / 128;
    searchers.push_back(std::make_unique<Searcher>(searches.lanes(), searches.scout(), configs.back()));
    searches.start(*searchers.back(), lane, 100 + 20 * std::uint64_t(in_flight));
    lane += in_flight;
  }
  for (std::size_t left = searchers.size(); left > 0;) left -= searches.run(never, nullptr).size();
  for (std::size_t i = 0; i < searchers.size(); ++i) {
    Searcher alone(*own, configs[i]);
    alone.run(simulations(100 + 20 * std::uint64_t(configs[i].in_flight)));
    CHECK_EQUAL(searchers[i]->tree_hash(), alone.tree_hash());
    check_consistent(searchers[i]->tree());
  }
}

// Every node with a choice has the probabilities and the value of its state.
void nodes_have_the_values_of_their_states(const Program& program) {
  const auto game = some_learned_game(*program);
  const NetworkSimulator plain(program, *find_kernel("portable", 64));
  const auto simulator = learned(plain, game, "portable"), other = learned(plain, game, "portable");
  Searcher searcher(*simulator, config_of(8));
  searcher.run(simulations(150));
  auto& evaluations = *other->optional_interface<Evaluations>();
  auto& policy = *other->optional_interface<MoveProbabilities>();
  const Tree& tree = searcher.tree();
  const std::uint64_t first = 1;
  std::vector<float> values(2 * 64), expected(other->moves(0));
  int checked = 0;
  tree.for_each_node([&](Index index) {
    const Node& node = tree.node(index);
    const Choice& choice = node.choices()[0];
    if (choice.count == 1) return;
    const std::vector<std::uint64_t> state = tree.state(index);
    const std::uint64_t* from = state.data();
    other->load(&first, &from);
    other->evaluate();
    evaluations.values(0, &first, values.data());
    std::vector<std::uint32_t> room;
    const std::uint32_t* listed = tree.list_moves(choice, room);
    const std::vector<int> moves(listed, listed + choice.count);
    policy.probabilities(0, 0, node.mover, moves.data(), static_cast<int>(choice.count), expected.data());
    const Probabilities* table = tree.probabilities(index);
    CHECK(table != nullptr);
    CHECK_EQUAL(table->value, values[node.mover]);
    CHECK_EQUAL(table->count, choice.count);
    const float* const found = table->of_moves();
    for (std::uint32_t i = 0; i < choice.count; ++i) CHECK(std::abs(found[i] - expected[i]) < 1e-6f);
    // The values that selection keeps beside the probabilities agree with the list.
    const std::uint32_t untried = choice.count - choice.tried;
    const float* const likeliest = std::max_element(found, found + untried);
    CHECK_EQUAL(table->likeliest, untried > 0 ? static_cast<std::uint32_t>(likeliest - found) : 0u);
    CHECK(std::abs(table->explored - std::accumulate(found + untried, found + choice.count, 0.0f)) < 1e-5f);
    ++checked;
    other->step();
  });
  CHECK(checked > 100);
}

void other_evaluations_are_refused(const Program& program) {
  NetworkSimulator plain(program, *find_kernel("portable", 64));
  Config config = config_of(1);
  CHECK_THROWS(std::invalid_argument, Searcher(plain, config));
  config.evaluation.name = "none";
  const auto game = some_learned_game(*program);
  const auto simulator = learned(plain, game, "portable");
  CHECK_THROWS(std::invalid_argument, Searcher(*simulator, config));
}

}  // namespace

TESTS(int, char** arguments) {
  const auto program = built_program(ground_program_file(arguments[1]));
  the_same_tree_on_every_kernel(program);
  the_same_tree_beside_others(program);
  nodes_have_the_values_of_their_states(program);
  other_evaluations_are_refused(program);
}

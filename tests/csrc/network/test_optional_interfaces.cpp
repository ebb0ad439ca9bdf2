// Games: tic_tac_toe
// Rules: tic_tac_toe
//
// The optional interfaces of each kind of simulator. An interface must belong to the simulator that returned it.
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "check.hpp"
#include "fixtures/games.hpp"
#include "fixtures/interface_of.hpp"
#include "fixtures/lanes_of.hpp"
#include "fixtures/program_of.hpp"
#include "games/registry.hpp"
#include "interfaces/choice_by_rank.hpp"
#include "interfaces/evaluations.hpp"
#include "interfaces/fluent_states.hpp"
#include "interfaces/game_policy.hpp"
#include "interfaces/legality.hpp"
#include "interfaces/move_priors.hpp"
#include "interfaces/quality.hpp"
#include "interfaces/ranked_moves.hpp"
#include "interfaces/reported_moves.hpp"
#include "interfaces/winning_moves.hpp"
#include "network/simulator/network_simulator.hpp"
#include "reasoner/deferred_goals.hpp"
#include "reasoner/reasoner_simulator.hpp"

namespace {

using namespace ggp;
using Names = std::set<std::string>;

// The names of the interfaces that a simulator has.
Names interfaces_of(Simulator& simulator) {
  Names names;
  const auto add = [&](const char* name, const void* found) {
    if (found != nullptr) names.insert(name);
  };
  add("evaluations", simulator.optional_interface<Evaluations>());
  add("weighted evaluations", simulator.optional_interface<WeightedEvaluations>());
  add("quality", simulator.optional_interface<Quality>());
  add("policy", simulator.optional_interface<GamePolicy>());
  add("reported moves", simulator.optional_interface<ReportedMoves>());
  add("bits", simulator.optional_interface<BitwiseLegality>());
  add("lookup", simulator.optional_interface<LegalityLookup>());
  add("stored legality", simulator.optional_interface<StoredLegality>());
  add("ranked moves", simulator.optional_interface<RankedMoves>());
  add("choice by rank", simulator.optional_interface<ChoiceByRank>());
  add("winning moves", simulator.optional_interface<WinningMoves>());
  add("priors", simulator.optional_interface<MovePriors>());
  add("fluents", simulator.optional_interface<FluentStates>());
  return names;
}

TEST(each_native_game_has_the_interfaces_of_its_class) {
  int bits = 0, lookups = 0, rankings = 0;
  for (const auto& module : modules()) {
    const auto simulator = module->simulator(64, false);
    const std::string game = module->facts().name.substr(0, module->facts().name.find('_'));
    Names expected{"evaluations", "quality", "policy", "reported moves", "fluents"};
    if (game == "kalah") expected.insert("bits");
    if (game == "go") expected.insert({"lookup", "priors"});
    if (game == "amazons") expected.insert({"ranked moves", "stored legality"});
    CHECK(interfaces_of(*simulator) == expected);
    CHECK(interfaces_of(*simulator->clone()) == expected);
    bits += static_cast<int>(expected.count("bits"));
    lookups += static_cast<int>(expected.count("lookup"));
    rankings += static_cast<int>(expected.count("ranked moves"));
  }
  CHECK(bits > 0 && lookups > 0 && rankings > 0);
}

// The interface must use the lanes of the same simulator, for any order of its base classes.
TEST(interfaces_of_a_native_game_see_its_lanes) {
  for (const auto& module : modules()) {
    if (module->facts().name != "kalah") continue;
    const auto played = module->simulator(64, false), fresh = module->simulator(64, false);
    const std::uint64_t first = 1;
    played->evaluate();
    played->choose_at_random(&first);
    played->step();
    played->evaluate();
    fresh->evaluate();
    CHECK_EQUAL(interface_of<ReportedMoves>(*fresh).mover(0), module->mover(fresh->initial()));
    const auto fluents = [](Simulator& simulator) {
      const FluentStates& states = interface_of<FluentStates>(simulator);
      std::vector<int> numbers(states.fluents());
      numbers.resize(states.true_fluents(0, numbers.data()));
      return std::set<int>(numbers.begin(), numbers.end());
    };
    const std::vector<int> initial = module->fluents(fresh->initial());
    CHECK(fluents(*fresh) == std::set<int>(initial.begin(), initial.end()));
    CHECK(fluents(*played) != fluents(*fresh));
    std::vector<int> legal(played->moves(0));
    legal.resize(played->legal(0, interface_of<ReportedMoves>(*played).mover(0), legal.data()));
    std::uint64_t bits = 0;
    for (const int move : legal) bits |= std::uint64_t{1} << move;
    CHECK_EQUAL(interface_of<BitwiseLegality>(*played).legal_bits(0), bits);
  }
}

// Weights that make the value of the initial state for the first role 1/2, and for the second -1/2.
std::shared_ptr<const FluentWeights> half() {
  auto weights = std::make_shared<FluentWeights>();
  weights->bias = {std::atanh(0.5f), -std::atanh(0.5f)};
  return weights;
}

void goals_on_demand_have_the_evaluations_of_their_simulator(const std::shared_ptr<const LaneProgram>& program,
                                                            const std::shared_ptr<Registry>& registry) {
  NetworkSimulator network(program, *find_kernel("portable", 64));
  CHECK((interfaces_of(network) == Names{"evaluations", "weighted evaluations", "winning moves", "choice by rank"}));
  DeferredGoals goals(network, registry, {}, {});
  CHECK((interfaces_of(goals) == Names{"evaluations", "weighted evaluations"}));
  CHECK_EQUAL(interface_of<WeightedEvaluations>(goals).add_evaluation("half", half()), 0);
  CHECK(network.evaluations().empty());
  const auto clone = goals.clone();
  for (Simulator* simulator : {static_cast<Simulator*>(&goals), clone.get()}) {
    Evaluations& evaluations = interface_of<Evaluations>(*simulator);
    CHECK(names_of(&evaluations) == std::vector<std::string>{"half"});
    const std::uint64_t first = 1;
    std::vector<float> values(2 * 64);
    simulator->evaluate();
    evaluations.values(0, &first, values.data());
    CHECK_BETWEEN(values[0], 0.4999, 0.5001);
    CHECK_BETWEEN(values[1], -0.5001, -0.4999);
  }
}

void others_have_none(const std::shared_ptr<Registry>& registry) {
  ReasonerSimulator reasoner(registry, 64);
  DeferredGoals goals(reasoner, registry, {}, {});
  LanesOf<TicTacToe> plain(64);
  for (Simulator* simulator : {static_cast<Simulator*>(&reasoner), static_cast<Simulator*>(&goals),
                               static_cast<Simulator*>(&plain)})
    CHECK(interfaces_of(*simulator).empty());
  CHECK(names_of(nullptr).empty());
}

}  // namespace

TESTS(int count, char** paths) {
  CHECK_EQUAL(count, 3);
  std::ifstream ground(paths[1]), rules(paths[2]);
  std::stringstream text;
  text << rules.rdbuf();
  const auto program = program_of(read_ground_program(ground));
  const auto registry =
      std::make_shared<Registry>(std::make_shared<const Plan>(compile_plan(read_rules(text.str()))), ReasonerLimits{});
  goals_on_demand_have_the_evaluations_of_their_simulator(program, registry);
  others_have_none(registry);
}

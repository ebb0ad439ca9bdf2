// Flags: -O1
// Games: connect_four battle
//
// Complete searches with reply forests, and the moves that native games report to them.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "base/bits.hpp"
#include "check.hpp"
#include "fixtures/count_allocations.hpp"
#include "fixtures/every_kernel.hpp"
#include "fixtures/games.hpp"
#include "fixtures/interface_of.hpp"
#include "fixtures/lanes_of.hpp"
#include "fixtures/limits.hpp"
#include "fixtures/odd_games.hpp"
#include "fixtures/program_of.hpp"
#include "games/registry.hpp"
#include "network/simulator/network_simulator.hpp"
#include "search/driver/searcher.hpp"
#include "search/playout/game_playout.hpp"
#include "search/playout/reply_playout.hpp"

namespace {

using namespace ggp;
using Policy = PlayoutConfig::Policy;
using From = ReplyForestConfig::Context;

Config config_of(int in_flight = 0) {
  Config config;
  config.solver.enabled = false;  // proofs would end the searches of these small games
  config.playout.policy = Policy::kBhrf;
  config.playout.forest.epsilon = 0.8;
  config.in_flight = in_flight;
  return config;
}

TEST(odd_games_are_searched) { copes_with_odd_games(config_of()); }

TEST(games_played_by_their_rules_have_no_policy) {
  LanesOf<TicTacToe> lanes(64);
  Config config = config_of();
  for (const auto fallback : {ReplyForestConfig::Fallback::kGame, ReplyForestConfig::Fallback::kGameLight}) {
    config.playout.forest.fallback = fallback;
    CHECK_THROWS(std::invalid_argument, Searcher(lanes, config));
  }
}

void same_trees_on_every_kernel(const char* path) {
  const auto program = program_of(ground_program_file(path));
  std::set<std::uint64_t> different;
  for (const From context : {From::kLongest, From::kEach}) {
    Config config = config_of(50);
    config.playout.forest.context = context;
    if (context == From::kEach) config.playout.forest.bias = 2;  // such a small tree has few longer contexts
    different.insert(tree_on_every_kernel(program, config, 300));
  }
  CHECK_EQUAL(different.size(), std::size_t{2});
}

// Native games report their draws: the same tree on any width, other trees with another default policy, and all choices
// of a play-out recorded.
TEST(same_trees_of_modules) {
  for (const auto& module : modules()) {
    const std::string name = module->facts().name;
    if (name != "kalah" && name != "go_5x5") continue;
    std::set<std::uint64_t> different;
    using Fallback = ReplyForestConfig::Fallback;
    const bool lights = interface_of<GamePolicy>(*module->simulator(64, false)).has_light_policy();
    CHECK_EQUAL(lights, name == "go_5x5");
    for (const auto fallback : {Fallback::kUniform, Fallback::kGame, Fallback::kGameLight}) {
      if (fallback == Fallback::kGameLight && !lights) continue;
      Config config = config_of(16);
      config.playout.forest.fallback = fallback;
      std::set<std::uint64_t> alike;
      for (const int lanes : {64, 256}) {
        const auto simulator = module->simulator(lanes, lanes == 256 && has_fast_bits());
        Searcher searcher(*simulator, config);
        searcher.run(simulations(400));
        std::vector<int> moves(simulator->moves(0));
        const int role = module->mover(simulator->initial());
        const auto fresh = module->simulator(64, false);
        fresh->evaluate();
        CHECK(fresh->legal(0, role, moves.data()) > 0);
        std::vector<int> joint(2, fresh->moves(0) - 1);
        joint[role] = moves[0];
        searcher.advance(joint);
        searcher.run(simulations(400));
        alike.insert(searcher.tree_hash());
      }
      CHECK_EQUAL(alike.size(), std::size_t{1});
      different.insert(*alike.begin());
    }
    CHECK_EQUAL(different.size(), std::size_t{lights ? 3u : 2u});
  }
}

// The legal moves of lane 0, found among all numbers, or as bits; empty without a look-up.
std::vector<int> legal_by_number(Simulator& simulator, MoveDraw by) {
  if (const auto* const legality = simulator.optional_interface<BitwiseLegality>()) {
    std::vector<int> moves;
    for (std::uint64_t left = legality->legal_bits(0); left != 0; left &= left - 1) moves.push_back(__builtin_ctzll(left));
    return moves;
  }
  auto* const lookup = simulator.optional_interface<LegalityLookup>();
  if (lookup == nullptr) return {};
  std::vector<std::uint32_t> numbers(simulator.moves(0)), places(numbers.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto count = static_cast<std::uint32_t>(numbers.size());
  places.resize(lookup->find_legal(0, by, numbers.data(), count, places.data()));
  return {places.begin(), places.end()};
}

// Native games play the moves that they report.
TEST(modules_report_what_they_draw) {
  constexpr MoveDraw kDraw[] = {MoveDraw::kUniform, MoveDraw::kPolicy, MoveDraw::kLight};
  int forced = 0;
  for (const auto& module : modules()) {
    const auto simulator = module->simulator(64, has_fast_bits());
    ReportedMoves& reported_moves = interface_of<ReportedMoves>(*simulator);
    const bool lights = interface_of<GamePolicy>(*simulator).has_light_policy();
    if (8 * simulator->state_words() > 2000) continue;  // the largest boards are slow under sanitizers
    const std::size_t words = static_cast<std::size_t>(simulator->state_words());
    std::vector<std::uint64_t> before(words), drawn(words), chosen(words);
    std::vector<ReportedMove> reported(64);
    std::vector<int> moves(simulator->moves(0));
    const std::uint64_t first = 1;
    std::vector<const std::uint64_t*> from(64);
    std::vector<std::uint64_t*> to(64);
    const auto store = [&](std::vector<std::uint64_t>& state) {
      to[0] = state.data();
      simulator->store(&first, to.data());
    };
    const auto load = [&](const std::vector<std::uint64_t>& state) {
      from[0] = state.data();
      simulator->load(&first, from.data());
      simulator->evaluate();
    };
    simulator->evaluate();
    for (int ply = 0; ply < 60 && (simulator->terminal()[0] & 1) == 0; ++ply) {
      store(before);
      const int role = reported_moves.mover(0);
      const int count = simulator->legal(0, role, moves.data());
      const std::vector<int> legal = legal_by_number(*simulator, MoveDraw::kUniform);
      const std::vector<int> by_policy = legal_by_number(*simulator, MoveDraw::kPolicy);
      if (!legal.empty()) CHECK(legal == std::vector<int>(moves.begin(), moves.begin() + count));
      std::uint64_t random = static_cast<std::uint64_t>(ply);
      const int drawn_move = interface_of<GamePolicy>(*simulator).policy_move(0, random).move;
      if (!by_policy.empty()) CHECK(std::binary_search(by_policy.begin(), by_policy.end(), drawn_move));
      reported_moves.choose_and_report(&first, kDraw[ply % (lights ? 3 : 2)], reported.data());
      simulator->step();
      store(drawn);
      CHECK(reported[0].role == role || (reported[0].role == -1 && count == 1));
      forced += reported[0].role == -1;
      load(before);
      simulator->choose(0, role, count > 1 ? reported[0].move : moves[0]);
      simulator->choose(0, 1 - role, simulator->moves(0) - 1);
      simulator->step();
      store(chosen);
      CHECK(drawn == chosen);
      load(before);
      const ReportedMove known{role, count > 1 ? reported[0].move : moves[0]};
      reported_moves.choose_reported(&first, &known);
      simulator->step();
      store(chosen);
      CHECK(drawn == chosen);
      load(chosen);
    }
  }
  CHECK(forced > 0);
}

}  // namespace

TESTS(int count, char** paths) {
  Config forgetful = config_of(64);
  forgetful.playout.forest.memory_bytes = kLeastMemory;
  takes_no_memory_once_warm(forgetful);
  for (int i = 1; i < count; ++i) same_trees_on_every_kernel(paths[i]);
}

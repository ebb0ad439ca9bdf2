// Games: kuhn_poker blind_tic_tac_toe
//
// Online outcome sampling: the histories that agree with observations, targeted games, and bounded memory.
#include <cmath>

#include "check.hpp"
#include "fixtures/program_of.hpp"
#include "hidden/consistent_histories.hpp"
#include "hidden/outcome_sampling.hpp"
#include "network/simulator/network_simulator.hpp"

namespace {

using namespace ggp;

std::unique_ptr<NetworkSimulator> simulator_of(const GroundProgram& program) {
  const auto compiled = program_of(program);
  return std::make_unique<NetworkSimulator>(compiled, *find_kernel("portable", 64));
}

// The observation of a role in a turn of a random game in lane 0, which then contains the state after the turn.
Observation observed_turn(NetworkSimulator& truth, int role, std::uint64_t& random) {
  Observation seen;
  std::vector<int> list(1000);
  for (int each = 0; each < truth.roles(); ++each) {
    const int count = truth.legal(0, each, list.data());
    const int move = list[draw_below(random, count)];
    truth.choose(0, each, move);
    if (each == role) seen.move = move;
  }
  truth.perceive();
  truth.perceived(0, role, seen.percepts);
  truth.step();
  truth.evaluate();
  seen.terminal = truth.terminal()[0] & 1;
  return seen;
}

// In poker with three cards, a card is known after the first turn, and two deals of six agree. The mass of the empty
// history is the probability of the card. An illegal move of the past agrees with nothing.
void histories_of_a_deal(const GroundProgram& program) {
  const auto truth = simulator_of(program), own = simulator_of(program);
  HiddenGame game(*own, 2);
  ConsistentHistories histories(game, 0, 1);
  CHECK(histories.root() == ConsistentHistories::kNone && histories.size() == 1);
  std::uint64_t random = 5;
  truth->evaluate();
  histories.observe(game, observed_turn(*truth, 0, random));
  CHECK(histories.size() == 2 && histories.root() == 0);
  CHECK(std::abs(histories.node(0).mass - 1.0 / 3) < 1e-12);
  for (int turn = 0; turn < 2 && !(truth->terminal()[0] & 1); ++turn) {
    histories.observe(game, observed_turn(*truth, 0, random));
    CHECK(histories.size() >= 1 && histories.size() <= 2);
  }
  Observation wrong;
  wrong.move = 1000000;
  histories.observe(game, wrong);
  CHECK(histories.size() == 0 && histories.root() == ConsistentHistories::kNone);
}

// A board of nine squares soon has too many histories; the search keeps a part of them.
void histories_are_bounded(const GroundProgram& program) {
  const auto truth = simulator_of(program), own = simulator_of(program);
  HiddenGame game(*own, -1);
  ConsistentHistories histories(game, 0, 1);
  std::uint64_t random = 8;
  truth->evaluate();
  for (int turn = 0; turn < 7 && !(truth->terminal()[0] & 1); ++turn) {
    histories.observe(game, observed_turn(*truth, 0, random));
    CHECK(histories.size() > 0 && histories.size() <= ConsistentHistories::kMostLeaves);
  }
}

// A full table gets no more nodes; the search still gives a strategy.
void memory_is_bounded(const GroundProgram& program) {
  const auto own = simulator_of(program);
  Belief belief(*own, -1, 0, 100, 1);
  OutcomeSamplingLimits few;
  few.nodes = 50;
  OutcomeSampling search(belief.game(), 0, 1, few);
  HiddenLimits limits;
  limits.simulations = 3000;
  for (int run = 0; run < 2; ++run) {
    const HiddenResult result = search.run(belief, limits);
    CHECK(search.nodes() <= 2 * few.nodes && result.simulations >= limits.simulations);
    double total = 0;
    for (const HiddenMove& move : result.moves) total += move.probability;
    CHECK(std::abs(total - 1) < 1e-9 && result.moves.size() == 9);
  }
  few.nodes = 1000;
  few.edges = 90;  // each node has at least two
  OutcomeSampling narrow(belief.game(), 0, 1, few);
  narrow.run(belief, limits);
  CHECK(narrow.nodes() <= 2 * 46);
}

// The mean strategies after the first turn equal the strategies without targeted games, up to sampling noise.
void targets_keep_the_expectation(const GroundProgram& program) {
  std::vector<double> found[3];
  const double targeted[] = {0, 0.5, 0.9};
  for (int each = 0; each < 3; ++each) {
    const auto truth = simulator_of(program), own = simulator_of(program);
    Belief belief(*own, 2, 0, 100, 1);
    OutcomeSamplingLimits share;
    share.targeted = targeted[each];
    OutcomeSampling search(belief.game(), 0, 3, share);
    std::uint64_t random = 5;
    truth->evaluate();
    const Observation seen = observed_turn(*truth, 0, random);
    search.observe(belief, seen);
    belief.observe(seen, 60);
    HiddenLimits limits;
    limits.simulations = 100000;
    for (const HiddenMove& move : search.run(belief, limits).moves) found[each].push_back(move.value);
  }
  for (int each = 1; each < 3; ++each)
    for (std::size_t move = 0; move < found[0].size(); ++move) CHECK(std::abs(found[each][move] - found[0][move]) < 3);
}

}  // namespace

TESTS(int, char** paths) {
  const GroundProgram poker = ground_program_file(paths[1]), board = ground_program_file(paths[2]);
  histories_of_a_deal(poker);
  histories_are_bounded(board);
  memory_is_bounded(board);
  targets_keep_the_expectation(poker);
}

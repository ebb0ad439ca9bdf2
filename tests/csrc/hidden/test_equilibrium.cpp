// Games: kuhn_poker tic_tac_toe
//
// Equilibria of small games: sequence forms by hand, the whole tree of a game, CFR+ and best responses.
#include <cmath>

#include "check.hpp"
#include "fixtures/program_of.hpp"
#include "hidden/equilibrium.hpp"
#include "hidden/whole_game.hpp"
#include "network/simulator/network_simulator.hpp"

namespace {

using namespace ggp;

std::unique_ptr<NetworkSimulator> simulator_of(const GroundProgram& program) {
  const auto compiled = program_of(program);
  return std::make_unique<NetworkSimulator>(compiled, *find_kernel("portable", 64));
}

DecisionTree one_choice(int moves) {
  DecisionTree tree;
  tree.points.push_back({1, 0, 1, static_cast<std::uint32_t>(moves)});
  for (int move = 0; move < moves; ++move) tree.moves.push_back(move);
  tree.at[1] = 0;
  return tree;
}

// Both show a coin. Equal coins are 100 or 50 points for player 0, who shows the first side with 1/3.
TEST(matrix_game) {
  std::vector<SequenceForm::End> ends{{{1, 1}, 100, 1}, {{1, 2}, 0, 1}, {{2, 1}, 0, 1}, {{2, 2}, 25, 0.5}, {{2, 2}, 25, 0.5}};
  const SequenceForm form({one_choice(2), one_choice(2)}, ends, 100);
  CHECK_EQUAL(form.pairs(), 4u);
  std::vector<double> scratch;
  const std::vector<double> uniform{1, 0.5, 0.5};
  CHECK_BETWEEN(best_response(form, 0, uniform, scratch), 50 - 1e-9, 50 + 1e-9);
  CHECK_BETWEEN(best_response(form, 1, uniform, scratch), 75 - 1e-9, 75 + 1e-9);
  CHECK_BETWEEN(expected_goal(form, uniform, uniform, scratch), 37.5 - 1e-9, 37.5 + 1e-9);
  Equilibrium equilibrium(form);
  CHECK_BETWEEN(equilibrium.state().exploitability, 12.5 - 1e-9, 12.5 + 1e-9);
  EquilibriumLimits limits;
  limits.exploitability = 1e-4;
  equilibrium.run(limits);
  const EquilibriumState state = equilibrium.state();
  CHECK(state.exploitability <= 1e-4 && state.iterations > 0);
  CHECK_BETWEEN(state.low, 100.0 / 3 - 1e-3, 100.0 / 3);
  CHECK_BETWEEN(state.high, 100.0 / 3, 100.0 / 3 + 1e-3);
  for (int player = 0; player < 2; ++player) {
    const std::vector<MixedMove> moves = equilibrium.strategy(player, 0);
    CHECK_BETWEEN(moves[0].probability, 1.0 / 3 - 1e-3, 1.0 / 3 + 1e-3);
    CHECK_BETWEEN(moves[0].value, (player == 0 ? 100.0 : 200.0) / 3 - 0.01, (player == 0 ? 100.0 : 200.0) / 3 + 0.01);
  }
}

// Player 0 ends the game with 60, or makes a bad move, after which player 1 chooses between 100 and 0 for player 0.
// Player 1 answers well although the bad move is never made.
TEST(answers_mistakes) {
  const SequenceForm form({one_choice(2), one_choice(2)}, {{{1, 0}, 60, 1}, {{2, 1}, 50, 1}, {{2, 2}, 0, 1}}, 100);
  Equilibrium equilibrium(form);
  EquilibriumLimits limits;
  limits.iterations = 200;
  equilibrium.run(limits);
  CHECK_BETWEEN(equilibrium.strategy(0, 0)[0].probability, 0.999, 1.0);
  CHECK_BETWEEN(equilibrium.strategy(1, 0)[1].probability, 0.999, 1.0);
  CHECK_BETWEEN(equilibrium.strategy(1, 0)[1].value, 100 - 1e-6, 100 + 1e-6);
}

void poker(const GroundProgram& program) {
  const auto simulator = simulator_of(program);
  HiddenGame game(*simulator, 2);
  const WholeGame whole = play_whole_game(game, {});
  CHECK(whole.problem == WholeGameProblem::kNone && whole.form != nullptr && !whole.at_once);
  CHECK_EQUAL(whole.histories, 55.0);
  CHECK_EQUAL(whole.form->tree(0).points.size(), 6u);
  CHECK_EQUAL(whole.form->tree(1).sequences(), 13u);
  Equilibrium equilibrium(*whole.form);
  CHECK_BETWEEN(equilibrium.state().exploitability, 11.458333, 11.458334);
  EquilibriumLimits limits;
  limits.iterations = 300;
  equilibrium.run(limits);
  CHECK_EQUAL(equilibrium.state().iterations, 300u);
  CHECK_BETWEEN(equilibrium.state().value, 48.611 - 1e-3, 48.612 + 1e-3);
  CHECK(equilibrium.state().exploitability < 0.001);
}

bool stop(void*, std::size_t) { return true; }
bool stop_run(void*) { return true; }

void limits(const GroundProgram& poker, const GroundProgram& board) {
  const auto simulator = simulator_of(poker);
  HiddenGame game(*simulator, 2);
  WholeGameLimits few;
  few.histories = 54;
  CHECK(play_whole_game(game, few).problem == WholeGameProblem::kTooLarge);
  WholeGameLimits stopped;
  stopped.interrupted = stop;
  CHECK(play_whole_game(game, stopped).problem == WholeGameProblem::kStopped);
  const WholeGame whole = play_whole_game(game, {});
  Equilibrium equilibrium(*whole.form);
  EquilibriumLimits interrupted;
  interrupted.exploitability = -1;  // never reached
  interrupted.interrupted = stop_run;
  equilibrium.run(interrupted);
  const std::uint64_t before = equilibrium.state().iterations;
  CHECK(before > 0);
  EquilibriumLimits none;
  none.seconds = 0;
  equilibrium.run(none);
  CHECK_EQUAL(equilibrium.state().iterations, before);

  // Nothing is seen in this game: the roles do not know which cells are free.
  const auto blind = simulator_of(board);
  HiddenGame blind_game(*blind, -1);
  CHECK(play_whole_game(blind_game, {}).problem == WholeGameProblem::kUnknownMoves);
  WholeGameLimits seeing;
  seeing.sees_moves = true;
  seeing.histories = 1000;
  CHECK(play_whole_game(blind_game, seeing).problem == WholeGameProblem::kTooLarge);
}

}  // namespace

TESTS(int, char** paths) {
  const GroundProgram cards = ground_program_file(paths[1]), board = ground_program_file(paths[2]);
  poker(cards);
  limits(cards, board);
}

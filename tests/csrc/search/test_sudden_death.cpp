// Flags: -O1
//
// Level-k minimax compared with a plain recursion, and its use in the search: lost moves are not played, won moves are,
// by every strategy, with and without the solver.
#include <algorithm>
#include <vector>

#include "check.hpp"
#include "fixtures/games.hpp"
#include "fixtures/lanes_of.hpp"
#include "fixtures/limits.hpp"
#include "fixtures/random_game.hpp"
#include "search/driver/searcher.hpp"
#include "search/driver/statistics.hpp"
#include "search/proof/level_minimax.hpp"

namespace {

using namespace ggp;
using Strategy = SuddenDeathConfig::Strategy;

// The bounds of a role's goal within `plies` plies, by the definition in level_minimax.hpp.
template <class Game>
std::pair<int, int> within(const typename Game::State& state, int role, int plies) {
  if (Game::terminal(state)) return {Game::goal(state, role), Game::goal(state, role)};
  if (plies == 0) return {0, 100};
  std::vector<int> legal[2];
  for (int each = 0; each < 2; ++each) {
    legal[each].resize(Game::moves(each));
    legal[each].resize(Game::legal(state, each, legal[each].data()));
  }
  const bool own = legal[1 - role].size() == 1;
  std::pair<int, int> found = own ? std::pair{0, 0} : std::pair{100, 100};
  for (const int move : legal[own ? role : 1 - role]) {
    int moves[2] = {legal[0][0], legal[1][0]};
    moves[own ? role : 1 - role] = move;
    const auto behind = within<Game>(Game::next(state, moves), role, plies - 1);
    found.first = own ? std::max(found.first, behind.first) : std::min(found.first, behind.first);
    found.second = own ? std::max(found.second, behind.second) : std::min(found.second, behind.second);
  }
  return found;
}

template <class Game>
typename Game::State behind(const typename Game::State& state, int mover, int move) {
  int moves[2];
  std::vector<int> legal(Game::moves(1 - mover));
  Game::legal(state, 1 - mover, legal.data());
  moves[mover] = move;
  moves[1 - mover] = legal[0];
  return Game::next(state, moves);
}

// Compares the verdict on every move with the recursion; returns the number of won or lost moves.
template <class Game>
int agrees(LevelMinimax& minimax, const typename Game::State& state, int plies) {
  minimax.run(state.data(), plies, LevelMinimax::Extent::kEveryMove);
  int decided = 0;
  for (const LevelMinimax::Verdict& verdict : minimax.verdicts()) {
    const auto next = behind<Game>(state, minimax.mover(), verdict.move);
    const bool won = within<Game>(next, minimax.mover(), (plies - 1) / 2 * 2).first > 50;
    const bool lost = plies > 1 && within<Game>(next, minimax.mover(), plies / 2 * 2 - 1).second < 50;
    // An end found at the previous level decides, too.
    if (won) CHECK(verdict.bounds.pessimistic > 50);
    if (lost) CHECK(verdict.bounds.optimistic < 50);
    const auto all = within<Game>(next, minimax.mover(), plies - 1);
    CHECK(verdict.bounds.pessimistic <= all.first && verdict.bounds.optimistic >= all.second);
    CHECK_EQUAL(verdict.plies > 0, verdict.bounds.pessimistic > 50 || verdict.bounds.optimistic < 50);
    decided += verdict.plies > 0;
  }
  return decided;
}

TEST(minimax_agrees_with_a_plain_one) {
  using Game = RandomGame<2, false, Sum::kConstant>;
  Game::plies = 6;
  Game::width = 0;
  int decided = 0;
  for (Game::seed = 1; Game::seed <= 60; ++Game::seed) {
    LanesOf<Game> lanes(64);
    LevelMinimax minimax(lanes);
    for (int plies = 1; plies <= 6; ++plies) decided += agrees<Game>(minimax, Game::initial(), plies);
  }
  CHECK(decided > 100);
}

// Calls visit(state) for every position of tic-tac-toe with a given number of marks that is not terminal.
template <class Visit>
void for_each_position(int marks, Visit visit) {
  for (std::uint64_t cells = 0; cells < (1u << 18); ++cells) {
    const TicTacToe::State state{cells};
    const unsigned own = TicTacToe::cells(state, 0), other = TicTacToe::cells(state, 1);
    const int first = __builtin_popcount(own), second = __builtin_popcount(other);
    if ((own & other) != 0 || first + second != marks || (first != second && first != second + 1)) continue;
    if (!TicTacToe::terminal(state)) visit(state);
  }
}

TEST(tic_tac_toe_at_every_level) {
  LanesOf<TicTacToe> lanes(64);
  LevelMinimax minimax(lanes);
  int decided = 0;
  for (int plies = 1; plies <= 4; ++plies)
    for_each_position(4, [&](const TicTacToe::State& state) { decided += agrees<TicTacToe>(minimax, state, plies); });
  CHECK(decided > 1000);
}

// If goals do not add up to 100, all bounds are valid nevertheless.
template <class Game>
void bounds_are_sound() {
  Game::plies = 5;
  Game::width = 0;
  for (Game::seed = 1; Game::seed <= 40; ++Game::seed) {
    LanesOf<Game> lanes(64);
    LevelMinimax minimax(lanes);
    minimax.run(Game::initial().data(), 5, LevelMinimax::Extent::kEveryMove);
    FinalBounds<Game> final_bounds(minimax.odd_goals() == nullptr);
    for (const LevelMinimax::Verdict& verdict : minimax.verdicts()) {
      const auto next = behind<Game>(Game::initial(), minimax.mover(), verdict.move);
      const auto truth = final_bounds.of(next)[minimax.mover()];
      CHECK(verdict.bounds.pessimistic <= truth.first && verdict.bounds.optimistic >= truth.second);
    }
  }
}

// ---- in the search

Config config_of(Strategy strategy, bool solver, int in_flight) {
  Config config;
  config.in_flight = in_flight;
  config.solver.enabled = solver;
  config.playout.decisive = false;
  config.sudden_death.strategy = strategy;
  config.sudden_death.every = 20;
  config.sudden_death.death_percent = config.sudden_death.win_percent = 100;
  return config;
}

// In every position with a sudden win or death of level 4 or less, the chosen move is correct, and proofs are true.
// Strategies that examine only marked moves can miss a win that no simulation has found.
void sudden_deaths_are_avoided_and_wins_taken(Strategy strategy, bool solver, int in_flight) {
  LanesOf<TicTacToe> lanes(64);
  LevelMinimax minimax(lanes);
  Searcher searcher(lanes, config_of(strategy, solver, in_flight));
  const bool by_marks = strategy == Strategy::kMidway || strategy == Strategy::kFinal;
  FinalBounds<TicTacToe> final_bounds(true);
  int looked = 0, skipped = 0, missed = 0;
  for_each_position(4, [&](const TicTacToe::State& state) {
    if (++skipped % 7 != 0) return;
    minimax.run(state.data(), 4, LevelMinimax::Extent::kEveryMove);
    const auto verdicts = minimax.verdicts();
    const auto is_won = [](const LevelMinimax::Verdict& each) { return each.bounds.pessimistic == 100; };
    const auto is_lost = [](const LevelMinimax::Verdict& each) { return each.bounds.optimistic == 0; };
    const bool wins = std::any_of(verdicts.begin(), verdicts.end(), is_won);
    const bool dies = std::any_of(verdicts.begin(), verdicts.end(), is_lost);
    if ((!wins && !dies) || std::all_of(verdicts.begin(), verdicts.end(), is_lost)) return;
    ++looked;
    searcher.set_root(state.data());
    const Statistics found = searcher.run(simulations(60));
    const RoleStatistics& role = found.roles[minimax.mover()];
    const auto chosen = std::find_if(verdicts.begin(), verdicts.end(), [&](const LevelMinimax::Verdict& each) {
      return each.move == role.moves.front().move;
    });
    CHECK(!is_lost(*chosen));
    missed += wins && !is_won(*chosen);
    for (const MoveStatistics& move : role.moves) {
      const auto truth = final_bounds.of(behind<TicTacToe>(state, minimax.mover(), move.move));
      CHECK(move.bounds.pessimistic <= truth[minimax.mover()].first);
      CHECK(move.bounds.optimistic >= truth[minimax.mover()].second);
    }
    const bool sure = strategy == Strategy::kAlways || (strategy == Strategy::kTriggered && !solver);
    CHECK(!sure || found.minimax_states > 0);
  });
  CHECK(looked > 20);
  CHECK(missed <= (by_marks ? 2 : 0));
}

// Without a strategy, the same search with few simulations sometimes plays a losing move.
TEST(the_search_alone_does_not_see_them_all) {
  LanesOf<TicTacToe> lanes(64);
  LevelMinimax minimax(lanes);
  Searcher searcher(lanes, config_of(Strategy::kOff, false, 1));
  int wrong = 0;
  for_each_position(4, [&](const TicTacToe::State& state) {
    minimax.run(state.data(), 4, LevelMinimax::Extent::kEveryMove);
    searcher.set_root(state.data());
    const Statistics found = searcher.run(simulations(20));
    for (const LevelMinimax::Verdict& each : minimax.verdicts()) {
      const bool other = std::any_of(minimax.verdicts().begin(), minimax.verdicts().end(), [](const auto& verdict) {
        return verdict.bounds.optimistic > 0;
      });
      const int chosen = found.roles[minimax.mover()].moves.front().move;
      wrong += other && each.move == chosen && each.bounds.optimistic == 0;
    }
    CHECK_EQUAL(found.minimax_states, std::uint64_t{0});
  });
  CHECK(wrong > 0);
}

// If the minimax is stopped, the search plays its own move, and all results are true.
TEST(the_minimax_can_be_stopped) {
  LanesOf<TicTacToe> lanes(64);
  for (const Strategy strategy : {Strategy::kAlways, Strategy::kTriggered, Strategy::kMidway, Strategy::kFinal}) {
    Config config = config_of(strategy, false, 4);
    config.sudden_death.plies = 9;
    config.sudden_death.states = 1;
    Searcher searcher(lanes, config);
    const Statistics found = searcher.run(simulations(200));
    CHECK_EQUAL(found.simulations, std::uint64_t{200});
    CHECK(found.roles[0].moves.front().visits > 0);
    for (const MoveStatistics& move : found.roles[0].moves) CHECK(move.bounds == kUnknown);
  }
  // With a limit of a hundredth of a second: most of it may go to the minimax, which could examine the whole game.
  for (const Strategy strategy : {Strategy::kAlways, Strategy::kFinal}) {
    Config config = config_of(strategy, false, 4);
    config.sudden_death.plies = 9;
    config.sudden_death.time_share = 0.9;
    Searcher searcher(lanes, config);
    Limits limits;
    limits.cpu_seconds = 0.01;
    const Statistics found = searcher.run(limits);
    CHECK(found.minimax_seconds < 1);
    CHECK(found.simulations > 0);
  }
}

TEST(games_of_one_role_are_refused) {
  LanesOf<Countdown> puzzle(64);
  CHECK_THROWS(std::invalid_argument, Searcher(puzzle, config_of(Strategy::kAlways, true, 1)));
}

// The move with the highest average may have fewer visits than another.
TEST(the_final_move_may_go_by_its_score) {
  LanesOf<TicTacToe> lanes(64);
  Config config = config_of(Strategy::kOff, false, 1);
  config.selection.exploration = 0.2;
  int differ = 0;
  for (config.seed = 1; config.seed <= 40; ++config.seed) {
    Searcher searcher(lanes, config);
    searcher.run(simulations(40));
    const auto by_visits = read_statistics(searcher.tree(), searcher.tree().root(), FinalMove::kVisits).roles[0].moves;
    const auto by_score = read_statistics(searcher.tree(), searcher.tree().root(), FinalMove::kScore).roles[0].moves;
    for (std::size_t i = 1; i < by_visits.size(); ++i) {
      CHECK(by_visits[i - 1].visits >= by_visits[i].visits);
      if (by_score[i].visits > 0) CHECK(by_score[i - 1].mean >= by_score[i].mean);
    }
    differ += by_visits.front().move != by_score.front().move;
  }
  CHECK(differ > 0);
}

}  // namespace

TESTS(int, char**) {
  bounds_are_sound<RandomGame<2, false, Sum::kFree>>();
  bounds_are_sound<RandomGame<2, false, Sum::kRarelyBroken>>();
  bounds_are_sound<RandomGame<2, true, Sum::kConstant>>();
  for (const Strategy strategy : {Strategy::kAlways, Strategy::kTriggered, Strategy::kMidway, Strategy::kFinal}) {
    sudden_deaths_are_avoided_and_wins_taken(strategy, false, 1);
    sudden_deaths_are_avoided_and_wins_taken(strategy, true, 8);
  }
}

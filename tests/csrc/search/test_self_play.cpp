// Games: connect_four
//
// Self-play: targets of finished games are legal moves with probabilities, results and values; games do not depend on
// chance but on the seed; proven roots yield proven targets; moves that are proven to lose are no targets and are not
// played; games without an end and games without a choice end.
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "check.hpp"
#include "fixtures/games.hpp"
#include "fixtures/lanes_of.hpp"
#include "fixtures/learned_game.hpp"
#include "fixtures/limits.hpp"
#include "fixtures/program_of.hpp"
#include "interfaces/evaluations.hpp"
#include "interfaces/move_probabilities.hpp"
#include "search/driver/self_play.hpp"

namespace {

using namespace ggp;

using Program = std::shared_ptr<const LaneProgram>;

Config config_of() {
  Config config;
  config.in_flight = 1;
  config.memory_bytes = std::size_t{1} << 24;
  config.evaluation.name = "learned";
  config.selection.formula = SelectionConfig::Formula::kPuct;
  config.playout.early_termination.plies = 0;
  return config;
}

SelfPlayOptions options_of(int games, std::uint64_t seed) {
  SelfPlayOptions options;
  options.games = games;
  options.seed = seed;
  options.full_simulations = 24;
  options.fast_simulations = 6;
  return options;
}

struct Table {
  Table(const Program& program, const SelfPlayOptions& options)
      : game(some_learned_game(*program)),
        plain(program, *find_kernel("portable", 64)),
        lanes(plain, game, learning_kernel("portable"), "learned"),
        scout(plain, game, learning_kernel("portable"), "learned"),
        games(lanes, scout, config_of(), options) {}

  std::shared_ptr<const LearnedGame> game;
  NetworkSimulator plain;
  LearnedSimulator lanes, scout;
  SelfPlay games;
};

std::uint32_t begin_of(const std::vector<std::uint32_t>& ends, std::size_t index) { return index == 0 ? 0 : ends[index - 1]; }

// Every position has legal moves with probabilities, and games of two roles have opposite results.
void positions_are_complete(const Program& program) {
  Table table(program, options_of(16, 3));
  const PlayedPositions found = table.games.play(1'000, never, nullptr);
  NetworkSimulator rules(program, *find_kernel("portable", 64));
  const std::size_t count = found.size(), words = static_cast<std::size_t>(rules.state_words());
  CHECK(count >= 1'000 && found.games > 20 && found.simulations > found.plies && found.proven > 0);
  CHECK_EQUAL(found.states.size(), count * words);
  CHECK_EQUAL(found.results.size(), 2 * count);
  CHECK_EQUAL(found.searched.size(), 2 * count);
  CHECK_EQUAL(found.group_ends.size(), count);
  CHECK_EQUAL(std::size_t{found.group_ends.back()}, found.group_roles.size());
  CHECK_EQUAL(std::size_t{found.move_ends.back()}, found.move_numbers.size());
  const std::uint64_t first = 1;
  std::vector<int> moves(rules.moves(0));
  std::size_t without = 0;
  for (std::size_t position = 0; position < count; ++position) {
    const std::uint64_t* state = &found.states[position * words];
    rules.load(&first, &state);
    rules.evaluate();
    const int mover = found.movers[position];
    CHECK(!(rules.terminal()[0] & 1));
    CHECK_BETWEEN(mover, 0, 1);
    moves.resize(rules.moves(0));
    moves.resize(rules.legal(0, mover, moves.data()));
    CHECK(moves.size() > 1);
    for (const std::vector<float>* values : {&found.results, &found.searched}) {
      CHECK_BETWEEN((*values)[2 * position], -1.0f, 1.0f);
      CHECK(std::abs((*values)[2 * position] + (*values)[2 * position + 1]) < 1e-5f);
    }
    const std::uint32_t from = begin_of(found.group_ends, position), to = found.group_ends[position];
    CHECK(to - from <= 1);
    without += to == from;
    for (std::uint32_t group = from; group < to; ++group) {
      CHECK_EQUAL(found.group_roles[group], mover);
      const std::uint32_t begin = begin_of(found.move_ends, group), end = found.move_ends[group];
      CHECK_EQUAL(std::size_t{end - begin}, moves.size());
      double total = 0;
      std::vector<int> listed;
      for (std::uint32_t i = begin; i < end; ++i) {
        CHECK_BETWEEN(found.probabilities[i], 0.0f, 1.0f);
        total += found.probabilities[i];
        listed.push_back(found.move_numbers[i]);
      }
      CHECK(std::abs(total - 1) < 1e-4);
      std::sort(listed.begin(), listed.end());
      CHECK(listed == moves);
    }
    rules.step();
  }
  // A third of the searches are full, and proven roots are always targets.
  CHECK_BETWEEN(without, count / 4, 3 * count / 4);
  double total = 0;
  for (const double reward : found.rewards) total += reward;
  CHECK(std::abs(total) < 1e-5 * static_cast<double>(found.games));
}

// The positions of a game follow each other and have one result.
void games_have_one_result(const Program& program) {
  SelfPlayOptions options = options_of(1, 5);
  options.opening_share = 0;
  Table table(program, options);
  const PlayedPositions found = table.games.play(200, never, nullptr);
  const std::size_t words = found.states.size() / found.size();
  std::uint64_t games = 0;
  for (std::size_t position = 0; position < found.size(); ++position) {
    if (std::memcmp(&found.states[position * words], table.lanes.initial(), 8 * words) == 0) {
      ++games;
      continue;
    }
    for (int role = 0; role < 2; ++role)
      CHECK_EQUAL(found.results[2 * position + role], found.results[2 * position - 2 + role]);
  }
  CHECK_EQUAL(games, found.games);
}

bool operator==(const PlayedPositions& one, const PlayedPositions& other) {
  return one.states == other.states && one.movers == other.movers && one.results == other.results &&
         one.searched == other.searched && one.group_ends == other.group_ends &&
         one.move_numbers == other.move_numbers && one.probabilities == other.probabilities;
}

void equal_seeds_give_equal_games(const Program& program) {
  std::vector<PlayedPositions> found;
  for (const std::uint64_t seed : {7, 7, 8}) {
    Table table(program, options_of(12, seed));
    PlayedPositions played = table.games.play(150, never, nullptr);
    played.append(table.games.play(150, never, nullptr));  // games under way continue
    found.push_back(std::move(played));
  }
  CHECK(found[0] == found[1]);
  CHECK(!(found[0] == found[2]));
}

void a_question_interrupts_and_games_continue(const Program& program) {
  Table table(program, options_of(8, 1));
  const auto at_once = [](void*) { return true; };
  const PlayedPositions none = table.games.play(1'000'000, at_once, nullptr);
  CHECK(none.size() < 1'000'000);
  CHECK(table.games.play(100, never, nullptr).size() >= 100);
}

void bad_options_are_refused(const Program& program) {
  CHECK_THROWS(std::invalid_argument, Table(program, options_of(65, 1)));  // there are 64 lanes
  for (int which = 0; which < 4; ++which) {
    SelfPlayOptions options = options_of(4, 1);
    if (which == 0) options.games = 0;
    if (which == 1) options.full_simulations = 0;
    if (which == 2) options.fast_simulations = 0;
    if (which == 3) options.most_plies = 0;
    CHECK_THROWS(std::invalid_argument, Table(program, options));
  }
}

// ---- games written by hand, with a policy that is even and values of 0

template <class Game>
class Even final : public LanesOf<Game>, public Evaluations, public MoveProbabilities {
 public:
  using LanesOf<Game>::LanesOf;
  std::unique_ptr<Simulator> clone() const override { return std::make_unique<Even>(this->lanes()); }
  std::vector<std::string> evaluations() const override { return {"learned"}; }
  void values(int, const std::uint64_t*, float* out) override {
    std::fill_n(out, static_cast<std::size_t>(this->lanes() * Game::roles), 0.0f);
  }
  int successor_values(int, int, int, float*) override { return 0; }
  bool has_probabilities(int) const override { return true; }
  void probabilities(int, int, int, const int*, int count, float* out) override {
    std::fill_n(out, count, 1.0f / static_cast<float>(count));
  }

 private:
  void* find_interface(InterfaceId id) override { return select_interface<Evaluations, MoveProbabilities>(*this, id); }
};

template <class Game>
PlayedPositions played(const SelfPlayOptions& options, std::size_t positions) {
  Even<Game> lanes(64), scout(64);
  return SelfPlay(lanes, scout, config_of(), options).play(positions, never, nullptr);
}

// Role 0 chooses among three moves: a win at once, a loss at once, or a draw.
struct Proven {
  static constexpr int roles = 2, words = 1;
  using State = std::array<std::uint64_t, words>;
  static int moves(int role) { return role == 0 ? 3 : 1; }
  static State initial() { return {0}; }
  static bool terminal(const State& state) { return state[0] > 0; }
  static int goal(const State& state, int role) {
    const int first = state[0] == 1 ? 100 : state[0] == 2 ? 0 : 50;
    return role == 0 ? first : 100 - first;
  }
  static int legal(const State&, int role, int* out) { return first_moves(moves(role), out); }
  static State next(const State&, const int* moves) { return {std::uint64_t(moves[0]) + 1}; }
};

TEST(proven_roots_have_proven_targets) {
  SelfPlayOptions options = options_of(4, 2);
  options.opening_share = 0;
  options.full_share = 0;  // targets of proven roots do not need full searches
  const PlayedPositions found = played<Proven>(options, 100);
  CHECK(found.proven > 0);
  CHECK_EQUAL(found.group_roles.size(), found.size());
  for (std::size_t position = 0; position < found.size(); ++position) {
    CHECK_EQUAL(found.results[2 * position], 1.0f);
    CHECK_EQUAL(found.searched[2 * position], 1.0f);
    CHECK_EQUAL(found.searched[2 * position + 1], -1.0f);
    for (std::uint32_t i = begin_of(found.move_ends, position); i < found.move_ends[position]; ++i)
      CHECK_EQUAL(found.probabilities[i], found.move_numbers[i] == 0 ? 1.0f : 0.0f);
  }
}

// Role 0 goes a path of 30 steps and wins at its end. In every step one move continues and 19 moves lose at once.
struct Narrow {
  static constexpr int roles = 2, words = 1, length = 30, lost = 99;
  using State = std::array<std::uint64_t, words>;
  static int moves(int role) { return role == 0 ? 20 : 1; }
  static State initial() { return {0}; }
  static bool terminal(const State& state) { return state[0] >= length; }
  static int goal(const State& state, int role) { return (state[0] == lost) == (role == 0) ? 0 : 100; }
  static int legal(const State&, int role, int* out) { return first_moves(moves(role), out); }
  static State next(const State& state, const int* moves) { return {moves[0] == 7 ? state[0] + 1 : lost}; }
};

TEST(lost_moves_are_no_targets) {
  SelfPlayOptions options = options_of(4, 2);
  options.opening_share = 0;
  options.fast_simulations = options.full_simulations;  // enough to visit the moves that do not lose
  const PlayedPositions found = played<Narrow>(options, 100);
  CHECK(found.group_roles.size() > 20);
  const auto unproven = std::count_if(found.searched.begin(), found.searched.end(), [](float q) { return q > -1 && q < 1; });
  CHECK(unproven > 50);
  for (std::size_t position = 0; position < found.size(); ++position) CHECK_EQUAL(found.results[2 * position], 1.0f);
  // The others are visited, but have no share.
  for (std::size_t i = 0; i < found.move_numbers.size(); ++i)
    CHECK_EQUAL(found.probabilities[i], found.move_numbers[i] == 7 ? 1.0f : 0.0f);
}

// Move 0 wins; move 1 leads to a state that repeats for ever.
struct Trap {
  static constexpr int roles = 1, words = 1;
  using State = std::array<std::uint64_t, words>;
  static int moves(int) { return 2; }
  static State initial() { return {0}; }
  static bool terminal(const State& state) { return state[0] == 1; }
  static int goal(const State&, int) { return 100; }
  static int legal(const State& state, int, int* out) { return first_moves(state[0] == 2 ? 1 : 2, out); }
  static State next(const State& state, const int* moves) {
    return {state[0] == 2 ? 2 : std::uint64_t(moves[0]) + 1};
  }
};

TEST(endless_games_end) {
  SelfPlayOptions options = options_of(2, 2);
  options.most_plies = 20;
  const PlayedPositions found = played<Trap>(options, 20);
  CHECK(found.size() >= 20);
  CHECK(found.plies <= 21 * found.games);
}

// Chance tosses a coin, and nothing is chosen by the other role.
struct Coin {
  static constexpr int roles = 2, words = 1;
  using State = std::array<std::uint64_t, words>;
  static int moves(int) { return 2; }
  static State initial() { return {0}; }
  static bool terminal(const State& state) { return state[0] > 0; }
  static int goal(const State& state, int) { return state[0] == 1 ? 100 : 0; }
  static int legal(const State&, int role, int* out) { return first_moves(role == 0 ? 2 : 1, out); }
  static State next(const State&, const int* moves) { return {std::uint64_t(moves[0]) + 1}; }
};

TEST(games_without_a_choice_are_refused) {
  SelfPlayOptions options = options_of(1, 2);
  options.chance = 0;
  CHECK_THROWS(std::invalid_argument, played<Coin>(options, 1));
}

// Chance draws; the other role guesses the coin afterwards. Chance has no targets.
struct Guess {
  static constexpr int roles = 2, words = 1;
  using State = std::array<std::uint64_t, words>;
  static int moves(int) { return 2; }
  static State initial() { return {0}; }
  static bool terminal(const State& state) { return state[0] > 2; }
  static int goal(const State& state, int role) { return role == 1 && state[0] == 3 ? 100 : 0; }
  static int legal(const State& state, int role, int* out) {
    return first_moves((role == 0) == (state[0] == 0) ? 2 : 1, out);
  }
  static State next(const State& state, const int* moves) {
    if (state[0] == 0) return {std::uint64_t(moves[0]) + 1};
    return {std::uint64_t(moves[1]) + 1 == state[0] ? 3u : 4u};
  }
};

TEST(chance_draws_and_is_no_target) {
  SelfPlayOptions options = options_of(4, 2);
  options.chance = 0;
  options.opening_share = 0;
  const PlayedPositions found = played<Guess>(options, 200);
  int coins[3] = {0, 0, 0};
  for (std::size_t position = 0; position < found.size(); ++position) {
    CHECK_EQUAL(found.movers[position], 1);
    ++coins[found.states[position]];
  }
  for (const std::int32_t role : found.group_roles) CHECK_EQUAL(role, 1);
  CHECK_EQUAL(coins[0], 0);
  CHECK_BETWEEN(coins[1], 60, 140);
}

}  // namespace

TESTS(int, char** arguments) {
  const auto program = built_program(ground_program_file(arguments[1]));
  positions_are_complete(program);
  games_have_one_result(program);
  equal_seeds_give_equal_games(program);
  a_question_interrupts_and_games_continue(program);
  bad_options_are_refused(program);
}

// Games: connect_four breakthrough amazons merrills battle reversi
//
// Phases of games: programs of phases give the same games as the general program, in lanes of one phase, of several
// phases and in states that play cannot reach; and sums of goals over many ended states.
#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "base/random.hpp"
#include "check.hpp"
#include "fixtures/ground_text.hpp"
#include "fixtures/interface_of.hpp"
#include "network/program/machine_code.hpp"
#include "network/simulator/network_simulator.hpp"
#include "network/simulator/phases.hpp"
#include "simulation/random_playouts.hpp"

namespace {

using namespace ggp;

using State = std::vector<std::uint64_t>;

struct Game {
  std::shared_ptr<const LaneProgram> general, phased;
};

Game game_of(const char* path) {
  const Network network = simplify(build_network(ground_program_file(path)));
  LaneProgram program = compile(network);
  Game game{std::make_shared<const LaneProgram>(program), nullptr};
  add_phases(network, program);
  game.phased = std::make_shared<const LaneProgram>(std::move(program));
  return game;
}

std::vector<State> states_of(Simulator& simulator, const std::vector<std::uint64_t>& mask) {
  std::vector<State> states(simulator.lanes(), State(simulator.state_words()));
  std::vector<std::uint64_t*> to;
  for (State& state : states) to.push_back(state.data());
  simulator.store(mask.data(), to.data());
  return states;
}

void load(Simulator& simulator, const std::vector<std::uint64_t>& mask, const std::vector<State>& states) {
  std::vector<const std::uint64_t*> from;
  for (const State& state : states) from.push_back(state.data());
  simulator.load(mask.data(), from.data());
}

// Two simulators of one game in the same states, with the same streams of random numbers.
class Twins {
 public:
  Twins(const Game& game, const LaneKernel& kernel)
      : general_(coded(game.general, kernel), kernel),
        phased_(coded(game.phased, kernel), kernel),
        playing_(kernel.words, ~std::uint64_t{0}) {
    for (int lane = 0; lane < general_.lanes(); ++lane) {
      general_.seed(lane, mix64(lane));
      phased_.seed(lane, mix64(lane));
    }
  }

  NetworkSimulator& phased() { return phased_; }

  void load_both(const std::vector<std::uint64_t>& mask, const std::vector<State>& states, bool played = true) {
    load(general_, mask, states);
    load(phased_, mask, states);
    if (played) phased_.trust(mask.data());
    for (std::size_t w = 0; w < playing_.size(); ++w) playing_[w] |= mask[w];
  }
  void look_ahead(const std::vector<std::uint64_t>& mask) {
    general_.look_ahead(mask.data(), true);
    phased_.look_ahead(mask.data(), true);
  }
  std::vector<State> states() { return states_of(phased_, playing_); }
  // Lanes that have ended get the state of another lane.
  std::vector<State> states_of_all() {
    std::vector<State> found = states();
    const State none(found[0].size(), 0);
    const State some = *std::find_if(found.begin(), found.end(), [&](const State& state) { return state != none; });
    for (State& state : found)
      if (state == none) state = some;
    return found;
  }

  // Plays a turn in all lanes that are not terminal and compares everything; returns the phase before the turn.
  int turn() {
    CHECK(states_of(general_, playing_) == states());
    const int phase = phased_.phase();
    general_.evaluate();
    phased_.evaluate();
    for (std::size_t w = 0; w < playing_.size(); ++w) {
      const std::uint64_t ended = general_.terminal()[w] & playing_[w];
      CHECK_EQUAL(phased_.terminal()[w] & playing_[w], ended);
      for (int role = 0; role < general_.roles(); ++role)
        for (int move = 0; move < general_.moves(role); ++move)
          CHECK_EQUAL(general_.legal_lanes(role, move)[w] & playing_[w] & ~ended,
                      phased_.legal_lanes(role, move)[w] & playing_[w] & ~ended);
      for (std::uint64_t left = ended; left != 0; left &= left - 1)
        for (int role = 0; role < general_.roles(); ++role) {
          const int lane = static_cast<int>(64 * w) + __builtin_ctzll(left);
          CHECK_EQUAL(phased_.goal(lane, role), general_.goal(lane, role));
        }
      playing_[w] &= ~ended;
      ended_ += __builtin_popcountll(ended);
    }
    general_.choose_at_random(playing_.data());
    phased_.choose_at_random(playing_.data());
    general_.step();
    phased_.step();
    return phase;
  }
  int ended() const { return ended_; }

 private:
  static std::shared_ptr<const LaneProgram> coded(const std::shared_ptr<const LaneProgram>& program,
                                                  const LaneKernel& kernel) {
    auto code = in_machine_code(program, kernel);
    return code != nullptr ? code : program;
  }

  NetworkSimulator general_, phased_;
  std::vector<std::uint64_t> playing_;
  int ended_ = 0;
};

void compare(const Game& game, const LaneKernel& kernel) {
  Twins twins(game, kernel);
  const int phases = twins.phased().phases();
  CHECK(phases > 1);
  const std::vector<std::uint64_t> all(kernel.words, ~std::uint64_t{0}), even(kernel.words, 0x5555555555555555u);
  twins.look_ahead(std::vector<std::uint64_t>(kernel.words, 0xF0F0F0F0F0F0F0F0u));
  const std::vector<State> initial = twins.states();
  CHECK_EQUAL(twins.phased().phase_of(initial[0].data()), 0);

  // One phase after the other.
  for (int turn = 0; turn < 9; ++turn) CHECK_EQUAL(twins.turn(), turn % phases);
  const std::vector<State> later = twins.states_of_all();
  CHECK_EQUAL(twins.phased().phase_of(later[0].data()), 9 % phases);
  // Several phases.
  twins.load_both(even, initial);
  for (int turn = 0; turn < 4; ++turn) CHECK_EQUAL(twins.turn(), int{Phases::kSeveralPhases});
  // One phase again, and to the end of some games.
  twins.load_both(all, later);
  for (int turn = 9; turn < 200; ++turn) {
    const int phase = twins.turn();
    CHECK(phase == turn % phases || phase == int{Phases::kNoPhase});
  }
  CHECK(twins.ended() > 0);
}

// A state with a fluent of the clock of another phase: the general program plays this state.
void unreachable_states(const Game& game) {
  Twins twins(game, *find_kernel("portable", 64));
  const std::vector<std::uint64_t> all(1, ~std::uint64_t{0}), first(1, 1);
  const std::vector<State> initial = twins.states();
  for (int turn = 0; turn < 3; ++turn) twins.turn();
  std::vector<State> mixed = twins.states();
  const auto& clock = game.phased->phases[0].clock[0];
  const std::uint32_t fluent = clock.value - game.phased->first_fluent;
  // The fluents of all phases, so that the state is in no phase.
  for (const auto& phase : game.phased->phases)
    for (std::size_t i = 0; i < phase.holds.size(); ++i) mixed[0][i] |= phase.holds[i];
  mixed[0][fluent / 64] |= std::uint64_t{1} << (fluent % 64);
  CHECK_EQUAL(twins.phased().phase_of(mixed[0].data()), int{Phases::kNoPhase});
  twins.load_both(all, initial);
  twins.load_both(first, mixed);
  for (int turn = 0; turn < 5; ++turn) CHECK_EQUAL(twins.turn(), int{Phases::kSeveralPhases});
}

// States with fluents of two games, in which both roles may have a line, although only the last move can complete one:
// the general program plays the first turn, and then a program without the lines of the other role.
void states_from_elsewhere(const Game& game) {
  Twins twins(game, *find_kernel("portable", 64));
  const std::vector<std::uint64_t> all(1, ~std::uint64_t{0});
  const int phases = twins.phased().phases();
  int turn = 0;
  for (; turn < 10; ++turn) twins.turn();
  std::vector<State> mixed = twins.states_of_all();
  for (std::size_t lane = 0; lane + 1 < mixed.size(); ++lane)
    for (std::size_t i = 0; i < mixed[lane].size(); ++i) mixed[lane][i] |= mixed[lane + 1][i];
  twins.load_both(all, mixed, false);
  CHECK_EQUAL(twins.turn(), int{Phases::kSeveralPhases});
  const int ended = twins.ended();
  CHECK(ended > 20);
  for (++turn; turn < 16; ++turn) CHECK_EQUAL(twins.turn(), turn % phases);
  CHECK(twins.ended() > ended);
}

// Play-outs count the same games, and the goals of each role lie between the least and the most.
void goals_are_added(const Game& game, const LaneKernel& kernel) {
  NetworkSimulator simulator(game.phased, kernel);
  auto& totals = interface_of<GoalTotals>(simulator);
  std::vector<std::uint64_t> playing(kernel.words, ~std::uint64_t{0}), ended(kernel.words);
  std::vector<std::uint64_t> expected(simulator.roles(), 0), sums(simulator.roles(), 0);
  const std::vector<State> initial = states_of(simulator, playing);
  int count = 0;
  for (int turn = 0; turn < 400; ++turn) {
    simulator.evaluate();
    for (int w = 0; w < kernel.words; ++w) {
      ended[w] = simulator.terminal()[w] & playing[w];
      playing[w] &= ~ended[w];
      for (std::uint64_t left = ended[w]; left != 0; left &= left - 1, ++count)
        for (int role = 0; role < simulator.roles(); ++role)
          expected[role] += std::max(0, simulator.goal(64 * w + __builtin_ctzll(left), role));
    }
    totals.add_goals(ended.data());
    simulator.choose_at_random(playing.data());
    simulator.step();
    // Some lanes begin again at once, others with the next turn in which they are in phase.
    if (turn % 3 == 0) continue;
    load(simulator, ended, initial);
    for (int w = 0; w < kernel.words; ++w) playing[w] |= ended[w];
  }
  CHECK(count > 60);
  totals.take_goals(sums.data());
  CHECK(sums == expected);
  totals.take_goals(sums.data());
  CHECK(sums == expected);
}

// Play-outs stay in phase, and their goals are those of the general program on average.
void playouts(const Game& game) {
  const std::atomic<bool> stop{false};
  NetworkSimulator general(game.general, *find_kernel("portable", 64)), phased(game.phased, *find_kernel("portable", 64));
  const PlayoutTotals one = random_playouts(general, 0.2, 1, stop), two = random_playouts(phased, 0.2, 2, stop);
  CHECK(one.playouts > 30 && two.playouts > 30);
  const double length = double(one.turns) / double(one.playouts);
  CHECK(std::abs(double(two.turns) / double(two.playouts) - length) < 0.2 * length);
}

std::uint32_t widest_gates(const LaneProgram& program) {
  std::uint32_t most = 0;
  for (const auto& phase : program.phases) most = std::max(most, phase.program->gates);
  return most;
}

}  // namespace

TESTS(int argc, char** argv) {
  CHECK_EQUAL(argc, 7);
  const Game connect_four = game_of(argv[1]), breakthrough = game_of(argv[2]), amazons = game_of(argv[3]);
  const Game merrills = game_of(argv[4]), battle = game_of(argv[5]), reversi = game_of(argv[6]);
  CHECK_EQUAL(connect_four.phased->phases.size(), 2u);
  CHECK_EQUAL(breakthrough.phased->phases.size(), 2u);
  CHECK_EQUAL(amazons.phased->phases.size(), 4u);
  CHECK_EQUAL(battle.phased->phases.size(), 0u);  // both roles choose in every turn
  CHECK(widest_gates(*breakthrough.phased) < 0.8 * breakthrough.general->gates);
  CHECK(widest_gates(*amazons.phased) < 0.6 * amazons.general->gates);
  for (const char* isa : {"portable", "avx2", "avx512"})
    for (const int lanes : {64, 256}) {
      const LaneKernel* kernel = find_kernel(isa, lanes);
      if (kernel == nullptr) continue;
      compare(connect_four, *kernel);
      compare(breakthrough, *kernel);
      goals_are_added(connect_four, *kernel);
      goals_are_added(reversi, *kernel);
    }
  compare(amazons, *find_kernel(best_isa(), 64));
  if (!merrills.phased->phases.empty()) compare(merrills, *find_kernel(best_isa(), 64));
  CHECK(connect_four.phased->phases[0].left_out > 0 && connect_four.phased->phases[1].left_out > 0);
  CHECK_EQUAL(amazons.phased->phases[0].left_out, 0u);
  states_from_elsewhere(connect_four);
  unreachable_states(connect_four);
  unreachable_states(breakthrough);
  playouts(connect_four);
  playouts(battle);
}

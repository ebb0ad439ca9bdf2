// Games: connect_four
//
// The evaluation "learned": values and probabilities of lanes are the outputs of the network for the features of their
// states, in the view of the mover, on every kernel; the simulator plays as the wrapped simulator.
#include <algorithm>
#include <numeric>

#include "base/lane_mask.hpp"
#include "check.hpp"
#include "fixtures/interface_of.hpp"
#include "fixtures/learned_game.hpp"
#include "fixtures/program_of.hpp"
#include "fixtures/stored.hpp"
#include "learning/learned_simulator.hpp"
#include "network/simulator/network_simulator.hpp"

namespace {

using namespace ggp;

using Program = std::shared_ptr<const LaneProgram>;
using State = std::vector<std::uint64_t>;

constexpr float kUntouched = 7;

struct Expected {
  float value;
  std::vector<float> probabilities;
};

// The results of the portable kernel for one state; its moves are those of the mover.
Expected expected_of(const LearnedGame& game, const State& state, int mover, const std::vector<int>& moves) {
  const LearningKernel& kernel = learning_kernel("portable");
  const Encoding::View& view = game.encoding.views[mover];
  std::vector<std::uint16_t> features, policies;
  for (std::size_t f = 0; f < view.features.size(); ++f)
    if (state[f / 64] >> (f % 64) & 1 && view.features[f] != Encoding::kNone) features.push_back(view.features[f]);
  for (const int move : moves) policies.push_back(view.policies[mover][move]);
  Workspace room(game.network.shape());
  const FeatureRow row{features.data(), static_cast<std::uint32_t>(features.size())};
  AlignedFloats value(16), out(moves.size() + 16);
  kernel.hidden(game.network, &row, 1, room.h1.data(), room.h2.data(), value.data());
  kernel.base(game.network, row, room.base.data());
  kernel.probabilities(game.network, room.h2.data(), room.base.data(), policies.data(),
                       static_cast<std::uint32_t>(policies.size()), out.data());
  return {value[0], std::vector<float>(out.data(), out.data() + moves.size())};
}

void lanes_have_the_values_of_their_states(const Program& program, const LaneKernel& kernel, const char* isa) {
  const auto game = some_learned_game(*program);
  NetworkSimulator plain(program, kernel);
  const auto simulator = LearnedSimulator(plain, game, learning_kernel(isa), "learned").clone();
  Evaluations& evaluations = interface_of<Evaluations>(*simulator);
  MoveProbabilities& policy = interface_of<MoveProbabilities>(*simulator);
  CHECK(evaluations.evaluations() == std::vector<std::string>{"learned"});
  CHECK(policy.has_probabilities(0));
  CHECK(simulator->optional_interface<WinningMoves>() != nullptr);
  LaneMask mask(simulator->groups()), playing(simulator->groups());
  std::vector<float> values(2 * simulator->lanes()), probabilities(simulator->moves(0));
  std::vector<int> moves(simulator->moves(0));
  int movers[2] = {0, 0};
  for (int turn = 0; turn < 30; ++turn) {
    simulator->evaluate();
    for (int group = 0; group < simulator->groups(); ++group) {
      playing[group] = ~simulator->terminal()[group];
      mask[group] = playing[group] & 0x5555555555555555u << (turn % 2);
    }
    std::fill(values.begin(), values.end(), kUntouched);
    evaluations.values(0, mask.data(), values.data());
    for (int lane = 0; lane < simulator->lanes(); ++lane) {
      if (!has_lane(mask, lane)) {
        CHECK_EQUAL(values[2 * lane], kUntouched);
        continue;
      }
      const int mover = simulator->legal_count(lane, 1) > 1 ? 1 : 0;
      moves.resize(simulator->moves(0));
      moves.resize(simulator->legal(lane, mover, moves.data()));
      const Expected expected = expected_of(*game, stored(*simulator, lane), mover, moves);
      CHECK_EQUAL(values[2 * lane + mover], expected.value);
      CHECK_EQUAL(values[2 * lane + 1 - mover], -expected.value);
      const int count = static_cast<int>(moves.size());
      policy.probabilities(0, lane, mover, moves.data(), count, probabilities.data());
      for (int i = 0; i < count; ++i) CHECK_EQUAL(probabilities[i], count == 1 ? 1.0f : expected.probabilities[i]);
      ++movers[mover];
      float wait = 0;
      int other = 0;
      CHECK_EQUAL(simulator->legal(lane, 1 - mover, &other), 1);
      policy.probabilities(0, lane, 1 - mover, &other, 1, &wait);
      CHECK_EQUAL(wait, 1.0f);
    }
    simulator->choose_at_random(playing.data());
    simulator->step();
    std::vector<const std::uint64_t*> again(simulator->lanes(), simulator->initial());
    for (std::uint64_t& word : playing) word = ~word;
    simulator->load(playing.data(), again.data());
  }
  CHECK(movers[0] > 100 && movers[1] > 100);
}

// The value of a successor is the value after loading it, or its goal.
void successors_have_their_values(const Program& program) {
  const auto game = some_learned_game(*program);
  NetworkSimulator plain(program, *find_kernel("portable", 64));
  LearnedSimulator simulator(plain, game, learning_kernel("portable"), "learned"),
      other(plain, game, learning_kernel("portable"), "learned");
  const std::uint64_t first = 1;
  std::vector<float> behind(2 * simulator.moves(0)), values(128);
  std::vector<int> moves(simulator.moves(0));
  simulator.seed(0, 4);
  for (int turn = 0; turn < 40; ++turn) {
    simulator.evaluate();
    if (simulator.terminal()[0] & 1) break;
    const int mover = simulator.legal_count(0, 1) > 1 ? 1 : 0;
    const int count = simulator.successor_values(0, 0, mover, behind.data());
    CHECK_EQUAL(count, simulator.legal(0, mover, moves.data()));
    const State state = stored(simulator, 0);
    int wait = 0;
    CHECK_EQUAL(simulator.legal(0, 1 - mover, &wait), 1);
    for (int i = 0; i < count; ++i) {
      const std::uint64_t* from = state.data();
      other.load(&first, &from);
      other.evaluate();
      other.choose(0, mover, moves[i]);
      other.choose(0, 1 - mover, wait);
      other.step();
      other.evaluate();
      const bool ends = other.terminal()[0] & 1;
      if (!ends) other.values(0, &first, values.data());
      for (int role = 0; role < 2; ++role)
        CHECK_EQUAL(behind[2 * i + role], ends ? static_cast<float>(other.goal(0, role)) / 50 - 1 : values[role]);
      other.step();
    }
    simulator.choose_at_random(&first);
    simulator.step();
  }
}

void networks_of_other_games_are_refused(const Program& program) {
  const auto game = some_learned_game(*program);
  NetworkSimulator simulator(program, *find_kernel("portable", 64));
  LearnedGame other{game->network, game->encoding};
  for (Encoding::View& view : other.encoding.views) view.features.pop_back();
  CHECK_THROWS(std::invalid_argument,
               LearnedSimulator(simulator, std::make_shared<LearnedGame>(other), learning_kernel("portable"), "learned"));
  for (Encoding::View& view : other.encoding.views) {
    view.features.push_back(0);
    view.policies[1].pop_back();
  }
  CHECK_THROWS(std::invalid_argument,
               LearnedSimulator(simulator, std::make_shared<LearnedGame>(other), learning_kernel("portable"), "learned"));
}

}  // namespace

TESTS(int, char** arguments) {
  const auto program = built_program(ground_program_file(arguments[1]));
  for (const char* isa : {"portable", "avx2", "avx512"})
    for (int width : {64, 512})
      if (const LaneKernel* kernel = find_kernel(isa, width)) lanes_have_the_values_of_their_states(program, *kernel, isa);
  successors_have_their_values(program);
  networks_of_other_games_are_refused(program);
}

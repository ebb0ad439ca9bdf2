// Games: connect_four
//
// Evaluations by weights of fluents: every kernel and width gives the sum of the weights, and values of successors
// equal their values after loading them.
#include <cmath>

#include "base/random.hpp"
#include "check.hpp"
#include "fixtures/interface_of.hpp"
#include "fixtures/program_of.hpp"
#include "fixtures/stored.hpp"
#include "network/simulator/network_simulator.hpp"

namespace {

using namespace ggp;

using Program = std::shared_ptr<const LaneProgram>;
using State = std::vector<std::uint64_t>;

constexpr float kUntouched = 7;

// Some fluents have no weight.
std::shared_ptr<const FluentWeights> some_weights(const LaneProgram& program) {
  auto weights = std::make_shared<FluentWeights>();
  std::uint64_t stream = 3;
  const auto number = [&stream] { return static_cast<float>(draw_below(stream, 2001)) / 5000 - 0.2F; };
  for (std::uint32_t fluent = 0; fluent < program.fluents; ++fluent) {
    if (fluent % 5 == 2) continue;
    weights->fluents.push_back(fluent);
    for (std::size_t role = 0; role < program.legal.size(); ++role) weights->weights.push_back(number());
  }
  for (std::size_t role = 0; role < program.legal.size(); ++role) weights->bias.push_back(number());
  return weights;
}

float value_of(const FluentWeights& weights, const State& state, std::size_t role) {
  float sum = weights.bias[role];
  for (std::size_t i = 0; i < weights.fluents.size(); ++i)
    if (state[weights.fluents[i] / 64] >> (weights.fluents[i] % 64) & 1) sum += weights.weights[2 * i + role];
  return std::tanh(sum);
}

void load_first(Simulator& simulator, const State& state) {
  std::vector<std::uint64_t> mask(simulator.groups());
  mask[0] = 1;
  const std::uint64_t* from = state.data();
  simulator.load(mask.data(), &from);
  simulator.evaluate();
}

// The values of the states after the moves of a role for this role, one after the other.
std::vector<float> one_by_one(Simulator& simulator, const State& state, int role) {
  std::vector<int> moves(simulator.moves(role)), waits(simulator.moves(1 - role));
  std::vector<float> found, values(2 * simulator.lanes());
  const std::uint64_t first = 1;
  load_first(simulator, state);
  const int count = simulator.legal(0, role, moves.data());
  CHECK_EQUAL(simulator.legal(0, 1 - role, waits.data()), 1);
  simulator.step();
  for (int i = 0; i < count; ++i) {
    load_first(simulator, state);
    simulator.choose(0, role, moves[i]);
    simulator.choose(0, 1 - role, waits[0]);
    simulator.step();
    simulator.evaluate();
    if (simulator.terminal()[0] & 1) {
      for (int each = 0; each < 2; ++each) found.push_back(static_cast<float>(simulator.goal(0, each)) / 50 - 1);
    } else {
      interface_of<Evaluations>(simulator).values(0, &first, values.data());
      found.insert(found.end(), values.begin(), values.begin() + 2);
    }
    simulator.step();
  }
  return found;
}

void lanes_add_up_what_holds(const Program& program, const LaneKernel& kernel) {
  const auto weights = some_weights(*program);
  NetworkSimulator first(program, kernel), plain(program, *find_kernel("portable", 64));
  CHECK_EQUAL(first.add_evaluation("some", weights), 0);
  plain.add_evaluation("some", weights);
  const auto simulator = first.clone();
  Evaluations& evaluations = interface_of<Evaluations>(*simulator);
  CHECK(evaluations.evaluations() == std::vector<std::string>{"some"});
  std::vector<std::uint64_t> mask(simulator->groups()), playing(simulator->groups());
  std::vector<float> values(2 * simulator->lanes());
  int ends = 0;
  for (int turn = 0; turn < 30; ++turn) {
    simulator->evaluate();
    for (int group = 0; group < simulator->groups(); ++group) {
      playing[group] = ~simulator->terminal()[group];
      mask[group] = playing[group] & 0x5555555555555555u << (turn % 2);
    }
    std::fill(values.begin(), values.end(), kUntouched);
    evaluations.values(0, mask.data(), values.data());
    for (int lane = 0; lane < simulator->lanes(); ++lane) {
      const bool asked = mask[lane / 64] >> (lane % 64) & 1;
      const State state = stored(*simulator, lane);
      for (int role = 0; role < 2; ++role)
        CHECK_EQUAL(values[2 * lane + role], asked ? value_of(*weights, state, role) : kUntouched);
      if (!asked || lane % 32 != turn % 32) continue;
      const int mover = simulator->legal_count(lane, 0) > 1 ? 0 : 1;
      std::vector<float> behind(2 * simulator->moves(mover));
      behind.resize(2 * evaluations.successor_values(0, lane, mover, behind.data()));
      CHECK(behind == one_by_one(plain, state, mover));
      ends += static_cast<int>(std::count(behind.begin(), behind.end(), 1.0F));
      float other = kUntouched;
      if (simulator->legal_count(lane, mover) > 1) {
        CHECK_EQUAL(evaluations.successor_values(0, lane, 1 - mover, &other), 0);
        CHECK_EQUAL(other, kUntouched);
      }
    }
    simulator->choose_at_random(playing.data());
    simulator->step();
    std::vector<const std::uint64_t*> again(simulator->lanes(), simulator->initial());
    for (std::uint64_t& word : playing) word = ~word;
    simulator->load(playing.data(), again.data());
  }
  CHECK(ends > 0);
}

void weights_that_do_not_fit_are_refused(const Program& program) {
  NetworkSimulator simulator(program, *find_kernel("portable", 64));
  const auto good = some_weights(*program);
  const auto refused = [&](auto change) {
    auto weights = std::make_shared<FluentWeights>(*good);
    change(*weights);
    CHECK_THROWS(std::invalid_argument, simulator.add_evaluation("bad", weights));
  };
  refused([](FluentWeights& weights) { weights.bias.pop_back(); });
  refused([](FluentWeights& weights) { weights.weights.pop_back(); });
  refused([](FluentWeights& weights) { weights.weights[1] = std::nanf(""); });
  refused([&](FluentWeights& weights) { weights.fluents.back() = program->fluents; });
  refused([](FluentWeights& weights) { weights.fluents[1] = weights.fluents[0]; });
  CHECK(simulator.evaluations().empty());
  CHECK_EQUAL(simulator.add_evaluation("one", good), 0);
  CHECK_EQUAL(simulator.add_evaluation("two", good), 1);
  CHECK_EQUAL(simulator.add_evaluation("one", good), 0);
}

}  // namespace

TESTS(int count, char** paths) {
  CHECK_EQUAL(count, 2);
  const auto program = program_of(ground_program_file(paths[1]));
  weights_that_do_not_fit_are_refused(program);
  for (const char* isa : {"portable", "avx2", "avx512"})
    for (const int lanes : {64, 128, 256, 512})
      if (const LaneKernel* kernel = find_kernel(isa, lanes)) lanes_add_up_what_holds(program, *kernel);
}

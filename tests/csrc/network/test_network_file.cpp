// Games: connect_four orchard
//
// A compiled network as bytes: reading gives the same network, and damaged bytes are rejected without harm.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "check.hpp"
#include "fixtures/ground_text.hpp"
#include "network/circuit/name_order.hpp"
#include "network/simulator/network_file.hpp"
#include "network/simulator/network_simulator.hpp"
#include "network/simulator/phases.hpp"
#include "simulation/perft.hpp"

namespace {

using namespace ggp;

CompiledNetwork compiled(const GroundProgram& program) {
  const Network network = simplify(build_network(program));
  CompiledNetwork result;
  result.program = compile(network);
  add_phases(network, result.program);
  result.moves.resize(network.roles.size());
  result.percepts.resize(network.roles.size());
  for (const auto& fluent : network.fluents) result.fluents.push_back(fluent.name);
  for (const auto& move : network.moves) result.moves[move.role].push_back(move.name);
  result.always = network.always;
  result.groups = network.groups;
  result.loop_variables = network.loops.size();
  result.ground_rules = program.rules.size();
  result.ground_cpu_s = 0.25;
  return result;
}

std::vector<std::uint64_t> counts(const LaneProgram& program, int depth) {
  NetworkSimulator simulator(std::make_shared<const LaneProgram>(program), *find_kernel("portable", 64));
  const std::atomic<bool> stop{false};
  std::vector<std::uint64_t> found;
  for (const auto& level : perft(simulator, simulator.initial(), depth, stop)) found.push_back(level.leaves);
  return found;
}

void same_after_reading(const CompiledNetwork& network) {
  const std::string bytes = write_network(network);
  const CompiledNetwork read = read_network(bytes);
  CHECK(write_network(read) == bytes);
  CHECK(read.fluents == network.fluents && read.moves == network.moves && read.always == network.always);
  CHECK(read.groups == network.groups);
  CHECK_EQUAL(read.program.passes.size(), network.program.passes.size());
  CHECK(read.program.passes.back().name == network.program.passes.back().name);
  CHECK_EQUAL(read.program.phases.size(), network.program.phases.size());
  CHECK_EQUAL(read.ground_rules, network.ground_rules);
  CHECK_EQUAL(read.ground_cpu_s, 0.25);
  CHECK(counts(read.program, 4) == counts(network.program, 4));
}

void damage_is_found(const std::string& bytes) {
  for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 50)
    CHECK_THROWS(std::runtime_error, read_network(std::string_view(bytes).substr(0, size)));
  CHECK_THROWS(std::runtime_error, read_network(bytes + "x"));
  std::uint64_t stream = 3;
  for (int trial = 0; trial < 300; ++trial) {
    std::string damaged = bytes;
    damaged[draw_below(stream, static_cast<std::uint32_t>(bytes.size()))] ^= char(1 << draw_below(stream, 8));
    CHECK_THROWS(std::runtime_error, read_network(damaged));
  }
  for (int trial = 0; trial < 100; ++trial) {
    std::string noise(draw_below(stream, 200), '\0');
    for (char& c : noise) c = static_cast<char>(draw(stream));
    CHECK_THROWS(std::runtime_error, read_network(noise));
  }
}

// Numbers that are invalid for an evaluation, in a file with a correct checksum.
template <class Change>
void is_refused(CompiledNetwork network, Change change) {
  change(network);
  CHECK_THROWS(std::runtime_error, read_network(write_network(network)));
}

void wrong_numbers_are_refused(const CompiledNetwork& network) {
  using N = CompiledNetwork&;
  const std::uint32_t beyond = network.program.values;
  is_refused(network, [&](N n) { n.program.operands.back() = beyond; });
  is_refused(network, [&](N n) { n.program.operands.pop_back(); });
  is_refused(network, [&](N n) { n.program.runs.front().count += 1; });
  is_refused(network, [&](N n) { n.program.runs.front().value = 0; });
  is_refused(network, [&](N n) { n.program.runs.back().value += 1; });
  is_refused(network, [&](N n) { n.program.runs.front().plain = 0; });
  is_refused(network, [&](N n) { n.program.runs.front().plain = 0xFFFFFFFF; });
  is_refused(network, [&](N n) { n.program.runs.front().operand = 0xFFFFFFFF; });
  is_refused(network, [&](N n) { n.program.runs.front().shape = LaneProgram::Shape{7}; });
  is_refused(network, [&](N n) { n.program.legal_blocks.front().end_run = 1'000'000; });
  is_refused(network, [&](N n) { n.program.legal_blocks.front().first_run = 1'000'000; });
  is_refused(network, [&](N n) { n.program.next_blocks.front().loop.push_back({beyond, 0}); });
  is_refused(network, [&](N n) { n.program.legal[0][0] = beyond; });
  is_refused(network, [&](N n) { n.program.legal[0].pop_back(); });
  is_refused(network, [&](N n) { n.program.legal.pop_back(); });
  is_refused(network, [&](N n) { n.program.goals.pop_back(); });
  is_refused(network, [&](N n) { n.program.goals[0].push_back({101, 0}); });
  is_refused(network, [&](N n) { n.program.goals[0].insert(n.program.goals[0].begin(), 200, {0, 0}); });
  is_refused(network, [&](N n) { n.program.goals[0].back().holds = beyond; });
  is_refused(network, [&](N n) { n.program.terminal = beyond; });
  is_refused(network, [&](N n) { n.program.next_plain.push_back({beyond, n.program.first_fluent}); });
  is_refused(network, [&](N n) { n.program.next_plain.push_back({0, n.program.first_move}); });
  is_refused(network, [&](N n) { n.program.next_complemented.push_back({0, 0}); });
  is_refused(network, [&](N n) { n.program.initial.push_back(0); });
  is_refused(network, [&](N n) { n.program.initial.back() |= std::uint64_t{1} << 63; });
  is_refused(network, [&](N n) { n.program.values += 1; });
  is_refused(network, [&](N n) { n.program.values = 0xFFFFFFFF; });
  is_refused(network, [&](N n) { n.loop_variables += 1; });
  is_refused(network, [&](N n) { n.program.fluents -= 1; });
  is_refused(network, [&](N n) { n.program.first_fluent += 1; });
  is_refused(network, [&](N n) { n.program.first_move -= 1; });
  is_refused(network, [&](N n) { n.fluents.push_back("more"); });
  is_refused(network, [&](N n) { n.moves[0].push_back("more"); });
  is_refused(network, [&](N n) { n.program.gates += 1; });
}

void wrong_phases_are_refused(const CompiledNetwork& network) {
  using N = CompiledNetwork&;
  CHECK_EQUAL(network.program.phases.size(), 2u);
  const auto change_program = [](N n, auto change) {
    LaneProgram program = *n.program.phases[1].program;
    change(program);
    n.program.phases[1].program = std::make_shared<const LaneProgram>(std::move(program));
  };
  is_refused(network, [](N n) { n.program.phases[0].clock[0].value = n.program.first_move; });
  is_refused(network, [](N n) { n.program.phases[0].clock[0].value = 0; });
  is_refused(network, [](N n) { n.program.phases[0].known.push_back(0); });
  is_refused(network, [](N n) { n.program.phases[1].holds.clear(); });
  is_refused(network, [&](N n) { change_program(n, [](LaneProgram& program) { program.terminal = program.values; }); });
  is_refused(network, [&](N n) { change_program(n, [](LaneProgram& program) { program.legal[0].pop_back(); }); });
  is_refused(network, [&](N n) {
    change_program(n, [](LaneProgram& program) {
      program.fluents -= 1;
      program.first_move -= 1;
    });
  });
}

TEST(names_have_an_order) {
  const std::vector<std::string> ordered = {
      "(cell 1 2)", "(cell 2 1)", "(cell 2 b)", "(cell 10 1)", "(s2 s1)", "(s2 s3 s4)", "(s2 s30)", "(s10 s1)",
      "noop", "s", "s2", "s02", "s11", "sa"};
  for (std::size_t i = 0; i < ordered.size(); ++i)
    for (std::size_t j = 0; j < ordered.size(); ++j) {
      const bool zeros = (ordered[i] == "s2" || ordered[i] == "s02") && (ordered[j] == "s2" || ordered[j] == "s02");
      if (zeros)
        CHECK_EQUAL(name_less(ordered[i], ordered[j]), ordered[i] < ordered[j]);
      else
        CHECK_EQUAL(name_less(ordered[i], ordered[j]), i < j);
    }
}

}  // namespace

TESTS(int count, char** paths) {
  CHECK_EQUAL(count, 3);
  for (int i = 1; i < count; ++i) {
    const CompiledNetwork network = compiled(ground_program_file(paths[i]));
    same_after_reading(network);
    damage_is_found(write_network(network));
    wrong_numbers_are_refused(network);
    if (i == 1) wrong_phases_are_refused(network);
  }
  std::cout << "ok" << std::endl;
}

// Links: network reasoner simulation games/breakthrough/breakthrough.cpp
// Links: games/kalah/kalah.cpp games/common/square_board.cpp
// Games: connect_four
// Rules: connect_four
//
// Threads that step simulators of one game: what simulators share (a network program, a registry, a native game) must
// be safe from any thread. Compiled with ThreadSanitizer, which ends the program with a report of each data race. Each
// thread must also get the same results as a single thread.
#include <algorithm>
#include <atomic>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include "base/random.hpp"
#include "check.hpp"
#include "fixtures/program_of.hpp"
#include "games/common/module.hpp"
#include "network/program/machine_code.hpp"
#include "network/simulator/network_simulator.hpp"
#include "reasoner/reasoner_simulator.hpp"
#include "simulation/perft.hpp"

namespace {

using namespace ggp;
using State = std::vector<std::uint64_t>;

constexpr int kThreads = 4;
const std::atomic<bool> kGoOn{false};

// The objects of one game that threads share. Numbers of moves and packed states of the reasoner depend on the thread
// that used them first, so everything is compared as text.
struct Shared {
  std::function<std::unique_ptr<Simulator>()> simulator;
  std::function<std::string(const State&)> state_text;
  std::function<std::string(int role, int move)> move_text;
};

std::string content(const char* path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  CHECK(!text.str().empty());
  return text.str();
}

std::shared_ptr<const LaneProgram> program_in(const char* path) {
  std::istringstream text(content(path));
  return program_of(read_ground_program(text));
}

std::string numbers_text(const State& state) {
  std::string text;
  for (const std::uint64_t word : state) text += std::to_string(word) + " ";
  return text;
}

std::unique_ptr<Shared> network_game(const char* path) {
  auto program = program_in(path);
  const LaneKernel* kernel = find_kernel("portable", 64);
  return std::make_unique<Shared>(
      Shared{[=] { return std::make_unique<NetworkSimulator>(program, *kernel); }, numbers_text,
             [](int, int move) { return std::to_string(move); }});
}

// Machine code is not instrumented, but the memory around it is.
std::unique_ptr<Shared> network_game_in_machine_code(const char* path) {
  const LaneKernel* kernel = find_kernel("avx2", 64);
  if (kernel == nullptr) return nullptr;
  auto program = program_in(path);
  if (auto coded = in_machine_code(program, *kernel)) program = coded;
  return std::make_unique<Shared>(
      Shared{[=] { return std::make_unique<NetworkSimulator>(program, *kernel); }, numbers_text,
             [](int, int move) { return std::to_string(move); }});
}

std::unique_ptr<Shared> reasoner_game(const char* path) {
  auto plan = std::make_shared<const Plan>(compile_plan(read_rules(content(path))));
  auto registry = std::make_shared<Registry>(plan, ReasonerLimits{});
  return std::make_unique<Shared>(Shared{
      [=] { return std::make_unique<ReasonerSimulator>(registry, 64); },
      [=](const State& state) {
        CHECK(registry->move_name(0, registry->read_move(0, "noop/0")) == "noop");
        std::vector<std::string> names = registry->fluents(state[0]);
        std::sort(names.begin(), names.end());
        std::string joined;
        for (const std::string& name : names) joined += name + " ";
        return joined;
      },
      [=](int role, int move) { return registry->move_name(role, static_cast<std::uint64_t>(move)); }});
}

std::unique_ptr<Shared> native_game(void (*add)(Modules&)) {
  Modules made;
  add(made);
  const std::shared_ptr<const Module> module = std::move(made.back());
  return std::make_unique<Shared>(Shared{
      [=] { return module->simulator(64, false, Vectors::kNone); },
      [=](const State& state) {
        State read(state.size());
        module->read_board(module->board(state.data()), read.data());
        CHECK(module->board(read.data()) == module->board(state.data()));
        return module->board(state.data());
      },
      [=](int role, int move) { return module->move_text(role, move); }});
}

// Plays at random in one lane, while the other lanes play at random; returns all results.
std::string walk(const Shared& game, Simulator& simulator, std::uint64_t seed) {
  const int lane = static_cast<int>(seed % static_cast<std::uint64_t>(simulator.lanes()));
  const State all(simulator.groups(), ~std::uint64_t{0});
  State one(simulator.groups());
  one[lane / 64] = std::uint64_t{1} << (lane % 64);
  std::vector<const std::uint64_t*> sources(simulator.lanes(), simulator.initial());
  for (int each = 0; each < simulator.lanes(); ++each) simulator.seed(each, seed + each);
  simulator.load(all.data(), sources.data());
  State state(simulator.initial(), simulator.initial() + simulator.state_words());
  std::vector<std::uint64_t*> targets(simulator.lanes(), state.data());
  std::vector<int> moves;
  std::string seen;
  for (std::uint64_t turn = 0;; ++turn) {
    sources.assign(simulator.lanes(), state.data());
    simulator.load(one.data(), sources.data());
    simulator.evaluate();
    seen += game.state_text(state) + "\n";
    if (simulator.terminal()[lane / 64] >> (lane % 64) & 1) {
      for (int role = 0; role < simulator.roles(); ++role) seen += std::to_string(simulator.goal(lane, role)) + " ";
      return seen;
    }
    State others(simulator.groups()), ended(simulator.groups());
    for (int group = 0; group < simulator.groups(); ++group) {
      ended[group] = simulator.terminal()[group] & ~one[group];
      others[group] = ~simulator.terminal()[group] & ~one[group];
    }
    simulator.choose_at_random(others.data());
    for (int role = 0; role < simulator.roles(); ++role) {
      moves.resize(simulator.moves(role));
      moves.resize(simulator.legal(lane, role, moves.data()));
      std::vector<std::pair<std::string, int>> named;
      for (const int move : moves) named.emplace_back(game.move_text(role, move), move);
      std::sort(named.begin(), named.end());
      for (const auto& [name, move] : named) seen += name + " ";
      std::uint64_t random = seed * 1000 + turn * 10 + static_cast<std::uint64_t>(role);
      simulator.choose(lane, role, named[draw_below(random, named.size())].second);
    }
    simulator.step();
    simulator.store(one.data(), targets.data());
    sources.assign(simulator.lanes(), simulator.initial());
    simulator.load(ended.data(), sources.data());
  }
}

std::string walks(const Shared& game, Simulator& simulator, int first) {
  std::string seen;
  for (int seed = first; seed < first + 3; ++seed) seen += walk(game, simulator, static_cast<std::uint64_t>(seed));
  for (const PerftLevel& level : perft(simulator, simulator.initial(), 2, kGoOn)) {
    seen += std::to_string(level.leaves) + " " + std::to_string(level.terminals) + "\n";
  }
  return seen;
}

// `alone` and `shared` are two instances of one game; a single thread uses the first.
void threads_see_what_one_sees(const Shared& alone, const Shared& shared) {
  std::vector<std::string> expected;
  for (int number = 0; number < kThreads; ++number) expected.push_back(walks(alone, *alone.simulator(), 10 * number));
  const std::unique_ptr<Simulator> first = shared.simulator();
  std::vector<std::string> seen(kThreads);
  std::vector<std::thread> threads;
  for (int number = 0; number < kThreads; ++number) {
    threads.emplace_back([&, number] {
      const std::unique_ptr<Simulator> own = number % 2 == 0 ? shared.simulator() : first->clone();
      seen[number] = walks(shared, *own, 10 * number);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int number = 0; number < kThreads; ++number) CHECK(seen[number] == expected[number]);
}

}  // namespace

int main(int, char** paths) {
  threads_see_what_one_sees(*network_game(paths[1]), *network_game(paths[1]));
  if (const auto coded = network_game_in_machine_code(paths[1])) {
    threads_see_what_one_sees(*coded, *network_game_in_machine_code(paths[1]));
  }
  threads_see_what_one_sees(*reasoner_game(paths[2]), *reasoner_game(paths[2]));
  for (const auto add : {add_breakthrough, add_kalah}) threads_see_what_one_sees(*native_game(add), *native_game(add));
}

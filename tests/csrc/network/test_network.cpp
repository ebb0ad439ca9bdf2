// Games: connect_four orchard lights_out three_hunters
//
// From ground program to lanes: small programs by hand, and real games, which every kernel and width must play alike,
// bit for bit, and in the same way as the network before simplification.
#include <atomic>
#include <map>
#include <set>

#include "base/random.hpp"
#include "check.hpp"
#include "fixtures/ground_text.hpp"
#include "network/simulator/network_simulator.hpp"
#include "simulation/perft.hpp"
#include "simulation/random_playouts.hpp"

namespace {

using namespace ggp;

using Program = std::shared_ptr<const LaneProgram>;

Program compiled(const Network& network) { return std::make_shared<const LaneProgram>(compile(network)); }
Program compiled(const GroundProgram& program) { return compiled(simplify(build_network(program))); }

std::vector<const LaneKernel*> kernels() {
  std::vector<const LaneKernel*> found;
  for (const char* isa : {"portable", "avx2", "avx512"})
    for (const int lanes : {64, 128, 256, 512})
      if (const LaneKernel* kernel = find_kernel(isa, lanes)) found.push_back(kernel);
  CHECK(found.size() % 4 == 0 && !found.empty());
  return found;
}

using State = std::vector<std::uint64_t>;

// The results of the first 64 lanes of a simulator over some turns of random play, each lane from its own stream.
struct Transcript {
  std::vector<State> states;
  std::vector<int> legal, goals;
  std::vector<std::uint64_t> terminal;
  bool operator==(const Transcript& other) const {
    return states == other.states && legal == other.legal && goals == other.goals && terminal == other.terminal;
  }
};

class Lanes {
 public:
  explicit Lanes(Simulator& simulator) : simulator_(simulator), all_(simulator.groups(), ~std::uint64_t{0}) {}

  void start(const State& state) {
    const std::vector<const std::uint64_t*> sources(simulator_.lanes(), state.data());
    simulator_.load(all_.data(), sources.data());
  }

  std::vector<State> store() {
    std::vector<State> states(simulator_.lanes(), State(simulator_.state_words(), ~std::uint64_t{0}));
    std::vector<std::uint64_t*> targets;
    for (State& state : states) targets.push_back(state.data());
    simulator_.store(all_.data(), targets.data());
    return states;
  }

  std::vector<int> legal(int lane, int role) {
    std::vector<int> moves(simulator_.moves(role));
    moves.resize(simulator_.legal(lane, role, moves.data()));
    CHECK_EQUAL(simulator_.legal_count(lane, role), static_cast<int>(moves.size()));
    CHECK(std::is_sorted(moves.begin(), moves.end()));
    return moves;
  }

  std::vector<int> goals(int lane, int role) {
    std::vector<int> values(101);
    values.resize(simulator_.goals(lane, role, values.data()));
    CHECK_EQUAL(simulator_.goal(lane, role), values.size() == 1 ? values[0] : -1);
    return values;
  }

 private:
  Simulator& simulator_;
  std::vector<std::uint64_t> all_;
};

State initial(const Simulator& simulator) {
  return State(simulator.initial(), simulator.initial() + simulator.state_words());
}

Transcript play(const Program& program, const LaneKernel& kernel, int turns) {
  NetworkSimulator simulator(program, kernel);
  Lanes lanes(simulator);
  lanes.start(initial(simulator));
  for (int lane = 0; lane < simulator.lanes(); ++lane) simulator.seed(lane, mix64(lane));
  Transcript transcript;
  std::vector<std::uint64_t> ended(simulator.groups()), playing(simulator.groups());
  const std::vector<const std::uint64_t*> again(simulator.lanes(), simulator.initial());
  for (int turn = 0; turn < turns; ++turn) {
    const std::vector<State> states = lanes.store();
    transcript.states.insert(transcript.states.end(), states.begin(), states.begin() + 64);
    simulator.evaluate();
    for (int group = 0; group < simulator.groups(); ++group) {
      ended[group] = simulator.terminal()[group];
      playing[group] = ~ended[group];
    }
    transcript.terminal.push_back(ended[0]);
    for (int lane = turn % 7; lane < 64; lane += 7)
      for (int role = 0; role < simulator.roles(); ++role) {
        for (const int move : lanes.legal(lane, role)) transcript.legal.push_back(move);
        // Goals are requested on some turns only: the next state must not depend on this.
        if (turn % 3 == 0)
          for (const int goal : lanes.goals(lane, role)) transcript.goals.push_back(goal);
      }
    simulator.choose_at_random(playing.data());
    simulator.step();
    simulator.load(ended.data(), again.data());
  }
  return transcript;
}

void every_kernel_plays_alike(const Program& program) {
  const Transcript expected = play(program, *find_kernel("portable", 64), 60);
  CHECK(std::set<State>(expected.states.begin(), expected.states.end()).size() > 300);
  for (const LaneKernel* kernel : kernels()) CHECK(play(program, *kernel, 60) == expected);
}

// Lanes with chosen moves and lanes with drawn moves can be mixed, and play as with draws only.
void hand_and_random_choices_mix(const Program& program) {
  for (const LaneKernel* kernel : kernels()) {
    NetworkSimulator drawn(program, *kernel), mixed(program, *kernel);
    Lanes first(drawn), second(mixed);
    first.start(initial(drawn));
    second.start(initial(mixed));
    for (int lane = 0; lane < drawn.lanes(); ++lane) {
      drawn.seed(lane, mix64(lane));
      mixed.seed(lane, mix64(lane));
    }
    const std::vector<std::uint64_t> all(drawn.groups(), ~std::uint64_t{0});
    std::vector<std::uint64_t> rest(all);
    for (int turn = 0; turn < 4; ++turn) {
      drawn.evaluate();
      mixed.evaluate();
      for (int lane = turn; lane < drawn.lanes(); lane += 5) {
        rest[lane / 64] &= ~(std::uint64_t{1} << (lane % 64));
        std::uint64_t stream = mix64(lane);
        for (int role = 0; role < drawn.roles(); ++role) {
          const auto moves = second.legal(lane, role);
          mixed.choose(lane, role, moves[moves.size() > 1 ? draw_below(stream, moves.size()) : 0]);
        }
      }
      drawn.choose_at_random(all.data());
      mixed.choose_at_random(rest.data());
      drawn.step();
      mixed.step();
      const auto expected = first.store(), found = second.store();
      // Only lanes that still follow their own stream can be compared: lanes without chosen moves, and on the first
      // turn all other lanes, because one draw for each role with a choice equals the simulator's draw.
      for (int lane = 0; lane < drawn.lanes(); ++lane)
        if (turn == 0 || ((rest[lane / 64] >> (lane % 64)) & 1)) CHECK(found[lane] == expected[lane]);
    }
  }
}

// Compares the network before and after simplification, matched by names.
void simplified_plays_like_built(const GroundProgram& ground) {
  const Network raw = build_network(ground), small = simplify(raw);
  NetworkSimulator built(compiled(raw), *find_kernel("portable", 64));
  NetworkSimulator simple(compiled(small), *find_kernel("portable", 64));
  Lanes of_built(built), of_simple(simple);
  of_built.start(initial(built));
  of_simple.start(initial(simple));
  const auto moves = [](const Network& network) {
    std::vector<std::vector<std::string>> names(network.roles.size());
    for (const auto& move : network.moves) names[move.role].push_back(move.name);
    return names;
  };
  const auto built_moves = moves(raw), simple_moves = moves(small);
  const auto fluents = [](const Network& network, const State& state) {
    std::set<std::string> names(network.always.begin(), network.always.end());
    for (std::size_t i = 0; i < network.fluents.size(); ++i)
      if ((state[i / 64] >> (i % 64)) & 1) names.insert(network.fluents[i].name);
    return names;
  };
  std::uint64_t stream = 5;
  for (int turn = 0; turn < 8; ++turn) {
    built.evaluate();
    simple.evaluate();
    CHECK_EQUAL(simple.terminal()[0], built.terminal()[0]);
    for (int lane = 0; lane < 64; ++lane) {
      for (int role = 0; role < built.roles(); ++role) {
        CHECK(of_simple.goals(lane, role) == of_built.goals(lane, role));
        const auto numbers = of_built.legal(lane, role), others = of_simple.legal(lane, role);
        CHECK_EQUAL(others.size(), numbers.size());
        for (std::size_t i = 0; i < numbers.size(); ++i)
          CHECK_EQUAL(simple_moves[role][others[i]], built_moves[role][numbers[i]]);
        if (numbers.empty()) continue;
        const auto pick = draw_below(stream, static_cast<std::uint32_t>(numbers.size()));
        built.choose(lane, role, numbers[pick]);
        simple.choose(lane, role, others[pick]);
      }
    }
    built.step();
    simple.step();
    const auto expected = of_built.store(), found = of_simple.store();
    for (int lane = 0; lane < 64; ++lane) CHECK(fluents(small, found[lane]) == fluents(raw, expected[lane]));
  }
}

void lanes_do_not_disturb_one_another(const Program& program) {
  NetworkSimulator simulator(program, *find_kernel("portable", 128));
  Lanes lanes(simulator);
  lanes.start(initial(simulator));
  simulator.evaluate();
  const std::vector<std::uint64_t> all(2, ~std::uint64_t{0});
  simulator.choose_at_random(all.data());
  simulator.step();
  auto expected = lanes.store();
  const State other = expected[3];
  const std::vector<std::uint64_t> mask{std::uint64_t{1} << 63, 1};
  const std::vector<const std::uint64_t*> sources(128, other.data());
  simulator.load(mask.data(), sources.data());
  expected[63] = expected[64] = other;
  CHECK(lanes.store() == expected);
  const auto copy = simulator.clone();
  CHECK_EQUAL(copy->lanes(), 128);
  CHECK(Lanes(*copy).store()[7] == initial(simulator));
  CHECK(lanes.store() == expected);
}

void counts_of_connect_four(const Program& program) {
  const std::atomic<bool> go_on{false};
  for (const LaneKernel* kernel : kernels()) {
    NetworkSimulator simulator(program, *kernel);
    const auto levels = perft(simulator, simulator.initial(), 4, go_on);
    CHECK_EQUAL(levels.size(), std::size_t{4});
    std::uint64_t leaves = 1;
    for (const auto& level : levels) {
      CHECK_EQUAL(level.leaves, leaves *= 7);
      CHECK_EQUAL(level.terminals, 0u);
    }
  }
}

void random_playouts_count_what_they_play(const Program& program) {
  const std::atomic<bool> go_on{false}, stop{true};
  for (const LaneKernel* kernel : kernels()) {
    NetworkSimulator simulator(program, *kernel);
    const PlayoutTotals totals = random_playouts(simulator, 0.02, 3, go_on);
    CHECK(totals.turns <= totals.states);
    CHECK(totals.states <= totals.turns + totals.playouts * 60 + 60 * simulator.lanes());
    CHECK_EQUAL(totals.goals.size(), static_cast<std::size_t>(simulator.roles()));
    for (const std::uint64_t goals : totals.goals) CHECK(goals <= 100 * totals.playouts);
    CHECK_EQUAL(random_playouts(simulator, 10, 3, stop).states, 0u);
  }
}

// ---- programs by hand

// p(0..3) on a ring, lit by the fluents f0, f1 and spread from each to the next while f2 holds; one move m0 of r turns
// f0 on, m1 f0 and f1 off. Legal m1 where p3; goals: 100 where p2.
const std::string kRing =
    "role r\n"
    "fluent 1 f0\nfluent 2 f1\nfluent 3 f2\n"
    "move 0 4 m0\nmove 0 5 m1\n"
    "initial 1\ninitial 2\n"
    "rule 10 1\nrule 12 2\n"
    "rule 11 10 3\nrule 12 11 3\nrule 13 12 3\nrule 10 13 3\n"
    "rule 20 13\nrule 21 12\nrule 22 4\nrule 22 1 -5\nrule 23 2 -5\nrule 24 3 -4\n"
    "next 0 22\nnext 1 23\nnext 2 24\n"
    "legal 0 0\nlegal 1 20\ngoal 0 100 21\nterminal 25\nrule 25 13 -3\n";

TEST(least_fixpoints_of_a_ring) {
  for (const bool simple : {false, true}) {
    Network network = build_network(ground_program(kRing));
    CHECK(!network.loops.empty());
    if (simple) network = simplify(network);
    for (const LaneKernel* kernel : kernels()) {
      NetworkSimulator simulator(compiled(network), *kernel);
      // All states at once: lane l contains state l % 8.
      std::vector<State> states;
      for (std::uint64_t bits = 0; bits < 8; ++bits) states.push_back({bits});
      std::vector<const std::uint64_t*> sources;
      for (int lane = 0; lane < simulator.lanes(); ++lane) sources.push_back(states[lane % 8].data());
      CHECK_EQUAL(network.fluents.size(), std::size_t{3});
      const std::vector<std::uint64_t> all(simulator.groups(), ~std::uint64_t{0});
      simulator.load(all.data(), sources.data());
      simulator.evaluate();
      for (int lane = 0; lane < simulator.lanes(); ++lane) {
        const int bits = lane % 8;
        const bool f0 = bits & 1, f1 = bits & 2, f2 = bits & 4;
        bool p[4] = {f0, false, f1, false};
        for (int round = 0; round < 4; ++round)
          for (int i = 0; i < 4; ++i) p[(i + 1) % 4] |= p[i] && f2;
        Lanes lanes(simulator);
        CHECK(lanes.legal(lane, 0) == (p[3] ? std::vector<int>{0, 1} : std::vector<int>{0}));
        CHECK(lanes.goals(lane, 0) == (p[2] ? std::vector<int>{100} : std::vector<int>{}));
        CHECK_EQUAL((simulator.terminal()[lane / 64] >> (lane % 64)) & 1, std::uint64_t{p[3] && !f2});
      }
    }
  }
}

// A loop (7, 8) whose recursion passes a fluent that never holds: after simplification the rest of the loop depends on
// the ring, whose fixpoint must be computed first.
TEST(a_loop_freed_by_simplifying) {
  const std::string text = kRing +
                           "fluent 6 never\nnext 3 26\nrule 26 1 -1\n"
                           "rule 7 8\nrule 8 7 6\nrule 8 13 -1\nrule 7 8 6\nrule 7 10 -3\n"
                           "move 0 9 m2\nlegal 2 7\nmove 0 30 m3\nlegal 3 8\n";
  const Network raw = build_network(ground_program(text));
  NetworkSimulator built(compiled(raw), *find_kernel("portable", 64));
  const Network small = simplify(raw);
  NetworkSimulator simple(compiled(small), *find_kernel("portable", 64));
  Lanes of_built(built), of_simple(simple);
  CHECK(small.loops.size() > 1);  // the ring and the former loop
  of_built.start(initial(built));
  of_simple.start(initial(simple));
  const std::uint64_t all = ~std::uint64_t{0};
  for (int lane = 0; lane < 64; ++lane) {
    built.seed(lane, mix64(lane));
    simple.seed(lane, mix64(lane));
  }
  for (int turn = 0; turn < 10; ++turn) {
    built.evaluate();
    simple.evaluate();
    for (int lane = 0; lane < 64; ++lane) {
      CHECK(of_simple.legal(lane, 0) == of_built.legal(lane, 0));
      CHECK(of_simple.goals(lane, 0) == of_built.goals(lane, 0));
    }
    built.choose_at_random(&all);
    simple.choose_at_random(&all);
    built.step();
    simple.step();
  }
}

// Next values that are other fluents: a rotation, an exchange, a complement; all at once.
TEST(fluents_that_pass_their_values_on) {
  std::string text = "role r\nmove 0 100 m\nlegal 0 0\n";
  const int count = 70;  // more than one word
  for (int i = 0; i < count; ++i) text += "fluent " + std::to_string(i + 1) + " f" + std::to_string(1000 + i) + "\n";
  for (int i = 0; i < count - 2; ++i)
    text += "next " + std::to_string(i) + " " + std::to_string(200 + i) + "\nrule " + std::to_string(200 + i) + " " +
            std::to_string((i + 1) % (count - 2) + 1) + "\n";
  text += "next 68 300\nrule 300 -70\nnext 69 301\nrule 301 69\n";
  text += "initial 0\ninitial 3\ninitial 65\n";
  const Network network = build_network(ground_program(text));
  for (const LaneKernel* kernel : kernels()) {
    NetworkSimulator simulator(compiled(network), *kernel);
    Lanes lanes(simulator);
    std::vector<bool> expected(count, false);
    expected[0] = expected[3] = expected[65] = true;
    const std::vector<std::uint64_t> all(simulator.groups(), ~std::uint64_t{0});
    for (int turn = 0; turn < 80; ++turn) {
      simulator.evaluate();
      simulator.choose_at_random(all.data());
      simulator.step();
      std::vector<bool> next(count);
      for (int i = 0; i < count - 2; ++i) next[i] = expected[(i + 1) % (count - 2)];
      next[68] = !expected[69];
      next[69] = expected[68];
      expected = next;
      const auto states = lanes.store();
      for (const int lane : {0, simulator.lanes() - 1})
        for (int i = 0; i < count; ++i) CHECK_EQUAL(bool((states[lane][i / 64] >> (i % 64)) & 1), bool(expected[i]));
    }
  }
}

TEST(gates_simplify_simple_inputs) {
  GateGraph gates;
  const Literal a = gates.input(GateGraph::Kind::kFluent, 0), b = gates.input(GateGraph::Kind::kFluent, 1);
  const auto all = [&](std::vector<Literal> inputs) { return gates.conjunction(inputs); };
  const auto any = [&](std::vector<Literal> inputs) { return gates.disjunction(inputs); };
  CHECK_EQUAL(all({}), kTrue);
  CHECK_EQUAL(any({}), kFalse);
  CHECK_EQUAL(all({a, a, kTrue}), a);
  CHECK_EQUAL(all({a, complement(a)}), kFalse);
  CHECK_EQUAL(any({b, complement(b)}), kTrue);
  CHECK_EQUAL(all({a, b}), all({b, a, b}));
  CHECK_EQUAL(all({a, any({a, b})}), a);
  CHECK_EQUAL(any({a, all({a, b})}), a);
  CHECK_EQUAL(all({a, any({complement(a), b})}), all({a, b}));
  CHECK_EQUAL(all({a, complement(all({a, b}))}), all({a, complement(b)}));
  CHECK_EQUAL(all({a, all({complement(a), b})}), kFalse);
}

TEST(refusals) {
  CHECK_THROWS(NotStratified, build_network(ground_program("role r\nmove 0 1 m\nlegal 0 2\nrule 2 -3\nrule 3 -2\n")));
  CHECK_THROWS(NotStratified, build_network(ground_program("role r\nmove 0 1 m\nlegal 0 2\nrule 2 -2\n")));
  const auto uses_move = [](const char* output) {
    const std::string rest = "role r\nmove 0 1 m\nmove 0 2 n\nlegal 0 0\nlegal 1 0\nrule 3 1\n";
    return build_network(ground_program(rest + output));
  };
  CHECK_THROWS(std::invalid_argument, compile(uses_move("terminal 3\n")));
  CHECK_THROWS(std::invalid_argument, compile(uses_move("goal 0 100 3\n")));
  CHECK_THROWS(std::invalid_argument, compile(uses_move("move 0 4 o\nlegal 2 3\n")));
  GateGraph small(10);
  std::vector<Literal> inputs;
  for (std::uint32_t i = 0; i < 11; ++i) inputs.push_back(small.input(GateGraph::Kind::kFluent, i));
  CHECK_THROWS(NetworkTooLarge, small.conjunction(inputs));
  CHECK(find_kernel("portable", 96) == nullptr);
  CHECK(find_kernel("sse", 64) == nullptr);
}

}  // namespace

TESTS(int count, char** paths) {
  CHECK_EQUAL(count, 5);
  for (int i = 1; i < count; ++i) {
    const GroundProgram ground = ground_program_file(paths[i]);
    const Program program = compiled(ground);
    every_kernel_plays_alike(program);
    hand_and_random_choices_mix(program);
    simplified_plays_like_built(ground);
    lanes_do_not_disturb_one_another(program);
    random_playouts_count_what_they_play(program);
    if (i == 1) counts_of_connect_four(program);
  }
}

// Flags: -O1
// Games: connect_four battle chinese_checkers_small
//
// Moves chosen by a caller, for many lanes at once: the implementation of networks, on every kernel and width, compared
// with the default implementation of simulators.
#include <memory>
#include <vector>

#include "base/random.hpp"
#include "check.hpp"
#include "fixtures/program_of.hpp"
#include "network/simulator/network_simulator.hpp"

namespace {

using namespace ggp;

// Compares its input with legal() and chooses by a random stream of the lane.
class Checker final : public MoveChooser {
 public:
  explicit Checker(Simulator& simulator) : simulator_(simulator), random_(simulator.lanes()) {
    for (int lane = 0; lane < simulator.lanes(); ++lane) random_[lane] = mix64(static_cast<std::uint64_t>(lane));
  }

  void begin() { passes = 0; }

  void choose(const Choices& choices) override {
    ++passes;
    CHECK_EQUAL(choices.groups, simulator_.groups());
    std::vector<int> seen(simulator_.lanes());
    for (int role = 0; role < simulator_.roles(); ++role) {
      std::vector<int> legal(simulator_.moves(role));
      for (int lane = 0; lane < simulator_.lanes(); ++lane) {
        if ((choices.of_role(role)[lane / 64] >> (lane % 64) & 1) == 0) continue;
        CHECK_EQUAL(++seen[lane], 1);
        const int count = simulator_.legal(lane, role, legal.data());
        std::vector<int> shown;
        for (int move = 0; move < 64 * choices.blocks; ++move) {
          if (choices.word(lane, move / 64) >> (move % 64) & 1) shown.push_back(move);
        }
        CHECK(count > 1 && shown == std::vector<int>(legal.begin(), legal.begin() + count));
        choices.moves[lane] = static_cast<std::uint32_t>(shown[draw_below(random_[lane], shown.size())]);
        ++answered;
      }
    }
  }

  int passes = 0;
  std::uint64_t answered = 0;

 private:
  Simulator& simulator_;
  std::vector<std::uint64_t> random_;
};

// Lanes of a simulator that play until all have ended, some of them with a chosen move of role 0.
class Match {
 public:
  Match(std::shared_ptr<const LaneProgram> program, const LaneKernel& kernel)
      : simulator(std::move(program), kernel), checker(simulator), mask_(simulator.groups(), ~std::uint64_t{0}),
        states_(simulator.lanes(), std::vector<std::uint64_t>(simulator.state_words())) {
    const std::vector<const std::uint64_t*> initial(simulator.lanes(), simulator.initial());
    simulator.load(mask_.data(), initial.data());
  }

  // Plays a turn in the lanes that have not ended, all except lane 7 by the chooser; returns false if no lane is left.
  template <class Turn>
  bool turn(Turn choose_with) {
    simulator.evaluate();
    bool any = false;
    for (int group = 0; group < simulator.groups(); ++group) {
      mask_[group] &= ~simulator.terminal()[group];
      any |= mask_[group] != 0;
    }
    if (!any) return false;
    std::vector<std::uint64_t> rest = mask_;
    rest[0] &= ~(std::uint64_t{1} << 7);
    if (rest[0] != mask_[0]) {
      for (int role = 0; role < simulator.roles(); ++role) {
        std::vector<int> legal(simulator.moves(role));
        simulator.choose(7, role, legal[simulator.legal(7, role, legal.data()) - 1]);
      }
    }
    checker.begin();
    choose_with(rest.data());
    simulator.step();
    return true;
  }

  const std::vector<std::vector<std::uint64_t>>& states() {
    std::vector<std::uint64_t*> to;
    for (auto& state : states_) to.push_back(state.data());
    simulator.store(mask_.data(), to.data());
    return states_;
  }

  NetworkSimulator simulator;
  Checker checker;

 private:
  std::vector<std::uint64_t> mask_;
  std::vector<std::vector<std::uint64_t>> states_;
};

void network_chooses_like_any_simulator(const char* path, int most_passes) {
  const auto program = program_of(ground_program_file(path));
  std::vector<std::vector<std::uint64_t>> first;
  for (const char* isa : {"portable", "avx2", "avx512"}) {
    for (const int width : {64, 128, 256, 512}) {
      const LaneKernel* kernel = find_kernel(isa, width);
      if (kernel == nullptr) continue;
      Match fast(program, *kernel), plain(program, *kernel);
      int passes = 0;
      for (int turn = 0; turn < 25; ++turn) {
        const bool more = fast.turn([&](const std::uint64_t* mask) { fast.simulator.choose_with(mask, fast.checker); });
        CHECK_EQUAL(more, plain.turn([&](const std::uint64_t* mask) {
          plain.simulator.Simulator::choose_with(mask, plain.checker);
        }));
        if (!more) break;
        CHECK_EQUAL(fast.checker.passes, plain.checker.passes);
        passes = std::max(passes, fast.checker.passes);
        CHECK(fast.states() == plain.states());
      }
      CHECK_EQUAL(passes, most_passes);
      CHECK(fast.checker.answered > 25u * width / 4);
      auto states = fast.states();
      states.resize(64);
      if (first.empty()) first = states;
      CHECK(states == first);
    }
  }
}

}  // namespace

TESTS(int, char** paths) {
  network_chooses_like_any_simulator(paths[1], 1);
  network_chooses_like_any_simulator(paths[2], 2);
  network_chooses_like_any_simulator(paths[3], 1);
}

// Links: network
// Games: tic_tac_toe battle
//
// States as arrays over lanes, on every kernel, with one thread and with several, against single states: given moves,
// drawn moves, lanes that are held or begin anew, wrong moves, and what the arrays say.
#include <fstream>
#include <memory>
#include <vector>

#include "check.hpp"
#include "fixtures/ground_text.hpp"
#include "network/lane_arrays.hpp"
#include "random.hpp"

namespace {

using namespace ggp;
using State = std::vector<std::uint64_t>;

// One state at a time, in the first lane of a simulator that nothing else uses.
class Single {
 public:
  explicit Single(const std::shared_ptr<const LaneProgram>& program)
      : simulator_(program, *find_kernel("portable", 64)) {}

  void show(const State& state) {
    const std::uint64_t* source = state.data();
    simulator_.load(&kFirst, &source);
    simulator_.evaluate();
  }
  State play(const std::vector<int>& joint) {
    for (int role = 0; role < simulator_.roles(); ++role) simulator_.choose(0, role, joint[role]);
    return next();
  }
  // Draws from a stream, which goes on.
  State draw(std::uint64_t seed, int times) {
    simulator_.seed(0, seed);
    State state;
    for (; times > 0; --times) {
      simulator_.choose_at_random(&kFirst);
      state = next();
      simulator_.evaluate();
      if (simulator_.terminal()[0] & 1) break;
    }
    return state;
  }
  NetworkSimulator& rules() { return simulator_; }

 private:
  static constexpr std::uint64_t kFirst = 1;
  State next() {
    simulator_.step();
    State state(simulator_.state_words());
    std::uint64_t* target = state.data();
    simulator_.store(&kFirst, &target);
    return state;
  }
  NetworkSimulator simulator_;
};

std::vector<State> stored(LaneArrays& arrays) {
  std::vector<std::uint64_t> words(std::size_t(arrays.lanes()) * arrays.state_words());
  arrays.store(words.data());
  std::vector<State> states;
  for (int lane = 0; lane < arrays.lanes(); ++lane) {
    const auto* first = words.data() + std::size_t(lane) * arrays.state_words();
    states.emplace_back(first, first + arrays.state_words());
  }
  return states;
}

// Holds all that the arrays say of the lanes against the rules.
void check_told(LaneArrays& arrays, Single& single, const std::vector<State>& states) {
  const int n = arrays.lanes();
  std::vector<std::uint8_t> terminal(n), fluents(std::size_t(arrays.fluents()) * n), choice(n);
  std::vector<std::int8_t> goals(std::size_t(arrays.roles()) * n), mover(n);
  arrays.terminal(terminal.data());
  arrays.fluent_bytes(fluents.data());
  arrays.goals(goals.data());
  arrays.mover(mover.data());
  int widest = 0;
  for (int role = 0; role < arrays.roles(); ++role) widest = std::max(widest, arrays.moves(role));
  std::vector<std::uint8_t> legal(std::size_t(widest) * n), movers_legal(std::size_t(widest) * n);
  arrays.movers_legal_bytes(movers_legal.data());
  std::vector<int> several(n, -1);
  for (int role = 0; role < arrays.roles(); ++role) {
    arrays.legal_bytes(role, legal.data());
    arrays.choice_bytes(role, choice.data());
    for (int lane = 0; lane < n; ++lane) {
      single.show(states[lane]);
      const bool is_over = single.rules().terminal()[0] & 1;
      CHECK_EQUAL(int(terminal[lane]), int(is_over));
      CHECK_EQUAL(int(goals[std::size_t(role) * n + lane]), is_over ? single.rules().goal(0, role) : -1);
      int count = 0;
      for (int move = 0; move < arrays.moves(role); ++move) {
        const bool may = !is_over && single.rules().is_legal(role, 0, move);
        count += may;
        CHECK_EQUAL(int(legal[std::size_t(move) * n + lane]), int(may));
        if (mover[lane] == role) CHECK_EQUAL(int(movers_legal[std::size_t(move) * n + lane]), int(may));
      }
      CHECK_EQUAL(int(choice[lane]), int(count > 1));
      CHECK_EQUAL(int(arrays.choosers(lane) >= 0), int(!is_over));
      if (!is_over) CHECK_EQUAL(int(arrays.choosers(lane) >> role & 1), int(count > 1));
      if (count > 1 && several[lane] < 0) several[lane] = role;
    }
  }
  for (int lane = 0; lane < n; ++lane) {
    CHECK_EQUAL(int(mover[lane]), terminal[lane] ? -1 : std::max(several[lane], 0));
    for (int fluent = 0; fluent < arrays.fluents(); ++fluent)
      CHECK_EQUAL(int(fluents[std::size_t(fluent) * n + lane]), int(states[lane][fluent / 64] >> (fluent % 64) & 1));
  }
}

void check_play(const std::shared_ptr<const LaneProgram>& program, const char* isa, int width, int n, int threads) {
  const LaneKernel* kernel = find_kernel(isa, width);
  if (kernel == nullptr) return;
  LaneArrays arrays(program, *kernel, n, threads, -1);
  Single single(program);
  std::vector<std::uint64_t> seeds(n);
  for (int lane = 0; lane < n; ++lane) seeds[lane] = mix64(lane + 1);
  arrays.seed(seeds.data());
  std::uint64_t random = 7;
  const State first(single.rules().initial(), single.rules().initial() + arrays.state_words());
  std::vector<State> states(n, first);
  std::vector<std::int32_t> moves(std::size_t(arrays.roles()) * n);
  std::vector<std::uint8_t> held(n), fresh(n);
  for (int turn = 0; turn < 12; ++turn) {
    if (turn % 4 == 0) check_told(arrays, single, states);
    arrays.sample(moves.data(), false);
    for (int lane = 0; lane < n; ++lane) {
      held[lane] = draw_below(random, 8) == 0;
      fresh[lane] = !held[lane] && draw_below(random, 8) == 0;
      single.show(states[lane]);
      const bool is_over = single.rules().terminal()[0] & 1;
      std::vector<int> joint;
      for (int role = 0; role < arrays.roles(); ++role) joint.push_back(moves[std::size_t(role) * n + lane]);
      if (is_over) CHECK_EQUAL(joint[0], -1);
      if (fresh[lane]) {
        states[lane] = first;
      } else if (!held[lane] && !is_over) {
        states[lane] = single.play(joint);
      }
    }
    if (turn == 5) {  // nothing is played where the last lane has a wrong move
      for (const std::int32_t wrong : {-2, 1 << 20}) {
        std::vector<std::int32_t> all(moves.size(), LaneArrays::kDraw);
        const std::vector<State> before = stored(arrays);
        all[n - 1] = wrong;
        arrays.load(nullptr, nullptr);
        const WrongMove found = arrays.step(all.data(), false, true, nullptr, nullptr);
        CHECK_EQUAL(found.lane, n - 1);
        CHECK_EQUAL(found.move, wrong);
        for (const State& state : stored(arrays)) CHECK(state == first);
        std::vector<std::uint64_t> words;
        for (const State& state : before) words.insert(words.end(), state.begin(), state.end());
        arrays.load(nullptr, words.data());
      }
    }
    CHECK_EQUAL(arrays.step(moves.data(), false, true, held.data(), fresh.data()).lane, -1);
    CHECK(stored(arrays) == states);
  }

  // What is drawn is what choose_at_random() draws.
  arrays.load(nullptr, nullptr);
  arrays.seed(seeds.data());
  std::fill(moves.begin(), moves.end(), LaneArrays::kDraw);
  for (int turn = 0; turn < 4; ++turn) arrays.step(moves.data(), false, true, nullptr, nullptr);
  const std::vector<State> drawn = stored(arrays);
  for (int lane = 0; lane < n; ++lane) {
    single.show(first);
    CHECK(single.draw(seeds[lane], 4) == drawn[lane]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  CHECK_EQUAL(argc, 3);
  for (int game = 1; game < argc; ++game) {
    std::ifstream text(argv[game]);
    const auto program =
        std::make_shared<const LaneProgram>(compile(simplify(build_network(read_ground_program(text)))));
    for (const char* isa : {"portable", "avx2", "avx512"}) {
      check_play(program, isa, 64, 1, 1);
      check_play(program, isa, 64, 150, 3);
      check_play(program, isa, 512, 70, 1);
    }
  }
  return 0;
}

// A simulator that reaches a limit ends the run, and the search stays usable.
#include <stdexcept>

#include "check.hpp"
#include "fixtures/games.hpp"
#include "fixtures/lanes_of.hpp"
#include "fixtures/limits.hpp"
#include "search/driver/searcher.hpp"

namespace {

using namespace ggp;

// Plays like another simulator, until one kind of call was made `granted` times.
class Limited final : public Simulator {
 public:
  enum class Call { kEvaluate, kStep, kStore, kGoal };

  explicit Limited(Simulator& simulator) : simulator_(simulator) {}

  Call call = Call::kEvaluate;
  int granted = 1 << 30;

  std::unique_ptr<Simulator> clone() const override { return simulator_.clone(); }
  int roles() const override { return simulator_.roles(); }
  int moves(int role) const override { return simulator_.moves(role); }
  int state_words() const override { return simulator_.state_words(); }
  const std::uint64_t* initial() const override { return simulator_.initial(); }
  int lanes() const override { return simulator_.lanes(); }
  void load(const std::uint64_t* mask, const std::uint64_t* const* states) override { simulator_.load(mask, states); }
  void store(const std::uint64_t* mask, std::uint64_t* const* states) override {
    count(Call::kStore);
    simulator_.store(mask, states);
  }
  void seed(int lane, std::uint64_t seed) override { simulator_.seed(lane, seed); }
  std::uint64_t stream(int lane) const override { return simulator_.stream(lane); }
  void evaluate() override {
    count(Call::kEvaluate);
    simulator_.evaluate();
  }
  const std::uint64_t* terminal() const override { return simulator_.terminal(); }
  int goal(int lane, int role) override {
    count(Call::kGoal);
    return simulator_.goal(lane, role);
  }
  int legal_count(int lane, int role) override { return simulator_.legal_count(lane, role); }
  int legal(int lane, int role, int* out) override { return simulator_.legal(lane, role, out); }
  void choose(int lane, int role, int move) override { simulator_.choose(lane, role, move); }
  void choose_at_random(const std::uint64_t* mask) override { simulator_.choose_at_random(mask); }
  void step() override {
    simulator_.step();
    count(Call::kStep);
  }

 private:
  void count(Call made) {
    if (made != call) return;
    if (granted == 0) throw std::overflow_error("a limit");
    --granted;
  }

  Simulator& simulator_;
};

template <class Game>
void run_into(Limited::Call call, const std::vector<int>& moves, bool transpositions) {
  LanesOf<Game> lanes(64);
  Limited limited(lanes);
  limited.call = call;
  Config config;
  config.in_flight = 24;
  config.tree.transpositions = transpositions;
  for (int granted : {0, 1, 2, 3, 5, 8}) {
    Searcher searcher(limited, config);
    limited.granted = granted;
    CHECK_THROWS(std::overflow_error, searcher.run(simulations(100000)));
    CHECK_EQUAL(limited.granted, 0);
    const Tree& tree = searcher.tree();
    tree.for_each_node([&tree](Index node) { CHECK_EQUAL(tree.node(node).unobserved, 0); });
    const std::uint64_t hash = searcher.tree_hash();
    const Index child = tree.child(tree.root(), moves.data());
    // The state of a node is known without the simulator.
    const bool knows_state = child != kNone && is_node(child) && tree.node(child).winner == kNoWinner;
    if (call != Limited::Call::kGoal && !knows_state) {
      // If the root cannot be replaced it stays.
      CHECK_THROWS(std::overflow_error, searcher.advance(moves));
      CHECK_EQUAL(searcher.tree_hash(), hash);
    }
    limited.granted = 1 << 30;
    CHECK_EQUAL(searcher.run(simulations(300)).simulations, std::uint64_t{300});
    // Nodes whose states could not be stored do not exist.
    searcher.advance(moves);
    CHECK_EQUAL(searcher.run(simulations(300)).simulations, std::uint64_t{300});
  }
}

}  // namespace

TESTS(int, char**) {
  using Call = Limited::Call;
  for (const Call call : {Call::kEvaluate, Call::kStep, Call::kStore, Call::kGoal}) {
    for (const bool transpositions : {false, true}) {
      run_into<TicTacToe>(call, {4, 9}, transpositions);
      run_into<MatchingPennies<21>>(call, {0, 1}, transpositions);
      run_into<ThreePlayerNim>(call, {2, 0, 0}, transpositions);
    }
  }
}

// Rules: tic_tac_toe connect_four orchard
//
// The reasoner behind the interface of simulators: small rules by hand, with limits that are soon reached, and real
// games, which all widths must play in the same way.
#include <atomic>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/random.hpp"
#include "check.hpp"
#include "reasoner/deferred_goals.hpp"
#include "reasoner/reasoner_simulator.hpp"
#include "search/driver/searcher.hpp"
#include "simulation/perft.hpp"
#include "simulation/random_playouts.hpp"

namespace {

using namespace ggp;

std::shared_ptr<Registry> registry(const std::string& text, const ReasonerLimits& limits = {}) {
  return std::make_shared<Registry>(std::make_shared<const Plan>(compile_plan(read_rules(text))), limits);
}

std::string file(const char* path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  CHECK(!text.str().empty());
  return text.str();
}

// One state after another in one lane.
class Lane {
 public:
  Lane(Simulator& simulator, int lane) : simulator_(simulator), lane_(lane), mask_(simulator.groups()) {
    mask_[lane / 64] = std::uint64_t{1} << (lane % 64);
  }
  void load(std::uint64_t state) {
    std::vector<const std::uint64_t*> from(simulator_.lanes(), &state);
    simulator_.load(mask_.data(), from.data());
  }
  std::uint64_t store() {
    std::uint64_t state = ~std::uint64_t{0};
    std::vector<std::uint64_t*> to(simulator_.lanes(), &state);
    simulator_.store(mask_.data(), to.data());
    return state;
  }
  std::vector<int> legal(int role) {
    std::vector<int> moves(simulator_.moves(role));
    moves.resize(simulator_.legal(lane_, role, moves.data()));
    CHECK_EQUAL(simulator_.legal_count(lane_, role), static_cast<int>(moves.size()));
    return moves;
  }
  bool terminal() const { return (simulator_.terminal()[lane_ / 64] >> (lane_ % 64)) & 1; }
  const std::uint64_t* mask() const { return mask_.data(); }

 private:
  Simulator& simulator_;
  int lane_;
  std::vector<std::uint64_t> mask_;
};

const char* const kWalk =
    "role r/0\n"
    "rule succ/2 0/0 1/0\nrule succ/2 1/0 2/0\nrule succ/2 2/0 3/0\n"
    "rule init/1 at/1 0/0\n"
    "rule legal/2 r/0 go/1 ?0 + true/1 at/1 ?1 + succ/2 ?1 ?0\n"
    "rule legal/2 r/0 stay/0\n"
    "rule next/1 at/1 ?0 + does/2 r/0 go/1 ?0\n"
    "rule next/1 at/1 ?0 + true/1 at/1 ?0 + does/2 r/0 stay/0\n"
    "rule less/2 ?0 ?1 + succ/2 ?0 ?1\n"
    "rule less/2 ?0 ?1 + less/2 ?0 ?2 + less/2 ?2 ?1\n"
    "rule terminal/0 + true/1 at/1 3/0\n"
    "rule goal/2 r/0 100/0 + true/1 at/1 3/0\n"
    "rule goal/2 ?0 50/0 + role/1 ?0 - goal/2 ?0 100/0 + true/1 at/1 ?1 + less/2 0/0 ?1 ! ?1 3/0\n"
    "rule role/1 r/0\n";

TEST(answers_about_one_state_after_another) {
  const auto rules = registry(kWalk);
  ReasonerSimulator simulator(rules, 128);
  Lane lane(simulator, 100);
  lane.load(*simulator.initial());
  const std::vector<int> goals{-1, 50, 50, 100};
  for (int turn = 0; turn <= 3; ++turn) {
    simulator.evaluate();
    CHECK_EQUAL(lane.terminal(), turn == 3);
    CHECK_EQUAL(simulator.goal(100, 0), goals[turn]);
    CHECK_EQUAL(lane.legal(0).size(), std::size_t(turn == 3 ? 1 : 2));
    // Other lanes are empty.
    CHECK_EQUAL(simulator.terminal()[0], std::uint64_t{0});
    CHECK_EQUAL(simulator.legal_count(0, 0), 0);
    if (turn == 3) break;
    simulator.choose(100, 0, static_cast<int>(rules->read_move(0, "go/1 " + std::to_string(turn + 1) + "/0")));
    simulator.step();
    CHECK(rules->fluents(lane.store()) == std::vector<std::string>{"(at " + std::to_string(turn + 1) + ")"});
  }
  CHECK_EQUAL(rules->read_state({"at/1 3/0", "at/1 3/0"}), lane.store());
  CHECK_EQUAL(rules->move_name(0, rules->read_move(0, "go/1 2/0")), std::string("(go 2)"));
  // A lane without a move is empty after the step.
  simulator.step();
  simulator.evaluate();
  CHECK(!lane.terminal());
}

TEST(invalid_rule_texts_are_refused) {
  for (const char* text : {"", "rule p/0\n", "role ?0\n", "role r\n", "role r/0\nrul p/0\n", "role r/0\nrule p/1\n",
                           "role r/0\nrule p/0 * q/0\n"})
    CHECK_THROWS(std::invalid_argument, read_rules(text));
  CHECK_THROWS(std::invalid_argument, registry(kWalk)->unpack(7, *std::make_unique<std::vector<std::uint32_t>>()));
  CHECK_THROWS(std::invalid_argument, registry(kWalk)->move_name(0, 7));
}

TEST(limits_are_reported_and_the_simulator_stays_usable) {
  const std::string numbers = "rule n/1 0/0\nrule n/1 1/0\nrule n/1 2/0\nrule n/1 3/0\nrule n/1 4/0\nrule n/1 5/0\n";
  const std::string product = "+ n/1 ?0 + n/1 ?1 + n/1 ?2 + n/1 ?3 + n/1 ?4 + n/1 ?5";
  const std::map<std::string, std::string> runaways{
      {"steps", "rule terminal/0 " + product + " + z/6 ?0 ?1 ?2 ?3 ?4 ?5\nrule z/6 ?0 ?1 ?2 ?3 ?4 ?5 " + product +
                    " + true/1 never/6 ?0 ?1 ?2 ?3 ?4 ?5\n"},
      {"MB for the tables", "rule t/6 ?0 ?1 ?2 ?3 ?4 ?5 " + product + "\nrule terminal/0 + t/6 ?0 ?1 ?2 ?3 ?4 ?5 "
                            "+ y/6 ?0 ?1 ?2 ?3 ?4 ?5\nrule y/6 a/0 ?1 ?2 ?3 ?4 ?5 " + product + "\n"},
      {"goals deep", "rule terminal/0 + p/3 0/0 0/0 0/0\nrule p/3 ?0 ?1 ?2 + s/2 ?2 ?3 + p/3 ?0 ?1 ?3\n"
                     "rule p/3 ?0 ?1 5/0 + s/2 ?1 ?3 + p/3 ?0 ?3 0/0\nrule p/3 ?0 5/0 5/0 + s/2 ?0 ?3 + p/3 ?3 0/0 0/0\n"
                     "rule s/2 0/0 1/0\nrule s/2 1/0 2/0\nrule s/2 2/0 3/0\nrule s/2 3/0 4/0\nrule s/2 4/0 5/0\n"},
      {"nest deeper", "rule terminal/0 + p/1 0/0\nrule p/1 ?0 + p/1 s/1 ?0\n"},
  };
  for (const auto& [message, text] : runaways) {
    ReasonerLimits limits;
    if (message == "steps") limits.steps = 20'000;
    if (message == "goals deep") limits.depth = 100;
    if (message == "MB for the tables") limits.table_bytes = std::size_t{1} << 19;
    // A state that is within the limits: the rules for `terminal` depend on this fluent.
    std::string guarded = text;
    const std::size_t place = guarded.find("rule terminal/0 ");
    guarded.insert(place + 16, "+ true/1 wild/0 ");
    const auto rules = registry("role r/0\nrule legal/2 r/0 go/0\nrule goal/2 r/0 7/0\n" + numbers + guarded, limits);
    ReasonerSimulator simulator(rules, 64);
    Lane lane(simulator, 3), other(simulator, 5);
    const std::uint64_t wild = rules->read_state({"wild/0"});
    for (int round = 0; round < 2; ++round) {
      other.load(*simulator.initial());
      lane.load(*simulator.initial());
      simulator.evaluate();
      CHECK_EQUAL(simulator.goal(3, 0), 7);
      CHECK_EQUAL(other.legal(0).size(), std::size_t{1});
      lane.load(wild);
      std::string thrown;
      try {
        simulator.evaluate();
      } catch (const std::overflow_error& error) {
        thrown = error.what();
      }
      CHECK(thrown.find(message) != std::string::npos);
      // The lanes are empty now, which must not be an error.
      simulator.step();
      simulator.evaluate();
      CHECK(!lane.terminal());
    }
  }
}

TEST(states_are_refused_beyond_their_memory) {
  ReasonerLimits limits;
  limits.state_bytes = std::size_t{1} << 19;
  const auto rules = registry("role r/0\nrule legal/2 r/0 go/0\n", limits);
  std::set<std::uint64_t> states;
  std::string thrown;
  try {
    for (int number = 0; number < 1'000'000; ++number)
      states.insert(rules->read_state({"n/1 " + std::to_string(number) + "/0"}));
  } catch (const std::overflow_error& error) {
    thrown = error.what();
  }
  CHECK(states.size() > 1000 && thrown.find("the states so far") != std::string::npos);
  // Known states are still found.
  CHECK(states.count(rules->read_state({"n/1 17/0"})) == 1);
}

// The results of some lanes over some turns of random play.
std::vector<std::vector<std::string>> transcript(const std::shared_ptr<Registry>& rules, int lanes) {
  ReasonerSimulator original(rules, lanes);
  const auto simulator = original.clone();
  std::vector<std::vector<std::string>> lines(16);
  std::vector<Lane> all;
  for (int i = 0; i < 16; ++i) all.emplace_back(*simulator, i * (lanes / 16));
  for (int i = 0; i < 16; ++i) {
    all[i].load(*simulator->initial());
    simulator->seed(i * (lanes / 16), mix64(i));
  }
  for (int turn = 0; turn < 30; ++turn) {
    simulator->evaluate();
    for (int i = 0; i < 16; ++i) {
      const int lane = i * (lanes / 16);
      std::ostringstream line;
      line << all[i].store() << (all[i].terminal() ? " end" : "");
      for (int role = 0; role < simulator->roles(); ++role) {
        line << " goal " << simulator->goal(lane, role);
        for (const int move : all[i].legal(role)) line << ' ' << move;
      }
      lines[i].push_back(line.str());
      if (!all[i].terminal()) simulator->choose_at_random(all[i].mask());
    }
    simulator->step();
    for (int i = 0; i < 16; ++i)
      if (lines[i].back().find("end") != std::string::npos) all[i].load(*simulator->initial());
  }
  return lines;
}

void widths_and_clones_play_alike(const std::string& text) {
  const auto rules = registry(text);
  const auto expected = transcript(rules, 64);
  CHECK(expected[0] != expected[1]);
  CHECK(transcript(rules, 64) == expected);
  CHECK(transcript(rules, 512) == expected);
  // A separate game object, with new numbers, gives equal results.
  CHECK(transcript(registry(text), 256) == expected);
}

void searches_make_the_same_tree(const std::string& text) {
  std::set<std::uint64_t> hashes;
  for (const int lanes : {64, 256}) {
    ReasonerSimulator simulator(registry(text), lanes);
    Config config;
    config.in_flight = 8;
    Searcher searcher(simulator, config);
    Limits limits;
    limits.simulations = 150;
    CHECK_EQUAL(searcher.run(limits).simulations, std::uint64_t{150});
    hashes.insert(searcher.tree_hash());
    searcher.set_root(simulator.initial());
    searcher.run(limits);
    hashes.insert(searcher.tree_hash());
  }
  CHECK_EQUAL(hashes.size(), std::size_t{1});
}

void perft_counts(const std::string& text, const std::vector<std::uint64_t>& leaves) {
  ReasonerSimulator simulator(registry(text), 64);
  const auto levels = perft(simulator, simulator.initial(), static_cast<int>(leaves.size()), std::atomic<bool>(false));
  for (std::size_t i = 0; i < leaves.size(); ++i) CHECK_EQUAL(levels[i].leaves, leaves[i]);
}

// The reasoner's simulator with the state as bits, for goals on demand.
TEST(goals_on_demand_read_the_bits_of_states) {
  class Bits final : public Simulator {
   public:
    explicit Bits(std::uint64_t state) : state_(state) {}
    std::unique_ptr<Simulator> clone() const override { return std::make_unique<Bits>(state_); }
    int roles() const override { return 1; }
    int moves(int) const override { return 1; }
    int state_words() const override { return 1; }
    const std::uint64_t* initial() const override { return &state_; }
    int lanes() const override { return 64; }
    void load(const std::uint64_t*, const std::uint64_t* const*) override {}
    void store(const std::uint64_t* mask, std::uint64_t* const* states) override {
      for (int lane = 0; lane < 64; ++lane)
        if ((*mask >> lane) & 1) *states[lane] = lane < 4 ? std::uint64_t{1} << lane : state_;
    }
    void seed(int, std::uint64_t) override {}
    std::uint64_t stream(int) const override { return 0; }
    void evaluate() override {}
    const std::uint64_t* terminal() const override { return &state_; }
    int goal(int, int) override { return -1; }
    int legal_count(int, int) override { return 0; }
    int legal(int, int, int*) override { return 0; }
    void choose(int, int, int) override {}
    void choose_at_random(const std::uint64_t*) override {}
    void step() override {}

   private:
    std::uint64_t state_;
  };
  const Bits bits(6);
  DeferredGoals first(bits, registry(kWalk), {"at/1 0/0", "at/1 1/0", "at/1 2/0", "at/1 3/0"}, {"sunny/0"});
  const auto second = first.clone();
  for (Simulator* simulator : {static_cast<Simulator*>(&first), second.get()}) {
    const std::vector<int> expected{-1, 50, 50, 100, 50};
    for (int lane = 0; lane < 5; ++lane) CHECK_EQUAL(simulator->goal(lane, 0), expected[lane]);
  }
}

}  // namespace

TESTS(int count, char** paths) {
  CHECK_EQUAL(count, 4);
  for (int i = 1; i < count; ++i) {
    widths_and_clones_play_alike(file(paths[i]));
    searches_make_the_same_tree(file(paths[i]));
  }
  perft_counts(file(paths[1]), {9, 72, 504, 3024});
  perft_counts(file(paths[2]), {7, 49, 343});
}

// Games: kuhn_poker blind_tic_tac_toe
//
// Games with hidden information: percepts in lanes, particles, beliefs and their searches.
#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "fixtures/program_of.hpp"
#include "hidden/determinised.hpp"
#include "hidden/ismcts.hpp"
#include "network/simulator/network_simulator.hpp"

namespace {

using namespace ggp;

std::unique_ptr<NetworkSimulator> simulator_of(const GroundProgram& program) {
  const auto compiled = program_of(program);
  return std::make_unique<NetworkSimulator>(compiled, *find_kernel("portable", 64));
}

// keep_lanes() and hash_percepts() agree with perceived() in random play.
void percepts_in_lanes(const GroundProgram& program) {
  const auto simulator = simulator_of(program);
  LaneMask all(1, ~std::uint64_t{0});
  std::vector<std::uint64_t> hashes(64);
  for (int turn = 0; turn < 4; ++turn) {
    simulator->evaluate();
    const LaneMask playing(1, ~simulator->terminal()[0]);
    simulator->choose_at_random(playing.data());
    simulator->perceive();
    for (int role = 0; role < simulator->roles(); ++role) {
      std::vector<std::vector<std::uint32_t>> perceived(64);
      for_each_lane(0, playing[0], [&](int lane) { simulator->perceived(lane, role, perceived[lane]); });
      simulator->hash_percepts(role, playing.data(), hashes.data());
      for_each_lane(0, playing[0], [&](int lane) {
        std::uint64_t hash = 0;
        for (const std::uint32_t percept : perceived[lane]) hash ^= Percepts::percept_hash(percept);
        CHECK(hashes[lane] == hash);
        LaneMask same = playing;
        simulator->keep_lanes(role, perceived[lane].data(), perceived[lane].size(), same.data());
        for_each_lane(0, playing[0], [&](int other) {
          CHECK(has_lane(same, other) == (perceived[other] == perceived[lane]));
        });
      });
    }
    simulator->step();
    const std::vector<const std::uint64_t*> initial(64, simulator->initial());
    const LaneMask over(1, ~playing[0]);
    simulator->load(over.data(), initial.data());
  }
}

TEST(drawn_in_proportion) {
  std::uint64_t random = 1;
  const std::vector<std::uint32_t> drawn = resample({0.5, 0.0, 0.3, 0.2}, 10, random);
  CHECK(drawn.size() == 10 && std::is_sorted(drawn.begin(), drawn.end()));
  CHECK(std::count(drawn.begin(), drawn.end(), 0) == 5 && std::count(drawn.begin(), drawn.end(), 1) == 0);
  CHECK(std::count(drawn.begin(), drawn.end(), 2) == 3);
}

TEST(merged_and_thinned) {
  Particles particles(1, 1);
  const std::uint64_t keys[] = {7, 7, 8, 9}, states[] = {1, 1, 1, 2};
  for (int i = 0; i < 4; ++i) *particles.add(&keys[i], 0) = states[i];
  CHECK(particles.states() == 2);
  particles.merge();
  CHECK(particles.size() == 3 && std::abs(particles.weights()[0] - 0.5) < 1e-12);
  std::uint64_t random = 1;
  particles.thin(1, random);
  CHECK(particles.size() == 2 && particles.states() == 2);
  const std::vector<double> weights = particles.weights();
  CHECK(std::abs(weights[particles.state(0)[0] == 1 ? 0 : 1] - 0.75) < 1e-12);
}

// A random game: what a role observes never contradicts the true state. Returns whether the belief stayed complete.
bool follows(const GroundProgram& program, int chance, std::size_t particles, std::uint64_t seed) {
  const auto truth = simulator_of(program), own = simulator_of(program);
  const int role = chance == 0 ? 1 : 0;
  Belief belief(*own, chance, role, particles, seed);
  Ismcts search(belief.game(), role, seed);
  truth->seed(0, seed);
  const LaneMask first(1, 1);
  std::vector<int> list(1000);
  std::uint64_t random = seed;
  for (int turn = 0;; ++turn) {
    truth->evaluate();
    if (truth->terminal()[0] & 1) break;
    Observation seen;
    for (int each = 0; each < truth->roles(); ++each) {
      const int count = truth->legal(0, each, list.data());
      const int move = list[draw_below(random, count)];
      truth->choose(0, each, move);
      if (each == role) seen.move = move;
    }
    truth->perceive();
    truth->perceived(0, role, seen.percepts);
    truth->step();
    truth->evaluate();
    seen.terminal = truth->terminal()[0] & 1;
    if (belief.moves().size() > 1) {
      HiddenLimits limits;
      limits.simulations = 200;
      const HiddenResult result = search.run(belief, limits);
      double total = 0;
      for (const HiddenMove& move : result.moves) total += move.probability;
      CHECK(std::abs(total - 1) < 1e-9 && result.simulations >= 200);
      CHECK(Determinised(seed).run(belief, limits).simulations >= 200);
    }
    search.observe(belief, seen);
    belief.observe(seen, 60);
    CHECK(!belief.is_empty() && belief.particles().size() > 0);
    std::vector<std::uint64_t> state(truth->state_words());
    std::vector<std::uint64_t*> target(64, state.data());
    truth->store(first.data(), target.data());
    bool found = false;
    for (std::size_t each = 0; each < belief.particles().size(); ++each)
      found = found || std::equal(state.begin(), state.end(), belief.particles().state(each));
    CHECK(found || !belief.is_complete());
  }
  return belief.is_complete();
}

// Percepts that contradict the rules empty the belief, whose last states remain.
void contradicted(const GroundProgram& program) {
  const auto simulator = simulator_of(program);
  Belief belief(*simulator, 2, 0, 100, 1);
  Observation seen;
  seen.terminal = true;  // no game ends after one turn
  belief.observe(seen, 0.05);
  CHECK(belief.is_empty() && belief.particles().size() > 0 && !belief.is_complete());
}

}  // namespace

TESTS(int, char** paths) {
  const GroundProgram poker = ground_program_file(paths[1]), board = ground_program_file(paths[2]);
  percepts_in_lanes(poker);
  percepts_in_lanes(board);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) CHECK(follows(poker, 2, 100, seed));
  follows(board, -1, 100, 4);
  contradicted(poker);
}

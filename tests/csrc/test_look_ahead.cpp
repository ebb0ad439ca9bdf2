// Links: network simulation
// Games: connect_four breakthrough merrills three_hunters battle hex
//
// Moves that win at once: what the network knows of them, in the states of random play, against what all legal moves
// lead to; and that play-outs which prefer them make them.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "check.hpp"
#include "fixtures/ground_text.hpp"
#include "network/network_simulator.hpp"

namespace {

using namespace ggp;

struct Found {
  int known = 0;    // wins that the network knows
  int missing = 0;  // and that it does not
};

// A state, all whose joint moves that differ in the move of one role are looked at.
class Successors {
 public:
  explicit Successors(const Simulator& simulator) : simulator_(simulator.clone()), mask_(simulator_->groups(), ~std::uint64_t{0}) {}

  // Whether a joint move ends the game with goal 100 for the role.
  bool wins(const std::uint64_t* state, const std::vector<int>& joint, int role) {
    const std::vector<const std::uint64_t*> states(simulator_->lanes(), state);
    simulator_->load(mask_.data(), states.data());
    simulator_->evaluate();
    for (int each = 0; each < simulator_->roles(); ++each) simulator_->choose(0, each, joint[each]);
    simulator_->step();
    simulator_->evaluate();
    const bool won = (simulator_->terminal()[0] & 1) != 0 && simulator_->goal(0, role) == 100;
    simulator_->step();
    return won;
  }

 private:
  std::unique_ptr<Simulator> simulator_;
  std::vector<std::uint64_t> mask_;
};

// Plays some lanes at random to their ends; where one prefers wins, half of the lanes do.
Found play(const char* path, int turns) {
  std::ifstream text(path);
  const auto program = std::make_shared<const LaneProgram>(compile(simplify(build_network(read_ground_program(text)))));
  NetworkSimulator simulator(program, *find_kernel("portable", 64));
  Successors successors(simulator);
  constexpr std::uint64_t kEager = 0x5;
  constexpr int kLanes = 4;
  simulator.look_ahead(&kEager, true);
  Found found;
  std::uint64_t playing = (1u << kLanes) - 1;
  std::vector<int> winner(kLanes, -1);  // of the next state, by lane
  for (int turn = 0; turn < turns && playing != 0; ++turn) {
    std::vector<std::vector<std::uint64_t>> states(64, std::vector<std::uint64_t>(simulator.state_words()));
    std::vector<std::uint64_t*> to;
    for (auto& state : states) to.push_back(state.data());
    simulator.store(&playing, to.data());
    simulator.evaluate();
    playing &= ~simulator.terminal()[0];
    for (int lane = 0; lane < kLanes; ++lane) {
      if (winner[lane] < 0) continue;
      CHECK((simulator.terminal()[0] >> lane & 1) != 0);
      CHECK_EQUAL(simulator.goal(lane, winner[lane]), 100);
      winner[lane] = -1;
    }
    for (int lane = 0; lane < kLanes; ++lane) {
      if ((playing >> lane & 1) == 0) continue;
      std::vector<std::vector<int>> legal;
      int choosing = 0;
      for (int role = 0; role < simulator.roles(); ++role) {
        std::vector<int> moves(simulator.moves(role));
        moves.resize(simulator.legal(lane, role, moves.data()));
        choosing += moves.size() > 1;
        legal.push_back(moves);
      }
      for (int role = 0; role < simulator.roles(); ++role) {
        std::vector<int> known(simulator.moves(role));
        known.resize(simulator.winning(lane, role, known.data()));
        CHECK(choosing == (legal[role].size() > 1) || known.empty());
        if (choosing > 1) continue;
        std::vector<int> joint;
        for (const auto& moves : legal) joint.push_back(moves[0]);
        for (const int move : legal[role]) {
          joint[role] = move;
          const bool wins = successors.wins(states[lane].data(), joint, role);
          const bool is_known = std::find(known.begin(), known.end(), move) != known.end();
          CHECK(wins || !is_known);
          (is_known ? found.known : found.missing) += wins;
        }
        if (!known.empty() && (kEager >> lane & 1) != 0) winner[lane] = role;
      }
    }
    simulator.choose_at_random(&playing);
    simulator.step();
  }
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  CHECK_EQUAL(argc, 7);
  (void)play;
  for (int i = 1; i < argc; ++i) {
    const Found found = play(argv[i], 200);
    std::printf("%s %d %d\n", argv[i], found.known, found.missing);
  }
  return 0;
}

// Games: connect_four breakthrough merrills three_hunters battle hex
//
// The look-ahead of networks, in the states of random play, compared with the successors by all legal moves: moves that
// win at once, and moves that let another role win at once; and play-outs that use the look-ahead.
#include <algorithm>
#include <fstream>
#include <memory>
#include <vector>

#include "check.hpp"
#include "fixtures/ground_text.hpp"
#include "fixtures/interface_of.hpp"
#include "network/simulator/network_simulator.hpp"

namespace {

using namespace ggp;

// The successor by a joint move.
struct Successor {
  bool terminal;
  bool won;     // with goal 100 for the given role
  bool answer;  // another role has a move that is known to win at once
};

class Successors {
 public:
  explicit Successors(const Simulator& simulator)
      : simulator_(simulator.clone()), all_(simulator_->groups(), ~std::uint64_t{0}) {}

  Successor of(const std::uint64_t* state, const std::vector<int>& joint, int role) {
    const std::vector<const std::uint64_t*> states(simulator_->lanes(), state);
    simulator_->load(all_.data(), states.data());
    simulator_->evaluate();
    for (int each = 0; each < simulator_->roles(); ++each) simulator_->choose(0, each, joint[each]);
    simulator_->step();
    simulator_->evaluate();
    const bool terminal = (simulator_->terminal()[0] & 1) != 0;
    Successor result{terminal, terminal && simulator_->goal(0, role) == 100, false};
    std::vector<int> moves;
    for (int other = 0; other < simulator_->roles() && !terminal; ++other) {
      moves.resize(simulator_->moves(other));
      if (other != role) result.answer |= interface_of<WinningMoves>(*simulator_).winning(0, other, moves.data()) > 0;
    }
    simulator_->step();
    return result;
  }

 private:
  std::unique_ptr<Simulator> simulator_;
  std::vector<std::uint64_t> all_;
};

// The counts of some random play.
struct Seen {
  int wins = 0, unknown_wins = 0;    // moves that win at once, and the part of them that the network does not know
  int risks = 0, unknown_risks = 0;  // likewise moves that let another role win, if other moves do not
};

constexpr int kLanes = 6;
constexpr std::uint64_t kAhead = 0x2A;  // the lanes that look ahead

class Play {
 public:
  explicit Play(std::shared_ptr<const LaneProgram> program)
      : program_(std::move(program)),
        simulator_(program_, *find_kernel("portable", 64)),
        successors_(simulator_),
        winner_(kLanes, -1),
        states_(64, std::vector<std::uint64_t>(simulator_.state_words())) {
    simulator_.look_ahead(&kAhead, true);
  }

  Seen run(int turns) {
    for (int turn = 0; turn < turns && playing_ != 0; ++turn) {
      std::vector<std::uint64_t*> to;
      for (auto& state : states_) to.push_back(state.data());
      simulator_.store(&playing_, to.data());
      simulator_.evaluate();
      check_winners();
      playing_ &= ~simulator_.terminal()[0];
      std::vector<std::vector<Successor>> next(kLanes);
      for (int lane = 0; lane < kLanes; ++lane) {
        if ((playing_ >> lane & 1) != 0) next[lane] = look_at(lane);
      }
      simulator_.choose_at_random(&playing_);
      for (int lane = 0; lane < kLanes; ++lane) {
        if (!next[lane].empty() && (kAhead >> lane & 1) != 0) check_kept(lane, next[lane]);
      }
      simulator_.step();
    }
    return seen_;
  }

 private:
  void check_winners() {
    for (int lane = 0; lane < kLanes; ++lane) {
      if (winner_[lane] < 0) continue;
      CHECK((simulator_.terminal()[0] >> lane & 1) != 0);
      CHECK_EQUAL(simulator_.goal(lane, winner_[lane]), 100);
      winner_[lane] = -1;
    }
  }

  // Checks the legal moves of the role that chooses in a lane, if only one role chooses.
  std::vector<Successor> look_at(int lane) {
    std::vector<int> joint;
    int choosing = -1, several = 0;
    for (int role = 0; role < simulator_.roles(); ++role) {
      std::vector<int> moves(simulator_.moves(role));
      moves.resize(simulator_.legal(lane, role, moves.data()));
      joint.push_back(moves[0]);
      if (moves.size() == 1) continue;
      ++several;
      choosing = role;
      legal_ = moves;
    }
    std::vector<int> known(64);
    if (several != 1) {
      for (int role = 0; role < simulator_.roles(); ++role) {
        known.resize(simulator_.moves(role));
        CHECK(several == 0 || simulator_.winning(lane, role, known.data()) == 0);
      }
      return {};
    }
    known.resize(simulator_.moves(choosing));
    known.resize(simulator_.winning(lane, choosing, known.data()));
    if (!known.empty() && (kAhead >> lane & 1) != 0) winner_[lane] = choosing;
    std::vector<Successor> next;
    for (const int move : legal_) {
      joint[choosing] = move;
      next.push_back(successors_.of(states_[lane].data(), joint, choosing));
      const bool is_known = std::find(known.begin(), known.end(), move) != known.end();
      CHECK(next.back().won || !is_known);
      seen_.wins += next.back().won;
      seen_.unknown_wins += next.back().won && !is_known;
    }
    role_[lane] = choosing;
    moves_[lane] = legal_;
    return next;
  }

  // Moves are removed only for a reason, and never all of them.
  void check_kept(int lane, const std::vector<Successor>& next) {
    const bool some_safe = std::any_of(next.begin(), next.end(), [](const Successor& each) { return !each.answer; });
    bool any = false;
    for (std::size_t i = 0; i < next.size(); ++i) {
      const std::uint32_t value = program_->kept[role_[lane]][moves_[lane][i]];
      const bool kept = (simulator_.lanes_of(value)[0] >> lane & 1) != 0;
      any |= kept;
      CHECK(kept || next[i].terminal || (next[i].answer && some_safe));
      if (!next[i].answer || !some_safe) continue;
      ++seen_.risks;
      seen_.unknown_risks += kept;
    }
    CHECK(any);
  }

  std::shared_ptr<const LaneProgram> program_;
  NetworkSimulator simulator_;
  Successors successors_;
  std::uint64_t playing_ = (1u << kLanes) - 1;
  std::vector<int> winner_;  // of the next state, by lane
  std::vector<std::vector<std::uint64_t>> states_;
  std::vector<int> legal_;
  int role_[kLanes] = {};
  std::vector<int> moves_[kLanes];
  Seen seen_;
};

Seen play(const char* path, int turns) {
  std::ifstream text(path);
  Play match(std::make_shared<const LaneProgram>(compile(simplify(build_network(read_ground_program(text))))));
  return match.run(turns);
}

}  // namespace

TESTS(int argc, char** argv) {
  CHECK_EQUAL(argc, 7);
  const Seen connect_four = play(argv[1], 100);
  CHECK(connect_four.wins > 5 && connect_four.risks > 5);
  CHECK_EQUAL(connect_four.unknown_wins + connect_four.unknown_risks, 0);
  const Seen breakthrough = play(argv[2], 200);
  CHECK(breakthrough.wins > 20 && breakthrough.risks > 20);
  CHECK(breakthrough.unknown_risks * 10 < breakthrough.risks);
  CHECK_EQUAL(breakthrough.unknown_wins, 0);
  play(argv[3], 60);  // two roles: wins are rare, and few of them are known
  const Seen three_hunters = play(argv[4], 100);
  CHECK(three_hunters.wins > 5);
  CHECK_EQUAL(three_hunters.unknown_wins, 0);
  const Seen battle = play(argv[5], 20);  // both roles choose in every state
  CHECK_EQUAL(battle.wins + battle.risks, 0);
  const Seen hex = play(argv[6], 100);  // a chain of stones is found by recursion: no win is known
  CHECK(hex.wins > 5);
  CHECK_EQUAL(hex.unknown_wins, hex.wins);
}

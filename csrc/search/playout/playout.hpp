// Play-outs of simulations outside the tree: one call per turn for all lanes in a play-out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/config/config.hpp"
#include "search/playout/lanes.hpp"
#include "search/tree/archive.hpp"

namespace ggp {

inline std::vector<int> moves_by_role(const Simulator& simulator) {
  std::vector<int> moves;
  for (int role = 0; role < simulator.roles(); ++role) moves.push_back(simulator.moves(role));
  return moves;
}

// The largest number of moves of a role, at least 1.
inline int widest_role(const Simulator& simulator) {
  int widest = 1;
  for (const int moves : moves_by_role(simulator)) widest = std::max(widest, moves);
  return widest;
}

// The choice of one role among several legal moves.
struct RoleMove {
  int role;
  int move;
};

// One choice of a simulation. If several roles choose at once, `same_ply` is true for all of them except the first.
struct Chosen {
  std::uint32_t move;
  std::uint16_t role;
  bool same_ply;
};

// The data with which a play-out can be replayed; see best_line.hpp.
enum class PlayoutRecord : std::uint8_t {
  kNone,
  kStream,   // the seed of the lane's stream: the simulator makes all draws
  kChoices,  // the choices recorded by its learner
};

struct AmafSum;
class MoveLearner;

class PlayoutPolicy {
 public:
  virtual ~PlayoutPolicy() = default;
  // Begins a play-out in a lane, with the seed of the simulation.
  virtual void begin(int lane, std::uint64_t seed) { (void)lane, (void)seed; }
  // Chooses a move for every role in every lane of the mask.
  virtual void choose(Lanes& lanes, const std::uint64_t* mask) = 0;
  // The learner that must receive every simulation; null if the policy does not learn.
  virtual MoveLearner* learner() { return nullptr; }
  virtual PlayoutRecord record() const { return PlayoutRecord::kNone; }
};

// A policy that learns from whole simulations, in the tree and in the play-out, and ranks untried moves.
class MoveLearner : public PlayoutPolicy {
 public:
  explicit MoveLearner(int lanes) : choices_(lanes) {}

  MoveLearner* learner() final { return this; }
  // Clears everything; a match begins.
  virtual void reset() {}
  // The choices of a joint move were played at the root, and the root moves to the next state.
  virtual void played(const std::vector<RoleMove>&) {}

  // Begins the simulation of a lane at the root, with its own random stream.
  void begin(int lane, std::uint64_t) override { choices_[lane].clear(); }
  // Adds a choice in the tree, in order of plies; `same_ply` as in Chosen.
  virtual void add(int lane, RoleMove choice, bool same_ply) {
    std::vector<Chosen>& choices = choices_[lane];
    if (choices.size() == kLongest) return;
    Chosen& added = choices.emplace_back();  // in place: copying a value after writing its parts is slow
    added.move = static_cast<std::uint32_t>(choice.move);
    added.role = static_cast<std::uint16_t>(choice.role);
    added.same_ply = same_ply;
  }
  // The choices of the simulation of a lane, in the tree and in the play-out, in order of plies: the first kLongest.
  virtual const std::vector<Chosen>& choices(int lane) const { return choices_[lane]; }
  // The simulation of a lane leaves the tree, after begin() and add(). `table`: see Amaf::table_of(); may be null.
  virtual void leave_tree(int, const AmafSum*) {}
  // Ends the simulation of a lane and learns from it, with one reward per role (see PlayoutConfig::Learns).
  virtual void learn(int, const double*) {}

  // Saves or loads the statistics. No simulation is in flight.
  virtual void archive(Archive&) {}

  // The run ends, and the simulations in flight are dropped.
  virtual void give_up() {}

  // The index of the move to try first, by 64 random bits.
  virtual std::uint32_t first_to_try(int role, const std::uint32_t* moves, std::uint32_t count,
                                     std::uint64_t random) const = 0;

  static constexpr std::size_t kLongest = std::size_t{1} << 14;

 private:
  std::vector<std::vector<Chosen>> choices_;  // by lane
};

// Uniform play-outs: every legal move has the same probability.
class UniformPlayout final : public PlayoutPolicy {
 public:
  void choose(Lanes& lanes, const std::uint64_t* mask) override { lanes.ask_random(mask); }
  PlayoutRecord record() const override { return PlayoutRecord::kStream; }
};

}  // namespace ggp

// One turn of particles in the lanes of a simulator. Only successors that agree with the observation of a role remain.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "hidden/hidden_game.hpp"
#include "hidden/particles.hpp"

namespace ggp {

// What a role observes in one turn.
struct Observation {
  int move = -1;     // its own move; -1 if it does not know the move, which then is drawn like the moves of others
  int refused = -1;  // a move that was not legal in the turn; -1 without one
  std::vector<std::uint32_t> percepts;  // numbers, ascending
  bool terminal = false;                // whether the game is over after the turn
};

// The probabilities with which a role is assumed to choose its moves.
class MovePolicy {
 public:
  virtual ~MovePolicy() = default;
  // Writes the probabilities of the legal moves of a role in an information state, ascending by number. Each
  // probability is positive, and the sum is 1. Returns false, without writing, if all moves have the same probability.
  virtual bool probabilities(int role, std::uint64_t key, const int* moves, int count, double* out) const = 0;
};

using Deadline = std::chrono::steady_clock::time_point;

class TurnPlayer {
 public:
  // The share of a uniform choice in the choices of a policy. No history that agrees with the observations then has
  // the probability 0.
  static constexpr double kUniformShare = 0.3;

  // The role `own` observes. Lanes of the simulator are used by each call and have no state for another one.
  TurnPlayer(HiddenGame& game, int own, std::uint64_t seed);

  // The policy of the other roles except chance; null for uniform choices.
  void set_policy(const MovePolicy* policy) { policy_ = policy; }
  bool has_policy() const { return policy_ != nullptr; }

  // Draws the moves of the other roles once for each of the particles with the given indices. Appends each successor
  // that agrees with the observation to `out`, with the given log weight. With `percepts` = false, only the own move is
  // compared. Returns the number of played particles, which is lower if the deadline passed.
  std::size_t sample(const Particles& from, const std::vector<std::uint32_t>& which, const Observation& seen,
                     double log_weight, Particles& out, Deadline deadline, bool percepts = true);
  // Plays all joint moves of the particles with the given indices and log weights. Appends each successor that agrees
  // with the observation to `out`. Its log weight grows by the logarithm of the probability of the moves of other
  // roles. Returns false if the deadline passed before the end.
  bool expand(const Particles& from, const std::vector<std::uint32_t>& which, const std::vector<double>& log_weights,
              const Observation& seen, Particles& out, Deadline deadline);
  // The number of joint moves of the particles with the given indices that contain the own move.
  double joint_moves(const Particles& from, const std::vector<std::uint32_t>& which, const Observation& seen);

 private:
  class Chooser;
  struct Options {  // the moves of a role in a state, and the logarithms of their probabilities
    std::vector<int> moves;
    std::vector<double> log_probabilities;
  };

  // Loads particles into the first lanes and evaluates them. mask_ gets the lanes in which the own move is possible.
  void load(const Particles& from, const std::uint32_t* which, int count, const Observation& seen);
  // Steps the lanes of mask_ with complete joint moves, and appends the states that agree with the observation.
  void finish(const Observation& seen, const double* log_weights, bool percepts, Particles& out);
  void find_options(int lane, const std::uint64_t* keys, const Observation& seen, std::vector<Options>& options);
  void probabilities(int role, std::uint64_t key, const int* moves, int count, double* out) const;

  HiddenGame& game_;
  int own_;
  const MovePolicy* policy_ = nullptr;
  std::uint64_t random_;
  LaneMask mask_;
  std::vector<const std::uint64_t*> states_;
  std::vector<std::uint64_t*> targets_;
  std::vector<std::uint64_t> keys_;     // [lanes][roles]
  std::vector<std::int32_t> moves_;     // [roles][lanes]
  std::vector<std::uint64_t> spare_;    // states of lanes that are dropped
  std::vector<double> lane_weights_, chances_;
  std::vector<int> list_;
};

}  // namespace ggp

// The belief of a role in a game with hidden information: weighted positions that agree with all observations of the
// role.
//
// The target is the posterior
//   b'(n) ~ sum over s, m:  b(s) prod_{i != r} pi_i(m_i | s) [m_r = own move] [percepts_r(s, m) = observed] [next = n]
// Here b(s) is the weight of state s, r the observing role, m a joint move with the move m_i of role i, n a new state.
// pi_i is uniform for chance. For another role, it is the policy, of which 30 % are uniform (TurnPlayer). A turn is
// processed by the first of these methods that gives enough particles:
// 1. All joint moves of all particles, if they are few. While every turn uses this method, the belief is complete: it
//    has every possible state with its exact weight. If the histories are too many, but not the states, a number of
//    histories of each state is kept.
// 2. Bootstrap filter (Gordon, Salmond and Smith, 1993): systematic resampling, one drawn joint move for each particle.
//    Survivors have equal weights.
// 3. If few survive: all joint moves of as many particles as the time permits. The weight of a successor is multiplied
//    by the probability of its moves.
// 4. If fewer than kDistinct positions are found: games from the start with the own moves, dropped at the first
//    difference (rejection). Survivors have equal weights.
// 5. Steps back of 1, 2, 4, ... turns to stored particles, and depth-first search from there. Positions without a
//    consistent continuation are marked (HyperPlay; Schofield, Cerexhe and Thielscher, AAAI 2012). A search from the
//    start of the game finds a consistent history if one exists. The weight of a path is prod pi(m) c, where c is the
//    number of consistent successors among which a step was drawn.
// Particles of several methods are pooled; the share of a method is proportional to its number of positions.
//
// If nothing is found before the deadline, the belief is empty. particles() are then the last possible states, played
// on without percepts, so that a legal move can be chosen. Later turns use 4 and 5 to find consistent histories again.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

#include "hidden/hidden_game.hpp"
#include "hidden/particles.hpp"
#include "hidden/turn_player.hpp"

namespace ggp {

class Belief {
 public:
  static constexpr std::size_t kDistinct = 64;

  // The simulator is used by one call at a time and by nothing else. Throws as HiddenGame.
  Belief(Simulator& simulator, int chance, int role, std::size_t particles, std::uint64_t seed);

  void set_policy(const MovePolicy* policy) { player_.set_policy(policy); }
  bool has_policy() const { return player_.has_policy(); }

  // Processes a turn, at most for a time.
  void observe(const Observation& seen, double seconds);

  const Particles& particles() const { return now_; }
  // Whether no consistent history was found.
  bool is_empty() const { return lost_; }
  // Whether the particles have all possible states, with exact weights.
  bool is_complete() const { return complete_; }
  std::size_t turns() const { return history_.size(); }
  int role() const { return role_; }
  HiddenGame& game() { return game_; }

  // The legal moves of particles that are not terminal, ascending, each with the total weight of its particles.
  std::vector<std::pair<int, double>> moves();

 private:
  // The particles of a stored turn.
  static constexpr std::size_t kStored = 512;

  void forward(const Observation& seen, Particles& next, Deadline deadline);
  void sample(const std::vector<double>& weights, double acceptance_wanted, const Observation& seen, Particles& next,
              double joint_moves, Deadline deadline);
  std::vector<std::uint32_t> shuffled_draws(const std::vector<double>& weights, std::size_t count);
  void replay(Particles& found, Deadline deadline);
  void go_back(Particles& found, Deadline deadline);
  bool dive(std::size_t turn, const Particles& from, std::uint32_t start, Particles& out, Deadline deadline);
  std::uint64_t mark(std::size_t turn, const Particles& particles, std::size_t particle) const;
  Particles reduced(const Particles& particles, std::size_t count);
  // Adds the particles that another method found.
  static void pool(Particles& to, Particles& more);

  HiddenGame game_;
  int role_;
  std::size_t count_;
  std::uint64_t random_;
  TurnPlayer player_;
  Particles now_;
  std::vector<Particles> stored_;  // of each earlier turn, at most kStored
  std::vector<Observation> history_;
  std::unordered_set<std::uint64_t> marks_;
  bool complete_ = true, lost_ = false;
  double seconds_each_ = 1e-6;  // of a joint move, in the latest turn
};

}  // namespace ggp

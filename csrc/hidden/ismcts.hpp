// Information set Monte-Carlo tree search with a tree for each role (MO-ISMCTS; Cowling, Powley and Whitehouse, IEEE
// TCIAIG 2012). Each lane has one simulation in progress.
//
// A simulation starts at a particle of the belief. All roles descend together, each in its own tree. The node of a role
// is its information state, found by its key. At the first visit of an information state, a role adds a node without
// moves; at the second visit it adds the moves. After adding, it plays at random. So the trees of other roles branch on
// the observations of these roles, and the own tree on the answers to questions.
//
// If one role plays against chance, OneRoleSolver first computes exact values, within half of the time. If this fails,
// or if other roles play, simulations are made.
//
// Selection. If one role plays against chance:
//   argmax_a  Q(a) + c sqrt( ln(sum of n) / n(a) ),   c = 0.7, n with simulations in progress; a move with n = 0 first
// over the moves that are legal in the state. The move with the most visits is played. Otherwise regret matching (Hart
// and Mas-Colell, 2000):
//   s(a) = R(a) / sum R,  uniform if the sum is 0;   drawn from  s'(a) = (1 - gamma) s(a) + gamma / |A|,  gamma = 0.2
// With the goal x of a simulation that drew a, the values are u(a) = Q(a) + (x - Q(a)) / s'(a) and u(b) = Q(b) for
// other moves (control variates; Schmid et al., AAAI 2019). Then R(b) = max(0, R(b) + u(b) - sum_c s(c) u(c)) (regret
// matching+; Tammelin, 2014). The mean of s is played.
//
// Secrets. All states of the belief contain what the searching role knows. If trees of other roles learned from these
// states, these roles would know it, too. So some simulations start from states that another role holds for possible:
// the ends of random games with the present number of turns and the information state of that role. If such states
// exist, trees of that role learn only from them.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "hidden/information_tree.hpp"
#include "hidden/one_role_solver.hpp"
#include "hidden/sampling_search.hpp"

namespace ggp {

class Ismcts final : public SamplingSearch<Ismcts> {
 public:
  Ismcts(const HiddenGame& game, int role, std::uint64_t seed);

  HiddenResult run(Belief& belief, const HiddenLimits& limits) override;
  void observe(Belief& belief, const Observation& seen) override;
  // The mean strategies of the trees, as the policy of the belief.
  bool probabilities(int role, std::uint64_t key, const int* moves, int count, double* out) const override;

 private:
  friend class SamplingSearch<Ismcts>;
  struct Step {
    int role;
    std::uint32_t node, edge;  // the edge by its number in the node
    std::int32_t move;
    float probability;         // with which it was drawn
  };
  struct Lane {
    std::vector<Step> path;
    std::uint32_t in_tree;  // a bit for each role
    std::uint32_t learns;   // a bit for each role whose tree learns from the simulation
  };
  struct OtherStates {  // of one role: by its key, the numbers of particles
    Particles particles;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> of_key;
  };

  // Starts a simulation in a lane; returns the state.
  const std::uint64_t* start(int lane, const Particles& particles, ParticleDraws& draws);
  void find_other_states(Belief& belief, const Watch& watch);
  // Finds exact values if one role plays against chance and its complete belief is small enough.
  bool solve(Belief& belief, Watch& watch, HiddenResult& result);
  const InformationTree& table(int role) const { return trees_[role]; }
  bool descends(int lane) const { return lane_[lane].in_tree != 0; }
  int choose(int lane, int role, const int* moves, int count);
  std::uint32_t by_bound(InformationTree& tree, std::uint32_t node, const int* moves, int count);
  std::uint32_t by_regret(InformationTree& tree, std::uint32_t node, const int* moves, int count, float& probability);
  bool learn(Simulator& simulator, int lane);
  // Writes the strategy at the root.
  void report(HiddenResult& result) const;
  void learn_regret(InformationTree& tree, const Step& step, float reward);

  bool alone_;  // one role plays against chance
  std::uint64_t root_key_ = kFirstKey;
  std::vector<InformationTree> trees_;  // by role
  std::vector<Lane> lane_;
  std::vector<OtherStates> others_;     // by role
  std::vector<double> chances_;
  std::uint64_t started_ = 0;
  std::unique_ptr<OneRoleSolver> solver_;
};

}  // namespace ggp

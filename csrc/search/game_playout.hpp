// Play-outs by what a hand-coded game knows of itself: the policy of its module.
//
// GamePlayout leaves the whole choice to the module, which draws and plays in one go. GameMastPlayout asks for the same
// draw, but, unless it is forced (a win at once, say), plays with probability 1 - epsilon the legal move with the highest
// move average instead, one of several alike drawn evenly (MAST, mast.hpp; "Quality-based rewards for Monte-Carlo tree
// search simulations", Pepels, Tak, Lanctot and Winands, ECAI 2014, plays so). Its simulations draw from streams of
// their own; all choices are learned, tree part and play-out. Where the simulator ranks moves it finds the best without
// a list, and its policy, which forces nothing there, is asked for those moves alone that are not the best.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "random.hpp"
#include "search/mast.hpp"
#include "search/playout.hpp"

namespace ggp {

class GamePlayout final : public PlayoutPolicy {
 public:
  void choose(Lanes& lanes, const std::uint64_t* mask) override { lanes.ask_policy(mask); }
};

class GameMastPlayout final : public PlayoutPolicy, private MoveLearner {
 public:
  GameMastPlayout(const PlayoutConfig& config, const Simulator& simulator);

  void choose(Lanes& lanes, const std::uint64_t* mask) override;
  MoveLearner* learner() override { return this; }

 private:
  void reset() override;
  void played(const std::vector<RoleMove>&) override;
  void begin(int lane, std::uint64_t seed) override;
  void add(int lane, RoleMove choice, bool same_ply) override;
  const std::vector<Chosen>& choices(int lane) const override { return lanes_[lane].choices; }
  void learn(int lane, const double* rewards) override;
  std::uint32_t first_to_try(int role, const std::uint32_t* moves, std::uint32_t count,
                             std::uint64_t random) const override {
    return averages_.best_of(role, moves, count, random);
  }

  struct Lane {
    std::uint64_t random = 0;
    std::vector<Chosen> choices;
  };

  RoleMove choose(Simulator& simulator, int lane);
  RoleMove choose_ranked(Simulator& simulator, int lane);
  bool explores(std::uint64_t& random) const { return (draw(random) >> 32) < epsilon_; }

  const std::uint64_t epsilon_;  // * 2^32
  const double decay_;
  MoveAverages averages_;
  std::unique_ptr<MoveRanking> ranking_;  // by the averages; null where the simulator has none
  std::vector<Lane> lanes_;
  // Scratch: what is chosen, by lane; the legal moves of a role.
  std::vector<ToldMove> told_;
  std::vector<int> legal_;
};

// The policy that a configuration asks for. Throws std::invalid_argument where it is that of a game which has none, or
// where it does not record what the selection needs.
std::unique_ptr<PlayoutPolicy> make_playout(const Config& config, const Simulator& simulator);

}  // namespace ggp

// Play-outs that choose by rank: the legal moves of a role stand in order of what they brought in earlier simulations
// (move_order.hpp), and the better a move is the likelier it is drawn (rank_choice.hpp). It depends on the place of a
// legal move among the others alone, not on how far apart their values are.
//
// RankPlayout leaves the choice to a simulator that makes it in vectors of lanes, and has no list of what was played:
// it learns from masks of the lanes in which a move occurred (network/lane_occurrences.inl).
//
// Which simulations it learns from. A lane whose play-out has ended waits, its reward being known, until those that
// wait are counted, all at once: when the moves are to be sorted; when as many lanes wait as half of those that play;
// when the rewards that wait are more than kClasses different ones; and at the end of a run. Play-outs that begin in a
// lane that waits are not learned from. So it learns from all simulations while these are few, then from a third or
// more of them, and a count is for many. Which ones depends on simulations under way and their lengths alone, neither
// on the number of lanes nor on speed.
//
// What is learned: each choice of the tree part, once for each time, and each move of the play-out, once, with the
// reward of the role that made it. Forced moves do not count.
//
// RankListPlayout does the same by lists of moves where the simulator has no such vectors or the selection needs a
// record of the play-outs. It learns from all simulations, every choice each time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "aligned_words.hpp"
#include "interfaces/choice_by_rank.hpp"
#include "lane_mask.hpp"
#include "search/move_order.hpp"
#include "search/recorded_playout.hpp"

namespace ggp {

class RankPlayout final : public PlayoutPolicy, private MoveLearner {
 public:
  // `choice` is an interface of the simulator and must outlive the policy.
  RankPlayout(const Config& config, const Simulator& simulator, ChoiceByRank& choice);

  void choose(Lanes& lanes, const std::uint64_t* mask) override;
  MoveLearner* learner() override { return this; }

  const MoveOrder& order() const { return order_; }

  static constexpr int kClasses = 8;

 private:
  void reset() override;
  void played(const std::vector<RoleMove>& choices) override;
  void begin(int lane, std::uint64_t seed) override;
  void add(int lane, RoleMove choice, bool same_ply) override;
  const std::vector<Chosen>& choices(int lane) const override { return choices_[lane]; }
  void learn(int lane, const double* rewards) override;
  void archive(Archive& archive) override { order_.archive(archive); }
  void give_up() override;
  std::uint32_t first_to_try(int role, const std::uint32_t* moves, std::uint32_t count,
                             std::uint64_t random) const override {
    return order_.averages().best_of(role, moves, count, random);
  }

  // The lanes of one role that wait, by reward.
  struct Classes {
    int count = 0;
    double rewards[kClasses];
    std::vector<std::uint64_t> lanes;  // kClasses masks
  };

  bool fits(const double* rewards) const;
  void count_waiting();

  ChoiceByRank& choice_;
  const int groups_;
  const std::vector<int> moves_;  // by role
  MoveOrder order_;
  std::vector<std::vector<Chosen>> choices_;  // by lane: of the tree part
  std::vector<AlignedWords> occurred_;        // by role: a mask of lanes for each move
  std::vector<std::uint64_t*> occurred_of_;
  LaneMask begun_;       // simulations that have left the tree, but made no choice in a play-out
  LaneMask learning_;    // play-outs that are learned from
  LaneMask waiting_;
  std::vector<Classes> classes_;       // by role
  std::vector<std::uint32_t> counts_;  // scratch
};

class RankListPlayout final : public RecordedPlayout {
 public:
  RankListPlayout(const Config& config, const Simulator& simulator);

  const MoveOrder& order() const { return order_; }

 private:
  void reset() override { order_.reset(); }
  void played(const std::vector<RoleMove>&) override { order_.played(); }
  void archive(Archive& archive) override { order_.archive(archive); }
  void learn(int lane, const double* rewards) override;
  std::uint32_t first_to_try(int role, const std::uint32_t* moves, std::uint32_t count,
                             std::uint64_t random) const override {
    return order_.averages().best_of(role, moves, count, random);
  }
  void pick(const Choices& choices, int role, bool same_ply) override;

  MoveOrder order_;
  std::vector<std::uint32_t> ranks_;  // scratch: those of the legal moves of a lane
};

// The one of the two for a simulator and a configuration.
std::unique_ptr<PlayoutPolicy> make_rank_playout(const Config& config, Simulator& simulator);

}  // namespace ggp

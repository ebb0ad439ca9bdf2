// Play-outs that choose by rank: the legal moves of a role are ordered by their rewards in earlier simulations
// (move_order.hpp), and better moves are drawn with higher probability (rank_choice.hpp). The probability depends only
// on the rank among the legal moves, not on the differences of their values.
//
// RankPlayout leaves the choice to a simulator that makes it in vectors of lanes without a list of the played moves: it
// learns from masks of the lanes in which a move occurred (network/program/lane_occurrences.inl).
//
// Which simulations it learns from. A lane whose play-out has ended waits, with a known reward, until all waiting lanes
// are counted at once: when the moves are to be sorted; when the number of waiting lanes is half the number of playing
// lanes; when the waiting lanes have more than kClasses different rewards; and at the end of a run. Play-outs that
// begin in a waiting lane are not learned. So it learns from all simulations while these are few, later from a third or
// more of them, and one count serves many lanes. The selection depends only on the simulations in flight and their
// lengths, not on the number of lanes or on speed.
//
// It learns each choice in the tree as often as it occurs, and each move of the play-out once, with the reward of the
// role that made the choice. Forced moves do not count.
//
// RankListPlayout uses lists of moves if the simulator has no such vectors or the selection needs a record of the
// play-outs. It learns from all simulations, every choice as often as it occurs.
#pragma once

#include <cstdint>
#include <vector>

#include "base/aligned_words.hpp"
#include "base/lane_mask.hpp"
#include "interfaces/choice_by_rank.hpp"
#include "search/playout/move_order.hpp"
#include "search/playout/recorded_playout.hpp"

namespace ggp {

class RankPlayout final : public MoveLearner {
 public:
  // `choice` is an interface of the simulator and must outlive the policy.
  RankPlayout(const Config& config, const Simulator& simulator, ChoiceByRank& choice);

  void choose(Lanes& lanes, const std::uint64_t* mask) override;

  const MoveOrder& order() const { return order_; }

  static constexpr int kClasses = 8;

 private:
  void reset() override;
  void played(const std::vector<RoleMove>& choices) override;
  void begin(int lane, std::uint64_t seed) override;
  void learn(int lane, const double* rewards) override;
  void archive(Archive& archive) override { order_.archive(archive); }
  void give_up() override;
  std::uint32_t first_to_try(int role, const std::uint32_t* moves, std::uint32_t count,
                             std::uint64_t random) const override {
    return order_.averages().best_of(role, moves, count, random);
  }

  // The waiting lanes of one role, by reward.
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
  std::vector<AlignedWords> occurred_;        // by role: a mask of lanes for each move
  std::vector<std::uint64_t*> occurred_of_;
  LaneMask begun_;       // simulations that have left the tree, but made no choice in a play-out
  LaneMask learning_;    // play-outs that will be learned
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
  std::vector<std::uint32_t> ranks_;  // scratch: ranks of the legal moves of a lane
};

}  // namespace ggp

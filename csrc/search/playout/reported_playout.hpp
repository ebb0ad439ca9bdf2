// Play-outs by a policy of a native game that are recorded for all moves as first (amaf.hpp). They do not learn.
#pragma once

#include <vector>

#include "base/random.hpp"
#include "interfaces/game_policy.hpp"
#include "interfaces/reported_moves.hpp"
#include "search/playout/playout.hpp"

namespace ggp {

class ReportedPlayout final : public PlayoutPolicy, private MoveLearner {
 public:
  ReportedPlayout(Simulator& simulator, ReportedMoves& reported_moves, MoveDraw by)
      : reported_moves_(reported_moves), by_(by), choices_(simulator.lanes()), reported_(simulator.lanes()) {}

  void choose(Lanes& lanes, const std::uint64_t* mask) override {
    reported_moves_.choose_and_report(mask, by_, reported_.data());
    for (int group = 0; group < lanes.simulator().groups(); ++group)
      for_each_lane(group, mask[group], [&](int lane) {
        if (reported_[lane].role >= 0) add(lane, {reported_[lane].role, reported_[lane].move}, false);
      });
  }
  MoveLearner* learner() override { return this; }

 private:
  void reset() override {}
  void played(const std::vector<RoleMove>&) override {}
  void begin(int lane, std::uint64_t) override { choices_[lane].clear(); }
  void add(int lane, RoleMove choice, bool same_ply) override {
    std::vector<Chosen>& choices = choices_[lane];
    if (choices.size() == kLongest) return;
    choices.push_back({static_cast<std::uint32_t>(choice.move), static_cast<std::uint16_t>(choice.role), same_ply});
  }
  const std::vector<Chosen>& choices(int lane) const override { return choices_[lane]; }
  void learn(int, const double*) override {}
  std::uint32_t first_to_try(int, const std::uint32_t*, std::uint32_t count, std::uint64_t random) const override {
    return draw_below(random, count);
  }

  ReportedMoves& reported_moves_;
  const MoveDraw by_;
  std::vector<std::vector<Chosen>> choices_;  // by lane
  std::vector<ReportedMove> reported_;        // scratch, by lane
};

}  // namespace ggp

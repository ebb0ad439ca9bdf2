// Play-outs by the policy of a native game.
//
// GamePlayout leaves the choice to the native game, which draws and plays at once, by its policy or its light policy.
//
// GameMastPlayout requests the same draw. A forced move, such as a win at once, is played. In place of another move the
// legal move with the highest move average is played with probability 1 - epsilon; ties are broken uniformly (MAST,
// mast.hpp; as in "Quality-based rewards for Monte-Carlo tree search simulations", Pepels, Tak, Lanctot and Winands,
// ECAI 2014). With `mast_moves = policy` only the moves count from which the policy drew last: in Amazons the moves of
// the amazon that it drew first, as in the authors' program; in other games all legal moves. Each simulation draws from
// its own stream. All choices in the tree and in the play-out are learned. A simulator that ranks moves (RankedMoves)
// finds the best move without a list. Its policy then forces no moves, and draws only if its move is needed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/random.hpp"
#include "interfaces/game_policy.hpp"
#include "interfaces/ranked_moves.hpp"
#include "interfaces/reported_moves.hpp"
#include "search/playout/mast.hpp"
#include "search/playout/playout.hpp"

namespace ggp {

class GamePlayout final : public PlayoutPolicy {
 public:
  explicit GamePlayout(bool light) : light_(light) {}
  void choose(Lanes& lanes, const std::uint64_t* mask) override {
    light_ ? lanes.ask_light_policy(mask) : lanes.ask_policy(mask);
  }

 private:
  const bool light_;
};

class GameMastPlayout final : public MoveLearner {
 public:
  // Throws std::invalid_argument if the simulator has no policy, or does not report moves.
  GameMastPlayout(const PlayoutConfig& config, Simulator& simulator);

  void choose(Lanes& lanes, const std::uint64_t* mask) override;

 private:
  void reset() override;
  void played(const std::vector<RoleMove>&) override;
  void begin(int lane, std::uint64_t seed) override;
  void learn(int lane, const double* rewards) override;
  void archive(Archive& archive) override {
    averages_.archive(archive);
    if (archive.reads() && ranking_ != nullptr) ranking_->refresh();
  }
  std::uint32_t first_to_try(int role, const std::uint32_t* moves, std::uint32_t count,
                             std::uint64_t random) const override {
    return averages_.best_of(role, moves, count, random);
  }

  RoleMove choose(Simulator& simulator, int lane);
  RoleMove choose_ranked(int lane);
  bool explores(std::uint64_t& random) const { return (draw(random) >> 32) < epsilon_; }

  GamePolicy& policy_;
  ReportedMoves& reported_moves_;
  RankedMoves* const ranked_moves_;  // null if the simulator does not rank moves
  const std::uint64_t epsilon_;  // epsilon * 2^32
  const double decay_;
  const bool among_policy_moves_;
  MoveAverages averages_;
  std::unique_ptr<MoveRanking> ranking_;  // by the averages; null if the simulator does not rank moves
  std::vector<std::uint64_t> random_;     // the stream of each lane
  // Scratch: the chosen moves, by lane; the legal moves of a role.
  std::vector<ReportedMove> chosen_;
  std::vector<int> legal_;
};

// The policy of a configuration. Throws std::invalid_argument if the game does not have the policy, or if the policy
// does not record what the selection needs.
std::unique_ptr<PlayoutPolicy> make_playout(const Config& config, Simulator& simulator);

}  // namespace ggp

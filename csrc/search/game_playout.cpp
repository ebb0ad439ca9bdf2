#include "search/game_playout.hpp"

#include <algorithm>
#include <stdexcept>

#include "random.hpp"
#include "search/evaluation_playout.hpp"
#include "search/rank_playout.hpp"
#include "search/reply_playout.hpp"

namespace ggp {

using Policy = PlayoutConfig::Policy;

GameMastPlayout::GameMastPlayout(const PlayoutConfig& config, const Simulator& simulator)
    : epsilon_(static_cast<std::uint64_t>(config.epsilon * 0x1p32)),
      decay_(config.decay),
      averages_(moves_by_role(simulator), config.unknown),
      lanes_(simulator.lanes()) {
  int widest = 0;
  for (int role = 0; role < simulator.roles(); ++role) widest = std::max(widest, simulator.moves(role));
  legal_.resize(widest);
}

void GameMastPlayout::begin(int lane, std::uint64_t seed) {
  lanes_[lane].random = seed;
  lanes_[lane].choices.clear();
}

void GameMastPlayout::add(int lane, RoleMove choice, bool same_ply) {
  std::vector<Chosen>& choices = lanes_[lane].choices;
  if (choices.size() == kLongest) return;
  choices.push_back({static_cast<std::uint32_t>(choice.move), static_cast<std::uint16_t>(choice.role), same_ply});
}

void GameMastPlayout::learn(int lane, const double* rewards) {
  for (const Chosen& chosen : lanes_[lane].choices)
    averages_.learn(chosen.role, static_cast<int>(chosen.move), rewards[chosen.role]);
}

void GameMastPlayout::choose(Lanes& lanes, const std::uint64_t* mask) {
  Simulator& simulator = lanes.simulator();
  for (int group = 0; group < simulator.groups(); ++group) {
    for (std::uint64_t left = mask[group]; left != 0; left &= left - 1) {
      const int lane = 64 * group + __builtin_ctzll(left);
      std::uint64_t& random = lanes_[lane].random;
      auto [role, move, forced] = simulator.policy_move(lane, random);
      if (!forced && (draw(random) >> 32) >= epsilon_) {
        const int count = simulator.legal(lane, role, legal_.data());
        moves_.assign(legal_.begin(), legal_.begin() + count);
        const std::uint32_t best = averages_.best_of(role, moves_.data(), static_cast<std::uint32_t>(count), draw(random));
        move = legal_[best];
      }
      simulator.choose(lane, role, move);
      add(lane, {role, move}, false);
    }
  }
}

std::unique_ptr<PlayoutPolicy> make_playout(const Config& config, const Simulator& simulator) {
  const Policy policy = config.playout.policy;
  if (policy == Policy::kEvaluation) return make_evaluation_playout(config, simulator);
  if (policy == Policy::kBhrf) {
    if (config.playout.forest.fallback == ReplyForestConfig::Fallback::kGame && !simulator.has_policy())
      throw std::invalid_argument("playout.forest.fallback game is for hand-coded games; this one is played by its rules");
    return std::make_unique<ReplyPlayout>(config.playout.forest, simulator);
  }
  if (policy == Policy::kRank) return make_rank_playout(config, simulator);
  if (policy != Policy::kGame && policy != Policy::kGameMast) return make_playout_policy(config, simulator);
  if (!simulator.has_policy())
    throw std::invalid_argument("playout.policy game is for hand-coded games; this one is played by its rules");
  if (policy == Policy::kGameMast) return std::make_unique<GameMastPlayout>(config.playout, simulator);
  if (config.selection.grave.enabled)
    throw std::invalid_argument("selection.grave needs a record of the play-outs; use playout.policy game-mast");
  return std::make_unique<GamePlayout>();
}

}  // namespace ggp

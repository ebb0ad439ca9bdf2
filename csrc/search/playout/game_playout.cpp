#include "search/playout/game_playout.hpp"

#include <stdexcept>
#include <string>

#include "base/random.hpp"
#include "search/playout/evaluation_playout.hpp"
#include "search/playout/learned_playout.hpp"
#include "search/playout/pool_playout.hpp"
#include "search/playout/rank_playout.hpp"
#include "search/playout/reply_playout.hpp"

namespace ggp {

using Policy = PlayoutConfig::Policy;

namespace {

// A table of N-grams takes 1 / kShareOfMemory of the memory of the tree, in addition to it.
constexpr std::size_t kShareOfMemory = 64;

// Returns an interface that a policy of native games needs; `key` is the value of the configuration that needs it.
// Throws std::invalid_argument if the simulator does not have the interface.
template <class Interface>
Interface& require(const std::string& key, Simulator& simulator) {
  Interface* const found = simulator.optional_interface<Interface>();
  if (found == nullptr)
    throw std::invalid_argument(key + " is for native games; this game is played by its rules");
  return *found;
}

// Play-outs by a policy of a native game that are recorded for all moves as first (amaf.hpp). They do not learn.
class ReportedPlayout final : public MoveLearner {
 public:
  ReportedPlayout(Simulator& simulator, ReportedMoves& reported_moves, MoveDraw by)
      : MoveLearner(simulator.lanes()), reported_moves_(reported_moves), by_(by), reported_(simulator.lanes()) {}

  void choose(Lanes& lanes, const std::uint64_t* mask) override {
    reported_moves_.choose_and_report(mask, by_, reported_.data());
    for (int group = 0; group < lanes.simulator().groups(); ++group)
      for_each_lane(group, mask[group], [&](int lane) {
        if (reported_[lane].role >= 0) add(lane, {reported_[lane].role, reported_[lane].move}, false);
      });
  }

 private:
  std::uint32_t first_to_try(int, const std::uint32_t*, std::uint32_t count, std::uint64_t random) const override {
    return draw_below(random, count);
  }

  ReportedMoves& reported_moves_;
  const MoveDraw by_;
  std::vector<ReportedMove> reported_;  // scratch, by lane
};

// Throws std::invalid_argument if the game does not have the policy that a value of the configuration needs.
void require_policy(const std::string& key, Simulator& simulator, bool light) {
  if (!require<GamePolicy>(key, simulator).has_light_policy() && light)
    throw std::invalid_argument(key + " is for games with a light policy; this game has one policy, game");
}

}  // namespace

GameMastPlayout::GameMastPlayout(const PlayoutConfig& config, Simulator& simulator)
    : MoveLearner(simulator.lanes()),
      policy_(require<GamePolicy>("playout.policy game", simulator)),
      reported_moves_(require<ReportedMoves>("playout.policy game", simulator)),
      ranked_moves_(simulator.optional_interface<RankedMoves>()),
      epsilon_(static_cast<std::uint64_t>(config.epsilon * 0x1p32)),
      decay_(config.decay),
      among_policy_moves_(config.mast_moves == PlayoutConfig::MastMoves::kPolicy),
      averages_(moves_by_role(simulator), config.unknown),
      random_(simulator.lanes()),
      chosen_(simulator.lanes()),
      legal_(widest_role(simulator)) {
  std::vector<const float*> values;
  for (int role = 0; role < simulator.roles(); ++role) values.push_back(averages_.means(role));
  if (ranked_moves_ != nullptr) ranking_ = ranked_moves_->rank_moves(values.data());
  if (among_policy_moves_ && ranking_ == nullptr)
    throw std::invalid_argument("playout.mast_moves policy is for Amazons; the policy of this game draws from all moves");
}

void GameMastPlayout::begin(int lane, std::uint64_t seed) {
  MoveLearner::begin(lane, seed);
  random_[lane] = seed;
}

void GameMastPlayout::learn(int lane, const double* rewards) {
  // In two passes: the pass over the averages has no branches, so it does not wait for memory.
  for (const Chosen& chosen : choices(lane))
    averages_.learn(chosen.role, static_cast<int>(chosen.move), rewards[chosen.role]);
  if (ranking_ == nullptr) return;
  for (const Chosen& chosen : choices(lane)) ranking_->changed(chosen.role, static_cast<int>(chosen.move));
}

void GameMastPlayout::reset() {
  averages_.clear();
  if (ranking_ != nullptr) ranking_->refresh();
}

void GameMastPlayout::played(const std::vector<RoleMove>&) {
  averages_.decay(decay_);
  if (ranking_ != nullptr) ranking_->refresh();
}

void GameMastPlayout::choose(Lanes& lanes, const std::uint64_t* mask) {
  Simulator& simulator = lanes.simulator();
  for (int group = 0; group < simulator.groups(); ++group) {
    for_each_lane(group, mask[group], [&](int lane) {
      const RoleMove chosen = ranking_ != nullptr ? choose_ranked(lane) : choose(simulator, lane);
      add(lane, chosen, false);
      chosen_[lane] = {chosen.role, chosen.move};
    });
  }
  reported_moves_.choose_reported(mask, chosen_.data());
}

RoleMove GameMastPlayout::choose(Simulator& simulator, int lane) {
  std::uint64_t& random = random_[lane];
  auto [role, move, forced] = policy_.policy_move(lane, random);
  if (!forced && !explores(random)) {
    const auto count = static_cast<std::uint32_t>(simulator.legal(lane, role, legal_.data()));
    const auto* moves = reinterpret_cast<const std::uint32_t*>(legal_.data());
    move = legal_[averages_.best_of(role, moves, count, draw(random))];
  }
  return {role, move};
}

RoleMove GameMastPlayout::choose_ranked(int lane) {
  std::uint64_t& random = random_[lane];
  const bool explores = this->explores(random);
  if (!explores && !among_policy_moves_) {
    const int mover = reported_moves_.mover(lane);
    return {mover, ranked_moves_->best_move(lane, *ranking_, draw(random))};
  }
  const PolicyMove drawn = policy_.policy_move(lane, random);
  if (explores) return {drawn.role, drawn.move};
  return {drawn.role, ranked_moves_->best_move_with(lane, *ranking_, drawn.move, draw(random))};
}

std::unique_ptr<PlayoutPolicy> make_playout(const Config& config, Simulator& simulator) {
  const bool records = config.selection.grave.enabled;
  const bool light = config.playout.policy == Policy::kGameLight;
  switch (config.playout.policy) {
    case Policy::kUniform:
      if (records) return std::make_unique<RecordedPlayout>(simulator);
      return std::make_unique<UniformPlayout>();
    case Policy::kMast:
    case Policy::kNst:
      return std::make_unique<LearnedPlayout>(config.playout, simulator, config.memory_bytes / kShareOfMemory);
    case Policy::kRank:
      if (ChoiceByRank* const choice = records ? nullptr : simulator.optional_interface<ChoiceByRank>())
        return std::make_unique<RankPlayout>(config, simulator, *choice);
      return std::make_unique<RankListPlayout>(config, simulator);
    case Policy::kEvaluation: return make_evaluation_playout(config, simulator);
    case Policy::kGameMast: return std::make_unique<GameMastPlayout>(config.playout, simulator);
    case Policy::kBhrf:
    case Policy::kPool: {
      using Fallback = ReplyForestConfig::Fallback;
      const Fallback fallback = config.playout.forest.fallback;
      if (fallback == Fallback::kGame) require_policy("playout.forest.fallback game", simulator, false);
      if (fallback == Fallback::kGameLight) require_policy("playout.forest.fallback game-light", simulator, true);
      if (config.playout.policy == Policy::kPool)
        return std::make_unique<PoolPlayout>(config.playout.pool, draw_of(fallback), simulator);
      return std::make_unique<ReplyPlayout>(config.playout.forest, simulator);
    }
    case Policy::kGame:
    case Policy::kGameLight: break;
  }
  require_policy(light ? "playout.policy game-light" : "playout.policy game", simulator, light);
  if (!records) return std::make_unique<GamePlayout>(light);
  ReportedMoves& reported_moves = require<ReportedMoves>("playout.policy game", simulator);
  return std::make_unique<ReportedPlayout>(simulator, reported_moves, light ? MoveDraw::kLight : MoveDraw::kPolicy);
}

}  // namespace ggp

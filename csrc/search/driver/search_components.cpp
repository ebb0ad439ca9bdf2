#include "search/driver/search_components.hpp"

#include <initializer_list>
#include <stdexcept>
#include <string>

#include "base/random.hpp"
#include "search/playout/game_playout.hpp"

namespace ggp {

namespace {

// Passes the choices and rewards of every simulation to the learner of the play-out policy, and to the statistics of all
// moves as first.
class LearningObserver final : public SimulationObserver {
 public:
  // `amaf` is null if the selection does not use it. `visits`: minimum of a node with a pool, 0 without pools.
  LearningObserver(MoveLearner& learner, Amaf* amaf, const Traversal& traversal, std::uint32_t visits)
      : learner_(learner), amaf_(amaf), traversal_(traversal), visits_(visits) {}

  void reset() override { learner_.reset(); }
  void advance(const RootMove& move) override { learner_.played(move.choices); }
  void begin_playout(int lane, std::uint64_t seed, const Path& path) override {
    learner_.begin(lane, mix64(seed));
    traversal_.for_each_choice(path, [&](RoleMove choice, bool same_ply) { learner_.add(lane, choice, same_ply); });
    if (visits_ > 0) learner_.leave_tree(lane, amaf_->table_of(path, visits_));
  }
  void finish(const FinishedSimulation& simulation) override {
    const int lane = simulation.lane;
    if (!simulation.played_out) begin_playout(lane, simulation.seed, simulation.path);
    learner_.learn(lane, simulation.learned);
    if (amaf_ != nullptr) amaf_->learn(simulation.path, learner_.choices(lane), simulation.learned);
  }
  void give_up() override { learner_.give_up(); }
  void archive(Archive& archive) override { learner_.archive(archive); }

 private:
  MoveLearner& learner_;
  Amaf* const amaf_;
  const Traversal& traversal_;
  const std::uint32_t visits_;
};

std::uint32_t visits_of_pool(const PlayoutConfig& config) {
  return config.policy == PlayoutConfig::Policy::kPool ? config.pool.visits : 0;
}

// Throws std::invalid_argument if the game does not have two roles.
std::unique_ptr<SuddenDeath> make_sudden_death(const Config& config, const Simulator& simulator, const Tree& tree) {
  if (config.sudden_death.strategy == SuddenDeathConfig::Strategy::kOff) return nullptr;
  if (simulator.roles() != 2) {
    throw std::invalid_argument("sudden_death.strategy needs a game of two roles; this one has " +
                                std::to_string(simulator.roles()));
  }
  return std::make_unique<SuddenDeath>(config, simulator, tree);
}

}  // namespace

SearchComponents::SearchComponents(Lanes& lanes, Lanes& scout, const Config& given)
    : lanes(lanes),
      scout(scout),
      simulator(lanes.simulator()),
      config(checked(given, simulator.lanes())),
      evaluation(evaluation_number(config, names_of(simulator.optional_interface<Evaluations>()))),
      selection(make_selection(config.selection)),
      playout(make_playout(config, simulator)),
      reward(make_reward(config)),
      tree(fresh_tree()),
      amaf(config.selection.grave.enabled
               ? std::make_unique<Amaf>(tree, config.selection.grave, moves_by_role(simulator))
               : nullptr),
      heuristic(uses_heuristic(config.selection) ? std::make_unique<Heuristic>(tree, config.selection) : nullptr),
      sudden_death(make_sudden_death(config, simulator, tree)),
      traversal(tree, *selection),
      learning(playout->learner() != nullptr
                   ? std::make_unique<LearningObserver>(*playout->learner(), amaf.get(), traversal,
                                                        visits_of_pool(config.playout))
                   : nullptr),
      best_line(simulator.roles() == 1
                    ? std::make_unique<BestLine>(config.playout.decisive, tree, traversal, *playout, scout)
                    : nullptr),
      solver(tree, config.solver.enabled),
      recycler(tree, config.memory_bytes) {
  traversal.set_order(config.playout.orders_tree ? playout->learner() : nullptr);
  traversal.set_amaf(amaf.get());
  traversal.set_heuristic(heuristic.get());
  traversal.set_maximum_from(config.backup.maximum_from);
  for (SimulationObserver* each : std::initializer_list<SimulationObserver*>{heuristic.get(), learning.get(),
                                                                            sudden_death.get(), best_line.get()}) {
    if (each != nullptr) observers.push_back(each);
  }
}

Tree SearchComponents::fresh_tree() const {
  std::size_t amaf_moves = 0;
  if (config.selection.grave.enabled) {
    for (int count : moves_by_role(simulator)) amaf_moves += static_cast<std::size_t>(count);
  }
  return Tree(simulator.roles(), simulator.state_words(), widest_role(simulator), config.memory_bytes,
              config.tree.transpositions, amaf_moves, uses_heuristic(config.selection),
              uses_puct(config.selection)     ? MoveTables::kProbabilities
              : uses_priors(config.selection) ? MoveTables::kPriors
                                              : MoveTables::kNone,
              simulator.optional_interface<StoredLegality>());
}

void SearchComponents::archive(Archive& archive) {
  tree.archive(archive);
  traversal.archive(archive);
  recycler.archive(archive);
  reward->archive(archive);
  for (SimulationObserver* observer : observers) observer->archive(archive);
}

}  // namespace ggp

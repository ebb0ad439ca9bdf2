#include "simulation/random_playouts.hpp"

#include "random.hpp"
#include "thread_clock.hpp"

namespace ggp {

PlayoutTotals random_playouts(Simulator& simulator, double cpu_seconds, std::uint64_t seed,
                              const std::atomic<bool>& stop) {
  const int groups = simulator.groups();
  PlayoutTotals totals;
  totals.goals.assign(simulator.roles(), 0);
  std::vector<std::uint64_t> ended(groups), playing(groups, ~std::uint64_t{0});
  const std::vector<const std::uint64_t*> initial(simulator.lanes(), simulator.initial());
  std::vector<std::uint32_t> started(simulator.lanes(), 0);
  for (int lane = 0; lane < simulator.lanes(); ++lane) simulator.seed(lane, mix64(seed + lane));
  simulator.load(playing.data(), initial.data());

  const double start = thread_cpu_seconds();
  for (std::uint32_t round = 0; !stop.load(std::memory_order_relaxed); ++round) {
    simulator.evaluate();
    std::uint64_t any = 0;
    for (int group = 0; group < groups; ++group) {
      ended[group] = simulator.terminal()[group];
      playing[group] = ~ended[group];
      any |= ended[group];
      for (std::uint64_t lanes = ended[group]; lanes != 0; lanes &= lanes - 1) {
        const int lane = 64 * group + __builtin_ctzll(lanes);
        for (int role = 0; role < simulator.roles(); ++role) {
          const int goal = simulator.goal(lane, role);
          totals.goals[role] += goal > 0 ? goal : 0;
        }
        ++totals.playouts;
        totals.turns += round - started[lane];
        started[lane] = round + 1;
      }
      totals.states += __builtin_popcountll(playing[group]);
    }
    simulator.choose_at_random(playing.data());
    simulator.step();
    if (any != 0) simulator.load(ended.data(), initial.data());
    if ((round & 15) == 0 && thread_cpu_seconds() - start > cpu_seconds) break;
  }
  totals.cpu_seconds = thread_cpu_seconds() - start;
  return totals;
}

}  // namespace ggp

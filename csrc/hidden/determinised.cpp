#include "hidden/determinised.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "simulation/load_played.hpp"

namespace ggp {
namespace {

// Gives the role its legal move with the fewest visits, and draws the moves of the others.
class RootChooser final : public MoveChooser {
 public:
  RootChooser(int role, int roles, int moves, std::uint64_t seed)
      : role_(role), roles_(roles), visits_(moves), random_(mix64(seed)) {}

  void choose(const Choices& choices) override {
    for (int role = 0; role < roles_; ++role)
      choices.for_each_lane(role, [&](int lane) {
        legal_.clear();
        for (int block = 0; block < choices.blocks; ++block)
          for (std::uint64_t word = choices.word(lane, block); word != 0; word &= word - 1)
            legal_.push_back(64 * block + __builtin_ctzll(word));
        int move = legal_[draw_below(random_, static_cast<std::uint32_t>(legal_.size()))];
        if (role == role_) {
          for (const int other : legal_)
            if (visits_[other] < visits_[move]) move = other;
          ++visits_[move];
        }
        choices.moves[lane] = static_cast<std::uint32_t>(move);
        if (role == role_) chosen[lane] = move;
      });
  }

  std::vector<int> chosen;  // by lane

 private:
  int role_, roles_;
  std::vector<std::uint64_t> visits_;
  std::vector<int> legal_;
  std::uint64_t random_;
};

}  // namespace

HiddenResult Determinised::run(Belief& belief, const HiddenLimits& limits) {
  Watch watch(*this, limits);
  HiddenResult result;
  for (const auto& [move, legal] : belief.moves()) result.moves.push_back({move, 0, 0, legal, 0});
  if (result.moves.empty()) return result;
  Simulator& simulator = belief.game().simulator();
  const int lanes = simulator.lanes(), role = belief.role();
  ParticleDraws draws(belief.particles(), draw(seed_));
  RootChooser chooser(role, simulator.roles(), simulator.moves(role), draw(seed_));
  chooser.chosen.assign(lanes, -1);
  std::vector<double> sums(simulator.moves(role));
  std::vector<std::uint64_t> counts(simulator.moves(role));
  std::vector<const std::uint64_t*> states(lanes);
  std::vector<int> list(std::max(1, simulator.moves(role)));
  LaneMask restarts(simulator.groups(), ~std::uint64_t{0}), roots = restarts, playing = restarts;
  for (int lane = 0; lane < lanes; ++lane) simulator.seed(lane, draw(seed_));
  while (!watch.ended(result.simulations)) {
    for (std::size_t group = 0; group < restarts.size(); ++group)
      for_each_lane(static_cast<int>(group), restarts[group],
                    [&](int lane) { states[lane] = belief.particles().state(draws.next()); });
    load_played(simulator, restarts.data(), states.data());
    roots = restarts;
    simulator.evaluate();
    for (std::size_t group = 0; group < restarts.size(); ++group) {
      const std::uint64_t over = simulator.terminal()[group];
      for_each_lane(static_cast<int>(group), over & ~roots[group], [&](int lane) {
        sums[chooser.chosen[lane]] += goal_share(simulator, lane, role);
        ++counts[chooser.chosen[lane]];
        ++result.simulations;
      });
      restarts[group] = over;
      roots[group] &= ~over;
      playing[group] = ~over & ~roots[group];
      // A forced move is chosen without a question.
      for_each_lane(static_cast<int>(group), roots[group], [&](int lane) {
        if (simulator.legal_count(lane, role) == 1) {
          simulator.legal(lane, role, list.data());
          chooser.chosen[lane] = list[0];
        }
      });
    }
    if (any_lane(roots)) simulator.choose_with(roots.data(), chooser);
    if (any_lane(playing)) simulator.choose_at_random(playing.data());
    simulator.step();
  }
  result.seconds = watch.seconds();
  double sum = 0, count = 0;
  for (const HiddenMove& each : result.moves) {
    sum += sums[each.move];
    count += static_cast<double>(counts[each.move]);
  }
  const double mean = count > 0 ? sum / count : 0.5;
  HiddenMove* best = &result.moves[0];
  for (HiddenMove& each : result.moves) {
    each.visits = counts[each.move];
    const double own = each.visits > 0 ? sums[each.move] / static_cast<double>(each.visits) : mean;
    each.value = 100 * (each.legal * own + (1 - each.legal) * mean);
    if (each.value > best->value) best = &each;
  }
  best->probability = 1;
  return result;
}

}  // namespace ggp

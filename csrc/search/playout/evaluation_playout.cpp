#include "search/playout/evaluation_playout.hpp"

#include <stdexcept>

#include "base/random.hpp"

namespace ggp {

EvaluationPlayout::EvaluationPlayout(const PlayoutConfig& config, Evaluations& evaluations, int evaluation,
                                     const Simulator& simulator)
    : epsilon_(static_cast<std::uint64_t>(config.epsilon * 0x1p32)),
      evaluations_(evaluations),
      evaluation_(evaluation),
      random_(simulator.lanes()),
      at_random_(simulator.groups()),
      legal_(widest_role(simulator)),
      values_(legal_.size() * simulator.roles()) {}

void EvaluationPlayout::begin(int lane, std::uint64_t seed) { random_[lane] = mix64(seed); }

void EvaluationPlayout::choose(Lanes& lanes, const std::uint64_t* mask) {
  Simulator& simulator = lanes.simulator();
  for (int group = 0; group < simulator.groups(); ++group) {
    at_random_[group] = mask[group];
    for_each_lane(group, mask[group], [&](int lane) {
      if ((draw(random_[lane]) >> 32) >= epsilon_ && choose_best(simulator, lane)) remove_lane(at_random_, lane);
    });
  }
  lanes.ask_random(at_random_.data());
}

// Gives every role its only move, or its best move by the evaluation. Returns false and chooses nothing if the values
// of the successors are not known.
bool EvaluationPlayout::choose_best(Simulator& simulator, int lane) {
  int mover = -1;
  for (int role = 0; role < simulator.roles(); ++role) {
    if (simulator.legal_count(lane, role) < 2) continue;
    if (mover >= 0) return false;
    mover = role;
  }
  if (mover < 0) return false;
  const int count = evaluations_.successor_values(evaluation_, lane, mover, values_.data());
  if (count == 0) return false;
  const auto value = [&](int move) { return values_[std::size_t(move) * simulator.roles() + mover]; };
  std::uint32_t alike = 0;
  int best = 0;
  for (int i = 0; i < count; ++i) {
    if (value(i) < value(best)) continue;
    if (value(i) > value(best)) alike = 0;
    // The i-th of equal moves replaces the present one with probability 1/i, so all have the same probability.
    if (draw_below(random_[lane], ++alike) == 0) best = i;
  }
  for (int role = 0; role < simulator.roles(); ++role) {
    simulator.legal(lane, role, legal_.data());
    simulator.choose(lane, role, legal_[role == mover ? best : 0]);
  }
  return true;
}

std::unique_ptr<PlayoutPolicy> make_evaluation_playout(const Config& config, Simulator& simulator) {
  if (config.selection.grave.enabled)
    throw std::invalid_argument("selection.grave needs a record of the play-outs; playout.policy evaluation keeps none");
  Evaluations* const evaluations = simulator.optional_interface<Evaluations>();
  const int evaluation = evaluation_number(config, names_of(evaluations));
  return std::make_unique<EvaluationPlayout>(config.playout, *evaluations, evaluation, simulator);
}

}  // namespace ggp

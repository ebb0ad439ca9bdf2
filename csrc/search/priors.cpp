#include "search/priors.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ggp {

namespace {

template <class Interface>
Interface* interface_for(Simulator& simulator, bool used) {
  return used ? simulator.optional_interface<Interface>() : nullptr;
}

}  // namespace

NodePriors::NodePriors(Simulator& simulator, const SelectionConfig& config, int evaluation)
    : config_(config.priors),
      evaluation_(evaluation),
      game_(interface_for<MovePriors>(simulator, config_.source == PriorsConfig::Source::kGame)),
      evaluations_(interface_for<Evaluations>(simulator, config_.source == PriorsConfig::Source::kEvaluation)),
      policy_(interface_for<MoveProbabilities>(simulator, uses_puct(config))),
      roles_(simulator.roles()),
      first_values_(std::size_t(simulator.lanes()) * simulator.roles()),
      first_lane_(simulator.groups()) {
  if (uses_puct(config) && (policy_ == nullptr || !policy_->has_probabilities(evaluation)))
    throw std::invalid_argument("selection.formula puct needs an evaluation with probabilities of moves, such as learned");
  first_lane_[0] = 1;
  if (config_.source == PriorsConfig::Source::kGame && game_ == nullptr)
    throw std::invalid_argument("selection.priors.source game is for native games with priors of moves; this game has none");
  int widest = 0;
  for (int role = 0; role < simulator.roles(); ++role) widest = std::max(widest, simulator.moves(role));
  values_.resize(widest);
  visits_.resize(widest);
}

void NodePriors::read(const LegalMoves& legal, int lane, const float* values) {
  known_ = false;
  int mover = -1;
  for (int role = 0; role + 1 < static_cast<int>(legal.begin.size()); ++role) {
    if (legal.count(role) == 1) continue;
    if (mover >= 0) return;
    mover = role;
  }
  if (policy_ != nullptr) return mover >= 0 ? read_probabilities(legal, lane, mover, values[mover]) : void();
  // A node may list fewer moves than the state has, if one wins at once.
  known_ = mover >= 0 && static_cast<std::size_t>(read(lane, mover)) == legal.count(mover);
}

const float* NodePriors::evaluate_first_lane() {
  if (policy_ == nullptr) return nullptr;
  evaluations_->values(evaluation_, first_lane_.data(), first_values_.data());
  return first_values_.data();
}

void NodePriors::read_probabilities(const LegalMoves& legal, int lane, int role, float value) {
  const int* moves = legal.moves.data() + legal.begin[role];
  const auto count = static_cast<int>(legal.count(role));
  policy_->probabilities(evaluation_, lane, role, moves, count, values_.data());
  std::fill_n(visits_.begin(), count, 0u);
  value_ = value;
  known_ = true;
}

void NodePriors::give(Tree& tree, Index node, bool as_root) const {
  if (known_) tree.add_priors(node, values_.data(), visits_.data(), value_, as_root);
}

// Reads the priors of the legal moves of a role; returns their number, 0 if they are not known.
int NodePriors::read(int lane, int role) {
  if (game_ != nullptr) {
    const int count = game_->move_priors(lane, role, values_.data(), visits_.data());
    for (int i = 0; i < count; ++i)
      if (visits_[i] > 0) visits_[i] = config_.visits > 0 ? config_.visits : std::min(visits_[i], PriorsConfig::kMost);
    return count;
  }
  const int count = evaluations_->successor_values(evaluation_, lane, role, values_.data());
  for (int i = 0; i < count; ++i) {
    const bool known = !std::isnan(values_[i]);
    visits_[i] = known ? config_.visits : 0;
    if (!known) values_[i] = 0;
  }
  return count;
}

std::unique_ptr<NodePriors> make_priors(const Config& config, Simulator& simulator, int evaluation) {
  const SelectionConfig& selection = config.selection;
  return uses_priors(selection) ? std::make_unique<NodePriors>(simulator, selection, evaluation) : nullptr;
}

}  // namespace ggp

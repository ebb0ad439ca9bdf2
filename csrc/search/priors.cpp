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

NodePriors::NodePriors(Simulator& simulator, const PriorsConfig& config, int evaluation)
    : config_(config),
      evaluation_(evaluation),
      game_(interface_for<MovePriors>(simulator, config.source == PriorsConfig::Source::kGame)),
      evaluations_(interface_for<Evaluations>(simulator, config.source == PriorsConfig::Source::kEvaluation)) {
  if (config.source == PriorsConfig::Source::kGame && game_ == nullptr)
    throw std::invalid_argument("selection.priors.source game is for native games with priors of moves; this game has none");
  int widest = 0;
  for (int role = 0; role < simulator.roles(); ++role) widest = std::max(widest, simulator.moves(role));
  values_.resize(widest);
  visits_.resize(widest);
}

void NodePriors::read(const LegalMoves& legal, int lane) {
  known_ = false;
  int mover = -1;
  for (int role = 0; role + 1 < static_cast<int>(legal.begin.size()); ++role) {
    if (legal.count(role) == 1) continue;
    if (mover >= 0) return;
    mover = role;
  }
  // A node may list fewer moves than the state has, if one wins at once.
  known_ = mover >= 0 && static_cast<std::size_t>(read(lane, mover)) == legal.count(mover);
}

void NodePriors::give(Tree& tree, Index node, bool as_root) const {
  if (known_) tree.add_priors(node, values_.data(), visits_.data(), as_root);
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
  const PriorsConfig& priors = config.selection.priors;
  return uses_priors(priors) ? std::make_unique<NodePriors>(simulator, priors, evaluation) : nullptr;
}

}  // namespace ggp

#include "search/selection/move_knowledge.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ggp {

namespace {

bool game_knows(const PriorsConfig& config) { return config.source == PriorsConfig::Source::kGame; }

// The role that has several legal moves; -1 without such a role, -2 for several roles.
int chooser(const LegalMoves& legal) {
  int found = -1;
  for (int role = 0; role + 1 < static_cast<int>(legal.begin.size()); ++role) {
    if (legal.count(role) == 1) continue;
    if (found >= 0) return -2;
    found = role;
  }
  return found;
}

}  // namespace

MoveKnowledge::MoveKnowledge(Simulator& simulator, const SelectionConfig& config, int evaluation)
    : config_(config.priors),
      roles_(simulator.roles()),
      evaluation_(evaluation),
      game_(game_knows(config_) ? simulator.optional_interface<MovePriors>() : nullptr),
      evaluations_(evaluation >= 0 ? simulator.optional_interface<Evaluations>() : nullptr),
      policy_(uses_puct(config) ? simulator.optional_interface<MoveProbabilities>() : nullptr),
      stores_values_(uses_heuristic(config)),
      stores_priors_(uses_priors(config)),
      first_values_(std::size_t(simulator.lanes()) * simulator.roles()),
      first_lane_(simulator.groups()) {
  first_lane_[0] = 1;
  if (uses_puct(config) && (policy_ == nullptr || !policy_->has_probabilities(evaluation)))
    throw std::invalid_argument("selection.formula puct needs an evaluation with probabilities of moves, such as learned");
  if (game_knows(config_) && game_ == nullptr)
    throw std::invalid_argument("selection.priors.source game is for native games with priors of moves; this game has none");
  std::size_t widest = 0;
  for (int role = 0; role < roles_; ++role) widest = std::max<std::size_t>(widest, simulator.moves(role));
  values_.resize(widest * roles_);
  prior_values_.resize(widest);
  visits_.resize(widest);
}

const float* MoveKnowledge::evaluate_first_lane() {
  if (policy_ == nullptr) return nullptr;
  evaluations_->values(evaluation_, first_lane_.data(), first_values_.data());
  return first_values_.data();
}

void MoveKnowledge::read_probabilities(const LegalMoves& legal, int lane, const float* values) {
  const int role = chooser(legal);
  has_priors_ = role >= 0;
  if (!has_priors_) return;
  const auto count = static_cast<int>(legal.count(role));
  policy_->probabilities(evaluation_, lane, role, legal.moves.data() + legal.begin[role], count, prior_values_.data());
  value_ = values[role];
}

void MoveKnowledge::read(const LegalMoves& legal, int lane, const float* values) {
  if (policy_ != nullptr) return read_probabilities(legal, lane, values);
  const int role = chooser(legal);
  evaluated_ = role > -2 && (stores_values_ || game_ == nullptr) && evaluate(legal, lane);
  // A single move needs no prior.
  has_priors_ = stores_priors_ && role >= 0 && find_priors(lane, role, legal.count(role));
}

// Reads the evaluations; returns false if they are not known. If no role has a choice, the moves of the role to move
// are evaluated. A node that lists only a winning move may have fewer moves than the state.
bool MoveKnowledge::evaluate(const LegalMoves& legal, int lane) {
  const int only = chooser(legal);
  for (int role = std::max(0, only); role < (only >= 0 ? only + 1 : roles_); ++role) {
    const int count = evaluations_->successor_values(evaluation_, lane, role, values_.data());
    if (count > 0) return static_cast<std::size_t>(count) == legal.count(role);
  }
  return false;
}

// Finds the priors of the legal moves of a role; returns false if they are not known.
bool MoveKnowledge::find_priors(int lane, int role, std::size_t count) {
  if (game_ != nullptr) {
    if (static_cast<std::size_t>(game_->move_priors(lane, role, config_.locality, prior_values_.data(), visits_.data())) !=
        count)
      return false;
    for (std::size_t i = 0; i < count; ++i)
      if (visits_[i] > 0) visits_[i] = config_.visits > 0 ? config_.visits : std::min(visits_[i], PriorsConfig::kMost);
    return true;
  }
  for (std::size_t i = 0; evaluated_ && i < count; ++i) {
    const float value = values_[i * roles_ + role];
    prior_values_[i] = std::isnan(value) ? 0 : value;
    visits_[i] = std::isnan(value) ? 0 : config_.visits;
  }
  return evaluated_;
}

void MoveKnowledge::give(Tree& tree, Index node, bool as_root) const {
  if (evaluated_ && stores_values_) tree.add_values(node, values_.data(), as_root);
  if (!has_priors_) return;
  if (policy_ != nullptr) {
    tree.add_probabilities(node, value_, prior_values_.data(), as_root);
  } else {
    tree.add_priors(node, prior_values_.data(), visits_.data(), as_root);
  }
}

std::unique_ptr<MoveKnowledge> make_move_knowledge(const Config& config, Simulator& simulator, int evaluation) {
  const SelectionConfig& selection = config.selection;
  if (!uses_heuristic(selection) && !uses_priors(selection)) return nullptr;
  return std::make_unique<MoveKnowledge>(simulator, selection, evaluation);
}

}  // namespace ggp

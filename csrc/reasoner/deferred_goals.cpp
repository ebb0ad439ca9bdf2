#include "reasoner/deferred_goals.hpp"

#include <stdexcept>
#include <utility>

#include "interfaces/evaluations.hpp"
#include "interfaces/percepts.hpp"
#include "interfaces/phases.hpp"
#include "reasoner/goal_values.hpp"
#include "reasoner/rules.hpp"

namespace ggp {

DeferredGoals::DeferredGoals(const Simulator& simulator, std::shared_ptr<Registry> registry,
                             std::vector<std::string> fluents, std::vector<std::string> always)
    : WrappedSimulator(simulator.clone()),
      registry_(std::move(registry)),
      fluent_texts_(std::move(fluents)),
      always_texts_(std::move(always)),
      evaluator_(registry_->plan(), registry_->limits()),
      tables_(registry_->limits().table_bytes),
      state_(simulator.state_words()),
      seen_(simulator.state_words()),
      mask_(simulator.groups()),
      target_(simulator.lanes()) {
  if (64 * state_.size() < fluent_texts_.size()) throw std::invalid_argument("a state has fewer bits than fluents");
  if (static_cast<std::size_t>(roles()) != registry_->plan()->rules.roles.size())
    throw std::invalid_argument("the goals belong to a game with other roles");
  for (const std::string& text : fluent_texts_) fluents_.push_back(read_term(text, evaluator_.terms()));
  for (const std::string& text : always_texts_) always_.push_back(read_term(text, evaluator_.terms()));
}

std::unique_ptr<Simulator> DeferredGoals::clone() const {
  return std::make_unique<DeferredGoals>(*simulator_, registry_, fluent_texts_, always_texts_);
}

void* DeferredGoals::find_interface(InterfaceId id) {
  if (id == InterfaceId::kEvaluations) return simulator_->optional_interface<Evaluations>();
  if (id == InterfaceId::kWeightedEvaluations) return simulator_->optional_interface<WeightedEvaluations>();
  if (id == InterfaceId::kPercepts) return simulator_->optional_interface<Percepts>();
  if (id == InterfaceId::kPhases) return simulator_->optional_interface<Phases>();
  return nullptr;
}

int DeferredGoals::goals(int lane, int role, int* out) {
  mask_[lane / 64] = std::uint64_t{1} << (lane % 64);
  target_[lane] = state_.data();
  simulator_->store(mask_.data(), target_.data());
  mask_[lane / 64] = 0;
  if (!seen_any_ || state_ != seen_) {
    seen_ = state_;
    seen_any_ = true;
    tables_.clear();
    held_ = always_;
    for (std::size_t fluent = 0; fluent < fluents_.size(); ++fluent)
      if ((state_[fluent / 64] >> (fluent % 64)) & 1) held_.push_back(fluents_[fluent]);
  }
  evaluator_.enter(tables_, held_);
  return goal_values(evaluator_, registry_->plan()->rules.roles[role], out);
}

int DeferredGoals::goal(int lane, int role) {
  int values[kGoalValues];
  return highest(values, goals(lane, role, values));
}

}  // namespace ggp

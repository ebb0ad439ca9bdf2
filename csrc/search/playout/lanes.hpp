// The lanes of one simulator, used by one searcher or shared by many.
//
// A run of a searcher owns a block of adjacent lanes: only this run reads their results and chooses moves in them.
// Calls of the simulator that serve any number of lanes are only requested here, and are made once a round for all
// searchers by the driver of the round:
//
//     evaluate();  all searchers request;  answer();  all searchers read;  all searchers choose;  step();
//     all searchers reload;  load()
#pragma once

#include <cstdint>
#include <vector>

#include "base/lane_mask.hpp"
#include "interfaces/evaluations.hpp"
#include "interfaces/game_policy.hpp"
#include "interfaces/phases.hpp"
#include "simulator.hpp"

namespace ggp {

class Lanes final : private MoveChooser {
 public:
  explicit Lanes(Simulator& simulator)
      : simulator_(simulator),
        policy_(simulator.optional_interface<GamePolicy>()),
        evaluations_(simulator.optional_interface<Evaluations>()),
        phases_(phases_of(simulator)),
        storing_(simulator.groups()),
        loading_(simulator.groups()),
        at_random_(simulator.groups()),
        by_policy_(simulator.groups()),
        by_light_policy_(simulator.groups()),
        asked_(simulator.groups()),
        lanes_of_one_(std::size_t(simulator.roles()) * simulator.groups()),
        store_to_(simulator.lanes()),
        load_from_(simulator.lanes()) {}
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  Simulator& simulator() { return simulator_; }
  const Simulator& simulator() const { return simulator_; }

  void evaluate() {
    simulator_.evaluate();
    evaluated_ = true;
  }

  // Requests the state of a lane before the moves of this turn are chosen.
  void ask_store(int lane, std::uint64_t* to) {
    add_lane(storing_, lane);
    store_to_[lane] = to;
  }
  // Requests the values of the states in these lanes by an evaluation, which the simulator must have (Evaluations).
  void ask_values(int evaluation, const std::uint64_t* mask) {
    while (evaluating_.size() <= std::size_t(evaluation)) evaluating_.emplace_back(loading_.size());
    values_.resize(std::size_t(simulator_.lanes()) * simulator_.roles());
    for (std::size_t group = 0; group < loading_.size(); ++group) evaluating_[evaluation][group] |= mask[group];
  }
  // The values of the state in a lane by role, after answer().
  const float* values(int lane) const { return &values_[std::size_t(lane) * simulator_.roles()]; }

  // Stores the requested states and finds the requested values.
  void answer() {
    store();
    for (std::size_t evaluation = 0; evaluation < evaluating_.size(); ++evaluation) {
      LaneMask& mask = evaluating_[evaluation];
      if (!any_lane(mask)) continue;
      evaluations_->values(static_cast<int>(evaluation), mask.data(), values_.data());
      remove_lanes(mask);
    }
  }
  void store() {
    if (!any_lane(storing_)) return;
    try {
      simulator_.store(storing_.data(), store_to_.data());
    } catch (...) {
      forget_stores();
      throw;
    }
    forget_stores();
  }

  void forget_stores() { remove_lanes(storing_); }

  // Requests uniform moves of all roles in these lanes.
  void ask_random(const std::uint64_t* mask) {
    for (std::size_t group = 0; group < at_random_.size(); ++group) at_random_[group] |= mask[group];
  }
  // Requests moves by the policy of the game, which the simulator must have (GamePolicy).
  void ask_policy(const std::uint64_t* mask) {
    for (std::size_t group = 0; group < by_policy_.size(); ++group) by_policy_[group] |= mask[group];
  }
  // Requests moves by the light policy of the game.
  void ask_light_policy(const std::uint64_t* mask) {
    for (std::size_t group = 0; group < by_light_policy_.size(); ++group) by_light_policy_[group] |= mask[group];
  }
  // Requests moves of all roles in these lanes from a chooser. Mask and chooser must live until step().
  void ask_chooser(const std::uint64_t* mask, MoveChooser& chooser) {
    for (std::size_t group = 0; group < asked_.size(); ++group) asked_[group] |= mask[group];
    choosers_.push_back({mask, &chooser});
  }
  void step() {
    if (any_lane(at_random_)) {
      simulator_.choose_at_random(at_random_.data());
      remove_lanes(at_random_);
    }
    if (any_lane(by_policy_)) {
      policy_->choose_by_policy(by_policy_.data());
      remove_lanes(by_policy_);
    }
    if (any_lane(by_light_policy_)) {
      policy_->choose_by_light_policy(by_light_policy_.data());
      remove_lanes(by_light_policy_);
    }
    if (!choosers_.empty()) {
      simulator_.choose_with(asked_.data(), *this);
      forget_choosers();
    }
    evaluated_ = false;  // also on failure: the turn is over
    simulator_.step();
    if (phases_ == nullptr) return;
    const int phase = phases_->phase();
    if (phase != Phases::kSeveralPhases)
      phase_ = phase;
    else if (phase_ != Phases::kNoPhase)
      phase_ = (phase_ + 1) % phases_->phases();
  }
  // Ends a turn after an exception: lanes can be loaded only between turns.
  void close_turn() {
    remove_lanes(at_random_);
    remove_lanes(by_policy_);
    remove_lanes(by_light_policy_);
    for (LaneMask& mask : evaluating_) remove_lanes(mask);
    forget_choosers();
    if (evaluated_) step();
  }

  // The phase of a state, for may_load().
  int phase_of(const std::uint64_t* state) const { return phases_ == nullptr ? Phases::kNoPhase : phases_->phase_of(state); }
  // Whether a state of a phase may be loaded before the next turn: all lanes stay in one phase. If no lane has a state,
  // the first state decides.
  bool may_load(int phase) {
    if (phase == Phases::kNoPhase) return true;
    if (phase_ == Phases::kNoPhase) phase_ = phase;
    return phase == phase_;
  }
  // Requests to load a state into a lane before the next turn.
  void ask_load(int lane, const std::uint64_t* from) {
    add_lane(loading_, lane);
    load_from_[lane] = from;
  }
  // Loads the requested states. Each is not terminal, or was reached by play from a state that is not terminal.
  void load() {
    if (!any_lane(loading_)) return;
    simulator_.load(loading_.data(), load_from_.data());
    if (phases_ != nullptr) phases_->trust(loading_.data());
    remove_lanes(loading_);
  }
  // Loads a state whose origin is unknown.
  void load_unknown(int lane, const std::uint64_t* from) {
    add_lane(loading_, lane);
    load_from_[lane] = from;
    simulator_.load(loading_.data(), load_from_.data());
    remove_lanes(loading_);
  }

 private:

  // Calls every chooser for its own lanes.
  void choose(const Choices& choices) override {
    if (choosers_.size() == 1) return choosers_[0].chooser->choose(choices);
    Choices part = choices;
    part.lanes = lanes_of_one_.data();
    for (const Asked& asked : choosers_) {
      std::uint64_t some = 0;
      for (std::size_t i = 0; i < lanes_of_one_.size(); ++i) {
        lanes_of_one_[i] = choices.lanes[i] & asked.mask[i % asked_.size()];
        some |= lanes_of_one_[i];
      }
      if (some != 0) asked.chooser->choose(part);
    }
  }
  void forget_choosers() {
    choosers_.clear();
    remove_lanes(asked_);
  }

  static Phases* phases_of(Simulator& simulator) {
    Phases* const phases = simulator.optional_interface<Phases>();
    return phases != nullptr && phases->phases() > 0 ? phases : nullptr;
  }

  struct Asked {
    const std::uint64_t* mask;
    MoveChooser* chooser;
  };

  Simulator& simulator_;
  GamePolicy* const policy_;  // null if the game has no policy
  Evaluations* const evaluations_;  // null if the game has none
  Phases* const phases_;            // null if the game has none
  int phase_ = Phases::kNoPhase;    // of the lanes that have a state
  LaneMask storing_, loading_, at_random_, by_policy_, by_light_policy_, asked_;
  std::vector<Asked> choosers_;
  LaneMask lanes_of_one_;  // by role
  std::vector<LaneMask> evaluating_;  // by evaluation
  std::vector<float> values_;         // by lane and role
  std::vector<std::uint64_t*> store_to_;
  std::vector<const std::uint64_t*> load_from_;
  bool evaluated_ = false;
};

}  // namespace ggp

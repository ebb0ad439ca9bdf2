// A simulator that passes all calls to an inner simulator of the same game. Derived classes add abilities to the inner
// simulator and override find_interface() for them. The optional interfaces of the inner simulator remain available.
#pragma once

#include <memory>

#include "simulator.hpp"

namespace ggp {

class WrappedSimulator : public Simulator {
 public:
  explicit WrappedSimulator(std::unique_ptr<Simulator> simulator) : simulator_(std::move(simulator)) {}

  int roles() const override { return simulator_->roles(); }
  int moves(int role) const override { return simulator_->moves(role); }
  int state_words() const override { return simulator_->state_words(); }
  const std::uint64_t* initial() const override { return simulator_->initial(); }
  int lanes() const override { return simulator_->lanes(); }
  void load(const std::uint64_t* mask, const std::uint64_t* const* states) override { simulator_->load(mask, states); }
  void store(const std::uint64_t* mask, std::uint64_t* const* states) override { simulator_->store(mask, states); }
  void seed(int lane, std::uint64_t seed) override { simulator_->seed(lane, seed); }
  std::uint64_t stream(int lane) const override { return simulator_->stream(lane); }
  void evaluate() override { simulator_->evaluate(); }
  const std::uint64_t* terminal() const override { return simulator_->terminal(); }
  int goal(int lane, int role) override { return simulator_->goal(lane, role); }
  int goals(int lane, int role, int* out) override { return simulator_->goals(lane, role, out); }
  int legal_count(int lane, int role) override { return simulator_->legal_count(lane, role); }
  int legal(int lane, int role, int* out) override { return simulator_->legal(lane, role, out); }
  void choose(int lane, int role, int move) override { simulator_->choose(lane, role, move); }
  void choose_at_random(const std::uint64_t* mask) override { simulator_->choose_at_random(mask); }
  void choose_with(const std::uint64_t* mask, MoveChooser& chooser) override { simulator_->choose_with(mask, chooser); }
  void step() override { simulator_->step(); }

 protected:
  void* find_interface(InterfaceId id) override { return simulator_->find_interface(id); }

  const std::unique_ptr<Simulator> simulator_;
};

}  // namespace ggp

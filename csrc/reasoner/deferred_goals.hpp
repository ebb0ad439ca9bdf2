// Goals on demand: a simulator computes all properties of a game except goals, and the reasoner computes goals.
//
// Some games have a network of reasonable size only without the rules for goals. Goals are needed only at the end of a
// play-out, so a goal may cost a thousand times as much as a turn. For a goal, the state of the lane is packed, and its
// bits are read as fluents. Goals are valid when store() is valid: from evaluate() to the first choose().
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reasoner/evaluator.hpp"
#include "reasoner/registry.hpp"
#include "reasoner/tables.hpp"
#include "simulator.hpp"
#include "wrapped_simulator.hpp"

namespace ggp {

class DeferredGoals final : public WrappedSimulator {
 public:
  // Plays on a clone of `simulator`, whose packed states have one bit for each of `fluents`, in their order; the
  // fluents `always` hold in every state. Both are terms in the notation of rules.hpp. The registry belongs to the same
  // game, with its goals. Throws std::invalid_argument if there are fewer bits than fluents.
  DeferredGoals(const Simulator& simulator, std::shared_ptr<Registry> registry, std::vector<std::string> fluents,
                std::vector<std::string> always);

  std::unique_ptr<Simulator> clone() const override;

  // These functions may throw, as in the simulator of the reasoner. Lanes then keep their states.
  int goal(int lane, int role) override;
  int goals(int lane, int role, int* out) override;

 private:
  // The evaluations and percepts of the simulator, which has the same states in the same lanes.
  void* find_interface(InterfaceId id) override;

  std::shared_ptr<Registry> registry_;
  const std::vector<std::string> fluent_texts_, always_texts_;
  Evaluator evaluator_;
  Tables tables_;
  std::vector<Term> fluents_, always_;
  // Scratch.
  std::vector<std::uint64_t> state_, seen_, mask_;
  std::vector<std::uint64_t*> target_;
  std::vector<Term> held_;
  bool seen_any_ = false;  // tables_ belong to the state seen_
};

}  // namespace ggp

// Optional interface of simulators: evaluations, which estimate the value of a state without play-outs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/fluent_weights.hpp"
#include "interfaces/optional_interface.hpp"

namespace ggp {

class Evaluations : public OptionalInterface<InterfaceId::kEvaluations> {
 public:
  // The names of the evaluations. The index of a name is the number of the evaluation.
  virtual std::vector<std::string> evaluations() const = 0;
  // Writes the value of the state of each lane in the mask for each role to out[lane * roles() + role]. A value is
  // -1 (lost) .. 1 (won), or NaN if the evaluation does not know the state. Other entries of `out` do not change.
  // Valid between evaluate() and the first move of a turn, for states that are not terminal.
  virtual void values(int evaluation, const std::uint64_t* mask, float* out) = 0;
  // Computes the successor of a lane for each legal move of `role`. Writes the value of the i-th successor (order of
  // legal()) for role r to out[i * roles() + r]. Returns the number of successors. A terminal successor has its goal as
  // value, scaled to -1 .. 1. Returns 0 and writes nothing if another role has several legal moves, too, or if the
  // simulator cannot compute the values. `out` has space for moves(role) * roles() numbers.
  virtual int successor_values(int evaluation, int lane, int role, float* out) = 0;
};

// The names of the evaluations of a simulator; empty if the simulator does not have the interface.
inline std::vector<std::string> names_of(const Evaluations* evaluations) {
  return evaluations != nullptr ? evaluations->evaluations() : std::vector<std::string>();
}

// Evaluations of a simulator whose states consist of fluents. The weights of fluents define further evaluations.
class WeightedEvaluations : public Evaluations {
 public:
  static constexpr InterfaceId kId = InterfaceId::kWeightedEvaluations;

  // Adds an evaluation, or replaces the evaluation with this name, and returns its number. Later clones have the
  // evaluation, too. Throws std::invalid_argument if the weights do not fit the game.
  virtual int add_evaluation(const std::string& name, std::shared_ptr<const FluentWeights> weights) = 0;

 protected:
  ~WeightedEvaluations() = default;
};

}  // namespace ggp

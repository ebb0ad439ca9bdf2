// A simulator with a further evaluation: values and move probabilities of a learned network. One batch contains all
// lanes of a mask. The simulator plays on another simulator of the game, which has LaneColumns. The other simulator may
// have another network.
//
// The network sees a state in the view of its mover, the only role with several legal moves. If no role or more than
// one has several legal moves, the network sees the state in the view of role 0.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "interfaces/evaluations.hpp"
#include "interfaces/lane_columns.hpp"
#include "interfaces/move_probabilities.hpp"
#include "learning/encoding.hpp"
#include "learning/learning_kernel.hpp"
#include "wrapped_simulator.hpp"

namespace ggp {

// Constant data that simulators of one learned network share.
struct LearnedGame {
  LearnedGame(const LearnedNetwork& network, Encoding encoding) : network(network), encoding(std::move(encoding)) {}

  LearnedNetwork network;
  Encoding encoding;
};

class LearnedSimulator final : public WrappedSimulator, public Evaluations, public MoveProbabilities {
 public:
  // Plays on a clone of `simulator`; `name` is the name of the evaluation. Throws std::invalid_argument with one line
  // if the network is not of this game.
  LearnedSimulator(const Simulator& simulator, std::shared_ptr<const LearnedGame> game, const LearningKernel& kernel,
                   std::string name);

  std::unique_ptr<Simulator> clone() const override;
  void evaluate() override;

  // Replaces the network by a network of the same shape and encoding; clones keep their network. Throws
  // std::invalid_argument if the shape differs.
  void set_game(std::shared_ptr<const LearnedGame> game);

  // The evaluations of the other simulator, then this one.
  std::vector<std::string> evaluations() const override;
  void values(int evaluation, const std::uint64_t* mask, float* out) override;
  int successor_values(int evaluation, int lane, int role, float* out) override;
  // Evaluated lanes have lists of their legal moves.
  int legal(int lane, int role, int* out) override;
  bool has_probabilities(int evaluation) const override {
    return evaluation == others_count_ || (policy_ != nullptr && policy_->has_probabilities(evaluation));
  }
  void probabilities(int evaluation, int lane, int role, const int* moves, int count, float* out) override;

 private:
  void* find_interface(InterfaceId id) override;
  void list_moves(const std::uint64_t* mask);
  void find_views(const std::uint64_t* mask);
  void list_features(const std::uint64_t* mask);
  void look_behind(int role, const int* moves, int count, float* out);

  std::shared_ptr<const LearnedGame> game_;
  const LearningKernel& kernel_;
  const std::string name_;
  LaneColumns* columns_;
  Evaluations* others_;  // null if the other simulator has no evaluations
  int others_count_;
  MoveProbabilities* policy_;  // of the other simulator, or null

  std::vector<std::vector<std::uint16_t>> legal_;        // by role: legal moves by lane, moves(role) each
  std::vector<std::vector<std::uint16_t>> legal_counts_;  // by role and lane
  std::vector<std::uint16_t> feature_of_;                // by fluent and view
  std::vector<int> active_;              // the groups with lanes of the latest batch
  std::vector<std::uint8_t> views_;      // by lane
  std::vector<int> row_of_;              // by lane: its row in the latest batch, or -1
  std::vector<std::uint16_t> features_;  // by lane, fluents() each
  std::vector<std::uint32_t> counts_;    // by lane
  std::vector<FeatureRow> rows_;
  std::vector<int> lanes_of_rows_;
  AlignedFloats h1_, h2_, found_, base_, group_;
  int base_row_ = -1;  // the row whose base_ is known
  std::vector<std::uint16_t> policies_;

  // For successor_values().
  std::unique_ptr<LearnedSimulator> scout_;
  std::vector<std::uint64_t> scout_state_;
  std::vector<int> scout_moves_, scout_joint_;
  std::vector<float> scout_values_;
};

}  // namespace ggp

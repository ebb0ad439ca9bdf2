// A simulator whose uniform play-outs and evaluations are functions of the user, for a trial of an idea before it is
// written in C++. It plays on another simulator of the same game. A function receives the states of all lanes of a turn
// and the mask of the lanes to answer. This is slow, because each turn of the lanes calls a function and copies all
// states.
// A move of -1 is drawn uniformly. If a function fails, std::runtime_error ends the run; the function keeps the reason.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/lane_mask.hpp"
#include "base/random.hpp"
#include "interfaces/evaluations.hpp"
#include "interfaces/phases.hpp"
#include "interfaces/quality.hpp"
#include "interfaces/winning_moves.hpp"
#include "simulation/load_played.hpp"
#include "simulator.hpp"
#include "wrapped_simulator.hpp"

namespace ggp {

class GuidedSimulator final : public WrappedSimulator, public Evaluations {
 public:
  // The functions of the user; a missing function is null. A function returns false if it fails. States are packed, one
  // lane after the other; the entries of lanes outside the mask have no meaning.
  struct Functions {
    void* context = nullptr;
    // Writes the move of every role in the lanes of the mask, legal or -1: moves[role * lanes + lane].
    bool (*choose)(void* context, const std::uint64_t* mask, const std::uint64_t* states, std::int32_t* moves) = nullptr;
    // Writes the values as Evaluations::values().
    bool (*value)(void* context, const std::uint64_t* mask, const std::uint64_t* states, float* out) = nullptr;
  };
  static constexpr const char* kName = "python";

  // Plays on a clone of `simulator`.
  GuidedSimulator(const Simulator& simulator, Functions functions)
      : WrappedSimulator(simulator.clone()),
        functions_(functions),
        states_(std::size_t(lanes()) * state_words()),
        to_(lanes()),
        moves_(std::size_t(roles()) * lanes()),
        drawn_(groups()) {
    int widest = 1;
    for (int role = 0; role < roles(); ++role) widest = std::max(widest, moves(role));
    legal_.resize(widest);
    for (int lane = 0; lane < lanes(); ++lane) to_[lane] = states_.data() + std::size_t(lane) * state_words();
  }

  // Without the functions: for a minimax search.
  std::unique_ptr<Simulator> clone() const override { return simulator_->clone(); }

  // Keeps the states, because they cannot be stored once a move was chosen.
  void evaluate() override {
    simulator_->evaluate();
    LaneMask running(groups());
    for (int group = 0; group < groups(); ++group) running[group] = ~simulator_->terminal()[group];
    simulator_->store(running.data(), to_.data());
  }

  void choose_at_random(const std::uint64_t* mask) override {
    if (functions_.choose == nullptr) return simulator_->choose_at_random(mask);
    require(functions_.choose(functions_.context, mask, states_.data(), moves_.data()));
    remove_lanes(drawn_);
    for (int group = 0; group < groups(); ++group)
      for_each_lane(group, mask[group], [this](int lane) {
        if (is_drawn(lane)) return add_lane(drawn_, lane);
        for (int role = 0; role < roles(); ++role) choose(lane, role, move_of(lane, role));
      });
    if (any_lane(drawn_)) simulator_->choose_at_random(drawn_.data());
  }

  std::vector<std::string> evaluations() const override { return {kName}; }
  void values(int, const std::uint64_t* mask, float* out) override {
    require(functions_.value(functions_.context, mask, states_.data(), out));
  }
  int successor_values(int, int lane, int role, float* out) override;

 private:
  void* find_interface(InterfaceId id) override {
    if (id == Quality::kId) return simulator_->optional_interface<Quality>();
    if (id == WinningMoves::kId) return simulator_->optional_interface<WinningMoves>();
    if (id == Phases::kId) return simulator_->optional_interface<Phases>();
    if (functions_.value != nullptr) return id == Evaluations::kId ? static_cast<Evaluations*>(this) : nullptr;
    if (id == Evaluations::kId) return simulator_->optional_interface<Evaluations>();
    if (id == WeightedEvaluations::kId) return simulator_->optional_interface<WeightedEvaluations>();
    return nullptr;
  }
  static void require(bool worked) {
    if (!worked) throw std::runtime_error("a Python function of the search has failed");
  }
  std::int32_t given(int lane, int role) const { return moves_[std::size_t(role) * lanes() + lane]; }
  bool is_drawn(int lane) const {
    for (int role = 0; role < roles(); ++role)
      if (given(lane, role) >= 0) return false;
    return true;
  }
  // The given move, or a drawn move.
  int move_of(int lane, int role) {
    if (given(lane, role) >= 0) return given(lane, role);
    const int count = legal(lane, role, legal_.data());
    if (count <= 1) return legal_[0];
    std::uint64_t random = stream(lane);
    const int move = legal_[draw_below(random, static_cast<std::uint32_t>(count))];
    seed(lane, random);
    return move;
  }

  void evaluate_successors(const int* moves, int count, int role, float* out);

  const Functions functions_;
  std::vector<std::uint64_t> states_;  // of all lanes, at evaluate()
  std::vector<std::uint64_t*> to_;     // the place of each lane in states_
  std::vector<std::int32_t> moves_;
  LaneMask drawn_;
  std::vector<int> legal_;  // scratch
  // For successor_values(): lanes in which moves are played, the joint move, the moves; states and their values by lane.
  std::unique_ptr<Simulator> scout_;
  std::vector<int> scout_joint_, scout_moves_;
  std::vector<std::uint64_t> scout_states_;
  std::vector<float> scout_values_;
};

inline int GuidedSimulator::successor_values(int, int lane, int role, float* out) {
  scout_joint_.resize(roles());
  for (int other = 0; other < roles(); ++other) {
    if (other == role) continue;
    if (legal(lane, other, legal_.data()) != 1) return 0;
    scout_joint_[other] = legal_[0];
  }
  scout_moves_.resize(moves(role));
  const int count = legal(lane, role, scout_moves_.data());
  if (scout_ == nullptr) {
    scout_ = simulator_->clone();
    scout_states_.resize(states_.size());
    scout_values_.resize(std::size_t(lanes()) * roles());
  }
  for (int begin = 0; begin < count; begin += lanes()) {
    std::copy_n(to_[lane], state_words(), scout_states_.begin());
    evaluate_successors(&scout_moves_[begin], std::min(lanes(), count - begin), role, out + std::size_t(begin) * roles());
  }
  return count;
}

// The state before the moves is the first of the scout's states.
inline void GuidedSimulator::evaluate_successors(const int* moves, int count, int role, float* out) {
  LaneMask mask(groups());
  std::vector<const std::uint64_t*> from(lanes(), scout_states_.data());
  std::vector<std::uint64_t*> to;
  for (int lane = 0; lane < lanes(); ++lane) to.push_back(&scout_states_[std::size_t(lane) * state_words()]);
  for (int lane = 0; lane < count; ++lane) add_lane(mask, lane);
  load_played(*scout_, mask.data(), from.data());
  scout_->evaluate();
  for (int lane = 0; lane < count; ++lane) {
    scout_joint_[role] = moves[lane];
    for (int each = 0; each < roles(); ++each) scout_->choose(lane, each, scout_joint_[each]);
  }
  scout_->step();
  scout_->evaluate();
  for (int lane = 0; lane < count; ++lane)
    if ((scout_->terminal()[lane >> 6] >> (lane & 63) & 1)) remove_lane(mask, lane);
  scout_->store(mask.data(), to.data());
  if (any_lane(mask)) require(functions_.value(functions_.context, mask.data(), scout_states_.data(), scout_values_.data()));
  for (int lane = 0; lane < count; ++lane) {
    for (int each = 0; each < roles(); ++each) {
      const bool ends = (scout_->terminal()[lane >> 6] >> (lane & 63) & 1);
      const int goal = ends ? std::max(0, scout_->goal(lane, each)) : 0;
      *out++ = ends ? static_cast<float>(goal / 50.0 - 1) : scout_values_[std::size_t(lane) * roles() + each];
    }
  }
  // The next call loads the lanes, which is possible only between two turns.
  scout_->step();
}

}  // namespace ggp

// The simulator of a game compiled from GDL: a lane program on a lane kernel.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/aligned_words.hpp"
#include "interfaces/choice_by_rank.hpp"
#include "interfaces/evaluations.hpp"
#include "interfaces/goal_totals.hpp"
#include "interfaces/lane_columns.hpp"
#include "interfaces/percepts.hpp"
#include "interfaces/phases.hpp"
#include "interfaces/winning_moves.hpp"
#include "network/program/lane_kernel.hpp"
#include "network/program/lane_program.hpp"
#include "network/program/program_tables.hpp"
#include "network/simulator/weighted_fluents.hpp"
#include "simulator.hpp"

namespace ggp {

class NetworkSimulator final : public Simulator,
                               public WeightedEvaluations,
                               public WinningMoves,
                               public ChoiceByRank,
                               public LaneColumns,
                               public Percepts,
                               public Phases,
                               public GoalTotals {
 public:
  // If the machine code of a program is for a kernel of another width, the program is interpreted.
  NetworkSimulator(std::shared_ptr<const LaneProgram> program, const LaneKernel& kernel);

  std::unique_ptr<Simulator> clone() const override;

  int roles() const override { return static_cast<int>(program_->legal.size()); }
  int moves(int role) const override { return static_cast<int>(program_->legal[role].size()); }
  int state_words() const override { return static_cast<int>(program_->initial.size()); }
  const std::uint64_t* initial() const override { return program_->initial.data(); }
  int lanes() const override { return 64 * words_; }
  // The program that evaluated the present states: the program of their phase, or the general program.
  const LaneProgram& evaluated() const { return tables().program; }
  // Lane mask of a value of evaluated().
  const std::uint64_t* lanes_of(std::uint32_t number) const { return value(number); }
  // Lane mask of the states in which a fluent holds; valid between step() and choose().
  const std::uint64_t* fluent(int number) const { return value(program_->first_fluent + number); }
  int fluents() const override { return static_cast<int>(program_->fluents); }
  const std::uint64_t* fluent_lanes(int number) const override { return fluent(number); }

  void load(const std::uint64_t* mask, const std::uint64_t* const* states) override;
  void store(const std::uint64_t* mask, std::uint64_t* const* states) override;
  void seed(int lane, std::uint64_t seed) override { random_[place_of_stream(lane)] = seed; }
  std::uint64_t stream(int lane) const override { return random_[place_of_stream(lane)]; }

  void evaluate() override;
  const std::uint64_t* terminal() const override { return value(evaluated().terminal); }
  int goal(int lane, int role) override;
  int goals(int lane, int role, int* out) override;
  std::vector<std::string> evaluations() const override { return weighted_.names(); }
  int add_evaluation(const std::string& name, std::shared_ptr<const FluentWeights> weights) override {
    return weighted_.add(name, std::move(weights), program_->fluents, program_->legal.size());
  }
  void values(int evaluation, const std::uint64_t* mask, float* out) override {
    weighted_.values(*this, evaluation, mask, out);
  }
  // Plays the moves in additional lanes. A terminal state without a known goal has the value of the evaluation.
  int successor_values(int evaluation, int lane, int role, float* out) override;
  int legal_count(int lane, int role) override;
  int legal(int lane, int role, int* out) override;
  int winning(int lane, int role, int* out) override;
  void choose(int lane, int role, int move) override;
  void choose_at_random(const std::uint64_t* mask) override;
  void choose_with(const std::uint64_t* mask, MoveChooser& chooser) override;
  void choose_by_rank(const std::uint64_t* mask, const RankedChoice& choice) override;
  void count_occurred(const OccurredCount& what) const override { kernel_.count(what); }
  void look_ahead(const std::uint64_t* mask, bool ahead) override;
  void perceive() override;
  void perceived(int lane, int role, std::vector<std::uint32_t>& out) const override;
  void keep_lanes(int role, const std::uint32_t* wanted, std::size_t count, std::uint64_t* mask) const override;
  void hash_percepts(int role, const std::uint64_t* mask, std::uint64_t* hashes) const override;
  void step() override;

  // ---- the same turn for batches, which set moves in many lanes; see network_batch.hpp
  // Lane mask of the states in which a move is legal; valid after evaluate().
  const std::uint64_t* legal_lanes(int role, int move) const override { return value(evaluated().legal[role][move]); }
  bool is_legal(int role, int lane, int move) const { return bit(evaluated().legal[role][move], lane); }
  // Clears all moves of this turn. In the lanes of the mask, each role with a single legal move gets this move. Returns
  // lane masks, groups() words for each role: the lanes in which the role has several moves. The caller may clear bits.
  std::uint64_t* choose_single(const std::uint64_t* mask);
  // Sets a legal move of a lane in the mask of choose_single().
  void set_move(int role, int lane, int move) {
    value(first_move(role) + move)[lane >> 6] |= std::uint64_t{1} << (lane & 63);
  }
  // Draws moves for the remaining bits of choose_single(), as choose_at_random() does, and clears the bits.
  void draw_rest();
  // Calls action(move, lanes) for the moves of a role that were chosen in some lane of choose_single().
  template <class Action>
  void for_each_chosen(int role, Action action) const {
    for (std::uint32_t i = 0; i < live_[role].count; ++i) {
      const std::uint32_t number = live_[role].moves[i].move;
      action(static_cast<int>(number - first_move(role)), value(number));
    }
  }
  int phases() const override { return static_cast<int>(program_->phases.size()); }
  int phase() const override;
  int phase_of(const std::uint64_t* state) const override;
  void trust(const std::uint64_t* mask) override;

  void add_goals(const std::uint64_t* mask) override;
  void take_goals(std::uint64_t* sums) override;

  // As step(), but the lanes of the mask keep their states.
  void step_but(const std::uint64_t* held);
  // Makes lanes_of() valid for goals.
  void evaluate_goals();

 private:
  void* find_interface(InterfaceId id) override {
    return select_interface<Evaluations, WeightedEvaluations, WinningMoves, ChoiceByRank, LaneColumns, Percepts,
                            Phases, GoalTotals>(*this, id);
  }
  void run(const std::vector<LaneProgram::Block>& blocks);
  void store_group(int group, std::uint64_t mask, std::uint64_t* const* states) const;
  // Begins the choice of moves unless it has begun; at first no lane has a move. Lanes of the mask will get moves.
  void begin_choice(const std::uint64_t* mask);
  const ProgramTables& tables() const { return tables_[in_use_]; }
  std::uint32_t first_move(int role) const { return tables_[0].legal[role].first_move; }
  // Before a choice that lists moves: keeps the moves of an earlier list of this turn, and the moves that may win.
  void keep_touched(const RoleChoice* from);
  // Evaluates the gates of the look-ahead.
  void find_kept();
  // Evaluates the gates of the next state, unless perceive() has done it. In games without percepts, some next values
  // replace the fluents (next_in_place.hpp).
  void find_next();
  // The moves from which the lanes of a mask choose.
  const RoleChoice* choices(const std::uint64_t* mask);
  std::size_t place_of_stream(int lane) const { return std::size_t(lane & 63) * words_ + (lane >> 6); }
  ChoiceScratch scratch() {
    return {random_.get(), transposed_.get(), many_.get(), pass_.get(), single_.get(), counts_.get(), live_.data()};
  }
  const std::uint64_t* value(std::uint32_t number) const { return &values_[std::size_t{number} * words_]; }
  std::uint64_t* value(std::uint32_t number) { return &values_[std::size_t{number} * words_]; }
  // Writes the values for a role to `out`: values of the successors of scout_state_ by some moves of this role.
  void look_behind(int evaluation, int role, const int* moves, int count, float* out);
  bool bit(std::uint32_t number, int lane) const { return (value(number)[lane >> 6] >> (lane & 63)) & 1; }

  std::shared_ptr<const LaneProgram> program_;
  const LaneKernel& kernel_;
  int words_;
  std::vector<ProgramTables> tables_;  // of the general program, then by phase
  std::size_t in_use_ = 0;             // number of the tables of evaluated()
  // Lane masks: lanes with a state; with a move in this turn; with a state that differs from the facts of its phase,
  // which play from the initial state does not reach.
  std::vector<std::uint64_t> alive_, moving_, foreign_;
  // If programs of phases leave out conditions of the end (end_conditions.hpp): lanes that need the general program,
  // because their state was loaded or their predecessor was terminal; and lanes that were terminal when last evaluated.
  bool leaves_out_;
  std::vector<std::uint64_t> unknown_, over_;
  std::vector<RoleChoice> ranked_;     // the moves to choose from by rank, with the orders of a choice
  std::vector<MoveValues> live_moves_;  // storage of live_
  std::vector<LiveMoves> live_;             // by role, in live_moves_
  std::vector<std::uint32_t> touched_;      // values of moves that may not be zero, except the moves in live_
  bool listed_ = false;                     // whether moves in live_ may not be zero
  std::vector<std::uint32_t> chosen_;  // results of a chooser, by lane
  AlignedWords values_, saved_, transposed_, many_, pass_, single_, counts_, random_;
  std::vector<std::uint64_t> before_;  // fluents of lanes that step_but() keeps
  bool choosing_ = false;  // between the first move of a turn and step(); else these are the moves of the last turn
  bool goals_evaluated_ = false, ahead_evaluated_ = false, next_evaluated_ = false;

  // Adds the goals in the lanes of a mask to totals.
  void sum_goals(const std::uint64_t* mask, std::vector<std::uint64_t>& totals);
  // Adds the goals of the states in ended_ to the totals.
  void sum_ended();

  // For add_goals(): the totals, and states whose goals are not evaluated yet. Without `ended_`, goals are evaluated at
  // once.
  std::vector<std::uint64_t> goal_totals_;
  std::unique_ptr<NetworkSimulator> ended_;
  std::vector<std::uint64_t> in_ended_;  // lane mask

  WeightedFluents weighted_;
  // For successor_values(): lanes in which moves are played, the state, the joint move; the values of successors.
  std::unique_ptr<NetworkSimulator> scout_;
  std::vector<std::uint64_t> scout_state_;
  std::vector<int> scout_joint_, scout_moves_;
  std::vector<float> scout_values_;
};

}  // namespace ggp

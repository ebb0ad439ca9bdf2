// Level-k minimax: what is proven by looking at all that can happen within k plies, in games of two roles.
//
// Li, "Prediction Distortion in Monte Carlo Tree Search and an Improved Algorithm", 2018, Section 4.1, Definition 1 and
// Proposition 2. A level-k sudden win is a state whose mover can win within k plies, a level-k sudden death one whose
// mover loses within k plies unless it takes one of some moves. There a state has a score of -1, 0 or 1; here it has
// bounds on the goal of the role m that moves at the root, as the solver has them (solver.hpp), so that what comes out
// agrees with it:
//
//     end of the game           both bounds are the goal of m
//     not ended after k plies   0 .. 100                                                  (score 0)
//     m moves                   pess = max, opti = max over the successors
//     the other role moves      pess = min, opti = min                                    where goals add up to 100
//                               pess = min, opti = max                                    elsewhere
//
// The score is 1 where pess > 50, -1 where opti < 50, and else 0. A move of the root is lost or won where its score is
// -1 or 1. That goals add up to 100 is believed until an end is met where they do not; then all is looked at anew.
//
// The levels 1, 2, .. k are looked at from the lowest up: at the odd ones whether a move wins, at the even ones whether
// it loses, as the paper has it. Each is a question of yes or no, asked with the null windows (0, 1) and (-1, 0) of
// alpha-beta pruning (Knuth and Moore, Artificial Intelligence 1975; Pearl, AAAI 1980): most answers to a move need not
// be looked at. What was left out has the bounds that hold whatever is there. Moves that are decided are not looked at
// again. So the shortest wins are found first, and where the search is given up, what is left is the knowledge of whole
// levels and of some moves of the next.
//
// All successors of a state are made in one pass, in the lanes of a simulator. First the move is tried that refuted the
// latest state of the same ply, or, after it, the latest move of the other side that did.
//
// A state in which both roles have a choice is left as it is: its bounds are 0 .. 100.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "lane_mask.hpp"
#include "search/archive.hpp"
#include "search/tree.hpp"
#include "simulator.hpp"

namespace ggp {

class LevelMinimax {
 public:
  // A move of the root.
  struct Verdict {
    int move;
    Bounds bounds;  // of the mover's goal
    int plies;      // the level that decided it, that is, made its score 1 or -1; 0 where none did
  };
  enum class Extent : std::uint8_t {
    kDecision,    // ends with the first win, or where one move is left that is not lost
    kEveryMove,   // finds all moves that win or lose
  };
  static constexpr int kMostPlies = 100;

  // Clones the simulator, whose game has two roles.
  explicit LevelMinimax(const Simulator& simulator);

  // Looks at a state that is not terminal. `only` names the moves that are looked at; all where it is empty. Gives up
  // as soon as give_up(), asked before every pass, is true or as many successors were made as `most_states` says;
  // what is known then holds. Returns whether it came to the end. Where the root is not one role's to move, there is
  // nothing to be known.
  bool run(const std::uint64_t* state, int plies, Extent extent, const std::vector<int>& only,
           std::uint64_t most_states, const std::function<bool()>& give_up);
  // All moves, without limits.
  void run(const std::uint64_t* state, int plies, Extent extent) {
    run(state, plies, extent, {}, UINT64_MAX, [] { return false; });
  }

  // Of the latest run: the mover, -1 where there is none; the legal moves, ascending.
  int mover() const { return mover_; }
  const std::vector<Verdict>& verdicts() const { return verdicts_; }
  // Goals of an end where they do not add up to 100; null where none was met, in any run.
  const int* odd_goals() const { return constant_sum_ ? nullptr : odd_goals_; }
  // Successors made so far, in all runs.
  std::uint64_t states() const { return states_; }
  // What a run knows from earlier ones.
  void archive(Archive& archive);

 private:
  // A state and its successors.
  struct Ply {
    int mover = -1;  // the role that has a choice, or -1 where both have; the root's where none has
    bool stuck = false;  // a role has no move: the game ends with these bounds
    bool kept = false;   // whether the states of the successors are
    Bounds end{};
    std::vector<int> moves;
    std::vector<std::uint64_t> states;
    std::vector<Bounds> bounds;        // of the successors that end the game
    std::vector<std::uint8_t> ended;
    int refutation = -1;               // the move that was best in the latest state of this ply
  };

  void levels(int plies, Extent extent, const std::vector<int>& only);
  Bounds search(const std::uint64_t* state, int ply, int left, int alpha, int beta);
  Bounds search_mover(Ply& at, int ply, int left, int alpha, int beta);
  Bounds search_other(Ply& at, int ply, int left, int alpha, int beta);
  void put_first(Ply& at, int ply) const;
  Bounds behind(Ply& at, int ply, std::size_t i, int left, int alpha, int beta);
  void expand(const std::uint64_t* state, Ply& to, bool keep);
  bool find_mover(Ply& to);
  void read(Ply& to, std::size_t first, int count);
  Bounds goals_of(int lane);
  bool is_over();
  void evaluate() {
    in_turn_ = true;
    simulator_->evaluate();
  }
  void step() {
    in_turn_ = false;
    simulator_->step();
  }

  const std::unique_ptr<Simulator> simulator_;
  const int words_;
  std::vector<Ply> plies_;
  std::vector<Verdict> verdicts_;
  int mover_ = -1;
  bool constant_sum_ = true;
  bool believed_ = true;  // what the values of this attempt rest on
  int odd_goals_[2] = {};
  std::uint64_t states_ = 0, most_states_ = 0;
  const std::function<bool()>* give_up_ = nullptr;
  bool given_up_ = false;
  bool in_turn_ = false;  // of the simulator
  // Scratch of expand().
  LaneMask mask_;
  std::vector<const std::uint64_t*> from_;
  std::vector<std::uint64_t*> to_;
  std::vector<int> moves_;
  int only_move_[2] = {};
};

}  // namespace ggp

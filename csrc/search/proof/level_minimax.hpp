// Level-k minimax: proofs by examining all moves within k plies, in games of two roles.
//
// Li, "Prediction Distortion in Monte Carlo Tree Search and an Improved Algorithm", 2018, Section 4.1, Definition 1 and
// Proposition 2. A level-k sudden win is a state whose mover can win within k plies. In a level-k sudden death the
// mover loses within k plies unless it plays one of some moves. In the paper a state has a score of -1, 0 or 1; here it
// has bounds on the goal of the role m that moves at the root, as in the solver (solver.hpp), so that the results agree
// with the solver:
//
//     end of the game           both bounds are the goal of m
//     not ended after k plies   0 .. 100                                                  (score 0)
//     m moves                   pess = max, opti = max over the successors
//     the other role moves      pess = min, opti = min                                    if goals add up to 100
//                               pess = min, opti = max                                    otherwise
//
// The score is 1 if pess > 50, -1 if opti < 50, and else 0. A move of the root is lost or won if its score is -1 or 1.
// The search assumes that goals add up to 100 until it finds an end where they do not; then it starts again.
//
// The levels 1, 2, .. k are searched in ascending order: odd levels decide whether a move wins, even levels whether it
// loses, as in the paper. Each is a yes-no question, searched with the null windows (0, 1) and (-1, 0) of alpha-beta
// pruning (Knuth and Moore, Artificial Intelligence 1975; Pearl, AAAI 1980), so that most replies to a move need not be
// examined. A state that was not examined has bounds that always hold. Decided moves are not searched again. So the
// shortest wins are found first, and if the search is stopped, the results of complete levels and of some moves of the
// next level remain.
//
// All successors of a state are computed in one pass, in the lanes of a simulator. The first move to try is the
// refutation of the latest state of the same ply; the second is the latest refutation by the other side.
//
// A state in which both roles have a choice is not searched: its bounds are 0 .. 100.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/lane_mask.hpp"
#include "search/tree/archive.hpp"
#include "search/tree/tree.hpp"
#include "simulator.hpp"

namespace ggp {

class LevelMinimax {
 public:
  // A move of the root.
  struct Verdict {
    int move;
    Bounds bounds;  // bounds of the mover's goal
    int plies;      // the level that made its score 1 or -1; 0 if no level did
  };
  enum class Extent : std::uint8_t {
    kDecision,    // ends with the first win, or when only one move is not lost
    kEveryMove,   // finds all moves that win or lose
  };

  // Clones the simulator, whose game has two roles.
  explicit LevelMinimax(const Simulator& simulator);

  // Searches a state that is not terminal. `only` lists the moves to examine; all if it is empty. Stops as soon as
  // give_up(), called before every pass, is true, or `most_states` successors were computed; the results so far are
  // valid. Returns whether the search was completed. If the root does not belong to one role, there are no results.
  bool run(const std::uint64_t* state, int plies, Extent extent, const std::vector<int>& only,
           std::uint64_t most_states, const std::function<bool()>& give_up);
  // As above, for all moves and without limits.
  void run(const std::uint64_t* state, int plies, Extent extent) {
    run(state, plies, extent, {}, UINT64_MAX, [] { return false; });
  }

  // Results of the latest run: the mover, -1 if there is none; the legal moves, ascending.
  int mover() const { return mover_; }
  const std::vector<Verdict>& verdicts() const { return verdicts_; }
  // The goals of an end where they do not add up to 100; null if no run has found one.
  const int* odd_goals() const { return constant_sum_ ? nullptr : odd_goals_; }
  // Number of successors computed so far, in all runs.
  std::uint64_t states() const { return states_; }
  // Saves or loads the knowledge of earlier runs.
  void archive(Archive& archive);

 private:
  // A state and its successors.
  struct Ply {
    int mover = -1;  // the role with a choice; -1 if both have a choice, the root's mover if no role has a choice
    bool stuck = false;  // a role has no move: the game ends with these bounds
    bool kept = false;   // whether the states of the successors are stored
    Bounds end{};
    std::vector<int> moves;
    std::vector<std::uint64_t> states;
    std::vector<Bounds> bounds;        // bounds of the successors that end the game
    std::vector<std::uint8_t> ended;
    int refutation = -1;               // the best move in the latest state of this ply
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
  bool believed_ = true;  // whether this attempt assumes constant-sum goals
  int odd_goals_[2] = {};
  std::uint64_t states_ = 0, most_states_ = 0;
  const std::function<bool()>* give_up_ = nullptr;
  bool given_up_ = false;
  bool in_turn_ = false;  // whether a turn of the simulator is open
  // Scratch of expand().
  LaneMask mask_;
  std::vector<const std::uint64_t*> from_;
  std::vector<std::uint64_t*> to_;
  std::vector<int> moves_;
  int only_move_[2] = {};
};

}  // namespace ggp

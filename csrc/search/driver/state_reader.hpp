// Reads the data that a new node needs from the state in a lane.
#pragma once

#include <memory>
#include <vector>

#include "interfaces/winning_moves.hpp"
#include "search/selection/move_knowledge.hpp"
#include "search/tree/tree.hpp"

namespace ggp {

class StateReader {
 public:
  // `evaluation` is the number of the evaluation that the search uses, -1 without an evaluation.
  StateReader(Simulator& simulator, const Config& config, int evaluation);

  // Reads the legal moves of a lane; returns false if a role has none, which ends the game there.
  bool read_legal(int lane);
  // If a role has a move that wins at once, keeps only this move, if the configuration and the game allow this.
  void keep_win(int lane);
  // Reads the knowledge about these moves; see MoveKnowledge::read().
  void read_knowledge(int lane, const float* values) {
    if (knowledge_ != nullptr) knowledge_->read(legal_, lane, values);
  }
  // read_knowledge() for lane 0, whose state is evaluated for PUCT.
  void read_first_lane() {
    if (knowledge_ != nullptr) knowledge_->read(legal_, 0, knowledge_->evaluate_first_lane());
  }
  // Gives the node of this state the knowledge about its moves.
  void give(Tree& tree, Index node, bool as_root) const {
    if (knowledge_ != nullptr) knowledge_->give(tree, node, as_root);
  }
  const LegalMoves& legal() const { return legal_; }
  // The goals by role, until the next call.
  const int* read_goals(int lane);

 private:
  Simulator& simulator_;
  const int roles_;
  WinningMoves* const winning_moves_;  // null if nodes list all moves
  const std::unique_ptr<MoveKnowledge> knowledge_;  // null if the configuration needs none
  LegalMoves legal_;
  std::vector<int> moves_, goals_;
};

}  // namespace ggp

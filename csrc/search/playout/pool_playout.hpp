// Play-outs that prefer moves with good values of all moves as first (Pool RAVE: A. Rimmel, F. Teytaud and O. Teytaud,
// "Biasing Monte-Carlo simulations through RAVE values", Computers and Games 2010).
//
// The pool of a simulation belongs to the last node of its path that has a table of all moves as first (amaf.hpp) and at
// least `playout.pool.visits` visits. The pool of a role has the `playout.pool.size` moves of the role with the highest
// means in this table; ties go to the lower number of the move. Moves without data are in no pool. With probability
// `playout.pool.probability` a ply draws a move of the pool of the role that chooses, with equal probabilities, and plays
// the move if it is legal. Otherwise the fallback policy (`playout.forest.fallback`) moves. In native games that can check
// moves, moves that the fallback never draws count as illegal.
//
// A pool needs a pass over the table for each simulation.
#pragma once

#include <cstdint>
#include <vector>

#include "base/lane_mask.hpp"
#include "interfaces/legality.hpp"
#include "interfaces/reported_moves.hpp"
#include "search/config/config.hpp"
#include "search/playout/recorded_playout.hpp"

namespace ggp {

class PoolPlayout final : public RecordedPlayout {
 public:
  PoolPlayout(const PoolConfig& config, MoveDraw fallback, Simulator& simulator);

  void choose(Lanes& lanes, const std::uint64_t* mask) override;

 private:
  void begin(int lane, std::uint64_t seed) override;
  void leave_tree(int lane, const AmafSum* table) override;
  void pick(const Choices& choices, int role, bool same_ply) override;

  // The moves of a role in the pool of a lane.
  std::vector<std::uint32_t>& pool(int lane, int role) { return pools_[std::size_t(lane) * moves_.size() + role]; }
  // Draws from the pool; -1 for the fallback.
  int draw_from_pool(int lane, int role);
  bool is_legal(Simulator& simulator, int lane, int role, int move);

  const std::size_t size_;
  const std::uint64_t probability_;  // * 2^32
  const MoveDraw fallback_;
  const std::vector<int> moves_;  // number of moves by role
  // Null if the simulator does not have the interface.
  ReportedMoves* const reported_moves_;
  BitwiseLegality* const bitwise_legality_;
  LegalityLookup* const legality_lookup_;
  std::vector<std::vector<std::uint32_t>> pools_;  // by lane and role
  // Scratch: moves and their ranks; lanes by the origin of their move, and these moves; the legal moves of a role.
  std::vector<std::uint64_t> ranks_;
  LaneMask by_pool_, by_fallback_;
  std::vector<ReportedMove> reported_;
  std::vector<int> legal_;
};

}  // namespace ggp

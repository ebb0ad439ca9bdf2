// A batch of states of a native game. Legal moves are listed once a turn, and only where a function needs them. A turn
// without given moves costs as much as a turn of a play-out.
#pragma once

#include <memory>
#include <vector>

#include "arrays/state_batch.hpp"
#include "games/common/module.hpp"
#include "interfaces/fluent_states.hpp"
#include "interfaces/reported_moves.hpp"
#include "simulator.hpp"

namespace ggp {

class ModuleBatch final : public StateBatch {
 public:
  // A simulator of a native game, with ReportedMoves and FluentStates. The last move of a role is the only legal one of
  // a role whose turn it is not.
  ModuleBatch(std::unique_ptr<Simulator> simulator, int count);

  int fluents() const override { return fluent_states_.fluents(); }

  void begin_turn() override {
    is_listed_ = has_fluent_words_ = false;
    StateBatch::begin_turn();
  }
  const std::uint64_t* several(int role) override;
  int give(int role, const std::uint64_t* mask, const std::int32_t* moves, bool may_draw) override;
  void take_back() override;
  void play(const std::uint64_t* mask, const std::uint64_t* held) override;
  void draw() override;
  void drawn(int role, const std::uint64_t* mask, std::int32_t* out) override;

  void fluent_bytes(std::uint8_t* out, std::size_t stride) override;
  void legal_bytes(int role, std::uint8_t* out, std::size_t stride) override;
  void movers_legal_bytes(const std::uint64_t* of_mover, std::uint8_t* out, std::size_t stride) override;
  void goals(const std::uint64_t* mask, std::int8_t* out, std::size_t stride) override;
  void legal_words(int role, std::uint64_t* out, std::size_t stride) override;
  const std::uint64_t* fluent_words() override;

 private:
  // Lists the legal moves of the movers, unless this is done.
  void list_moves();
  // Calls see(move) for the legal moves of a role in a lane that is not terminal.
  template <class See>
  void for_each_legal(int role, int lane, See see);
  bool is_active(int lane) const { return active_[lane >> 6] >> (lane & 63) & 1; }
  int waiting(int role) const { return moves(role) - 1; }

  ReportedMoves& reported_moves_;  // interfaces of the simulator
  FluentStates& fluent_states_;
  std::vector<std::uint64_t> to_draw_, is_given_;  // lane masks
  std::vector<std::int32_t> given_;                         // by lane
  // Legal moves of the mover: lane l has the moves first_[l] .. first_[l + 1] - 1 of the list, ascending.
  std::vector<int> list_;
  std::vector<std::size_t> first_;
  std::vector<std::uint64_t> several_;  // for each role a lane mask
  bool is_listed_ = false;
  std::vector<ReportedMove> reported_;  // the moves of draw()
  std::vector<std::uint64_t> kept_;     // states while moves are drawn
  std::vector<std::uint64_t*> kept_at_;
  std::vector<int> true_fluents_;       // the fluents of one lane
  std::vector<std::uint64_t> fluent_words_;
  bool has_fluent_words_ = false;
};

// n states, in as many simulators with `lanes` lanes as they need; `fast` and `widest` as in Module::simulator().
BatchParts module_parts(const Module& module, int lanes, bool fast, int n, Vectors widest = Vectors::kAvx512);

}  // namespace ggp

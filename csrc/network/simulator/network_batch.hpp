// A batch of states of a game compiled from GDL: a network simulator whose values are the arrays.
#pragma once

#include <memory>
#include <vector>

#include "arrays/state_batch.hpp"
#include "network/simulator/network_simulator.hpp"

namespace ggp {

class NetworkBatch final : public StateBatch {
 public:
  NetworkBatch(std::shared_ptr<const LaneProgram> program, const LaneKernel& kernel, int count);

  int fluents() const override { return static_cast<int>(program_->fluents); }

  const std::uint64_t* several(int role) override { return several_ + std::size_t(role) * words(); }
  int give(int role, const std::uint64_t* mask, const std::int32_t* moves, bool may_draw) override;
  // Sets the only legal move of roles without a choice, so that a turn costs as much as in a play-out.
  void take_back() override { several_ = network_.choose_single(active_.data()); }
  void play(const std::uint64_t* mask, const std::uint64_t* held) override;
  void draw() override { network_.draw_rest(); }
  void drawn(int role, const std::uint64_t* mask, std::int32_t* out) override;

  void fluent_bytes(std::uint8_t* out, std::size_t stride) override;
  void legal_bytes(int role, std::uint8_t* out, std::size_t stride) override;
  void movers_legal_bytes(const std::uint64_t* of_mover, std::uint8_t* out, std::size_t stride) override;
  void goals(const std::uint64_t* mask, std::int8_t* out, std::size_t stride) override;
  void legal_words(int role, std::uint64_t* out, std::size_t stride) override;
  const std::uint64_t* fluent_words() override { return network_.fluent(0); }

  int percepts(int role) const override { return static_cast<int>(program_->percepts[role].size()); }
  void record_percepts() override;
  void percept_bytes(int role, std::uint8_t* out, std::size_t stride) override;

 private:
  void perceive(const std::uint64_t* mask);
  // Writes a lane mask as bytes.
  void spread(const std::uint64_t* lanes, std::uint8_t* row) const;

  std::shared_ptr<const LaneProgram> program_;
  const LaneKernel& kernel_;
  NetworkSimulator& network_;         // the simulator
  std::uint64_t* several_ = nullptr;  // result of choose_single()
  std::vector<std::uint64_t> row_;    // scratch: a lane mask
  // For each role, a lane mask of each percept in the latest turn; empty unless percepts are recorded.
  std::vector<std::vector<std::uint64_t>> perceived_;
};

// A batch of n states, in the necessary number of simulators.
BatchParts network_parts(const std::shared_ptr<const LaneProgram>& program, const LaneKernel& kernel, int n);

}  // namespace ggp

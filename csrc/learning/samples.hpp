// The positions that a network learns from, encoded for it, in chunks of constant content.
#pragma once

#include <cstdint>
#include <vector>

#include "learning/encoding.hpp"
#include "learning/learning_kernel.hpp"

namespace ggp {

// Positions of finished games as arrays, one entry for each position unless stated otherwise.
struct Positions {
  std::size_t count = 0;
  std::size_t state_words = 0;
  const std::uint64_t* states = nullptr;   // [count, state_words], one bit for each fluent
  const std::int32_t* movers = nullptr;    // the only role that chooses; -1 if there are several
  const float* results = nullptr;          // [count, roles], the reward at the end of the game, -1 .. 1
  const float* searched = nullptr;         // [count, roles], the value that the search found, -1 .. 1
  const std::uint32_t* group_ends = nullptr;  // the end of the groups of a position; groups may be missing
  // By group: the role, and the end of its moves.
  std::size_t groups = 0;
  const std::int32_t* group_roles = nullptr;
  const std::uint32_t* move_ends = nullptr;
  // By move: its number, and its probability; the sum of a group is 1.
  std::size_t moves = 0;
  const std::int32_t* move_numbers = nullptr;
  const float* probabilities = nullptr;
};

class SampleChunk {
 public:
  // Encodes positions. Throws std::invalid_argument with one line if a number is out of its range.
  SampleChunk(const Positions& positions, const Encoding& encoding, const NetworkShape& shape);

  std::size_t size() const { return feature_ends_.size(); }
  std::size_t bytes() const;

  // Writes a sample to memory of the caller. `symmetry` turns the sample (null: unchanged). A value is (1 - mix) times
  // the result + mix times the searched value.
  struct Room {
    std::vector<std::uint16_t> features, policies;
    std::vector<std::uint32_t> group_ends;
    std::vector<float> targets, values;
  };
  Sample sample(std::size_t index, const Encoding::Symmetry* symmetry, float mix, Room& room) const;

 private:
  void encode_values(const float* by_role, const Encoding::View& view, std::vector<float>& to) const;
  void encode_groups(const Positions& positions, std::size_t position, const Encoding::View& view, bool has_policies);

  std::uint32_t values_;
  std::vector<std::uint32_t> feature_ends_, group_ends_, policy_ends_;
  std::vector<std::uint16_t> features_, policies_;
  std::vector<std::uint16_t> targets_;  // probabilities in 1 / kUnit
  std::vector<float> results_, searched_;

  static constexpr float kUnit = 65535;
};

}  // namespace ggp

// Optional interface of simulators: what the roles perceive of a joint move (GDL-II, `sees`).
//
// The percepts of a role have numbers that never change. They are evaluated in the state before the joint move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "interfaces/optional_interface.hpp"

namespace ggp {

class Percepts : public OptionalInterface<InterfaceId::kPercepts> {
 public:
  // Evaluates the percepts of the chosen moves. The user calls perceive() between the last choice of a turn and step().
  // Turns without this call do not evaluate percepts. Throws the exceptions of evaluate().
  virtual void perceive() = 0;
  // Replaces `out` by the numbers of the percepts of a role in a lane, ascending. Valid between perceive() and step(),
  // in lanes with a complete joint move.
  virtual void perceived(int lane, int role, std::vector<std::uint32_t>& out) const = 0;
  // Removes lanes from `mask` if the percepts of a role are not exactly `wanted`: `count` numbers, ascending. Valid
  // when perceived() is valid.
  virtual void keep_lanes(int role, const std::uint32_t* wanted, std::size_t count, std::uint64_t* mask) const = 0;
  // Sets hashes[l] to the XOR of percept_hash(p) over the percepts p of a role, for each lane l of a mask. Valid when
  // perceived() is valid.
  virtual void hash_percepts(int role, const std::uint64_t* mask, std::uint64_t* hashes) const = 0;

  // The 64 bits that stand for a percept in hashes (Zobrist, 1970).
  static std::uint64_t percept_hash(std::uint32_t percept) {
    return mix64(0x9E3779B97F4A7C15ull * (std::uint64_t{percept} + 1));
  }
};

}  // namespace ggp

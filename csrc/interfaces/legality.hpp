// Optional interfaces of simulators: legal moves without a list of all legal moves. The functions are valid in states
// that are not terminal, for the role to move (reported_moves.hpp).
#pragma once

#include <cstdint>

#include "interfaces/game_policy.hpp"
#include "interfaces/optional_interface.hpp"

namespace ggp {

// Games in which no role has more than 64 moves.
class BitwiseLegality : public OptionalInterface<InterfaceId::kBitwiseLegality> {
 public:
  // The legal moves as bits.
  virtual std::uint64_t legal_bits(int lane) const = 0;
};

// Games that check single moves faster than they list all legal moves.
class LegalityLookup : public OptionalInterface<InterfaceId::kLegalityLookup> {
 public:
  // Checks `count` different numbers of moves. Writes each index i for which moves[i] is legal to `indices`, in
  // ascending order. Leaves out moves that the way of drawing `by` never plays. Returns the number of written indices.
  // Numbers from Simulator::moves(role) on are not legal.
  virtual std::uint32_t find_legal(int lane, MoveDraw by, const std::uint32_t* moves, std::uint32_t count,
                                   std::uint32_t* indices) = 0;
};

// Games in which a role may have thousands of moves. The user stores a state and computes its legal moves again when
// needed; a state takes less memory than the set of its legal moves. Several threads may call these functions.
class StoredLegality : public OptionalInterface<InterfaceId::kStoredLegality> {
 public:
  // The array of legal_in() has space for this number of moves after the legal moves.
  static constexpr int kSpare = 16;

  // Writes the legal moves of a packed state (Simulator::store()) in ascending order; returns their number.
  virtual int legal_in(const std::uint64_t* state, int* moves) const = 0;
  // The legal move with the index n in the order of legal_in().
  virtual int nth_legal_in(const std::uint64_t* state, std::uint32_t n) const = 0;
};

}  // namespace ggp

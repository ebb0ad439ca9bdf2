// Optional interfaces of simulators: legal moves without a list of all of them. They are valid in lanes and states that
// are not terminal, for the role to move (reported_moves.hpp).
#pragma once

#include <cstdint>

#include "interfaces/game_policy.hpp"
#include "interfaces/optional_interface.hpp"

namespace ggp {

// Games in which no role has more than 64 moves.
class BitwiseLegality {
 public:
  static constexpr InterfaceId kId = InterfaceId::kBitwiseLegality;

  // The legal moves as bits.
  virtual std::uint64_t legal_bits(int lane) const = 0;

 protected:
  ~BitwiseLegality() = default;
};

// Games that check single moves faster than they list all legal ones.
class LegalityLookup {
 public:
  static constexpr InterfaceId kId = InterfaceId::kLegalityLookup;

  // Looks up `count` different numbers of moves and writes the indices i for which moves[i] is legal to `indices`, in
  // ascending order. Moves that this way of drawing never plays are left out. Returns how many
  // indices were written. Numbers from moves(role) on are not legal.
  virtual std::uint32_t find_legal(int lane, MoveDraw by, const std::uint32_t* moves, std::uint32_t count,
                                   std::uint32_t* indices) = 0;

 protected:
  ~LegalityLookup() = default;
};

// Games in which a role may have thousands of moves: the legal moves of a state are computed again from the state,
// which takes less memory than their set. Several threads may call these functions.
class StoredLegality {
 public:
  static constexpr InterfaceId kId = InterfaceId::kStoredLegality;
  // legal_in() needs space for this number of moves beyond the legal moves.
  static constexpr int kSpare = 16;

  // Writes the legal moves of a state, as store() returns it, in ascending order; returns their number.
  virtual int legal_in(const std::uint64_t* state, int* moves) const = 0;
  // The legal move with an index in that order.
  virtual int nth_legal_in(const std::uint64_t* state, std::uint32_t n) const = 0;

 protected:
  ~StoredLegality() = default;
};

}  // namespace ggp

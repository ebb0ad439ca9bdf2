// Optional interfaces of simulators: legal moves without a list of all of them. Both are valid in lanes that are not
// terminal, for the role to move (reported_moves.hpp).
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

}  // namespace ggp

// A game with hidden information (GDL-II) in the lanes of a simulator, for beliefs and searches.
//
// The information state of a role is the sequence of its moves and sets of percepts. An information state has a 64-bit
// key. For the move m and the percepts P of a turn,
//   key' = mix(key * c + m + 2  XOR  h),   h = XOR of percept_hash(p) over p in P
// where c is an odd constant and mix is a bijection of 64 bits (random.hpp). m is -1 for a role with one legal move: a
// role knows its legal moves, so a forced move is no information. Each turn changes the key, so the key includes the
// number of turns. Two information states have equal keys with probability 2^-64 (Zobrist, 1970).
#pragma once

#include <cstdint>
#include <vector>

#include "base/choices.hpp"
#include "base/lane_mask.hpp"
#include "interfaces/lane_columns.hpp"
#include "interfaces/percepts.hpp"
#include "simulator.hpp"

namespace ggp {

constexpr std::uint64_t kFirstKey = 0x243F6A8885A308D3ull;
constexpr std::int32_t kForced = -1;

inline std::uint64_t next_key(std::uint64_t key, std::int32_t move, std::uint64_t percepts) {
  const auto added = static_cast<std::uint64_t>(static_cast<std::int64_t>(move) + 2);
  return mix64((key * 0xD1342543DE82EF95ull + added) ^ percepts);
}

class HiddenGame {
 public:
  // `chance` is the number of the role of chance, or -1. Throws std::invalid_argument with one line if the simulator
  // does not have percepts.
  HiddenGame(Simulator& simulator, int chance);

  Simulator& simulator() const { return simulator_; }
  int roles() const { return simulator_.roles(); }
  int lanes() const { return simulator_.lanes(); }
  int words() const { return simulator_.state_words(); }
  int chance() const { return chance_; }
  // The largest number of moves of a role, at least 1.
  int widest() const { return static_cast<int>(legal_.size()); }
  // The number of roles except chance.
  int players() const { return simulator_.roles() - (chance_ >= 0); }

  // Removes the lanes from a mask in which a move is not legal; valid after evaluate().
  void keep_legal(int role, int move, LaneMask& mask);
  // Removes the lanes from a mask in which the percepts of a role differ; valid between perceive() and step().
  void keep_perceiving(int role, const std::vector<std::uint32_t>& wanted, LaneMask& mask) const {
    percepts_->keep_lanes(role, wanted.data(), wanted.size(), mask.data());
  }
  void perceive() { percepts_->perceive(); }

  // Replaces the keys of all roles but chance in the lanes of a mask: keys[roles() * l + r]. moves[lanes() * r + l] are
  // the chosen moves, kForced for forced ones. Valid between perceive() and step().
  void advance_keys(const LaneMask& mask, const std::int32_t* moves, std::uint64_t* keys);

 private:
  Simulator& simulator_;
  Percepts* percepts_;
  LaneColumns* columns_;
  int chance_;
  std::vector<std::uint64_t> hashes_;
  std::vector<int> legal_;
};

}  // namespace ggp

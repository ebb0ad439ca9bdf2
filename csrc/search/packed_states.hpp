// States as the nodes of a tree keep them: those of many words without what is 0 in them (packed_bits.hpp), since games
// with thousands of fluents have few that hold at once; those of few words as they are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "search/packed_bits.hpp"

namespace ggp {

class PackedStates {
 public:
  // States of so many words.
  explicit PackedStates(int words) : bits_(words), packs_(words >= kMany) {}

  int words() const { return bits_.words(); }
  // Bytes of a state once it is packed.
  std::size_t packed_bytes(const std::uint64_t* state) const { return packs_ ? bits_.packed_bytes(state) : plain_bytes(); }
  // Bytes of a packed state.
  std::size_t size(const std::uint8_t* packed) const { return packs_ ? bits_.size(packed) : plain_bytes(); }
  // `to` is aligned like a word.
  void pack(const std::uint64_t* state, std::uint8_t* to) const {
    if (packs_) return bits_.pack(state, to);
    std::copy_n(state, words(), reinterpret_cast<std::uint64_t*>(to));
  }
  // The state: what was packed itself where it is kept as it is, else `room` for words(), which it is written to.
  const std::uint64_t* unpack(const std::uint8_t* packed, std::uint64_t* room) const {
    if (!packs_) return plain(packed);
    bits_.unpack(packed, room);
    return room;
  }
  bool is_packed_from(const std::uint8_t* packed, const std::uint64_t* state) const {
    return packs_ ? bits_.is_packed_from(packed, state) : std::equal(state, state + words(), plain(packed));
  }

 private:
  // Fewer words are a small part of a node.
  static constexpr int kMany = 8;

  std::size_t plain_bytes() const { return words() * sizeof(std::uint64_t); }
  static const std::uint64_t* plain(const std::uint8_t* packed) {
    return reinterpret_cast<const std::uint64_t*>(packed);
  }

  PackedBits bits_;
  bool packs_;
};

}  // namespace ggp

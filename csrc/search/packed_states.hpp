// States as the nodes of a tree keep them.
//
// Of a state of many words most are 0: games with thousands of fluents have few that hold at once. Such a state is kept as a
// bitmap of the words that are not 0, and these words. Of few words it is kept as it is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ggp {

class PackedStates {
 public:
  // States of so many words.
  explicit PackedStates(int words) : words_(words), map_words_(words >= kMany ? (words + 63) / 64 : 0) {}

  int words() const { return words_; }
  // Words of a state once it is packed.
  std::size_t packed_words(const std::uint64_t* state) const {
    if (map_words_ == 0) return words_;
    return map_words_ + words_ - std::count(state, state + words_, std::uint64_t{0});
  }
  // Words of a packed state.
  std::size_t size(const std::uint64_t* packed) const {
    if (map_words_ == 0) return words_;
    std::size_t size = map_words_;
    for (int i = 0; i < map_words_; ++i) size += __builtin_popcountll(packed[i]);
    return size;
  }
  void pack(const std::uint64_t* state, std::uint64_t* to) const {
    std::uint64_t* out = std::fill_n(to, map_words_, 0);
    for (int i = 0; i < words_; ++i) {
      if (map_words_ > 0 && state[i] == 0) continue;
      if (map_words_ > 0) to[i / 64] |= std::uint64_t{1} << (i % 64);
      *out++ = state[i];
    }
  }
  // The state: what was packed itself where it is kept as it is, else `room` for words(), which it is written to.
  const std::uint64_t* unpack(const std::uint64_t* packed, std::uint64_t* room) const {
    if (map_words_ == 0) return packed;
    const std::uint64_t* in = packed + map_words_;
    for (int i = 0; i < words_; ++i) room[i] = packed[i / 64] >> (i % 64) & 1 ? *in++ : 0;
    return room;
  }
  bool is_packed_from(const std::uint64_t* packed, const std::uint64_t* state) const {
    if (map_words_ == 0) return std::equal(state, state + words_, packed);
    const std::uint64_t* in = packed + map_words_;
    for (int i = 0; i < words_; ++i)
      if (state[i] != (packed[i / 64] >> (i % 64) & 1 ? *in++ : 0)) return false;
    return true;
  }

 private:
  // Fewer words are a small part of a node.
  static constexpr int kMany = 16;

  int words_, map_words_;
};

}  // namespace ggp

// Rows of bits as a tree stores them: states, sets of legal moves.
//
// Most bits of rows with many words are 0, because few of thousands of fluents hold at once. Such a row is stored
// without its zero bytes:
//     map           one bit for each word: 1 if the word is not 0
//     for each word that is not 0:
//         mask      one bit for each of the eight bytes: 1 if the byte is not 0
//         bytes     the bytes that are not 0, the lowest first
// A word with one bit takes two bytes, and a full word takes nine. A row of few words is stored unchanged.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ggp {

class PackedBits {
 public:
  // Rows of `words` words; stored unchanged if `words` is less than `many`.
  PackedBits(int words, int many) : words_(words), map_bytes_((words + 7) / 8), plain_(words < many) {}

  int words() const { return words_; }
  // Whether rows are stored unchanged.
  bool is_plain() const { return plain_; }
  // Size in bytes of a row after packing.
  std::size_t packed_bytes(const std::uint64_t* row) const {
    if (plain_) return plain_bytes();
    std::size_t bytes = map_bytes_;
    for (int i = 0; i < words_; ++i) {
      if (row[i] != 0) bytes += 1 + kOnes[mask_of(row[i])];
    }
    return bytes;
  }
  // Size in bytes of a packed row.
  std::size_t size(const std::uint8_t* packed) const {
    if (plain_) return plain_bytes();
    const std::uint8_t* in = packed + map_bytes_;
    for (int i = 0; i < map_bytes_; ++i) {
      for (int words = kOnes[packed[i]]; words > 0; --words) in += 1 + kOnes[*in];
    }
    return in - packed;
  }
  void pack(const std::uint64_t* row, std::uint8_t* to) const {
    if (plain_) return void(std::memcpy(to, row, plain_bytes()));
    std::uint8_t* out = std::fill_n(to, map_bytes_, 0);
    for (int i = 0; i < words_; ++i) {
      if (row[i] == 0) continue;
      to[i / 8] |= 1u << i % 8;
      const std::uint8_t mask = mask_of(row[i]);
      *out++ = mask;
      for (unsigned left = mask; left != 0; left &= left - 1) {
        *out++ = static_cast<std::uint8_t>(row[i] >> 8 * __builtin_ctz(left));
      }
    }
  }
  // Returns the row: the packed row itself if it is stored unchanged, else `room`, which must have space for words()
  // words. The packed row is aligned like a word.
  const std::uint64_t* unpack(const std::uint8_t* packed, std::uint64_t* room) const {
    if (plain_) return reinterpret_cast<const std::uint64_t*>(packed);
    std::fill_n(room, words_, 0);
    for_each_word(packed, [room](int i, std::uint64_t word) { room[i] = word; });
    return room;
  }
  bool is_packed_from(const std::uint8_t* packed, const std::uint64_t* row) const {
    if (plain_) return std::memcmp(packed, row, plain_bytes()) == 0;
    const auto is_zero = [](std::uint64_t word) { return word == 0; };
    const std::uint64_t* next = row;
    const bool differs = any_word(packed, [&](int i, std::uint64_t word) {
      const bool same = word == row[i] && std::all_of(next, row + i, is_zero);
      next = row + i + 1;
      return !same;
    });
    return !differs && std::all_of(next, row + words_, is_zero);
  }
  // The index of the n-th set bit, from 0. The row has more than n set bits.
  std::uint32_t nth(const std::uint8_t* packed, std::uint32_t n) const {
    std::uint32_t place = 0;
    any_word(packed, [&](int i, std::uint64_t word) {
      const std::uint64_t sums = sums_of_ones(word);
      if (n >= sums >> 56) {
        n -= sums >> 56;
        return false;
      }
      // The first byte whose sum is more than n. Sums and n + 1 are at most 64, so the top bits are free. A loop is
      // slower, because its end is unpredictable.
      const std::uint64_t more = ((sums | kTops) - (n + 1) * (kTops >> 7)) & kTops;
      const int shift = __builtin_ctzll(more) - 7;
      n -= sums << 8 >> shift & 0xFF;
      place = 64 * i + shift + kPlaces[word >> shift & 0xFF][n];
      return true;
    });
    return place;
  }
  // Calls visit(i, word) for the words in order. Words that are 0 may be skipped.
  template <class Visit>
  void for_each_word(const std::uint8_t* packed, Visit visit) const {
    any_word(packed, [&visit](int i, std::uint64_t word) {
      visit(i, word);
      return false;
    });
  }

 private:
  std::size_t plain_bytes() const { return words_ * sizeof(std::uint64_t); }

  // Calls visit(i, word) for the words in order until visit() returns true. Words that are 0 may be skipped.
  template <class Visit>
  bool any_word(const std::uint8_t* packed, Visit visit) const {
    if (plain_) {
      for (int i = 0; i < words_; ++i) {
        std::uint64_t word;
        std::memcpy(&word, packed + i * sizeof word, sizeof word);
        if (visit(i, word)) return true;
      }
      return false;
    }
    const std::uint8_t* in = packed + map_bytes_;
    for (int i = 0; i < map_bytes_; ++i) {
      for (unsigned map = packed[i]; map != 0; map &= map - 1) {
        std::uint64_t word = 0;
        for (unsigned mask = *in++; mask != 0; mask &= mask - 1) {
          word |= std::uint64_t{*in++} << 8 * __builtin_ctz(mask);
        }
        if (visit(8 * i + __builtin_ctz(map), word)) return true;
      }
    }
    return false;
  }

  // The number of set bits of a byte.
  static constexpr std::array<std::uint8_t, 256> kOnes = [] {
    std::array<std::uint8_t, 256> ones{};
    for (unsigned byte = 1; byte < 256; ++byte) ones[byte] = static_cast<std::uint8_t>(ones[byte / 2] + byte % 2);
    return ones;
  }();

  // The indices of the set bits of a byte.
  static constexpr std::array<std::array<std::uint8_t, 8>, 256> kPlaces = [] {
    std::array<std::array<std::uint8_t, 8>, 256> places{};
    for (unsigned byte = 1; byte < 256; ++byte) {
      int n = 0;
      for (unsigned bit = 0; bit < 8; ++bit) {
        if (byte >> bit & 1) places[byte][n++] = static_cast<std::uint8_t>(bit);
      }
    }
    return places;
  }();

  // The top bits of the bytes of a word.
  static constexpr std::uint64_t kTops = 0x8080808080808080ull;

  // In each byte: the number of set bits of the word up to and including this byte.
  static std::uint64_t sums_of_ones(std::uint64_t word) {
    word -= (word >> 1) & 0x5555555555555555ull;
    word = (word & 0x3333333333333333ull) + ((word >> 2) & 0x3333333333333333ull);
    return ((word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Full) * 0x0101010101010101ull;
  }

  static std::uint8_t mask_of(std::uint64_t word) {
    // The top bit of every byte is 1 if the byte is not 0; the product collects the eight bits.
    const std::uint64_t tops = (((word & ~kTops) + ~kTops) | word) & kTops;
    return static_cast<std::uint8_t>((tops >> 7) * 0x0102040810204080ull >> 56);
  }

  int words_, map_bytes_;
  bool plain_;
};

}  // namespace ggp

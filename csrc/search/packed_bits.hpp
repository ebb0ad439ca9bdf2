// Bits of which most are 0, without their zero bytes: states of many fluents, sets of legal moves.
//
// A row of words is kept as
//     a map         a bit for each word: whether it is not 0
//     for each such word
//         a mask    a bit for each of its eight bytes: whether it is not 0
//         the bytes that are not 0, the lowest first
// so a word of one bit takes two bytes, and one that is full takes nine.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace ggp {

class PackedBits {
 public:
  // Rows of so many words.
  explicit PackedBits(int words) : words_(words), map_bytes_((words + 7) / 8) {}

  int words() const { return words_; }
  // Bytes of a row once it is packed.
  std::size_t packed_bytes(const std::uint64_t* row) const {
    std::size_t bytes = map_bytes_;
    for (int i = 0; i < words_; ++i) {
      if (row[i] != 0) bytes += 1 + ones(mask_of(row[i]));
    }
    return bytes;
  }
  // Bytes of a packed row.
  std::size_t size(const std::uint8_t* packed) const {
    const std::uint8_t* in = packed + map_bytes_;
    for (int i = 0; i < map_bytes_; ++i) {
      for (int words = ones(packed[i]); words > 0; --words) in += 1 + ones(*in);
    }
    return in - packed;
  }
  void pack(const std::uint64_t* row, std::uint8_t* to) const {
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
  void unpack(const std::uint8_t* packed, std::uint64_t* row) const {
    std::fill_n(row, words_, 0);
    for_each_word(packed, [row](int i, std::uint64_t word) { row[i] = word; });
  }
  bool is_packed_from(const std::uint8_t* packed, const std::uint64_t* row) const {
    const auto is_zero = [](std::uint64_t word) { return word == 0; };
    const std::uint64_t* next = row;
    bool same = true;
    for_each_word(packed, [&](int i, std::uint64_t word) {
      same = same && word == row[i] && std::all_of(next, row + i, is_zero);
      next = row + i + 1;
    });
    return same && std::all_of(next, row + words_, is_zero);
  }
  // The place of the n-th bit that is 1, from 0, of more than n.
  std::uint32_t nth(const std::uint8_t* packed, std::uint32_t n) const {
    const std::uint8_t* in = packed + map_bytes_;
    for (int i = 0;; ++i) {
      for (unsigned map = packed[i]; map != 0; map &= map - 1) {
        for (unsigned mask = *in++; mask != 0; mask &= mask - 1) {
          unsigned byte = *in++;
          if (n >= ones(byte)) {
            n -= ones(byte);
            continue;
          }
          for (; n > 0; --n) byte &= byte - 1;
          return 64 * (8 * i + __builtin_ctz(map)) + 8 * __builtin_ctz(mask) + __builtin_ctz(byte);
        }
      }
    }
  }
  // Calls visit(i, word) for all words that are not 0, in order; returns where the packed row ends.
  template <class Visit>
  const std::uint8_t* for_each_word(const std::uint8_t* packed, Visit visit) const {
    const std::uint8_t* in = packed + map_bytes_;
    for (int i = 0; i < map_bytes_; ++i) {
      for (unsigned map = packed[i]; map != 0; map &= map - 1) {
        std::uint64_t word = 0;
        for (unsigned mask = *in++; mask != 0; mask &= mask - 1) {
          word |= std::uint64_t{*in++} << 8 * __builtin_ctz(mask);
        }
        visit(8 * i + __builtin_ctz(map), word);
      }
    }
    return in;
  }

 private:
  // The number of bits of a byte that are 1.
  static std::uint32_t ones(unsigned byte) { return kOnes[byte]; }
  static constexpr std::array<std::uint8_t, 256> kOnes = [] {
    std::array<std::uint8_t, 256> ones{};
    for (unsigned byte = 1; byte < 256; ++byte) ones[byte] = static_cast<std::uint8_t>(ones[byte / 2] + byte % 2);
    return ones;
  }();

  static std::uint8_t mask_of(std::uint64_t word) {
    // The top bit of every byte tells whether the byte is 0; the product brings the eight of them together.
    constexpr std::uint64_t kLow = 0x7F7F7F7F7F7F7F7Full;
    const std::uint64_t tops = (((word & kLow) + kLow) | word) & ~kLow;
    return static_cast<std::uint8_t>((tops >> 7) * 0x0102040810204080ull >> 56);
  }

  int words_, map_bytes_;
};

}  // namespace ggp

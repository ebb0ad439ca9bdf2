// Marks of blocks of a heap: one bit for each unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/tree/archive.hpp"
#include "search/tree/heap.hpp"

namespace ggp {

class Marks {
 public:
  // Clears all marks, and sets the number of units.
  void clear(std::size_t units) { bits_.assign((units + 63) / 64, 0); }

  // Marks a block; returns whether it was not marked before. Blocks beyond the units count as marked.
  bool is_first(Index block) {
    const std::size_t word = block >> 6;
    if (word >= bits_.size()) return false;
    const std::uint64_t bit = std::uint64_t{1} << (block & 63);
    const bool first = (bits_[word] & bit) == 0;
    bits_[word] |= bit;
    return first;
  }
  // Whether a block is marked; blocks beyond the units count as not marked.
  bool has(Index block) const {
    return (block >> 6) < bits_.size() && (bits_[block >> 6] >> (block & 63) & 1) != 0;
  }

  void archive(Archive& archive) { archive(bits_); }

 private:
  std::vector<std::uint64_t> bits_;
};

}  // namespace ggp

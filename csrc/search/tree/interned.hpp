// Rows of whole numbers, all of one width, stored once each and identified by a number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/random.hpp"
#include "search/tree/archive.hpp"
#include "search/tree/heap.hpp"

namespace ggp {

class Interned {
 public:
  explicit Interned(int width) : width_(width) {}

  // Returns the number of a row, which is added if it is new.
  Index add(const int* row) {
    const std::uint64_t key = key_of(row);
    auto [first, last] = by_hash_.equal_range(key);
    for (; first != last; ++first) {
      if (std::equal(row, row + width_, at(first->second))) return first->second;
    }
    const Index index = static_cast<Index>(values_.size() / width_);
    values_.insert(values_.end(), row, row + width_);
    by_hash_.emplace(key, index);
    return index;
  }

  void archive(Archive& archive) {
    archive(values_);
    if (!archive.reads()) return;
    if (values_.size() % width_ != 0) throw ArchiveError("a table has another size");
    by_hash_.clear();
    for (Index index = 0; index < size(); ++index) by_hash_.emplace(key_of(at(index)), index);
  }

  const int* at(Index index) const { return &values_[std::size_t{index} * width_]; }
  Index size() const { return static_cast<Index>(values_.size() / width_); }

 private:
  std::uint64_t key_of(const int* row) const {
    std::uint64_t key = 0;
    for (int i = 0; i < width_; ++i) key = mix64(key * 0x9E3779B97F4A7C15ull + static_cast<std::uint64_t>(row[i] + 2));
    return key;
  }

  int width_;
  std::vector<int> values_;
  std::unordered_multimap<std::uint64_t, Index> by_hash_;
};

}  // namespace ggp

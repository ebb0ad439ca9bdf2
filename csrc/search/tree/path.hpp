// The path of a simulation through the tree (traversal.hpp describes its steps).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/tree/heap.hpp"

namespace ggp {

// A growing array of numbers for which memory is reserved in advance, so that adding a number needs no check.
class Numbers {
 public:
  std::size_t size() const { return size_; }
  const std::uint32_t* data() const { return reserved_.data(); }
  std::uint32_t operator[](std::size_t place) const { return reserved_[place]; }
  void clear() { size_ = 0; }
  void reserve_more(std::size_t count) {
    if (reserved_.size() - size_ < count) reserved_.resize(2 * size_ + count + kFirst);
  }
  // The memory must be reserved.
  void add(std::uint32_t number) { reserved_[size_++] = number; }

 private:
  static constexpr std::size_t kFirst = 32;

  std::vector<std::uint32_t> reserved_;
  std::size_t size_ = 0;
};

struct Path {
  Numbers words;
  Numbers begins;                 // index in `words` at which each step begins
  Index deepest = kNone;          // the deepest node: the start of the last step, unless that step got no memory
  std::size_t deepest_at = 0;     // index in `words` of the step of the deepest node
  Index reference = kNone;        // the reference of GRAVE (amaf.hpp)

  std::uint32_t depth() const { return static_cast<std::uint32_t>(begins.size()); }
  const std::uint32_t* step(std::size_t number) const { return words.data() + begins[number]; }
  const std::uint32_t* last() const { return step(begins.size() - 1); }
  void clear() {
    words.clear();
    begins.clear();
    deepest = reference = kNone;
    deepest_at = 0;
  }
};

}  // namespace ggp

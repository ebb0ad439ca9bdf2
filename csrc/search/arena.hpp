// Storage for the parts of a tree: items of one size, named by 32-bit indices that stay valid.
//
// Memory is taken in chunks of a power of two of items, so growing never moves anything and needs no
// second copy; within a chunk a block of several items is contiguous. Fresh items are not cleared, and
// pages of a chunk that were never touched cost nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace ggp {

using Index = std::uint32_t;

// Untyped, because the size of a node depends on the number of roles.
class Arena {
 public:
  // A chunk takes at least `chunk_items` items and at least one block of `widest` items.
  Arena(std::size_t item_bytes, std::size_t chunk_items, std::size_t widest = 1) : item_bytes_(item_bytes) {
    while ((std::size_t{1} << shift_) < chunk_items || (std::size_t{1} << shift_) < widest) ++shift_;
    mask_ = (std::size_t{1} << shift_) - 1;
  }

  // Returns the index of the first of `count` neighbouring items. Throws std::bad_alloc, changing nothing.
  Index allocate(std::size_t count) {
    std::size_t first = size_;
    if ((first & mask_) + count > mask_ + 1) first = (first | mask_) + 1;
    if (first + count > kMost) throw std::bad_alloc();
    if (first + count > chunks_.size() << shift_) add_chunk();
    size_ = first + count;
    return static_cast<Index>(first);
  }

  std::byte* at(Index index) const {
    return chunks_[index >> shift_].get() + (index & mask_) * item_bytes_;
  }

  std::size_t size() const { return size_; }
  // Bytes in use, without the untouched rest of the last chunk.
  std::size_t bytes() const { return size_ * item_bytes_; }

 private:
  static constexpr std::size_t kAlignment = 64;
  // Half of what an index can say: the other half names what is not in an arena.
  static constexpr std::size_t kMost = std::size_t{1} << 31;

  struct Release {
    void operator()(std::byte* chunk) const { ::operator delete(chunk, std::align_val_t(kAlignment)); }
  };

  void add_chunk() {
    if (chunks_.size() == chunks_.capacity()) chunks_.reserve(2 * chunks_.size() + 4);
    void* chunk = ::operator new(item_bytes_ << shift_, std::align_val_t(kAlignment));
    chunks_.emplace_back(static_cast<std::byte*>(chunk));
  }

  std::size_t item_bytes_;
  unsigned shift_ = 0;
  std::size_t mask_ = 0;
  std::size_t size_ = 0;
  std::vector<std::unique_ptr<std::byte, Release>> chunks_;
};

template <class T>
class TypedArena : public Arena {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit TypedArena(std::size_t chunk_items, std::size_t widest = 1) : Arena(sizeof(T), chunk_items, widest) {}
  T* at(Index index) const { return reinterpret_cast<T*>(Arena::at(index)); }
};

}  // namespace ggp

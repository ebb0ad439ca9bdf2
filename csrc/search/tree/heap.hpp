// Storage for the parts of a tree: blocks of 8-byte units, named by 32-bit indices that stay valid.
//
// Memory is allocated in chunks, so growing never moves blocks and needs no second copy. Pages of a chunk that were
// never touched cost nothing. A large heap uses huge pages, if the system has them. New blocks are not cleared.
//
// While the heap may still grow, freed blocks wait in lists of their exact size for the next allocation of that size.
// Once the heap is full, free blocks are merged with free neighbours and kept by size as in TLSF (Masmano, Ripoll,
// Crespo and Real, "TLSF: a new dynamic memory allocator for real-time systems", ECRTS 2004): allocating and freeing
// take constant time, and small blocks are merged to large blocks. Two bits per unit mark the beginning and the end of
// free blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "search/tree/archive.hpp"

namespace ggp {

using Index = std::uint32_t;

// No block.
constexpr Index kNone = 0xFFFFFFFFu;

class Heap {
 public:
  static constexpr std::size_t kUnit = 8;
  static constexpr std::size_t units_for(std::size_t bytes) { return (bytes + kUnit - 1) / kUnit; }

  explicit Heap(std::size_t most_bytes) : most_(most_bytes) {
    waiting_.fill(kNone);
    bins_.fill(kNone);
  }

  // Returns a block of `units` units, at least 1; kNone if the heap would exceed its limit, unless `beyond` is set.
  // Throws std::bad_alloc and changes nothing.
  Index allocate(std::size_t units, bool beyond = false);
  void give_back(Index block, std::size_t units);

  // Memory that may be read after every block.
  static constexpr std::size_t kReadable = 128;

  std::byte* at(Index block) const { return chunks_[block >> kShift] + (block & kMask) * kUnit; }

  // Bytes in use, and the highest extent so far, including holes.
  std::size_t bytes() const { return extent_ - free_; }
  std::size_t extent() const { return extent_; }
  // Bytes that may still be allocated, though perhaps in small blocks only.
  std::size_t room() const { return (most_ > extent_ ? most_ - extent_ : 0) + free_; }
  // Changes the limit; blocks in use stay.
  void set_most(std::size_t most_bytes) { most_ = most_bytes; }
  // Blocks keep their indices.
  void archive(Archive& archive);
  // The number of refused allocations.
  std::uint64_t refusals() const { return refusals_; }

 private:
  static constexpr unsigned kShift = 14;
  static constexpr std::size_t kMask = (std::size_t{1} << kShift) - 1;
  static constexpr std::size_t kAlignment = 64;
  // Half of the range of an index. The other half identifies things outside of a heap.
  static constexpr std::size_t kMost = std::size_t{1} << 31;
  // Each size below this has its own list and bin.
  static constexpr std::size_t kExact = 64;
  static constexpr std::size_t kBins = kExact + 4 * 26;

  // The first unit of a free block. In a full heap both links are used, and the second and the last unit contain the
  // size.
  struct Links {
    std::uint32_t before_or_units;
    Index after;
  };
  struct Size {
    std::uint32_t of_start, of_end;
  };

  struct Release {
    std::align_val_t alignment;
    void operator()(std::byte* piece) const { ::operator delete(piece, alignment); }
  };

  Links& links(Index block) const { return *reinterpret_cast<Links*>(at(block)); }
  Size& size_at(Index unit) const { return *reinterpret_cast<Size*>(at(unit)); }

  static std::size_t bin_of(std::size_t units);
  std::size_t cost_of_carving(std::size_t units) const;
  Index carve(std::size_t units);
  void add_chunks(std::size_t count);
  void add_piece(std::size_t count, bool huge);
  Index take_waiting(std::size_t units);
  void become_full();
  Index take_free(std::size_t units);
  Index find_free(std::size_t units) const;
  std::size_t units_of(Index block) const;
  void link(Index block, std::size_t units);
  void unlink(Index block);
  void merge_in(Index block, std::size_t units);

  static bool has(const std::vector<std::uint64_t>& bits, Index unit) { return bits[unit >> 6] >> (unit & 63) & 1; }
  static void flip(std::vector<std::uint64_t>& bits, Index unit) { bits[unit >> 6] ^= std::uint64_t{1} << (unit & 63); }

  std::size_t most_;
  std::size_t extent_ = 0;  // bytes ever carved
  std::size_t free_ = 0;    // bytes of free blocks
  std::uint64_t refusals_ = 0;
  std::size_t next_ = 0;    // first unit that was never carved; the rest of the last chunk is one piece
  std::vector<std::byte*> chunks_;
  std::vector<std::unique_ptr<std::byte, Release>> owned_;
  // Free blocks while the heap is not full, by size.
  std::array<Index, kBins> waiting_;
  bool full_ = false;
  // Free blocks once the heap is full.
  std::array<Index, kBins> bins_;
  std::array<std::uint64_t, (kBins + 63) / 64> filled_{};  // bins with blocks
  std::vector<std::uint64_t> starts_, ends_;
};

// Marks of blocks of a heap: one bit for each unit.
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

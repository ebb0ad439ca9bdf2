#include "search/tree/heap.hpp"

#include <algorithm>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace ggp {

namespace {

// Blocks of a list that are tried before a larger size is used.
constexpr int kMostTries = 8;

// A heap of at least this many bytes uses huge pages: a tree of hundreds of megabytes is read everywhere, and with
// pages of 4 KiB most reads would wait for the page table first.
constexpr std::size_t kHugePage = std::size_t{1} << 21;

void ask_for_huge_pages(void* piece, std::size_t bytes) {
#ifdef __linux__
  madvise(piece, bytes, MADV_HUGEPAGE);  // if it is refused, small pages are used
#else
  (void)piece, (void)bytes;
#endif
}

}  // namespace

Index Heap::allocate(std::size_t units, bool beyond) {
  const bool may_grow = extent_ + cost_of_carving(units) <= most_;
  if (!full_) {
    const Index waiting = take_waiting(units);
    if (waiting != kNone) return waiting;
    if (may_grow) return carve(units);
    become_full();
  }
  const Index block = take_free(units);
  if (block != kNone) return block;
  if (may_grow || beyond) return carve(units);
  ++refusals_;
  return kNone;
}

void Heap::give_back(Index block, std::size_t units) {
  free_ += units * kUnit;
  if (full_) return merge_in(block, units);
  Index& head = waiting_[bin_of(units)];
  links(block) = {static_cast<std::uint32_t>(units), head};
  head = block;
}

// Each small size has its own bin. Above, four bins share each power of two.
std::size_t Heap::bin_of(std::size_t units) {
  if (units < kExact) return units;
  const int log = 63 - __builtin_clzll(units);
  return kExact + 4 * (log - 6) + (units >> (log - 2) & 3);
}

// ---- growing

std::size_t Heap::cost_of_carving(std::size_t units) const {
  const std::size_t rest = (chunks_.size() << kShift) - next_;
  return (rest < units ? rest + units : units) * kUnit;
}

// Allocates units that were never in use; the rest of a chunk that is too small becomes a free block.
Index Heap::carve(std::size_t units) {
  const std::size_t rest = (chunks_.size() << kShift) - next_;
  if (rest < units) {
    add_chunks((units + kMask) >> kShift);
    if (rest > 0) {
      extent_ += rest * kUnit;
      give_back(static_cast<Index>(next_), rest);
      next_ += rest;
    }
  }
  const std::size_t first = next_;
  next_ += units;
  extent_ += units * kUnit;
  return static_cast<Index>(first);
}

void Heap::add_chunks(std::size_t count) {
  constexpr std::size_t kBytes = kUnit << kShift, kPerHugePage = kHugePage / kBytes;
  const bool huge = extent_ >= kHugePage && extent_ + kHugePage <= most_;
  if (huge) count = (count + kPerHugePage - 1) / kPerHugePage * kPerHugePage;
  const std::size_t chunks = chunks_.size() + count;
  if (chunks > kMost >> kShift) throw std::bad_alloc();
  if (chunks > chunks_.capacity()) chunks_.reserve(2 * chunks + 4);
  if (owned_.size() == owned_.capacity()) owned_.reserve(2 * owned_.size() + 4);
  if (full_) {
    starts_.resize(chunks << kShift >> 6);
    ends_.resize(chunks << kShift >> 6);
  }
  add_piece(count, huge);
}

// Adds chunks that are neighbours in memory.
void Heap::add_piece(std::size_t count, bool huge) {
  constexpr std::size_t kBytes = kUnit << kShift;
  const std::align_val_t alignment{huge ? kHugePage : kAlignment};
  void* piece = ::operator new(count * kBytes + kReadable, alignment);
  owned_.emplace_back(static_cast<std::byte*>(piece), Release{alignment});
  if (huge) ask_for_huge_pages(piece, count * kBytes);
  for (std::size_t i = 0; i < count; ++i) chunks_.push_back(owned_.back().get() + i * kBytes);
}

// Loading makes one piece of all chunks. Chunks that were neighbours in memory stay neighbours.
void Heap::archive(Archive& archive) {
  std::uint64_t count = chunks_.size();
  archive(most_, extent_, free_, refusals_, next_, full_, waiting_, bins_, filled_, starts_, ends_, count);
  if (archive.reads()) {
    if (count > kMost >> kShift || next_ > count << kShift || next_ * kUnit > archive.left())
      throw ArchiveError("the tree has another size");
    chunks_.clear();
    owned_.clear();
    if (count > 0) add_piece(count, count * (kUnit << kShift) >= kHugePage);
  }
  for (std::size_t first = 0; first < next_; first += kMask + 1)
    archive.raw(at(static_cast<Index>(first)), std::min(next_ - first, kMask + 1) * kUnit);
}

Index Heap::take_waiting(std::size_t units) {
  Index* from = &waiting_[bin_of(units)];
  for (int look = 0; look < kMostTries && *from != kNone; ++look) {
    const Index block = *from;
    if (links(block).before_or_units == units) {
      *from = links(block).after;
      free_ -= units * kUnit;
      return block;
    }
    from = &links(block).after;
  }
  return kNone;
}

// ---- once full

void Heap::become_full() {
  starts_.resize(chunks_.size() << kShift >> 6);
  ends_.resize(chunks_.size() << kShift >> 6);
  full_ = true;
  for (Index& head : waiting_) {
    while (head != kNone) {
      const Index block = head;
      head = links(block).after;
      merge_in(block, links(block).before_or_units);
    }
  }
}

Index Heap::take_free(std::size_t units) {
  const Index block = find_free(units);
  if (block == kNone) return kNone;
  const std::size_t found = units_of(block);
  unlink(block);
  if (found > units) link(block + static_cast<Index>(units), found - units);
  free_ -= units * kUnit;
  return block;
}

// Returns a free block of at least `units` units: from the bin of that size if one of the first blocks fits, else from
// the next bin with a block.
Index Heap::find_free(std::size_t units) const {
  std::size_t bin = bin_of(units);
  Index block = bins_[bin];
  for (int look = 0; look < kMostTries && block != kNone; ++look, block = links(block).after) {
    if (units_of(block) >= units) return block;
  }
  ++bin;
  for (std::size_t word = bin >> 6; word < filled_.size(); ++word) {
    std::uint64_t filled = filled_[word];
    if (word == bin >> 6) filled &= ~std::uint64_t{0} << (bin & 63);
    if (filled != 0) return bins_[64 * word + __builtin_ctzll(filled)];
  }
  return kNone;
}

std::size_t Heap::units_of(Index block) const { return has(ends_, block) ? 1 : size_at(block + 1).of_start; }

void Heap::link(Index block, std::size_t units) {
  const std::size_t bin = bin_of(units);
  links(block) = {kNone, bins_[bin]};
  if (bins_[bin] != kNone) links(bins_[bin]).before_or_units = block;
  bins_[bin] = block;
  filled_[bin >> 6] |= std::uint64_t{1} << (bin & 63);
  const Index last = block + static_cast<Index>(units) - 1;
  flip(starts_, block);
  flip(ends_, last);
  if (units == 1) return;
  size_at(block + 1).of_start = static_cast<std::uint32_t>(units);
  size_at(last).of_end = static_cast<std::uint32_t>(units);
}

void Heap::unlink(Index block) {
  const std::size_t units = units_of(block), bin = bin_of(units);
  const auto [before, after] = links(block);
  if (after != kNone) links(after).before_or_units = before;
  if (before != kNone) {
    links(before).after = after;
  } else {
    bins_[bin] = after;
    if (after == kNone) filled_[bin >> 6] ^= std::uint64_t{1} << (bin & 63);
  }
  flip(starts_, block);
  flip(ends_, block + static_cast<Index>(units) - 1);
}

// Within a chunk, blocks with adjacent numbers are adjacent in memory.
void Heap::merge_in(Index block, std::size_t units) {
  if ((block & kMask) != 0 && has(ends_, block - 1)) {
    const std::size_t more = has(starts_, block - 1) ? 1 : size_at(block - 1).of_end;
    block -= static_cast<Index>(more);
    units += more;
    unlink(block);
  }
  const std::size_t end = block + units;
  if ((end & kMask) != 0 && end < next_ && has(starts_, static_cast<Index>(end))) {
    const std::size_t more = units_of(static_cast<Index>(end));
    unlink(static_cast<Index>(end));
    units += more;
  }
  link(block, units);
}

}  // namespace ggp

// Children of a node in which several roles choose at once: its table of joint actions.
//
// The key of a joint action is its code: the actions of the choosing roles as digits of a mixed-radix number, or a
// 64-bit hash of them if that number could overflow. Open addressing with linear probing; the table is one block of the
// heap, which doubles when more than three quarters are used.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/random.hpp"
#include "search/tree/heap.hpp"

namespace ggp {

// A child reference that marks an entry without a joint action.
constexpr Index kVacant = 0xFFFFFFFEu;

struct JointAction {
  std::uint64_t code;
  Index child;
  std::uint32_t visits;  // observed and unobserved
};
static_assert(sizeof(JointAction) == 16);

struct JointTable {
  std::uint32_t used, capacity;  // a power of two

  JointAction* entries() { return reinterpret_cast<JointAction*>(this + 1); }
  const JointAction* entries() const { return reinterpret_cast<const JointAction*>(this + 1); }

  // The entry of a code, or the vacant entry for the code; null if the full table does not contain the code.
  JointAction* find(std::uint64_t code) {
    std::size_t place = mix64(code) & (capacity - 1);
    for (std::uint32_t look = 0; look < capacity; ++look, place = (place + 1) & (capacity - 1)) {
      JointAction& entry = entries()[place];
      if (entry.child == kVacant || entry.code == code) return &entry;
    }
    return nullptr;
  }

  static std::size_t units(std::uint32_t capacity) {
    return (sizeof(JointTable) + capacity * sizeof(JointAction)) / Heap::kUnit;
  }
  // Small tables are filled to the last entry.
  bool is_full() const { return capacity <= 4 ? used == capacity : used * 4 >= capacity * 3; }
  void clear(std::uint32_t size) {
    used = 0;
    capacity = size;
    for (std::uint32_t i = 0; i < size; ++i) entries()[i] = {0, kVacant, 0};
  }
};
static_assert(sizeof(JointTable) == 8);

}  // namespace ggp

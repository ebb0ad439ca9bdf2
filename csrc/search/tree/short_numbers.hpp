// Numbers below a limit, in one, two or four bytes each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ggp {

class ShortNumbers {
 public:
  // Uses the numbers at an address, each less than `limit`.
  ShortNumbers(void* numbers, std::uint32_t limit) : numbers_(numbers), limit_(limit) {}

  static std::size_t bytes_each(std::uint32_t limit) { return limit <= 1u << 8 ? 1 : limit <= 1u << 16 ? 2 : 4; }

  std::uint32_t operator[](std::uint32_t i) const {
    return visit([i](const auto* numbers) -> std::uint32_t { return numbers[i]; });
  }
  void set(std::uint32_t i, std::uint32_t number) {
    visit([i, number](auto* numbers) {
      return numbers[i] = static_cast<std::remove_pointer_t<decltype(numbers)>>(number);
    });
  }

 protected:
  // Calls visit(numbers) with a pointer to their type.
  template <class Visit>
  std::uint32_t visit(Visit visit) const {
    switch (bytes_each(limit_)) {
      case 1: return visit(static_cast<std::uint8_t*>(numbers_));
      case 2: return visit(static_cast<std::uint16_t*>(numbers_));
      default: return visit(static_cast<std::uint32_t*>(numbers_));
    }
  }

  void* numbers_;
  std::uint32_t limit_;
};

}  // namespace ggp

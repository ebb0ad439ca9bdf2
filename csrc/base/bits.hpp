// Words as sets of squares: the number of squares and the k-th square, on any processor or with special instructions.
//
// Both implementations have the same results. A native game takes an implementation as a template argument and is
// instantiated for both. A function marked GGP_FAST_BITS may be called only if has_fast_bits(). Functions inlined into
// a marked function are compiled with these instructions. So no source file is compiled for one processor only.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#define GGP_FAST_BITS __attribute__((target("popcnt,bmi,bmi2"), flatten))
#else
#define GGP_FAST_BITS
#endif

namespace ggp {

struct PlainBits {
  static std::uint32_t count(std::uint64_t word) {
    word -= word >> 1 & 0x5555555555555555;
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
    return static_cast<std::uint32_t>(((word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101 >> 56);
  }
  // For `one` with the single bit k (or no bit): the bit of `word` that has k set bits below it, if any.
  static std::uint64_t deposit(std::uint64_t one, std::uint64_t word) {
    if (one == 0) return 0;
    for (int k = __builtin_ctzll(one); k > 0; --k) word &= word - 1;
    return word & -word;
  }
};

#if defined(__x86_64__)
struct FastBits {
  static std::uint32_t count(std::uint64_t word) { return static_cast<std::uint32_t>(__builtin_popcountll(word)); }
  static std::uint64_t deposit(std::uint64_t one, std::uint64_t word) {
    // As assembly, because the intrinsic may be called only from marked functions.
    std::uint64_t result;
    __asm__("pdep %2, %1, %0" : "=r"(result) : "r"(one), "r"(word));
    return result;
  }
};

// Whether this processor has fast instructions: the first two Zen cores emulate pdep.
inline bool has_fast_bits() {
  return __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2");
}
#else
using FastBits = PlainBits;
inline bool has_fast_bits() { return false; }
#endif

}  // namespace ggp

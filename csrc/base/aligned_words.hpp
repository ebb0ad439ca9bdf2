// Aligned memory for values of lanes, as vector registers need it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace ggp {

struct FreeWords {
  void operator()(std::uint64_t* memory) const { std::free(memory); }
};
using AlignedWords = std::unique_ptr<std::uint64_t[], FreeWords>;

// Zeros, aligned to 64 bytes. Throws std::bad_alloc.
inline AlignedWords aligned_words(std::size_t count) {
  const std::size_t bytes = (std::max<std::size_t>(count, 1) * 8 + 63) / 64 * 64;
  void* memory = std::aligned_alloc(64, bytes);
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, bytes);
  return AlignedWords(static_cast<std::uint64_t*>(memory));
}

}  // namespace ggp

#include "network/program/executable_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace ggp {

std::shared_ptr<const ExecutableMemory> ExecutableMemory::hold(const std::vector<std::uint8_t>& code) {
  const std::size_t bytes = std::max<std::size_t>(code.size(), 1);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  std::memcpy(memory, code.data(), code.size());
  if (mprotect(memory, bytes, PROT_READ | PROT_EXEC) != 0) {
    munmap(memory, bytes);
    return nullptr;
  }
  return std::shared_ptr<const ExecutableMemory>(new ExecutableMemory(memory, bytes));
}

ExecutableMemory::~ExecutableMemory() { munmap(memory_, bytes_); }

}  // namespace ggp

// Memory for machine code: written once, then executable and never written again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ggp {

class ExecutableMemory {
 public:
  // Returns null if this computer does not allow executable memory.
  static std::shared_ptr<const ExecutableMemory> hold(const std::vector<std::uint8_t>& code);
  ~ExecutableMemory();
  ExecutableMemory(const ExecutableMemory&) = delete;
  ExecutableMemory& operator=(const ExecutableMemory&) = delete;

  std::size_t bytes() const { return bytes_; }
  const std::uint8_t* at(std::size_t offset) const { return static_cast<const std::uint8_t*>(memory_) + offset; }

 private:
  ExecutableMemory(void* memory, std::size_t bytes) : memory_(memory), bytes_(bytes) {}

  void* memory_;
  std::size_t bytes_;
};

}  // namespace ggp

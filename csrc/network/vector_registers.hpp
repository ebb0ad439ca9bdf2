// The vector registers of a function that is being written, see machine_code.cpp.
#pragma once

#include <cstdint>
#include <vector>

namespace ggp {

// Which value each vector register holds, and who uses it.
class VectorRegisters {
 public:
  static constexpr std::uint32_t kNever = 0xFFFFFFFFu;

  explicit VectorRegisters(int count) : registers_(count) {}

  struct Register {
    std::uint32_t value = kNever;  // that is kept for its next reader
    std::uint32_t next = kNever;   // when that comes
    int users = 0;                 // of the value, at the moment; or of a result that is being computed
  };
  Register& operator[](int number) { return registers_[number]; }
  int size() const { return static_cast<int>(registers_.size()); }
  bool is_free(int number) const { return registers_[number].value == kNever && registers_[number].users == 0; }
  // The first one that is free; -1 where none is.
  int find_free() const {
    for (int i = 0; i < size(); ++i)
      if (is_free(i)) return i;
    return -1;
  }
  // The register of those that nobody uses whose value is read last; -1 where all are in use.
  int read_last() const {
    int found = -1;
    for (int i = 0; i < size(); ++i)
      if (registers_[i].users == 0 && (found < 0 || registers_[i].next > registers_[found].next)) found = i;
    return found;
  }

 private:
  std::vector<Register> registers_;
};

}  // namespace ggp

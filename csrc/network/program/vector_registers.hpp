// The vector registers of a function in machine code, see machine_code.cpp.
#pragma once

#include <cstdint>
#include <vector>

namespace ggp {

// The value of each vector register, and its uses.
class VectorRegisters {
 public:
  static constexpr std::uint32_t kNever = 0xFFFFFFFFu;

  explicit VectorRegisters(int count) : registers_(count) {}

  struct Register {
    std::uint32_t value = kNever;  // the value kept for its next reader
    std::uint32_t next = kNever;   // the time of the next read
    int users = 0;                 // current users of the value, or of a result that is being computed
  };
  Register& operator[](int number) { return registers_[number]; }
  int size() const { return static_cast<int>(registers_.size()); }
  bool is_free(int number) const { return registers_[number].value == kNever && registers_[number].users == 0; }
  // The first free register; -1 if there is none.
  int find_free() const {
    for (int i = 0; i < size(); ++i)
      if (is_free(i)) return i;
    return -1;
  }
  // The unused register whose value has the latest next read; -1 if all registers are in use.
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

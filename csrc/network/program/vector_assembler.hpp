// Writes the few x86-64 instructions that gates need, as bytes: AND, OR, AND NOT, XOR of vector registers, any function
// of three vector registers (AVX-512), loads and stores.
//
// Encodings: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, sections 2.3 (VEX) and 2.7 (EVEX).
#pragma once

#include <cstdint>
#include <vector>

namespace ggp {

class VectorAssembler {
 public:
  enum class Encoding : std::uint8_t {
    kVex256,   // AVX2
    kEvex256,  // AVX-512 with vectors of 256 bits
    kEvex512,
  };
  // Opcodes of the map 0F. kAndNot is ~a & b.
  enum class Op : std::uint8_t { kAnd = 0xDB, kAndNot = 0xDF, kOr = 0xEB, kXor = 0xEF };
  // The registers that hold addresses: kArgument is the first argument of a function; begin() derives kDerived from it.
  enum class Base : std::uint8_t { kArgument = 7, kDerived = 6 };  // rdi, rsi
  struct Memory {
    Base base;
    std::int32_t offset;  // bytes
  };

  explicit VectorAssembler(Encoding encoding) : encoding_(encoding) {}

  bool has_ternary() const { return encoding_ != Encoding::kVex256; }
  int registers() const { return has_ternary() ? 32 : 16; }
  int vector_bytes() const { return encoding_ == Encoding::kEvex512 ? 64 : 32; }

  // Writes the beginning and the end of a function void (void*). begin() sets kDerived to kArgument + offset.
  void begin(std::int32_t offset);
  void end();

  void load(int to, Memory from) { instruction(0x6F, to, 0, from); }
  void store(Memory to, int from) { instruction(0x7F, from, 0, to); }
  void copy(int to, int from) { instruction(0x6F, to, 0, from); }
  void op(Op op, int to, int a, int b) { instruction(static_cast<std::uint8_t>(op), to, a, b); }
  void op(Op op, int to, int a, Memory b) { instruction(static_cast<std::uint8_t>(op), to, a, b); }
  // to = f(to, a, b), where f is bit 4 to + 2 a + b of `table`. Needs has_ternary().
  void ternary(int to, int a, int b, std::uint8_t table);
  void ternary(int to, int a, Memory b, std::uint8_t table);

  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

 private:
  void byte(int value) { bytes_.push_back(static_cast<std::uint8_t>(value)); }
  void four_bytes(std::int32_t value);
  // reg, vvvv and r/m of the manual; `map` 1 is 0F, 3 is 0F3A.
  void instruction(std::uint8_t opcode, int reg, int vvvv, int rm, int map = 1);
  void instruction(std::uint8_t opcode, int reg, int vvvv, Memory rm, int map = 1);
  void prefix(int map, int reg, int vvvv, int rm);

  Encoding encoding_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace ggp

#include "network/program/vector_assembler.hpp"

namespace ggp {

void VectorAssembler::four_bytes(std::int32_t value) {
  for (int shift = 0; shift < 32; shift += 8) byte(static_cast<std::uint32_t>(value) >> shift & 0xFF);
}

void VectorAssembler::begin(std::int32_t offset) {
  for (const int part : {0x48, 0x8D, 0xB7}) byte(part);  // lea rsi, [rdi + offset]
  four_bytes(offset);
}

void VectorAssembler::end() {
  for (const int part : {0xC5, 0xF8, 0x77, 0xC3}) byte(part);  // vzeroupper; ret
}

void VectorAssembler::ternary(int to, int a, int b, std::uint8_t table) {
  instruction(0x25, to, a, b, 3);
  byte(table);
}

void VectorAssembler::ternary(int to, int a, Memory b, std::uint8_t table) {
  instruction(0x25, to, a, b, 3);
  byte(table);
}

// The bits of register numbers are stored inverted in prefixes; operand size 66 and, in EVEX, W = 1.
void VectorAssembler::prefix(int map, int reg, int vvvv, int rm) {
  const auto inverted = [](int number, int bit, int to) { return (number >> bit & 1) ^ 1 ? 1 << to : 0; };
  if (encoding_ == Encoding::kVex256) {
    const int last = (~vvvv & 15) << 3 | 1 << 2 | 1;
    if (rm < 8 && map == 1) {
      byte(0xC5);
      byte(inverted(reg, 3, 7) | last);
    } else {
      byte(0xC4);
      byte(inverted(reg, 3, 7) | 1 << 6 | inverted(rm, 3, 5) | map);
      byte(last);
    }
    return;
  }
  byte(0x62);
  byte(inverted(reg, 3, 7) | inverted(rm, 4, 6) | inverted(rm, 3, 5) | inverted(reg, 4, 4) | map);
  byte(1 << 7 | (~vvvv & 15) << 3 | 1 << 2 | 1);
  byte((encoding_ == Encoding::kEvex512 ? 2 : 1) << 5 | inverted(vvvv, 4, 3));
}

void VectorAssembler::instruction(std::uint8_t opcode, int reg, int vvvv, int rm, int map) {
  prefix(map, reg, vvvv, rm);
  byte(opcode);
  byte(3 << 6 | (reg & 7) << 3 | (rm & 7));
}

void VectorAssembler::instruction(std::uint8_t opcode, int reg, int vvvv, Memory rm, int map) {
  const int base = static_cast<int>(rm.base);
  prefix(map, reg, vvvv, base);
  byte(opcode);
  // EVEX counts short offsets in vectors.
  const int unit = encoding_ == Encoding::kVex256 ? 1 : vector_bytes();
  const bool is_short = rm.offset % unit == 0 && rm.offset / unit >= -128 && rm.offset / unit <= 127;
  byte((is_short ? 1 : 2) << 6 | (reg & 7) << 3 | base);
  if (is_short)
    byte(rm.offset / unit & 0xFF);
  else
    four_bytes(rm.offset);
}

}  // namespace ggp

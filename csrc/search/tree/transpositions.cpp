#include "search/tree/transpositions.hpp"

#include "base/random.hpp"

namespace ggp {

std::uint32_t Transpositions::tag(const std::uint64_t* state, int words, std::uint32_t ply) {
  std::uint64_t sum = ply;
  for (int i = 0; i < words; ++i) {
    sum = (sum ^ state[i]) * 0x9E3779B97F4A7C15ull;
    sum ^= sum >> 32;
  }
  return static_cast<std::uint32_t>(mix64(sum));
}

void Transpositions::grow() {
  std::vector<Slot> before(bytes_once_grown() / sizeof(Slot), Slot{0, kNone});
  before.swap(slots_);
  used_ = 0;
  for (const Slot& slot : before) {
    if (slot.node != kNone) enter(slot.tag, slot.node);
  }
}

void Transpositions::enter(std::uint32_t tag, Index node) {
  std::size_t place = home(tag);
  while (slots_[place].node != kNone) place = after(place);
  slots_[place] = {tag, node};
  ++used_;
}

void Transpositions::remove(std::uint32_t tag, Index node) {
  if (slots_.empty()) return;
  std::size_t hole = home(tag);
  for (; slots_[hole].node != node; hole = after(hole)) {
    if (slots_[hole].node == kNone) return;
  }
  // An entry after the hole moves into the hole unless its home lies between the hole and the entry.
  for (std::size_t place = after(hole); slots_[place].node != kNone; place = after(place)) {
    const std::size_t mask = slots_.size() - 1;
    if (((place - home(slots_[place].tag)) & mask) < ((place - hole) & mask)) continue;
    slots_[hole] = slots_[place];
    hole = place;
  }
  slots_[hole].node = kNone;
  --used_;
}

}  // namespace ggp

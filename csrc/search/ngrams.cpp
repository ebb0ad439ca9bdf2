#include "search/ngrams.hpp"

namespace ggp {

namespace {

constexpr std::size_t kFewestSlots = std::size_t{1} << 10;
constexpr std::size_t kMostSlots = std::size_t{1} << 20;

}  // namespace

void Ngrams::decay(double gamma) {
  const auto scale = static_cast<float>(gamma);
  for (Entry& entry : entries_) {
    entry.visits = static_cast<std::uint16_t>(static_cast<float>(entry.visits) * scale + 0.5f);
  }
}

std::size_t ngram_slots(int length, std::size_t moves) {
  std::size_t wanted = 1;
  for (int i = 0; i < length; ++i) wanted = std::min(kMostSlots, wanted * std::max<std::size_t>(moves, 1));
  std::size_t slots = kFewestSlots;
  while (slots < wanted) slots *= 2;
  return slots;
}

}  // namespace ggp

#include "search/playout/ngrams.hpp"

namespace ggp {

namespace {

constexpr std::size_t kFewestSlots = std::size_t{1} << 10;
constexpr std::size_t kMostSlots = std::size_t{1} << 20;

}  // namespace

void Ngrams::find(std::uint64_t context, std::uint32_t threshold, const std::uint32_t* moves, std::uint32_t count,
                  Found& found) const {
  const Entry* entries = row(context);
  float* means = found.means.data();
  float* known = found.known.data();
  std::uint32_t* marks = found.marks.data();
  for (std::uint32_t i = 0; i < count; ++i) {
    const Entry& entry = entries[moves[i]];
    means[i] = entry.mean;
    marks[i] = std::uint32_t{entry.tag} << 16 | entry.visits;
  }
  // One comparison checks both conditions: the mark must be the tag with threshold .. kMostVisits visits. There is no
  // branch, because it would be unpredictable.
  const std::uint32_t least = std::uint32_t{tag(context)} << 16 | threshold;
  const std::uint32_t more = kMostVisits - threshold;
  for (std::uint32_t i = 0; i < count; ++i) known[i] = static_cast<float>(static_cast<int>(marks[i] - least <= more));
}

void Ngrams::decay(double gamma) {
  const auto scale = static_cast<float>(gamma);
  for (Entry& entry : entries_) {
    entry.visits = static_cast<std::uint16_t>(static_cast<float>(entry.visits) * scale + 0.5f);
  }
}

std::size_t ngram_slots(int length, std::size_t moves, std::size_t bytes) {
  std::size_t wanted = 1;
  for (int i = 0; i < length; ++i) wanted = std::min(kMostSlots, wanted * std::max<std::size_t>(moves, 1));
  std::size_t slots = kFewestSlots;
  while (slots < wanted && 2 * slots * sizeof(Ngrams::Entry) <= bytes) slots *= 2;
  return slots;
}

}  // namespace ggp

#include "search/playout/mast.hpp"

#include <algorithm>

#include "search/playout/sampling.hpp"

namespace ggp {

MoveAverages::MoveAverages(const std::vector<int>& moves, double unknown) : unknown_(static_cast<float>(unknown)) {
  std::size_t total = 0;
  for (int count : moves) {
    first_.push_back(total);
    total += static_cast<std::size_t>(count);
  }
  sums_.resize(total);
  means_.assign(total, unknown_);
}

void MoveAverages::decay(double gamma) {
  for (std::size_t at = 0; at < sums_.size(); ++at) {
    Sum& sum = sums_[at];
    sum.reward *= gamma;
    sum.visits *= gamma;
    if (sum.visits >= kForgotten) continue;
    sum = {};
    means_[at] = unknown_;
  }
}

void MoveAverages::clear() {
  std::fill(sums_.begin(), sums_.end(), Sum{});
  std::fill(means_.begin(), means_.end(), unknown_);
}

// Values of few moves are copied and compared in order. For many moves a pass without branches finds the maximum,
// because in Amazons there are hundreds of moves, and most of them have the same value: unknown. Only blocks with a
// move of highest value are scanned again.
std::uint32_t MoveAverages::best_of(int role, const std::uint32_t* moves, std::uint32_t count,
                                    std::uint64_t random) const {
  const float* means = this->means(role);
  constexpr std::uint32_t kFew = 64;
  if (count <= kFew) {
    float values[kFew];
    values[0] = means[moves[0]];
    for (std::uint32_t i = 1; i < count; ++i) values[i] = means[moves[i]];
    return best_place(values, count, highest(values, count), random);
  }
  constexpr std::uint32_t kBlocks = 128, kLeast = 32;
  const std::uint32_t size = std::max(kLeast, (count + kBlocks - 1) / kBlocks);
  float of_block[kBlocks];
  float highest = means[moves[0]];
  std::uint32_t blocks = 0;
  for (std::uint32_t begin = 0; begin < count; begin += size) {
    const std::uint32_t end = std::min(begin + size, count);
    // Four independent chains, because one chain would wait for every result.
    float best[4];
    std::fill(best, best + 4, means[moves[begin]]);
    std::uint32_t i = begin;
    for (; i + 4 <= end; i += 4) {
      for (std::uint32_t k = 0; k < 4; ++k) {
        const float mean = means[moves[i + k]];
        best[k] = mean > best[k] ? mean : best[k];
      }
    }
    for (; i < end; ++i) best[0] = std::max(best[0], means[moves[i]]);
    of_block[blocks] = std::max(std::max(best[0], best[1]), std::max(best[2], best[3]));
    highest = std::max(highest, of_block[blocks++]);
  }
  std::uint32_t alike_in[kBlocks];
  std::uint32_t alike = 0;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    alike_in[block] = 0;
    if (of_block[block] != highest) continue;
    const std::uint32_t end = std::min((block + 1) * size, count);
    for (std::uint32_t i = block * size; i < end; ++i) alike_in[block] += means[moves[i]] == highest;
    alike += alike_in[block];
  }
  std::uint32_t left = even_place(random, alike), block = 0;
  for (; left >= alike_in[block]; ++block) left -= alike_in[block];
  for (std::uint32_t i = block * size;; ++i) {
    if (means[moves[i]] == highest && left-- == 0) return i;
  }
}

}  // namespace ggp

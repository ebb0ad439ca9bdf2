#include "search/mast.hpp"

#include <algorithm>

#include "search/sampling.hpp"

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

// In passes without branches, for in amazons there are hundreds of moves, and most of them are alike: unknown.
std::uint32_t MoveAverages::best_of(int role, const std::uint32_t* moves, std::uint32_t count,
                                    std::uint64_t random) const {
  const float* means = this->means(role);
  // Four chains, for one would wait for every result.
  float best[4];
  std::fill(best, best + 4, means[moves[0]]);
  std::uint32_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (std::uint32_t k = 0; k < 4; ++k) {
      const float mean = means[moves[i + k]];
      best[k] = mean > best[k] ? mean : best[k];
    }
  }
  for (; i < count; ++i) best[0] = std::max(best[0], means[moves[i]]);
  const float highest = std::max(std::max(best[0], best[1]), std::max(best[2], best[3]));
  std::uint32_t alike = 0;
  for (i = 0; i < count; ++i) alike += means[moves[i]] == highest;
  std::uint32_t left = even_place(random, alike);
  for (i = 0;; ++i) {
    if (means[moves[i]] == highest && left-- == 0) return i;
  }
}

}  // namespace ggp

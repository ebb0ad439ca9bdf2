#include "search/mast.hpp"

#include <algorithm>

#include "random.hpp"

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

std::uint32_t MoveAverages::best_of(int role, const std::uint32_t* moves, std::uint32_t count,
                                    std::uint64_t random) const {
  const float* means = this->means(role);
  std::uint32_t best = 0;
  std::uint32_t alike = 1;
  for (std::uint32_t i = 1; i < count; ++i) {
    if (means[moves[i]] < means[moves[best]]) continue;
    alike = means[moves[i]] == means[moves[best]] ? alike + 1 : 1;
    // The last of n alike replaces the one drawn so far with probability 1/n.
    if (alike == 1 || draw_below(random, alike) == 0) best = i;
  }
  return best;
}

}  // namespace ggp

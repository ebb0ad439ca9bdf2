#include "search/mast.hpp"

#include <algorithm>

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

}  // namespace ggp

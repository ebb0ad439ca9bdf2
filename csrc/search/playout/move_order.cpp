#include "search/playout/move_order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/random.hpp"
#include "search/playout/sampling.hpp"

namespace ggp {

namespace {

// T(r) of rank_choice.hpp for r = 0, 1, .., padded with zeros to a power of two. T(0) is never read; it is 2^32 - 1,
// because 2^32 does not fit. Only products are used, so the numbers are the same on all computers.
std::vector<std::uint32_t> geometric_tails(double sharpness) {
  std::vector<std::uint32_t> tails{0xFFFFFFFFu};
  for (double tail = 0x1p32 * (1 - sharpness); tail >= 1; tail *= 1 - sharpness) {
    tails.push_back(static_cast<std::uint32_t>(tail));
  }
  std::size_t size = 1;
  while (size <= tails.size()) size *= 2;
  tails.resize(size, 0);
  return tails;
}

// The stream of the orders of equal moves; simulation i uses stream_seed(seed, i).
constexpr std::uint64_t kTieStream = ~std::uint64_t{0};

}  // namespace

MoveOrder::MoveOrder(const Config& config, const std::vector<int>& moves)
    : unknown_(config.playout.unknown),
      prior_(config.playout.rank.prior),
      adaptation_(config.playout.rank.adaptation),
      decay_(config.playout.decay),
      tails_(geometric_tails(config.playout.rank.sharpness)),
      averages_(moves, config.playout.unknown) {
  draw_.kind = RankDraw::Kind::kGeometric;
  draw_.tails = tails_.data();
  draw_.tail_bits = __builtin_ctzll(tails_.size());
  std::uint64_t random = stream_seed(config.seed, kTieStream);
  int most = 0;
  for (const int count : moves) {
    std::vector<std::uint32_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    for (auto left = static_cast<std::uint32_t>(count); left > 1; --left) {
      std::swap(order[left - 1], order[draw_below(random, left)]);
    }
    by_tie_.push_back(std::move(order));
    most = std::max(most, count);
  }
  orders_ = ranks_ = by_tie_;
  for (std::size_t role = 0; role < orders_.size(); ++role) {
    order_of_.push_back(orders_[role].data());
    for (std::size_t rank = 0; rank < orders_[role].size(); ++rank) {
      ranks_[role][orders_[role][rank]] = static_cast<std::uint32_t>(rank);
    }
  }
  keys_.resize(static_cast<std::size_t>(most));
  reset();
}

void MoveOrder::reset() {
  averages_.clear();
  sorted_ = false;
  completed_ = 0;
  set_next_sort();
}

void MoveOrder::played() {
  if (decay_ == 0) return reset();
  averages_.decay(decay_);
  completed_ *= decay_;
  set_next_sort();
}

void MoveOrder::set_next_sort() { sort_at_ = std::max(completed_ + kLeastGrowth, completed_ * (1 + kGrowth)); }

// The mean reward of all choices of a role.
double MoveOrder::mean_of(int role) const {
  const float* means = averages_.means(role);
  double rewards = 0, visits = 0;
  for (const std::uint32_t move : by_tie_[static_cast<std::size_t>(role)]) {
    const double of_move = averages_.visits(role, static_cast<int>(move));
    rewards += of_move * means[move];
    visits += of_move;
  }
  return visits > 0 ? rewards / visits : 0;
}

// Sorts keys of two halves: the value, highest first, and the index among equal moves.
void MoveOrder::sort() {
  for (std::size_t role = 0; role < orders_.size(); ++role) {
    const auto number = static_cast<int>(role);
    const float* means = averages_.means(number);
    const std::vector<std::uint32_t>& by_tie = by_tie_[role];
    const std::size_t count = by_tie.size();
    const double mean = adaptation_ > 0 ? mean_of(number) : 0;
    for (std::size_t place = 0; place < count; ++place) {
      const std::uint32_t move = by_tie[place];
      float value = means[move];
      if (prior_ > 0 || adaptation_ > 0) {
        const double visits = averages_.visits(number, static_cast<int>(move));
        if (prior_ > 0) value = static_cast<float>((visits * means[move] + prior_ * unknown_) / (visits + prior_));
        if (adaptation_ > 0) value = static_cast<float>((value - mean) * std::pow(visits, adaptation_));
      }
      const auto lowest_first = static_cast<std::uint32_t>(order_key(value)) ^ 0x80000000u;
      keys_[place] = std::uint64_t{~lowest_first} << 32 | place;
    }
    std::sort(keys_.begin(), keys_.begin() + static_cast<std::ptrdiff_t>(count));
    for (std::size_t rank = 0; rank < count; ++rank) {
      const std::uint32_t move = by_tie[keys_[rank] & 0xFFFFFFFFu];
      orders_[role][rank] = move;
      ranks_[role][move] = static_cast<std::uint32_t>(rank);
    }
  }
  sorted_ = true;
  set_next_sort();
}

}  // namespace ggp

#include "hidden/particles.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.hpp"

namespace ggp {

void Particles::clear() {
  states_.clear();
  keys_.clear();
  weights_.clear();
}

void Particles::reserve_more(std::size_t particles) {
  const std::size_t needed = (size() + particles) * words_;
  if (states_.capacity() < needed) states_.reserve(std::max(needed, 2 * states_.capacity()));
}

std::uint64_t* Particles::add(const std::uint64_t* keys, double log_weight) {
  keys_.insert(keys_.end(), keys, keys + roles_);
  weights_.push_back(log_weight);
  states_.resize(states_.size() + words_);
  return states_.data() + states_.size() - words_;
}

void Particles::add(const Particles& other, std::size_t particle, double log_weight) {
  std::uint64_t* state = add(other.keys(particle), log_weight);
  std::copy_n(other.state(particle), words_, state);
}

std::uint64_t Particles::hash(std::size_t particle) const {
  std::uint64_t hash = 0;
  for (int word = 0; word < words_; ++word) hash = mix64(hash + states_[particle * words_ + word]);
  for (int role = 0; role < roles_; ++role) hash = mix64(hash + keys_[particle * roles_ + role]);
  return hash;
}

bool Particles::equal(std::size_t left, std::size_t right) const {
  return std::equal(state(left), state(left) + words_, state(right)) &&
         std::equal(keys(left), keys(left) + roles_, keys(right));
}

void Particles::merge() {
  constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();
  std::size_t capacity = 16;
  while (capacity < 2 * size()) capacity *= 2;
  slots_.assign(capacity, kFree);
  std::size_t kept = 0;
  for (std::size_t each = 0; each < size(); ++each) {
    std::size_t slot = hash(each) & (capacity - 1);
    while (slots_[slot] != kFree && !equal(slots_[slot], each)) slot = (slot + 1) & (capacity - 1);
    if (slots_[slot] != kFree) {
      double& weight = weights_[slots_[slot]];
      const double more = weights_[each], most = std::max(weight, more);
      weight = most + std::log1p(std::exp(std::min(weight, more) - most));
      continue;
    }
    slots_[slot] = static_cast<std::uint32_t>(kept);
    if (kept != each) {
      std::copy_n(state(each), words_, &states_[kept * words_]);
      std::copy_n(keys(each), roles_, &keys_[kept * roles_]);
      weights_[kept] = weights_[each];
    }
    ++kept;
  }
  states_.resize(kept * words_);
  keys_.resize(kept * roles_);
  weights_.resize(kept);
}

std::vector<std::uint32_t> Particles::by_state() const {
  std::vector<std::uint32_t> order(size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [this](std::uint32_t left, std::uint32_t right) {
    return std::lexicographical_compare(state(left), state(left) + words_, state(right), state(right) + words_);
  });
  return order;
}

bool Particles::equal_states(std::size_t left, std::size_t right) const {
  return std::equal(state(left), state(left) + words_, state(right));
}

std::size_t Particles::states() const {
  const std::vector<std::uint32_t> order = by_state();
  std::size_t different = order.empty() ? 0 : 1;
  for (std::size_t each = 1; each < order.size(); ++each) different += !equal_states(order[each - 1], order[each]);
  return different;
}

void Particles::thin(std::size_t most, std::uint64_t& random) {
  const std::vector<std::uint32_t> order = by_state();
  Particles kept(words_, roles_);
  std::vector<double> weights;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    double highest = weights_[order[begin]], sum = 0;
    for (end = begin; end < order.size() && equal_states(order[begin], order[end]); ++end)
      highest = std::max(highest, weights_[order[end]]);
    if (end - begin <= most) {
      for (std::size_t each = begin; each < end; ++each) kept.add(*this, order[each], weights_[order[each]]);
      continue;
    }
    weights.clear();
    for (std::size_t each = begin; each < end; ++each)
      sum += weights.emplace_back(std::exp(weights_[order[each]] - highest));
    for (double& weight : weights) weight /= sum;
    const double share = highest + std::log(sum) - std::log(static_cast<double>(most));
    const std::vector<std::uint32_t> drawn = resample(weights, most, random);
    for (std::size_t first = 0, last = 0; first < drawn.size(); first = last) {
      for (last = first; last < drawn.size() && drawn[last] == drawn[first];) ++last;
      kept.add(*this, order[begin + drawn[first]], share + std::log(static_cast<double>(last - first)));
    }
  }
  *this = std::move(kept);
}

void Particles::scale(double total) {
  if (empty()) return;
  const double most = *std::max_element(weights_.begin(), weights_.end());
  double sum = 0;
  for (const double weight : weights_) sum += std::exp(weight - most);
  const double added = std::log(total) - std::log(sum) - most;
  for (double& weight : weights_) weight += added;
}

std::vector<double> Particles::weights() const {
  std::vector<double> result(size());
  if (empty()) return result;
  const double most = *std::max_element(weights_.begin(), weights_.end());
  double sum = 0;
  for (std::size_t each = 0; each < size(); ++each) sum += result[each] = std::exp(weights_[each] - most);
  for (double& weight : result) weight /= sum;
  return result;
}

std::vector<std::uint32_t> resample(const std::vector<double>& weights, std::size_t count, std::uint64_t& random) {
  std::vector<std::uint32_t> drawn;
  drawn.reserve(count);
  const double step = 1.0 / static_cast<double>(count);
  double next = step * static_cast<double>(draw(random) >> 11) * 0x1p-53, sum = 0;
  for (std::uint32_t each = 0; each < weights.size() && drawn.size() < count; ++each) {
    sum += weights[each];
    for (; next < sum && drawn.size() < count; next += step) drawn.push_back(each);
  }
  // Rounding may omit the last index.
  while (drawn.size() < count && !weights.empty()) drawn.push_back(static_cast<std::uint32_t>(weights.size() - 1));
  return drawn;
}

void shuffle(std::vector<std::uint32_t>& numbers, std::uint64_t& random) {
  for (std::size_t each = numbers.size(); each > 1; --each)
    std::swap(numbers[each - 1], numbers[draw_below(random, static_cast<std::uint32_t>(each))]);
}

}  // namespace ggp

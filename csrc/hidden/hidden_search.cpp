#include "hidden/hidden_search.hpp"

#include <algorithm>

#include "random.hpp"

namespace ggp {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kQuestionInterval = std::chrono::milliseconds(100);
constexpr std::size_t kBlock = 4096;

}  // namespace

HiddenSearch::Watch::Watch(HiddenSearch& search, const HiddenLimits& limits)
    : search_(search), limits_(limits), start_(Clock::now()), next_question_(start_) {
  search_.stopped_.store(false);
}

bool HiddenSearch::Watch::ended(std::uint64_t simulations) {
  if (simulations >= limits_.simulations || search_.stopped_.load(std::memory_order_relaxed)) return true;
  const auto now = Clock::now();
  if (std::chrono::duration<double>(now - start_).count() >= limits_.seconds) return true;
  if (limits_.interrupted == nullptr || now < next_question_) return false;
  next_question_ = now + kQuestionInterval;
  return limits_.interrupted(limits_.context);
}

double HiddenSearch::Watch::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

ParticleDraws::ParticleDraws(const Particles& particles, std::uint64_t seed)
    : weights_(particles.weights()), random_(mix64(seed)) {}

std::uint32_t ParticleDraws::next() {
  if (block_.empty()) {
    block_ = resample(weights_, kBlock, random_);
    for (std::size_t each = block_.size(); each > 1; --each)
      std::swap(block_[each - 1], block_[draw_below(random_, static_cast<std::uint32_t>(each))]);
  }
  const std::uint32_t drawn = block_.back();
  block_.pop_back();
  return drawn;
}

}  // namespace ggp

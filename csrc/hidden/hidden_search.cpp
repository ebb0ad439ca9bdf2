#include "hidden/hidden_search.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "base/thread_clock.hpp"

namespace ggp {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kQuestionInterval = std::chrono::milliseconds(100);
constexpr std::size_t kBlock = 4096;

}  // namespace

HiddenSearch::Watch::Watch(HiddenSearch& search, const HiddenLimits& limits)
    : search_(search), limits_(limits), start_(Clock::now()), cpu_start_(thread_cpu_seconds()), next_question_(start_) {
  search_.stopped_.store(false);
}

bool HiddenSearch::Watch::ended(std::uint64_t simulations) {
  if (simulations >= limits_.simulations || search_.stopped_.load(std::memory_order_relaxed)) return true;
  if (share() >= 1) return true;
  const auto now = Clock::now();
  if (limits_.interrupted == nullptr || now < next_question_) return false;
  next_question_ = now + kQuestionInterval;
  return limits_.interrupted(limits_.context);
}

double HiddenSearch::Watch::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

double HiddenSearch::Watch::share() const {
  const double wall = limits_.seconds == std::numeric_limits<double>::infinity() ? 0 : seconds() / limits_.seconds;
  const bool counts_cpu = limits_.cpu_seconds != std::numeric_limits<double>::infinity();
  return counts_cpu ? std::max(wall, (thread_cpu_seconds() - cpu_start_) / limits_.cpu_seconds) : wall;
}

ParticleDraws::ParticleDraws(const Particles& particles, std::uint64_t seed)
    : weights_(particles.weights()), random_(mix64(seed)) {}

std::uint32_t ParticleDraws::next() {
  if (block_.empty()) {
    block_ = resample(weights_, kBlock, random_);
    shuffle(block_, random_);
  }
  const std::uint32_t drawn = block_.back();
  block_.pop_back();
  return drawn;
}

}  // namespace ggp

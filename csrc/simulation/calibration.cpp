#include "simulation/calibration.hpp"

#include <cstddef>
#include <vector>

#include "base/random.hpp"
#include "base/thread_clock.hpp"

namespace ggp {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::uint32_t kDraws = 16'000'000;
constexpr std::uint32_t kGates = 16'384;
constexpr int kPasses = 2'400;
constexpr std::uint32_t kCycle = 32'768;
constexpr std::uint32_t kSteps = 20'000'000;

// Gates over the words before them, like a network in topological order.
struct Gate {
  std::uint32_t a, b, c;
};

std::vector<Gate> make_gates(std::uint64_t& random) {
  std::vector<Gate> gates(kGates);
  for (Gate& gate : gates) {
    gate = {draw_below(random, kGates), draw_below(random, kGates), draw_below(random, kGates)};
  }
  return gates;
}

// A cycle through all places, in random order (Sattolo 1986).
std::vector<std::uint32_t> make_cycle(std::uint64_t& random) {
  std::vector<std::uint32_t> next(kCycle);
  for (std::uint32_t i = 0; i < kCycle; ++i) next[i] = i;
  for (std::uint32_t i = kCycle - 1; i > 0; --i) {
    const std::uint32_t j = draw_below(random, i);
    const std::uint32_t kept = next[i];
    next[i] = next[j];
    next[j] = kept;
  }
  return next;
}

std::uint64_t chain() {
  std::uint64_t value = kSeed;
  for (std::uint32_t i = 0; i < kDraws; ++i) value = mix64(value + i);
  return value;
}

std::uint64_t evaluate(const std::vector<Gate>& gates, std::vector<std::uint64_t>& words) {
  for (int pass = 0; pass < kPasses; ++pass) {
    for (std::size_t i = 0; i < gates.size(); ++i) {
      words[i] ^= (words[gates[i].a] & ~words[gates[i].b]) | words[gates[i].c];
    }
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t word : words) sum += word;
  return sum;
}

std::uint64_t walk(const std::vector<std::uint32_t>& next) {
  std::uint32_t place = 0;
  for (std::uint32_t i = 0; i < kSteps; ++i) place = next[place];
  return place;
}

}  // namespace

Calibration calibrate() {
  std::uint64_t random = kSeed;
  const std::vector<Gate> gates = make_gates(random);
  const std::vector<std::uint32_t> next = make_cycle(random);
  std::vector<std::uint64_t> words(kGates);
  for (std::uint64_t& word : words) word = draw(random);

  Calibration result;
  const double start = thread_cpu_seconds();
  result.checksum = chain();
  result.checksum = mix64(result.checksum ^ evaluate(gates, words));
  result.checksum = mix64(result.checksum ^ walk(next));
  result.cpu_seconds = thread_cpu_seconds() - start;
  result.score = kReferenceSeconds / result.cpu_seconds;
  return result;
}

}  // namespace ggp

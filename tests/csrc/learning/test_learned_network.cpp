// Flags: -O1
// The arithmetic of learned networks: all kernels agree bit for bit, values and gradients agree with a plain
// computation in double precision, and training learns a function of the features.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "check.hpp"
#include "learning/learning_kernel.hpp"
#include "learning/trainer.hpp"

namespace {

using namespace ggp;

constexpr NetworkShape kShape{37, 21, 2, 48, 32, true};

std::vector<std::uint16_t> some_features(std::uint64_t& random, std::uint32_t features) {
  std::vector<std::uint16_t> some;
  for (std::uint32_t f = 0; f < features; ++f)
    if (draw_below(random, 3) == 0) some.push_back(static_cast<std::uint16_t>(f));
  return some;
}

LearnedNetwork drawn_network(const NetworkShape& shape, std::uint64_t seed) {
  LearnedNetwork network(shape);
  network.initialise(seed, 12);
  std::uint64_t random = seed;
  for (const WeightArray& array : network.arrays())
    for (std::size_t row = 0; row < array.rows; ++row)
      for (std::size_t column = 0; column < array.columns; ++column)
        network.weights()[array.offset + row * array.stride + column] +=
            0.1f * (static_cast<float>(draw_below(random, 2001)) / 1000 - 1);
  return network;
}

// A plain forward pass in double precision.
struct Plain {
  std::vector<double> h1, h2, values, logits;

  Plain(const LearnedNetwork& network, const std::vector<std::uint16_t>& features) {
    const NetworkShape& n = network.shape();
    const NetworkLayout& at = network.layout();
    const float* w = network.weights();
    for (std::uint32_t k = 0; k < n.hidden1; ++k) {
      double sum = w[at.b1 + k];
      for (int f : features) sum += w[at.w1 + std::size_t(f) * n.hidden1 + k];
      h1.push_back(std::max(0.0, sum));
    }
    for (std::uint32_t j = 0; j < n.hidden2; ++j) {
      double sum = w[at.b2 + j];
      for (std::uint32_t k = 0; k < n.hidden1; ++k) sum += h1[k] * w[at.w2 + std::size_t(k) * n.hidden2 + j];
      h2.push_back(std::max(0.0, sum));
    }
    for (std::uint32_t v = 0; v < n.values; ++v) {
      double sum = w[at.bv + v];
      for (std::uint32_t j = 0; j < n.hidden2; ++j) sum += h2[j] * w[at.wv + std::size_t(v) * n.hidden2 + j];
      for (int f : features) sum += w[at.sv + std::size_t(v) * n.features + f];
      values.push_back(std::tanh(sum));
    }
    for (std::uint32_t p = 0; p < n.policies; ++p) {
      double sum = w[at.bp + p];
      for (std::uint32_t j = 0; j < n.hidden2; ++j) sum += h2[j] * w[at.wp + std::size_t(p) * n.hidden2 + j];
      if (n.direct_policy)
        for (int f : features) sum += w[at.s + std::size_t(f) * n.padded_policies() + p];
      logits.push_back(sum);
    }
  }

  std::vector<double> probabilities(const std::vector<std::uint16_t>& policies) const {
    std::vector<double> powers;
    for (int p : policies) powers.push_back(std::exp(logits[p]));
    const double sum = std::accumulate(powers.begin(), powers.end(), 0.0);
    for (double& power : powers) power /= sum;
    return powers;
  }
};

struct Found {
  std::vector<float> values, probabilities;
};

// The results of a kernel for many rows at once; probabilities of all policies.
Found found_by(const LearningKernel& kernel, const LearnedNetwork& network,
               const std::vector<std::vector<std::uint16_t>>& states) {
  const NetworkShape& n = network.shape();
  const std::size_t rows = states.size(), spare = LearningKernel::kSpareRows;
  AlignedFloats h1((rows + spare) * n.hidden1), h2((rows + spare) * n.hidden2), values(rows * n.values + 16);
  std::vector<FeatureRow> of;
  for (const auto& state : states) of.push_back({state.data(), static_cast<std::uint32_t>(state.size())});
  kernel.hidden(network, of.data(), static_cast<int>(rows), h1.data(), h2.data(), values.data());
  Found found;
  found.values.assign(values.data(), values.data() + rows * n.values);
  std::vector<std::uint16_t> all(n.policies);
  std::iota(all.begin(), all.end(), std::uint16_t{0});
  AlignedFloats base(n.padded_policies()), out(n.padded_policies());
  for (std::size_t row = 0; row < rows; ++row) {
    kernel.base(network, of[row], base.data());
    kernel.probabilities(network, h2.data() + row * n.hidden2, base.data(), all.data(), n.policies, out.data());
    found.probabilities.insert(found.probabilities.end(), out.data(), out.data() + n.policies);
  }
  return found;
}

bool same_bits(const std::vector<float>& one, const std::vector<float>& other) {
  if (one.size() != other.size()) return false;
  return one.empty() || std::memcmp(one.data(), other.data(), one.size() * sizeof(float)) == 0;
}

TEST(kernels_agree) {
  std::uint64_t random = 7;
  for (const NetworkShape& shape : {kShape, NetworkShape{60, 0, 1, 16, 16, false}, NetworkShape{90, 33, 1, 272, 64, true},
                                    NetworkShape{12, 5, 3, 64, 128, false}}) {
    const LearnedNetwork network = drawn_network(shape, 3);
    std::vector<std::vector<std::uint16_t>> states(13);
    for (auto& state : states) state = some_features(random, shape.features);
    states[4].clear();
    const Found plain = found_by(learning_kernel("portable"), network, states);
    for (const char* isa : {"avx2", "avx512"}) {
      const Found other = found_by(learning_kernel(isa), network, states);
      CHECK(same_bits(plain.values, other.values));
      CHECK(same_bits(plain.probabilities, other.probabilities));
    }
    // A state has the same results alone as in a batch.
    const Found alone = found_by(learning_kernel("avx512"), network, {states[12]});
    CHECK(std::equal(alone.values.begin(), alone.values.end(), plain.values.end() - shape.values));
    for (std::size_t row = 0; row < states.size(); ++row) {
      const Plain exact(network, states[row]);
      for (std::uint32_t v = 0; v < shape.values; ++v)
        CHECK_BETWEEN(plain.values[row * shape.values + v], exact.values[v] - 1e-4, exact.values[v] + 1e-4);
      std::vector<std::uint16_t> all(shape.policies);
      std::iota(all.begin(), all.end(), std::uint16_t{0});
      const std::vector<double> probabilities = exact.probabilities(all);
      for (std::uint32_t p = 0; p < shape.policies; ++p)
        CHECK_BETWEEN(plain.probabilities[row * shape.policies + p], probabilities[p] - 1e-4, probabilities[p] + 1e-4);
    }
  }
}

// The loss whose gradient the kernel computes. The cross entropy of (1 + v) / 2 has the derivative of the value before
// tanh that the header states: v - target.
double loss_of(const LearnedNetwork& network, const Sample& sample, const std::vector<std::uint16_t>& features) {
  const Plain exact(network, features);
  double loss = 0;
  for (std::uint32_t v = 0; v < network.shape().values; ++v) {
    const double p = (1 + sample.values[v]) / 2, q = (1 + exact.values[v]) / 2;
    loss -= p * std::log(q) + (1 - p) * std::log(1 - q);
  }
  std::uint32_t from = 0;
  for (std::uint32_t group = 0; group < sample.groups; ++group) {
    const std::vector<std::uint16_t> policies(sample.policies + from, sample.policies + sample.group_ends[group]);
    const std::vector<double> probabilities = exact.probabilities(policies);
    for (std::size_t i = 0; i < policies.size(); ++i) loss -= sample.targets[from + i] * std::log(probabilities[i]);
    from = sample.group_ends[group];
  }
  return loss;
}

TEST(gradients_agree_with_differences) {
  std::uint64_t random = 11;
  LearnedNetwork network = drawn_network(kShape, 5);
  const std::vector<std::uint16_t> features = some_features(random, kShape.features);
  const std::vector<float> values{0.25f, -0.75f};
  const std::vector<std::uint16_t> policies{3, 7, 11, 20, 0, 4, 5};
  const std::vector<float> targets{0.5f, 0.25f, 0.125f, 0.125f, 0.0f, 1.0f, 0.0f};
  const std::vector<std::uint32_t> ends{4, 7};
  const Sample sample{{features.data(), static_cast<std::uint32_t>(features.size())},
                      values.data(), policies.data(), targets.data(), ends.data(), 2};
  std::vector<std::vector<float>> gradients;
  for (const char* isa : {"portable", "avx2", "avx512"}) {
    AlignedFloats gradient(network.size());
    Workspace room(kShape);
    Loss loss;
    learning_kernel(isa).learn(network, sample, 1.0f, gradient.data(), room, loss);
    CHECK_EQUAL(loss.samples, 1u);
    CHECK_EQUAL(loss.groups, 2u);
    gradients.emplace_back(gradient.data(), gradient.data() + network.size());
  }
  CHECK(same_bits(gradients[0], gradients[1]));
  CHECK(same_bits(gradients[0], gradients[2]));
  int nonzero = 0;
  for (const WeightArray& array : network.arrays()) {
    for (std::size_t place = 0; place < array.rows * array.columns; place += 1 + array.rows * array.columns / 40) {
      const std::size_t at = array.offset + place / array.columns * array.stride + place % array.columns;
      float& weight = network.weights()[at];
      const float before = weight;
      constexpr float kStep = 1e-3f;
      weight = before + kStep;
      const double above = loss_of(network, sample, features);
      weight = before - kStep;
      const double below = loss_of(network, sample, features);
      weight = before;
      const double expected = (above - below) / (2 * kStep);
      CHECK_BETWEEN(gradients[0][at], expected - 2e-3, expected + 2e-3);
      nonzero += std::abs(expected) > 1e-3;
    }
  }
  CHECK(nonzero > 50);
}

// Positions whose value is 1 if fluent 0 is true and else -1, and whose best move is 0 if fluent 1 is true and else 1.
struct Lesson {
  std::vector<std::uint64_t> states;
  std::vector<std::int32_t> movers, roles, numbers;
  std::vector<float> results, probabilities;
  std::vector<std::uint32_t> group_ends, move_ends;

  Lesson(std::size_t count, std::uint64_t random) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t state = draw(random) & 0xFF;
      states.push_back(state);
      movers.push_back(0);
      results.push_back(state & 1 ? 1.0f : -1.0f);
      roles.push_back(0);
      for (int move = 0; move < 2; ++move) {
        numbers.push_back(move);
        probabilities.push_back(((state >> 1 & 1) != 0) == (move == 0) ? 1.0f : 0.0f);
      }
      group_ends.push_back(static_cast<std::uint32_t>(i + 1));
      move_ends.push_back(static_cast<std::uint32_t>(2 * i + 2));
    }
  }
  Positions positions() const {
    return {states.size(), 1, states.data(), movers.data(), results.data(), results.data(), group_ends.data(),
            roles.size(), roles.data(), move_ends.data(), numbers.size(), numbers.data(), probabilities.data()};
  }
};

Encoding plain_encoding() {
  Encoding::View view;
  for (std::uint16_t f = 0; f < 8; ++f) view.features.push_back(f);
  view.policies = {{0, 1}};
  view.values = {0};
  view.signs = {1};
  Encoding encoding;
  encoding.views = {view};
  return encoding;
}

std::vector<float> trained_weights(int threads, const char* isa, Loss& before, Loss& after) {
  LearnedNetwork network({8, 2, 1, 16, 16, true});
  network.initialise(1, 4);
  TrainerOptions options;
  options.batch = 64;
  options.threads = threads;
  Trainer trainer(network, plain_encoding(), options, learning_kernel(isa));
  for (std::uint64_t part = 0; part < 4; ++part) trainer.add(Lesson(1000, part + 1).positions());
  CHECK_EQUAL(trainer.samples(), 4000u);
  trainer.keep(3999);
  CHECK_EQUAL(trainer.samples(), 3000u);  // the first chunk has left the window
  before = trainer.measure(500);
  const Loss during = trainer.train(300, 0.01f, 0.5f, nullptr, nullptr);
  CHECK_EQUAL(during.samples, 300u * 64u);
  CHECK_EQUAL(trainer.steps(), 300u);
  after = trainer.measure(500);
  const float* weights = trainer.average().weights();
  return std::vector<float>(weights, weights + trainer.average().size());
}

TEST(training_learns) {
  Loss before, after;
  const std::vector<float> one = trained_weights(1, "avx512", before, after);
  CHECK_BETWEEN(before.squared_error / before.samples, 0.7, 1.3);
  CHECK_BETWEEN(after.squared_error / after.samples, 0.0, 0.05);
  CHECK_BETWEEN(after.divergence / after.groups, 0.0, 0.05);
  CHECK(same_bits(one, trained_weights(1, "portable", before, after)));
  const std::vector<float> two = trained_weights(2, "avx512", before, after);
  CHECK_BETWEEN(after.squared_error / after.samples, 0.0, 0.05);
  CHECK(same_bits(two, trained_weights(2, "avx512", before, after)));
}

// A sample by a symmetry that reverses the fluents and exchanges the moves.
TEST(symmetries_turn_samples) {
  Encoding encoding = plain_encoding();
  Encoding::Symmetry symmetry;
  for (std::uint16_t f = 0; f < 8; ++f) symmetry.features.push_back(static_cast<std::uint16_t>(7 - f));
  symmetry.policies = {1, 0};
  symmetry.values = {0};
  encoding.symmetries = {symmetry};
  const Lesson lesson(10, 4);
  const NetworkShape shape{8, 2, 1, 16, 16, false};
  const SampleChunk chunk(lesson.positions(), encoding, shape);
  SampleChunk::Room room;
  const Sample plain = chunk.sample(3, nullptr, 0, room);
  std::vector<std::uint16_t> features(plain.row.features, plain.row.features + plain.row.count);
  const std::vector<std::uint16_t> policies(plain.policies, plain.policies + 2);
  const float target = plain.targets[0];
  const Sample turned = chunk.sample(3, &encoding.symmetries[0], 0, room);
  for (std::uint16_t& feature : features) feature = static_cast<std::uint16_t>(7 - feature);
  CHECK(std::equal(features.begin(), features.end(), turned.row.features));
  CHECK_EQUAL(turned.policies[0], 1 - policies[0]);
  CHECK_EQUAL(turned.targets[0], target);
}

TEST(wrong_input_is_refused) {
  CHECK_THROWS(std::invalid_argument, LearnedNetwork({0, 1, 1, 16, 16, true}));
  CHECK_THROWS(std::invalid_argument, LearnedNetwork({1, 1, 1, 17, 16, true}));
  CHECK_THROWS(std::invalid_argument, LearnedNetwork({1, 1, 1, 16, 48, true}));
  const NetworkShape shape{8, 2, 1, 16, 16, true};
  Encoding encoding = plain_encoding();
  encoding.views[0].features[3] = 8;
  CHECK_THROWS(std::invalid_argument, checked(encoding, shape));
  encoding = plain_encoding();
  encoding.symmetries.push_back({{0, 0, 1, 2, 3, 4, 5, 6}, {0, 1}, {0}});
  CHECK_THROWS(std::invalid_argument, checked(encoding, shape));
  encoding = plain_encoding();
  Lesson lesson(4, 1);
  lesson.numbers[3] = 2;
  CHECK_THROWS(std::invalid_argument, SampleChunk(lesson.positions(), encoding, shape));
  lesson = Lesson(4, 1);
  lesson.states[2] |= 256;
  CHECK_THROWS(std::invalid_argument, SampleChunk(lesson.positions(), encoding, shape));
  lesson = Lesson(4, 1);
  lesson.results[1] = NAN;
  CHECK_THROWS(std::invalid_argument, SampleChunk(lesson.positions(), encoding, shape));
  lesson = Lesson(4, 1);
  lesson.move_ends[1] = 99;
  CHECK_THROWS(std::invalid_argument, SampleChunk(lesson.positions(), encoding, shape));
}

}  // namespace

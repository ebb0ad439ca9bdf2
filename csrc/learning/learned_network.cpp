#include "learning/learned_network.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <stdexcept>

#include "base/random.hpp"

namespace ggp {

namespace {

constexpr std::uint32_t kVector = NetworkShape::kVector;

// Normally distributed numbers (Box and Muller 1958).
class Gauss {
 public:
  explicit Gauss(std::uint64_t seed) : random_(seed) {}
  float operator()(double deviation) {
    constexpr double kTurn = 6.283185307179586;
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return static_cast<float>(deviation * radius * std::cos(kTurn * uniform()));
  }

 private:
  double uniform() { return static_cast<double>(draw(random_) >> 11) * 0x1p-53; }
  std::uint64_t random_;
};

}  // namespace

const NetworkShape& checked(const NetworkShape& shape) {
  require(shape.features >= 1 && shape.features <= NetworkShape::kMost, "a network has 1 to 65535 features");
  require(shape.policies <= NetworkShape::kMost, "a network has at most 65535 policies");
  require(shape.values >= 1 && shape.values <= NetworkShape::kMostValues, "a network has 1 to 64 values");
  require(shape.hidden1 % kVector == 0 && shape.hidden1 >= kVector && shape.hidden1 <= NetworkShape::kMostHidden,
          "the first hidden layer has a multiple of 16 units, 16 to 4096");
  require(shape.hidden2 == 16 || shape.hidden2 == 32 || shape.hidden2 == 64 || shape.hidden2 == 128,
          "the second hidden layer has 16, 32, 64 or 128 units");
  return shape;
}

AlignedFloats::AlignedFloats(std::size_t count) : size_(count) {
  const std::size_t bytes = (std::max<std::size_t>(count, 1) * sizeof(float) + 63) / 64 * 64;
  memory_.reset(static_cast<float*>(std::aligned_alloc(64, bytes)));
  if (memory_ == nullptr) throw std::bad_alloc();
  std::memset(memory_.get(), 0, bytes);
}

NetworkLayout::NetworkLayout(const NetworkShape& shape) {
  std::size_t used = 0;
  const auto take = [&used](std::size_t count) {
    const std::size_t at = used;
    used += (count + kVector - 1) / kVector * kVector;
    return at;
  };
  const std::size_t features = shape.features;
  w1 = take(features * shape.hidden1);
  b1 = take(shape.hidden1);
  w2 = take(std::size_t(shape.hidden1) * shape.hidden2);
  b2 = take(shape.hidden2);
  wv = take(std::size_t(shape.values) * shape.hidden2);
  bv = take(shape.values);
  sv = take(shape.values * features);
  wp = take(std::size_t(shape.policies) * shape.hidden2);
  bp = take(shape.policies);
  s = take(shape.direct_policy ? features * shape.padded_policies() : 0);
  total = used;
}

LearnedNetwork::LearnedNetwork(const NetworkShape& shape)
    : shape_(checked(shape)), layout_(shape_), weights_(layout_.total) {}

LearnedNetwork::LearnedNetwork(const LearnedNetwork& other) : LearnedNetwork(other.shape_) {
  std::copy_n(other.weights(), size(), weights());
}

void LearnedNetwork::initialise(std::uint64_t seed, double active) {
  // The features of a state are correlated, so their sum varies less than He's formula expects.
  constexpr double kFeatureScale = 0.7, kOutputScale = 0.1;
  Gauss gauss(seed);
  std::fill_n(weights(), size(), 0.0f);
  const auto fill = [&](std::size_t at, std::size_t count, double deviation) {
    for (std::size_t i = 0; i < count; ++i) weights_[at + i] = gauss(deviation);
  };
  const double output = kOutputScale / std::sqrt(static_cast<double>(shape_.hidden2));
  fill(layout_.w1, std::size_t(shape_.features) * shape_.hidden1, kFeatureScale * std::sqrt(2 / std::max(active, 1.0)));
  fill(layout_.w2, std::size_t(shape_.hidden1) * shape_.hidden2, std::sqrt(2.0 / shape_.hidden1));
  fill(layout_.wv, std::size_t(shape_.values) * shape_.hidden2, output);
  fill(layout_.wp, std::size_t(shape_.policies) * shape_.hidden2, output);
}

std::vector<WeightArray> LearnedNetwork::arrays() const {
  const NetworkShape& n = shape_;
  std::vector<WeightArray> arrays{
      {"w1", layout_.w1, n.features, n.hidden1, n.hidden1}, {"b1", layout_.b1, 1, n.hidden1, n.hidden1},
      {"w2", layout_.w2, n.hidden1, n.hidden2, n.hidden2},  {"b2", layout_.b2, 1, n.hidden2, n.hidden2},
      {"wv", layout_.wv, n.values, n.hidden2, n.hidden2},   {"bv", layout_.bv, 1, n.values, n.values},
      {"sv", layout_.sv, n.values, n.features, n.features}, {"wp", layout_.wp, n.policies, n.hidden2, n.hidden2},
      {"bp", layout_.bp, 1, n.policies, n.policies}};
  if (n.direct_policy) arrays.push_back({"s", layout_.s, n.features, n.policies, n.padded_policies()});
  return arrays;
}

}  // namespace ggp

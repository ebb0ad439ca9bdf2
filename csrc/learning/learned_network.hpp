// A small network that maps the true features of a state to values of roles and logits of moves.
//
//     h1  = relu(b1 + sum of W1[f])                                  [H1]
//     h2  = relu(b2 + sum over k of h1[k] W2[k])                     [H2]
//     v_k = tanh(bv[k] + Wv[k] . h2 + sum of Sv[k][f])               k = 0 .. values - 1
//     l_p = bp[p] + Wp[p] . h2 + sum of S[f][p]                      p = 0 .. policies - 1
//
// Sums without a range are over the true features f. The probability of a legal move is the softmax of the logits of
// the legal moves of its role. The direct weights Sv and S make a network without hidden units a linear evaluation with
// a linear policy; large games have no S. encoding.hpp maps fluents and moves to features and policies.
//
// The first layer costs one addition of H1 numbers for each true feature, as in NNUE (Nasu 2018): states of games have
// few true fluents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace ggp {

// Throws std::invalid_argument with the line if the condition does not hold.
inline void require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

struct NetworkShape {
  std::uint32_t features = 0;  // 1 .. kMost
  std::uint32_t policies = 0;  // 0 .. kMost
  std::uint32_t values = 1;    // 1 .. kMostValues
  std::uint32_t hidden1 = 0;   // a multiple of 16, 16 .. kMostHidden
  std::uint32_t hidden2 = 0;   // 16, 32, 64 or 128
  bool direct_policy = true;   // whether S exists

  static constexpr std::uint32_t kMost = 65535, kMostHidden = 4096, kMostValues = 64;
  static constexpr std::uint32_t kVector = 16;  // floats of a vector of the kernels

  // The policies, rounded up to whole vectors.
  std::uint32_t padded_policies() const { return (policies + kVector - 1) / kVector * kVector; }
  bool operator==(const NetworkShape& other) const {
    return features == other.features && policies == other.policies && values == other.values &&
           hidden1 == other.hidden1 && hidden2 == other.hidden2 && direct_policy == other.direct_policy;
  }
};

// Throws std::invalid_argument with one line if a number is out of its range.
const NetworkShape& checked(const NetworkShape& shape);

// Floats aligned to 64 bytes, initially 0.
class AlignedFloats {
 public:
  AlignedFloats() = default;
  explicit AlignedFloats(std::size_t count);
  float* data() { return memory_.get(); }
  const float* data() const { return memory_.get(); }
  std::size_t size() const { return size_; }
  float& operator[](std::size_t i) { return memory_[i]; }
  float operator[](std::size_t i) const { return memory_[i]; }

 private:
  struct Free {
    void operator()(float* memory) const { std::free(memory); }
  };
  std::unique_ptr<float[], Free> memory_;
  std::size_t size_ = 0;
};

// Offsets of the arrays of weights in one array; each begins at a multiple of 16.
struct NetworkLayout {
  std::size_t w1, b1, w2, b2, wv, bv, sv, wp, bp, s, total;

  explicit NetworkLayout(const NetworkShape& shape);
};

// One array of weights for files: its name, its dimensions, and the floats between two of its rows.
struct WeightArray {
  std::string name;
  std::size_t offset, rows, columns, stride;
};

class LearnedNetwork {
 public:
  // All weights are 0. Throws std::invalid_argument, see checked().
  explicit LearnedNetwork(const NetworkShape& shape);
  LearnedNetwork(const LearnedNetwork& other);
  LearnedNetwork& operator=(const LearnedNetwork&) = delete;

  // Draws the weights of the hidden layers (He et al., ICCV 2015; `active` is the mean number of true features) and
  // small weights of the outputs; direct weights and biases are 0.
  void initialise(std::uint64_t seed, double active);

  const NetworkShape& shape() const { return shape_; }
  const NetworkLayout& layout() const { return layout_; }
  float* weights() { return weights_.data(); }
  const float* weights() const { return weights_.data(); }
  const float* at(std::size_t offset) const { return weights_.data() + offset; }
  std::size_t size() const { return layout_.total; }
  // The arrays by name, in the order of the header comment.
  std::vector<WeightArray> arrays() const;

 private:
  NetworkShape shape_;
  NetworkLayout layout_;
  AlignedFloats weights_;
};

}  // namespace ggp

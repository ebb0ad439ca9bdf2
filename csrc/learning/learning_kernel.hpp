// The arithmetic of learned networks, compiled for several instruction sets.
//
// All kernels have the same results bit for bit: each number is computed by the same operations in the same order, and
// horizontal sums add by halves (floats_*.inl). Only multiplications marked in the code are fused, so this folder is
// compiled with -ffp-contract=off.
#pragma once

#include <cstdint>
#include <vector>

#include "learning/learned_network.hpp"

namespace ggp {

// The true features of a state, in any order; equal orders give equal results.
struct FeatureRow {
  const std::uint16_t* features;
  std::uint32_t count;
};

// One position to learn from. A group is the legal moves of a role that has a choice. `group_ends` are the ends of the
// groups in `policies` and `targets`.
struct Sample {
  FeatureRow row;
  const float* values;              // targets, -1 .. 1, one for each value of the network
  const std::uint16_t* policies;
  const float* targets;             // probabilities, the sum of a group is 1
  const std::uint32_t* group_ends;
  std::uint32_t groups;             // 0: only values are learned
};

// Sums over samples.
struct Loss {
  double squared_error = 0;  // over samples, of all values together
  double divergence = 0;     // Kullback-Leibler divergence of the policy from its targets, over groups
  std::uint64_t samples = 0, groups = 0;
};

// Room for one thread.
struct Workspace {
  explicit Workspace(const NetworkShape& shape);
  AlignedFloats h1, h2, base, d1, d2, of_policies;
  AlignedFloats group;  // the largest group, grown when needed
};

// A step of Adam with decoupled weight decay (Kingma and Ba, ICLR 2015; Loshchilov and Hutter, ICLR 2019).
struct AdamStep {
  float rate, decay;
  float correct1, correct2;  // 1 / (1 - 0.9^t), 1 / (1 - 0.999^t)
  float average;             // weight of the new weights in the moving average
};

struct LearningKernel {
  // Number of rows by which buffers of hidden() are longer than their rows.
  static constexpr int kSpareRows = 8;

  // Computes the hidden units, h1 [rows, hidden1] and h2 [rows, hidden2], and the values [rows, values]; buffers of
  // units have kSpareRows more rows, and buffers of values 16 more numbers.
  void (*hidden)(const LearnedNetwork& network, const FeatureRow* rows, int count, float* h1, float* h2, float* values);
  // Computes what the direct weights and the biases add to all logits, padded_policies() numbers.
  void (*base)(const LearnedNetwork& network, const FeatureRow& row, float* base);
  // Computes the probabilities of some policies; `out` has room for `count` rounded up to a multiple of 16, and is
  // aligned to 64 bytes.
  void (*probabilities)(const LearnedNetwork& network, const float* h2, const float* base, const std::uint16_t* policies,
                        std::uint32_t count, float* out);
  // Adds the gradient of 1/2 (v - target)^2, summed over values, and of the cross entropy of each group, times `scale`,
  // to gradient [size()]. Scale 0 computes the loss only.
  void (*learn)(const LearnedNetwork& network, const Sample& sample, float scale, float* gradient, Workspace& room,
                Loss& loss);
  // Updates weights, moments and moving average by a gradient, and sets the gradient to 0; `count` is a multiple of 16.
  void (*step)(const AdamStep& step, std::size_t count, float* weights, float* gradient, float* mean, float* square,
               float* average);
};

// Returns the kernel for the instructions "portable", "avx2" or "avx512"; the widest usable one where this processor
// does not have them.
const LearningKernel& learning_kernel(const std::string& isa);

namespace portable {
extern const LearningKernel kLearningKernel;
}
#if defined(__x86_64__)
namespace avx2 {
extern const LearningKernel kLearningKernel;
}
namespace avx512 {
extern const LearningKernel kLearningKernel;
}
#endif

}  // namespace ggp

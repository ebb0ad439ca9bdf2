// The training of a network from a window of samples: Adam on batches that are drawn at random.
//
// The loss of a sample is the squared error of its values and the cross entropy of its policies. A value target is
// (1 - mix) z + mix q, with the result z of the game and the value q that the search found. Each drawn sample is turned
// by a random symmetry. The moving average of the weights, not the last weights, is the network that plays (Polyak and
// Juditsky 1992).
//
// Several threads share a batch; their gradients are added in the order of the threads, so equal seeds and numbers of
// threads give equal weights.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "learning/encoding.hpp"
#include "learning/learning_kernel.hpp"
#include "learning/samples.hpp"

namespace ggp {

struct TrainerOptions {
  std::uint32_t batch = 512;        // samples of a step, at least 1
  float decay = 1e-2f;              // weight decay of a step, times the rate
  float average = 0.01f;            // weight of the new weights in the moving average
  int threads = 1;                  // 1 .. 64
  std::uint64_t seed = 1;
};

class Trainer {
 public:
  // Starts from the weights of a network.
  Trainer(const LearnedNetwork& network, Encoding encoding, const TrainerOptions& options, const LearningKernel& kernel);
  ~Trainer();

  // Adds positions to the window, as one chunk. Returns the number of samples.
  std::size_t add(const Positions& positions);
  // Removes the oldest chunks while the window has more than `samples`, and more than one chunk.
  void keep(std::size_t samples);
  // The loss of the averaged network on the latest chunk, for at most `most` samples; values are compared with results.
  Loss measure(std::size_t most);
  // Makes steps with a rate. Ends early if `interrupted`, called after each step, returns true. Returns the loss of the
  // samples before the steps that used them.
  Loss train(std::uint64_t steps, float rate, float mix, bool (*interrupted)(void* context), void* context);

  // The network that plays, and the one that learns.
  const LearnedNetwork& average() const { return average_; }
  const LearnedNetwork& network() const { return network_; }
  std::uint64_t steps() const { return steps_; }
  std::size_t samples() const { return samples_; }
  std::size_t bytes() const;

  // The state of training except the window, to be stored and restored: the number of steps, and four arrays of
  // LearnedNetwork::size() numbers: weights, averaged weights, and the two moments of the gradient.
  float* weights() { return network_.weights(); }
  float* averaged_weights() { return average_.weights(); }
  float* mean() { return mean_.data(); }
  float* square() { return square_.data(); }
  void set_steps(std::uint64_t steps) { steps_ = steps; }

 private:
  struct Thread;

  void learn_part(Thread& thread, int number, std::uint64_t step, float mix);
  void apply(int number, const AdamStep& step);
  const SampleChunk& chunk_of(std::size_t& sample) const;
  void find_ends();

  LearnedNetwork network_, average_;
  const Encoding encoding_;
  const TrainerOptions options_;
  const LearningKernel& kernel_;
  AlignedFloats mean_, square_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::deque<SampleChunk> window_;
  std::vector<std::size_t> ends_;  // the ends of the chunks in the window
  std::size_t samples_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace ggp

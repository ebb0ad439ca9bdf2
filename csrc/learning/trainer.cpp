#include "learning/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/random.hpp"

namespace ggp {

namespace {

constexpr int kMostThreads = 64;
// Steps of Adam after which the moving average has its configured weight. Before, all steps have equal weights.
constexpr double kMean = 0.9, kSquare = 0.999;

const TrainerOptions& checked(const TrainerOptions& options) {
  if (options.batch < 1 || options.threads < 1 || options.threads > kMostThreads)
    throw std::invalid_argument("a trainer has a batch, and 1 to 64 threads");
  return options;
}

// Threads that wait for one another.
class Barrier {
 public:
  explicit Barrier(int threads) : threads_(threads) {}
  void wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    const std::uint64_t round = round_;
    if (++waiting_ == threads_) {
      waiting_ = 0;
      ++round_;
      all_.notify_all();
      return;
    }
    all_.wait(lock, [&] { return round_ != round; });
  }

 private:
  const int threads_;
  int waiting_ = 0;
  std::uint64_t round_ = 0;
  std::mutex mutex_;
  std::condition_variable all_;
};

void add_to(Loss& to, const Loss& other) {
  to.squared_error += other.squared_error;
  to.divergence += other.divergence;
  to.samples += other.samples;
  to.groups += other.groups;
}

}  // namespace

struct Trainer::Thread {
  explicit Thread(const LearnedNetwork& network) : gradient(network.size()), room(network.shape()) {}
  AlignedFloats gradient;
  Workspace room;
  SampleChunk::Room sample;
  Loss loss;
};

Trainer::Trainer(const LearnedNetwork& network, Encoding encoding, const TrainerOptions& options,
                 const LearningKernel& kernel)
    : network_(network),
      average_(network),
      encoding_(std::move(encoding)),
      options_(checked(options)),
      kernel_(kernel),
      mean_(network.size()),
      square_(network.size()) {
  ggp::checked(encoding_, network_.shape());
  for (int i = 0; i < options_.threads; ++i) threads_.push_back(std::make_unique<Thread>(network_));
}

Trainer::~Trainer() = default;

std::size_t Trainer::add(const Positions& positions) {
  window_.emplace_back(positions, encoding_, network_.shape());
  const std::size_t added = window_.back().size();
  samples_ += added;
  find_ends();
  return added;
}

void Trainer::keep(std::size_t samples) {
  while (window_.size() > 1 && samples_ > samples) {
    samples_ -= window_.front().size();
    window_.pop_front();
  }
  find_ends();
}

void Trainer::find_ends() {
  ends_.clear();
  std::size_t end = 0;
  for (const SampleChunk& chunk : window_) ends_.push_back(end += chunk.size());
}

std::size_t Trainer::bytes() const {
  std::size_t bytes = (threads_.size() + 4) * network_.size() * sizeof(float);
  for (const SampleChunk& chunk : window_) bytes += chunk.bytes();
  return bytes;
}

// The chunk of a sample of the window. `sample` becomes the index in the chunk.
const SampleChunk& Trainer::chunk_of(std::size_t& sample) const {
  const std::size_t chunk = static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), sample) - ends_.begin());
  if (chunk > 0) sample -= ends_[chunk - 1];
  return window_[chunk];
}

Loss Trainer::measure(std::size_t most) {
  Loss loss;
  if (window_.empty() || most == 0) return loss;
  const SampleChunk& latest = window_.back();
  const std::size_t stride = std::max<std::size_t>(1, latest.size() / most);
  Thread& thread = *threads_[0];
  for (std::size_t i = 0; i < latest.size(); i += stride) {
    const Sample sample = latest.sample(i, nullptr, 0, thread.sample);
    kernel_.learn(average_, sample, 0.0f, thread.gradient.data(), thread.room, loss);
  }
  return loss;
}

// Adds the gradient of a thread's part of a batch.
void Trainer::learn_part(Thread& thread, int number, std::uint64_t step, float mix) {
  const std::uint64_t turns = encoding_.symmetries.size() + 1;
  const auto threads = static_cast<std::uint32_t>(options_.threads);
  const float scale = 1.0f / static_cast<float>(options_.batch);
  std::uint64_t random = stream_seed(options_.seed, step * kMostThreads + static_cast<std::uint64_t>(number));
  for (std::uint32_t i = static_cast<std::uint32_t>(number); i < options_.batch; i += threads) {
    std::size_t index = draw_below(random, static_cast<std::uint32_t>(samples_));
    const SampleChunk& chunk = chunk_of(index);
    const std::uint32_t turn = draw_below(random, static_cast<std::uint32_t>(turns));
    const Encoding::Symmetry* symmetry = turn == 0 ? nullptr : &encoding_.symmetries[turn - 1];
    const Sample sample = chunk.sample(index, symmetry, mix, thread.sample);
    kernel_.learn(network_, sample, scale, thread.gradient.data(), thread.room, thread.loss);
  }
}

// Applies the gradients of all threads to a thread's part of the weights.
void Trainer::apply(int number, const AdamStep& step) {
  constexpr std::size_t kVector = NetworkShape::kVector;
  const std::size_t vectors = network_.size() / kVector, threads = threads_.size();
  const std::size_t first = vectors * std::size_t(number) / threads * kVector;
  const std::size_t end = vectors * (std::size_t(number) + 1) / threads * kVector;
  float* gradient = threads_[0]->gradient.data();
  for (std::size_t other = 1; other < threads; ++other) {
    float* from = threads_[other]->gradient.data();
    for (std::size_t i = first; i < end; ++i) gradient[i] += from[i];
    std::fill(from + first, from + end, 0.0f);
  }
  kernel_.step(step, end - first, network_.weights() + first, gradient + first, mean_.data() + first,
               square_.data() + first, average_.weights() + first);
}

Loss Trainer::train(std::uint64_t steps, float rate, float mix, bool (*interrupted)(void*), void* context) {
  Loss total;
  if (samples_ == 0) return total;
  for (const auto& thread : threads_) thread->loss = Loss();
  const std::uint64_t first = steps_, end = steps_ + steps;
  Barrier barrier(options_.threads);
  bool stopped = false;  // written by thread 0 between two barriers
  const auto work = [&](int number) {
    for (std::uint64_t step = first; step < end && !stopped; ++step) {
      learn_part(*threads_[number], number, step, mix);
      barrier.wait();
      const double t = static_cast<double>(step + 1);
      const auto correction = [t](double factor) { return static_cast<float>(1 / (1 - std::pow(factor, t))); };
      const float average = std::max(options_.average, static_cast<float>(1 / (t + 1)));
      apply(number, {rate, options_.decay, correction(kMean), correction(kSquare), average});
      barrier.wait();
      if (number == 0) {
        steps_ = step + 1;
        stopped = interrupted != nullptr && interrupted(context);
      }
      barrier.wait();
    }
  };
  std::vector<std::thread> others;
  for (int number = 1; number < options_.threads; ++number) others.emplace_back(work, number);
  work(0);
  for (std::thread& other : others) other.join();
  for (const auto& thread : threads_) add_to(total, thread->loss);
  return total;
}

}  // namespace ggp

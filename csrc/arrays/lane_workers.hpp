// Threads that do the same work on several parts of an array of lanes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ggp {

// The thread of the caller and further threads, which take parts in turn. With one thread, no other thread is started.
class LaneWorkers {
 public:
  explicit LaneWorkers(int threads) {
    for (int i = 1; i < threads; ++i) threads_.emplace_back([this] { serve(); });
  }
  LaneWorkers(const LaneWorkers&) = delete;
  LaneWorkers& operator=(const LaneWorkers&) = delete;
  ~LaneWorkers() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ending_ = true;
    }
    begin_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  // Calls work(part) for 0 .. parts - 1 and returns when all are done. The work must not throw.
  template <class Work>
  void run(int parts, Work work) {
    if (threads_.empty() || parts == 1) {
      for (int part = 0; part < parts; ++part) work(part);
      return;
    }
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      work_ = std::ref(work);
      parts_ = parts;
      next_.store(0);
      busy_ = static_cast<int>(threads_.size());
      ++round_;
    }
    begin_.notify_all();
    take(parts);
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
  }

 private:
  void take(int parts) {
    for (int part = next_++; part < parts; part = next_++) work_(part);
  }
  void serve() {
    unsigned seen = 0;
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      begin_.wait(lock, [&] { return ending_ || round_ != seen; });
      if (ending_) return;
      seen = round_;
      const int parts = parts_;
      lock.unlock();
      take(parts);
      lock.lock();
      if (--busy_ == 0) done_.notify_one();
    }
  }

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable begin_, done_;
  std::function<void(int)> work_;
  std::atomic<int> next_{0};
  int parts_ = 0, busy_ = 0;
  unsigned round_ = 0;
  bool ending_ = false;
};

}  // namespace ggp

// Rejects a second call of a searcher while one is running; included by the sources of Searcher only.
#pragma once

#include <atomic>
#include <stdexcept>

#include "search/driver/searcher.hpp"

namespace ggp {

constexpr const char* kInUse = "the search is running: stop it first";

class Searcher::Use {
 public:
  explicit Use(std::atomic<bool>& used) : used_(used) {
    if (used_.exchange(true)) throw std::logic_error(kInUse);
  }
  Use(std::atomic<bool>& used, std::adopt_lock_t) : used_(used) {}
  ~Use() { used_.store(false); }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  std::atomic<bool>& used_;
};

}  // namespace ggp

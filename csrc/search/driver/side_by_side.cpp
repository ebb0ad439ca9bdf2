#include "search/driver/side_by_side.hpp"

#include <algorithm>
#include <chrono>

#include "base/thread_clock.hpp"

namespace ggp {

namespace {

constexpr std::chrono::milliseconds kAskEvery{100};

}  // namespace

void SideBySide::start(Searcher& searcher, int first_lane, std::uint64_t simulations) {
  running_.reserve(running_.size() + 1);
  Limits limits;
  limits.simulations = simulations;
  searcher.begin(limits, first_lane);
  running_.push_back(&searcher);
}

std::vector<Searcher*> SideBySide::run(bool (*interrupted)(void* context), void* context) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point ask_at = Clock::now() + kAskEvery;
  try {
    std::vector<Searcher*> done = take_done();
    while (done.empty() && !running_.empty()) {
      const Clock::time_point now = Clock::now();
      if (now >= ask_at) {
        ask_at = now + kAskEvery;
        if (interrupted(context)) break;
      }
      if (round()) done = take_done();
    }
    return done;
  } catch (...) {
    for (Searcher* searcher : running_) searcher->abandon();
    running_.clear();
    lanes_.close_turn();
    throw;
  }
}

void SideBySide::stop() {
  for (Searcher* searcher : running_) searcher->abandon();
  running_.clear();
}

// Plays a round; returns whether some searcher is done.
bool SideBySide::round() {
  const bool timed = ++rounds_ % kTimedEvery == 0;
  const double begun = timed ? thread_cpu_seconds() : 0;
  // Two readings without work between them: each measured time contains one.
  const double reading = timed ? thread_cpu_seconds() - begun : 0;
  double apart = 0;
  const auto each = [&](auto part) {
    for (Searcher* searcher : running_) {
      const double from = timed ? thread_cpu_seconds() : 0;
      part(*searcher);
      if (!timed) continue;
      const double seconds = thread_cpu_seconds() - from;
      searcher->take_time(kTimedEvery * std::max(0.0, seconds - reading));
      apart += seconds + reading;
    }
  };
  lanes_.evaluate();
  each([](Searcher& searcher) { searcher.ask(); });
  lanes_.answer();
  each([](Searcher& searcher) { searcher.read(); });
  each([](Searcher& searcher) { searcher.choose(); });
  lanes_.step();
  each([](Searcher& searcher) { searcher.reload(); });
  lanes_.load();
  const double common =
      timed ? std::max(0.0, thread_cpu_seconds() - begun - apart) / static_cast<double>(running_.size()) : 0;
  bool done = false;
  for (Searcher* searcher : running_) {
    if (timed) searcher->take_time(kTimedEvery * common);
    done |= searcher->done();
  }
  return done;
}

std::vector<Searcher*> SideBySide::take_done() {
  std::vector<Searcher*> done;
  for (auto place = running_.begin(); place != running_.end();) {
    if (!(*place)->done()) {
      ++place;
      continue;
    }
    (*place)->end();
    done.push_back(*place);
    place = running_.erase(place);
  }
  return done;
}

}  // namespace ggp

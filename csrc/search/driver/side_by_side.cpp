#include "search/driver/side_by_side.hpp"

#include <chrono>

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
  lanes_.evaluate();
  for (Searcher* searcher : running_) searcher->ask();
  lanes_.answer();
  for (Searcher* searcher : running_) searcher->read();
  for (Searcher* searcher : running_) searcher->choose();
  lanes_.step();
  bool done = false;
  for (Searcher* searcher : running_) {
    searcher->reload();
    done |= searcher->done();
  }
  lanes_.load();
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

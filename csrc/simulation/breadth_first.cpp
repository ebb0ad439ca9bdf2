#include "simulation/breadth_first.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/thread_clock.hpp"

namespace ggp {

BreadthFirst::BreadthFirst(Simulator& simulator, const std::uint64_t* start, const std::uint64_t* mask, int target,
                           std::size_t max_states)
    : simulator_(simulator),
      words_(simulator.state_words()),
      target_(target),
      table_(words_, mask, max_states) {
  if (simulator.roles() != 1) throw std::invalid_argument("only games of one role are searched breadth first");
  const std::size_t lanes = simulator.lanes();
  edges_.reserve(lanes * 8);
  batch_.reserve(lanes);
  sources_.resize(lanes);
  targets_.resize(lanes);
  successors_.resize(lanes * words_);
  legal_.resize(simulator.moves(0) + 1);
  table_.add(start, 0, -1);
}

void BreadthFirst::begin(std::size_t width, int order, std::uint64_t seed) {
  table_.clear();
  level_.clear();
  next_ = 0;
  full_ = false;
  left_out_ = false;
  width_ = width;
  order_ = order;
  seed_ = seed;
}

BreadthFirst::Status BreadthFirst::run(double cpu_seconds, const std::atomic<bool>& stop) {
  const double until = thread_cpu_seconds() + cpu_seconds;
  do {
    if (status() != Status::kGoesOn) break;
    next_batch();
    look_at_batch();
    if (!play()) full_ = true;
  } while (!stop.load(std::memory_order_relaxed) && thread_cpu_seconds() < until);
  return status();
}

BreadthFirst::Status BreadthFirst::status() const {
  if (best_ >= target_) return Status::kFoundTarget;
  if (full_) return Status::kOutOfMemory;
  return level_.empty() && next_ == states() ? Status::kSawAll : Status::kGoesOn;
}

void BreadthFirst::load(const std::vector<Number>& which) {
  lanes_.assign(simulator_.groups(), 0);
  for (std::size_t lane = 0; lane < which.size(); ++lane) {
    lanes_[lane / 64] |= std::uint64_t{1} << (lane % 64);
    sources_[lane] = table_.at(which[lane]);
  }
  simulator_.load(lanes_.data(), sources_.data());
  simulator_.evaluate();
}

// Selects the states that are expanded next.
void BreadthFirst::next_batch() {
  const std::size_t lanes = simulator_.lanes();
  if (width_ != 0 && level_.empty()) choose_level();
  batch_.clear();
  if (width_ == 0) {
    const std::size_t end = std::min(states(), next_ + lanes);
    for (; next_ < end; ++next_) batch_.push_back(static_cast<Number>(next_));
    return;
  }
  for (; batch_.size() < lanes && !level_.empty(); level_.pop_back()) batch_.push_back(level_.back().second);
}

// For a beam: selects the best of the states found at the next depth.
void BreadthFirst::choose_level() {
  const std::size_t lanes = simulator_.lanes();
  while (next_ < states()) {
    batch_.clear();
    const std::size_t end = std::min(states(), next_ + lanes);
    for (; next_ < end; ++next_) batch_.push_back(static_cast<Number>(next_));
    load(batch_);
    for (std::size_t lane = 0; lane < batch_.size(); ++lane) {
      if (is_terminal(lane))
        judge(lane);
      else
        level_.emplace_back(rank(batch_[lane], static_cast<int>(lane)), batch_[lane]);
    }
  }
  if (level_.size() > width_) {
    left_out_ = true;
    std::nth_element(level_.begin(), level_.begin() + static_cast<std::ptrdiff_t>(width_), level_.end(),
                     [](const auto& a, const auto& b) { return a > b; });
    level_.resize(width_);
  }
}

// The rank of a state: states with a higher rank are expanded earlier.
std::uint64_t BreadthFirst::rank(Number number, int lane) {
  const std::uint64_t random = mix64(table_.key(table_.at(number)) ^ seed_) >> 20;
  std::uint64_t value = 0;
  if (order_ == 1) value = static_cast<std::uint64_t>(goal(lane));
  if (order_ >= 2) value = static_cast<std::uint64_t>(std::min(simulator_.legal_count(lane, 0), 1023));
  if (order_ == 3) value = value == 0 ? 0 : 1024 - value;  // a state without a move has no successor
  return value << 44 | random;
}

bool BreadthFirst::is_terminal(std::size_t lane) const {
  return (simulator_.terminal()[lane / 64] >> (lane % 64) & 1) != 0;
}

// Processes a terminal state of the batch.
void BreadthFirst::judge(std::size_t lane) {
  const int reached = goal(static_cast<int>(lane));
  if (reached <= best_) return;
  best_ = reached;
  line_ = table_.line(batch_[lane]);
}

int BreadthFirst::goal(int lane) {
  return std::max(0, simulator_.goal(lane, 0));
}

// Processes the terminal states of the batch, and lists the moves of the other states.
void BreadthFirst::look_at_batch() {
  edges_.clear();
  load(batch_);
  for (std::size_t lane = 0; lane < batch_.size(); ++lane) {
    if (is_terminal(lane)) {
      judge(lane);
      continue;
    }
    const int count = simulator_.legal(static_cast<int>(lane), 0, legal_.data());
    for (int i = 0; i < count; ++i) edges_.push_back({batch_[lane], legal_[i]});
  }
}

// Plays the listed moves, as many at once as there are lanes; returns false if there is no space for the successors.
bool BreadthFirst::play() {
  const std::size_t lanes = simulator_.lanes();
  for (std::size_t first = 0; first < edges_.size(); first += lanes) {
    const std::size_t count = std::min(lanes, edges_.size() - first);
    batch_.clear();
    for (std::size_t i = 0; i < count; ++i) batch_.push_back(edges_[first + i].state);
    load(batch_);
    for (std::size_t i = 0; i < count; ++i) simulator_.choose(static_cast<int>(i), 0, edges_[first + i].move);
    simulator_.step();
    for (std::size_t i = 0; i < count; ++i) targets_[i] = successors_.data() + i * words_;
    simulator_.store(lanes_.data(), targets_.data());
    for (std::size_t i = 0; i < count; ++i)
      if (!table_.add(targets_[i], edges_[first + i].state, edges_[first + i].move)) return false;
  }
  return true;
}

}  // namespace ggp

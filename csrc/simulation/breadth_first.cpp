#include "simulation/breadth_first.hpp"

#include <algorithm>
#include <stdexcept>

#include "random.hpp"
#include "thread_clock.hpp"

namespace ggp {

BreadthFirst::BreadthFirst(Simulator& simulator, const std::uint64_t* start, const std::uint64_t* mask, int target,
                           std::size_t max_states)
    : simulator_(simulator),
      words_(simulator.state_words()),
      max_states_(std::min<std::size_t>(std::max<std::size_t>(max_states, 1), 0xFFFFFFFEu)),
      target_(target),
      mask_(mask, mask + words_),
      table_(std::size_t{1} << 12, 0) {
  if (simulator.roles() != 1) throw std::invalid_argument("only games of one role are searched breadth first");
  // What is not used of it takes no memory, and nothing has to be moved when more is.
  states_.reserve(max_states_ * words_);
  parents_.reserve(max_states_);
  moves_.reserve(max_states_);
  const std::size_t lanes = simulator.lanes();
  edges_.reserve(lanes * 8);
  batch_.reserve(lanes);
  sources_.resize(lanes);
  targets_.resize(lanes);
  successors_.resize(lanes * words_);
  legal_.resize(simulator.moves(0) + 1);
  add(start, 0, -1);
}

BreadthFirst::Status BreadthFirst::run(double cpu_seconds, const std::atomic<bool>& stop) {
  const double until = thread_cpu_seconds() + cpu_seconds;
  do {
    if (best_ >= target_) return Status::kFoundTarget;
    if (full_) return Status::kOutOfMemory;
    if (next_ == states()) return Status::kSawAll;
    look_at_states();
    if (!play()) full_ = true;
  } while (!stop.load(std::memory_order_relaxed) && thread_cpu_seconds() < until);
  if (best_ >= target_) return Status::kFoundTarget;
  return full_ ? Status::kOutOfMemory : next_ == states() ? Status::kSawAll : Status::kGoesOn;
}

std::vector<int> BreadthFirst::line() const {
  std::vector<int> moves;
  if (best_ < 0) return moves;
  for (std::uint32_t state = best_state_; state != 0; state = parents_[state]) moves.push_back(moves_[state]);
  std::reverse(moves.begin(), moves.end());
  return moves;
}

std::uint64_t BreadthFirst::key(const std::uint64_t* state) const {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < words_; ++i) key = mix64(key * 0x9E3779B97F4A7C15ull + (state[i] & mask_[i]) + 1);
  return key;
}

// Keeps a state that is new; false where there is no room for it.
bool BreadthFirst::add(const std::uint64_t* state, std::uint32_t parent, int move) {
  const std::size_t last = table_.size() - 1;
  std::size_t slot = key(state) & last;
  for (; table_[slot] != 0; slot = (slot + 1) & last) {
    const std::uint64_t* other = at(table_[slot] - 1);
    bool equal = true;
    for (std::size_t i = 0; i < words_ && equal; ++i) equal = ((state[i] ^ other[i]) & mask_[i]) == 0;
    if (equal) return true;
  }
  if (states() == max_states_) return false;
  states_.insert(states_.end(), state, state + words_);
  parents_.push_back(parent);
  moves_.push_back(move);
  table_[slot] = static_cast<std::uint32_t>(states());
  if (2 * states() > table_.size()) grow();
  return true;
}

void BreadthFirst::grow() {
  std::vector<std::uint32_t>(2 * table_.size(), 0).swap(table_);
  const std::size_t last = table_.size() - 1;
  for (std::size_t number = 0; number < states(); ++number) {
    std::size_t slot = key(at(number)) & last;
    while (table_[slot] != 0) slot = (slot + 1) & last;
    table_[slot] = static_cast<std::uint32_t>(number + 1);
  }
}

void BreadthFirst::load(const std::vector<std::uint32_t>& which) {
  lanes_.assign(simulator_.groups(), 0);
  for (std::size_t lane = 0; lane < which.size(); ++lane) {
    lanes_[lane / 64] |= std::uint64_t{1} << (lane % 64);
    sources_[lane] = at(which[lane]);
  }
  simulator_.load(lanes_.data(), sources_.data());
  simulator_.evaluate();
}

// Takes the next batch of states: judges those that are terminal, and lists the moves of the others.
void BreadthFirst::look_at_states() {
  batch_.clear();
  edges_.clear();
  const std::size_t end = std::min(states(), next_ + simulator_.lanes());
  for (; next_ < end; ++next_) batch_.push_back(static_cast<std::uint32_t>(next_));
  load(batch_);
  for (std::size_t lane = 0; lane < batch_.size(); ++lane) {
    if (simulator_.terminal()[lane / 64] >> (lane % 64) & 1) {
      judge(batch_[lane], static_cast<int>(lane));
      continue;
    }
    const int count = simulator_.legal(static_cast<int>(lane), 0, legal_.data());
    for (int i = 0; i < count; ++i) edges_.push_back({batch_[lane], legal_[i]});
  }
}

void BreadthFirst::judge(std::uint32_t number, int lane) {
  int values[101];
  const int count = simulator_.goals(lane, 0, values);
  const int goal = count == 1 ? values[0] : 0;
  if (goal > best_) {
    best_ = goal;
    best_state_ = number;
  }
}

// Makes the moves that were listed, as many at once as there are lanes; false where there is no room for what follows.
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
      if (!add(targets_[i], edges_[first + i].state, edges_[first + i].move)) return false;
  }
  return true;
}

}  // namespace ggp

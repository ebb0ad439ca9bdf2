#include "reasoner/reasoner_simulator.hpp"

#include <algorithm>
#include <limits>

#include "base/lane_mask.hpp"
#include "base/random.hpp"
#include "reasoner/goal_values.hpp"

namespace ggp {
namespace {

constexpr Term kNoMove = std::numeric_limits<Term>::max();
// Memory for tables beyond this limit is freed when the next state is entered.
constexpr std::size_t kKeptBytes = std::size_t{16} << 20;

}  // namespace

ReasonerSimulator::ReasonerSimulator(std::shared_ptr<Registry> registry, int lanes)
    : registry_(std::move(registry)),
      evaluator_(registry_->plan(), registry_->limits()),
      tables_(registry_->limits().table_bytes),
      lanes_(static_cast<std::size_t>(lanes)),
      terminal_(static_cast<std::size_t>(lanes) / 64) {
  for (const Term role : registry_->plan()->rules.roles) roles_.push_back({role, {}, {}, {}});
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    lanes_[lane].legal.resize(roles_.size());
    lanes_[lane].perceived.resize(roles_.size());
    lanes_[lane].chosen.assign(roles_.size(), kNoMove);
    lanes_[lane].random = mix64(lane);
  }
}

std::unique_ptr<Simulator> ReasonerSimulator::clone() const {
  return std::make_unique<ReasonerSimulator>(registry_, lanes());
}

// ---- states

void ReasonerSimulator::enter(Lane& lane) {
  if (entered_ != &lane) {
    if (tables_.bytes() > kKeptBytes)
      tables_.release();
    else
      tables_.clear();
  }
  entered_ = &lane;
  evaluator_.enter(tables_, lane.fluents);
}

void ReasonerSimulator::drop(Lane& lane) {
  lane.holds = lane.is_packed = false;
  std::fill(lane.chosen.begin(), lane.chosen.end(), kNoMove);
  if (entered_ == &lane) entered_ = nullptr;
  for (auto& legal : lane.legal) legal.clear();
}

void ReasonerSimulator::drop_all() {
  for (Lane& lane : lanes_) drop(lane);
  std::fill(terminal_.begin(), terminal_.end(), 0);
}

template <class Work>
void ReasonerSimulator::for_held_lanes(Work work) {
  try {
    for (std::size_t number = 0; number < lanes_.size(); ++number)
      if (lanes_[number].holds) work(lanes_[number], number);
  } catch (...) {
    drop_all();
    throw;
  }
}

void ReasonerSimulator::load(const std::uint64_t* mask, const std::uint64_t* const* states) {
  for_each_lane(mask, groups(), [&](int number) {
    Lane& lane = lanes_[number];
    drop(lane);
    unpack(lane, states[number][0]);
  });
}

void ReasonerSimulator::unpack(Lane& lane, std::uint64_t state) {
  registry_->unpack(state, numbers_);
  lane.fluents.clear();
  for (const std::uint32_t number : numbers_) {
    if (number >= fluent_.size()) registry_->import_fluents(evaluator_.terms(), fluent_);
    lane.fluents.push_back(fluent_[number]);
  }
  lane.packed = state;
  lane.holds = lane.is_packed = true;
}

void ReasonerSimulator::store(const std::uint64_t* mask, std::uint64_t* const* states) {
  for_each_lane(mask, groups(), [&](int lane) { states[lane][0] = pack(lanes_[lane]); });
}

std::uint64_t ReasonerSimulator::pack(Lane& lane) {
  if (lane.is_packed) return lane.packed;
  numbers_.clear();
  for (const Term fluent : lane.fluents) {
    if (fluent >= number_of_fluent_.size()) number_of_fluent_.resize(evaluator_.terms().size(), kUnknown);
    std::uint32_t& number = number_of_fluent_[fluent];
    if (number == kUnknown) number = registry_->fluent_number(evaluator_.terms(), fluent);
    numbers_.push_back(number);
  }
  std::sort(numbers_.begin(), numbers_.end());
  lane.packed = registry_->pack(numbers_);
  lane.is_packed = true;
  return lane.packed;
}

// ---- one turn

void ReasonerSimulator::evaluate() {
  std::fill(terminal_.begin(), terminal_.end(), 0);
  for_held_lanes([&](Lane& lane, std::size_t number) {
    enter(lane);
    for (std::size_t role = 0; role < roles_.size(); ++role) find_legal(lane, role);
    if (evaluator_.query(evaluator_.plan().terminal, nullptr).count > 0)
      terminal_[number / 64] |= std::uint64_t{1} << (number % 64);
    std::fill(lane.chosen.begin(), lane.chosen.end(), kNoMove);
  });
}

void ReasonerSimulator::find_legal(Lane& lane, std::size_t number) {
  Role& role = roles_[number];
  const Evaluator::Answers found = evaluator_.query(evaluator_.plan().legal, &role.term);
  if (role.number_of.size() < evaluator_.terms().size()) role.number_of.resize(evaluator_.terms().size(), kUnknown);
  std::vector<std::uint32_t>& legal = lane.legal[number];
  legal.clear();
  terms_.clear();
  for (std::uint32_t i = 0; i < found.count; ++i) {
    const std::uint32_t known = role.number_of[found.first[i]];
    if (known != kUnknown)
      legal.push_back(known);
    else
      terms_.push_back(found.first[i]);
  }
  std::sort(terms_.begin(), terms_.end(),
            [&](Term left, Term right) { return evaluator_.terms().compare(left, right) < 0; });
  for (const Term move : terms_) {
    role.number_of[move] = registry_->move_number(static_cast<int>(number), evaluator_.terms(), move);
    legal.push_back(role.number_of[move]);
  }
  std::sort(legal.begin(), legal.end());
}

int ReasonerSimulator::goals(int number, int role, int* out) {
  Lane& lane = lanes_[number];
  if (!lane.holds) return 0;
  enter(lane);
  return goal_values(evaluator_, roles_[role].term, out);
}

int ReasonerSimulator::goal(int lane, int role) {
  int values[kGoalValues];
  return highest(values, goals(lane, role, values));
}

int ReasonerSimulator::legal_count(int lane, int role) { return static_cast<int>(lanes_[lane].legal[role].size()); }

int ReasonerSimulator::legal(int lane, int role, int* out) {
  const std::vector<std::uint32_t>& legal = lanes_[lane].legal[role];
  std::copy(legal.begin(), legal.end(), out);
  return static_cast<int>(legal.size());
}

Term ReasonerSimulator::move_of(int role, std::uint32_t number) {
  Role& known = roles_[role];
  if (number >= known.move.size()) registry_->import_moves(role, evaluator_.terms(), known.move);
  return known.move[number];
}

void ReasonerSimulator::choose(int lane, int role, int move) {
  lanes_[lane].chosen[role] = move_of(role, static_cast<std::uint32_t>(move));
}

void ReasonerSimulator::choose_at_random(const std::uint64_t* mask) {
  for_each_lane(mask, groups(), [&](int number) {
    Lane& lane = lanes_[number];
    for (std::size_t role = 0; role < roles_.size(); ++role) {
      const std::vector<std::uint32_t>& legal = lane.legal[role];
      if (legal.empty()) continue;
      const auto count = static_cast<std::uint32_t>(legal.size());
      lane.chosen[role] = move_of(static_cast<int>(role), legal[count == 1 ? 0 : draw_below(lane.random, count)]);
    }
  });
}

bool ReasonerSimulator::is_complete(const Lane& lane) {
  return std::find(lane.chosen.begin(), lane.chosen.end(), kNoMove) == lane.chosen.end();
}

void ReasonerSimulator::perceive() {
  for_held_lanes([&](Lane& lane, std::size_t) {
    if (!is_complete(lane)) return;
    enter(lane);
    evaluator_.set_moves(lane.chosen.data());
    for (std::size_t role = 0; role < roles_.size(); ++role) find_percepts(lane, role);
  });
}

void ReasonerSimulator::find_percepts(Lane& lane, std::size_t number) {
  Role& role = roles_[number];
  const Evaluator::Answers found = evaluator_.query(evaluator_.plan().sees, &role.term);
  if (role.number_of_percept.size() < evaluator_.terms().size())
    role.number_of_percept.resize(evaluator_.terms().size(), kUnknown);
  std::vector<std::uint32_t>& perceived = lane.perceived[number];
  perceived.clear();
  for (std::uint32_t i = 0; i < found.count; ++i) {
    std::uint32_t& known = role.number_of_percept[found.first[i]];
    if (known == kUnknown)
      known = registry_->percept_number(static_cast<int>(number), evaluator_.terms(), found.first[i]);
    perceived.push_back(known);
  }
  std::sort(perceived.begin(), perceived.end());
}

void ReasonerSimulator::keep_lanes(int role, const std::uint32_t* wanted, std::size_t count,
                                   std::uint64_t* mask) const {
  for_each_lane(mask, groups(), [&](int lane) {
    const std::vector<std::uint32_t>& found = lanes_[lane].perceived[role];
    if (!std::equal(found.begin(), found.end(), wanted, wanted + count)) mask[lane / 64] &= ~lane_bit(lane);
  });
}

void ReasonerSimulator::hash_percepts(int role, const std::uint64_t* mask, std::uint64_t* hashes) const {
  for_each_lane(mask, groups(), [&](int lane) {
    hashes[lane] = 0;
    for (const std::uint32_t percept : lanes_[lane].perceived[role]) hashes[lane] ^= percept_hash(percept);
  });
}

void ReasonerSimulator::step() {
  for_held_lanes([&](Lane& lane, std::size_t) {
    if (!is_complete(lane)) return drop(lane);
    enter(lane);
    evaluator_.set_moves(lane.chosen.data());
    const Evaluator::Answers next = evaluator_.query(evaluator_.plan().next, nullptr);
    lane.fluents.assign(next.first, next.first + next.count);
    lane.is_packed = false;
    entered_ = nullptr;
    std::fill(lane.chosen.begin(), lane.chosen.end(), kNoMove);
  });
}

}  // namespace ggp

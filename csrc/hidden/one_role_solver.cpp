#include "hidden/one_role_solver.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/random.hpp"
#include "simulation/load_played.hpp"

namespace ggp {
namespace {

// The most joint moves of a belief, and the most beliefs in the table.
constexpr std::size_t kMostJointMoves = std::size_t{1} << 20, kMostBeliefs = std::size_t{1} << 22;

}  // namespace

OneRoleSolver::OneRoleSolver(HiddenGame& game, int role) : game_(game), role_(role) {}

bool OneRoleSolver::solve(const Particles& belief, const std::function<bool()>& ended,
                          std::vector<std::pair<int, double>>& values) {
  ended_ = ended;
  work_ = 0;
  failed_ = false;
  if (known_.size() > kMostBeliefs / 2) known_.clear();
  std::vector<Successor> particles;
  std::vector<std::uint64_t> words;
  const std::vector<double> weights = belief.weights();
  for (std::size_t each = 0; each < belief.size(); ++each) {
    particles.push_back({0, 0, weights[each], -1, static_cast<std::uint32_t>(each)});
    words.insert(words.end(), belief.state(each), belief.state(each) + game_.words());
  }
  values.clear();
  value(behind(particles.data(), particles.data() + particles.size(), words), &values);
  return !failed_;
}

// Merges equal states. The weights of the result have the sum 1.
OneRoleSolver::States OneRoleSolver::behind(const Successor* begin, const Successor* end,
                                            const std::vector<std::uint64_t>& words) const {
  const std::size_t size = game_.words();
  const auto state = [&](const Successor& each) { return words.begin() + static_cast<std::ptrdiff_t>(each.state * size); };
  std::vector<const Successor*> order;
  for (const Successor* each = begin; each != end; ++each) order.push_back(each);
  std::sort(order.begin(), order.end(), [&](const Successor* a, const Successor* b) {
    return std::lexicographical_compare(state(*a), state(*a) + size, state(*b), state(*b) + size);
  });
  States result;
  double total = 0;
  for (const Successor* each : order) {
    total += each->weight;
    const bool is_new = result.words.empty() || !std::equal(result.words.end() - size, result.words.end(), state(*each));
    if (is_new) {
      result.words.insert(result.words.end(), state(*each), state(*each) + size);
      result.weights.push_back(0);
    }
    result.weights.back() += each->weight;
  }
  for (double& weight : result.weights) weight /= total;
  return result;
}

std::uint64_t OneRoleSolver::hash(const States& states) const {
  constexpr double kDigits = 1e12;  // probabilities that differ less are equal
  std::uint64_t hash = 0;
  for (const std::uint64_t word : states.words) hash = mix64(hash + word);
  for (const double weight : states.weights) hash = mix64(hash + static_cast<std::uint64_t>(std::llround(weight * kDigits)));
  return hash;
}

double OneRoleSolver::value(const States& states, std::vector<std::pair<int, double>>* moves) {
  const std::uint64_t key = hash(states);
  if (moves == nullptr) {
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
  }
  std::vector<Successor> successors;
  std::vector<std::uint64_t> words;
  if (!failed_) expand(states, successors, words);
  if (failed_ || successors.empty()) return 0;
  std::sort(successors.begin(), successors.end(), [](const Successor& a, const Successor& b) {
    return std::tie(a.move, a.percepts, a.goal) < std::tie(b.move, b.percepts, b.goal);
  });
  double best = -1, here = 0;
  for (std::size_t begin = 0, end = 0; begin < successors.size() && !failed_; begin = end) {
    const Successor& first = successors[begin];
    double weight = 0;
    for (; end < successors.size() && successors[end].move == first.move && successors[end].percepts == first.percepts &&
           (successors[end].goal < 0) == (first.goal < 0);
         ++end) {
      weight += successors[end].weight;
      if (first.goal >= 0) here += successors[end].weight * successors[end].goal;
    }
    if (first.goal < 0)
      here += weight * value(behind(&successors[begin], &successors[begin] + (end - begin), words), nullptr);
    if (end < successors.size() && successors[end].move == first.move) continue;
    if (moves != nullptr) moves->emplace_back(first.move, here);
    best = std::max(best, here);
    here = 0;
  }
  if (!failed_ && known_.size() < kMostBeliefs) known_[key] = best;
  return best;
}

void OneRoleSolver::expand(const States& states, std::vector<Successor>& successors, std::vector<std::uint64_t>& words) {
  if (ended_() || known_.size() >= kMostBeliefs) failed_ = true;
  if (failed_) return;
  Simulator& simulator = game_.simulator();
  const int lanes = game_.lanes(), size = game_.words(), roles = game_.roles(), chance = game_.chance();
  const std::size_t count = states.weights.size();
  LaneMask mask(simulator.groups());
  std::vector<const std::uint64_t*> from(lanes);
  struct Job {
    std::uint32_t state;
    int own, chance;
    double weight;
  };
  std::vector<Job> jobs;
  std::vector<int> own(simulator.moves(role_)), others(chance < 0 ? 0 : simulator.moves(chance)), common;
  for (std::size_t begin = 0; begin < count; begin += lanes) {
    const int here = static_cast<int>(std::min<std::size_t>(lanes, count - begin));
    remove_lanes(mask);
    for (int lane = 0; lane < here; ++lane) {
      add_lane(mask, lane);
      from[lane] = &states.words[(begin + lane) * size];
    }
    load_played(simulator, mask.data(), from.data());
    simulator.evaluate();
    for (int lane = 0; lane < here; ++lane) {
      const int own_count = simulator.legal(lane, role_, own.data());
      const int other_count = chance < 0 ? 1 : simulator.legal(lane, chance, others.data());
      if (begin + lane == 0) common.assign(own.begin(), own.begin() + own_count);
      const bool known = std::equal(common.begin(), common.end(), own.begin(), own.begin() + own_count);
      if (!known || jobs.size() + std::size_t(own_count) * other_count > kMostJointMoves) {
        failed_ = true;
        return;
      }
      const auto state = static_cast<std::uint32_t>(begin + lane);
      for (int i = 0; i < own_count; ++i)
        for (int k = 0; k < other_count; ++k)
          jobs.push_back({state, own[i], chance < 0 ? -1 : others[k], states.weights[state] / other_count});
    }
  }
  const std::vector<std::int32_t> forced(std::size_t(roles) * lanes, kForced);
  std::vector<std::uint64_t> keys(std::size_t(roles) * lanes);
  std::vector<std::uint64_t*> to(lanes);
  for (std::size_t begin = 0; begin < jobs.size(); begin += lanes) {
    const int here = static_cast<int>(std::min<std::size_t>(lanes, jobs.size() - begin));
    remove_lanes(mask);
    for (int lane = 0; lane < here; ++lane) {
      add_lane(mask, lane);
      from[lane] = &states.words[std::size_t(jobs[begin + lane].state) * size];
    }
    load_played(simulator, mask.data(), from.data());
    simulator.evaluate();
    for (int lane = 0; lane < here; ++lane) {
      simulator.choose(lane, role_, jobs[begin + lane].own);
      if (chance >= 0) simulator.choose(lane, chance, jobs[begin + lane].chance);
    }
    game_.perceive();
    std::fill(keys.begin(), keys.end(), kFirstKey);
    game_.advance_keys(mask, forced.data(), keys.data());
    simulator.step();
    simulator.evaluate();
    words.resize((begin + here) * size);
    for (int lane = 0; lane < here; ++lane) {
      const Job& job = jobs[begin + lane];
      const bool over = simulator.terminal()[lane >> 6] & lane_bit(lane);
      const int goal = over ? std::max(0, simulator.goal(lane, role_)) : -1;
      const auto place = static_cast<std::uint32_t>(begin + lane);
      successors.push_back({job.own, keys[std::size_t(lane) * roles + role_], job.weight, goal, place});
      to[lane] = &words[std::size_t(place) * size];
    }
    simulator.store(mask.data(), to.data());
    work_ += here;
    if (work_ > kMostWork || ended_()) failed_ = true;
    if (failed_) return;
  }
}

}  // namespace ggp

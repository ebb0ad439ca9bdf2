#include "hidden/outcome_sampling.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace ggp {
namespace {

constexpr double kExplorationShare = 0.6;
// The share of uniform choices of other roles: in all games with a target, and in the targeted ones.
constexpr double kTrembleShare = 0.01, kTargetUniform = 0.2;
constexpr double kMiddle = 0.5;

// Divides numbers by their sum; all become equal if it is 0.
void normalise(double* numbers, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += numbers[i];
  for (std::size_t i = 0; i < count; ++i) numbers[i] = sum > 0 ? numbers[i] / sum : 1.0 / static_cast<double>(count);
}

}  // namespace

OutcomeSampling::OutcomeSampling(const HiddenGame& game, int role, std::uint64_t seed,
                                 const OutcomeSamplingLimits& limits)
    : SamplingSearch(game, role, seed + 3),
      limits_(limits),
      histories_(game, role, seed + 4),
      tables_(game.roles(), Table(limits.nodes)),
      lane_(game.lanes()),
      places_(widest_),
      strategy_(widest_),
      chances_(widest_),
      targets_(widest_) {
  for (int each = 0; each < roles_; ++each)
    if (each != chance_) learners_.push_back(each);
}

void OutcomeSampling::observe(Belief& belief, const Observation& seen) {
  std::uint64_t hash = 0;
  for (const std::uint32_t percept : seen.percepts) hash ^= Percepts::percept_hash(percept);
  const int move = belief.moves().size() == 1 ? kForced : seen.move;
  // Without the own move the own information state is not known any more.
  root_key_ = seen.move < 0 ? draw(random_) : next_key(root_key_, move, hash);
  histories_.observe(belief.game(), seen);
}

void OutcomeSampling::start(int lane) {
  Lane& here = lane_[lane];
  here.path.clear();
  here.learner = learners_[started_++ % learners_.size()];
  here.in_tree = all_players();
  here.history = histories_.root();
  here.targeted = here.history == ConsistentHistories::kNone ? 0 : limits_.targeted;
  here.reach = 1;
  std::fill_n(keys(lane), roles_, kFirstKey);
}

std::uint32_t OutcomeSampling::find_or_add(int lane, int role, const int* moves, int count) {
  Lane& here = lane_[lane];
  const std::uint32_t bit = std::uint32_t{1} << role;
  if ((here.in_tree & bit) == 0) return Table::kNone;
  Table& table = tables_[role];
  const std::uint64_t key = keys(lane)[role];
  const std::uint32_t node = table.find(key);
  if (node != Table::kNone) {
    table.complete(node, moves, count);
    return node;
  }
  here.in_tree &= ~bit;
  return is_full(table) ? Table::kNone : table.add(key, moves, count);
}

void OutcomeSampling::match_regrets(const Table& table, std::uint32_t node, const int* moves, int count) {
  if (node == Table::kNone) {
    std::fill_n(strategy_.begin(), count, 1.0 / count);
    return;
  }
  const RegretEdge* edges = table.edges(table.node(node));
  std::uint32_t place = 0;
  for (int i = 0; i < count; ++i) {
    while (edges[place].move != moves[i]) ++place;
    places_[i] = place;
    strategy_[i] = std::max(0.0, edges[place].regret);
  }
  normalise(strategy_.data(), count);
}

bool OutcomeSampling::find_targets(const Lane& here, int role, const int* moves, int count) {
  const bool is_other = role != chance_ && role != role_;
  bool found = false;
  std::fill_n(targets_.begin(), count, 0);
  for (std::uint32_t each = histories_.node(here.history).child; each != ConsistentHistories::kNone;
       each = histories_.node(each).sibling) {
    const ConsistentHistories::Node& child = histories_.node(each);
    const auto place = std::lower_bound(moves, moves + count, child.move) - moves;
    targets_[place] = child.mass;
    if (is_other) targets_[place] *= kTargetUniform / count + (1 - kTargetUniform) * strategy_[place];
    found = found || targets_[place] > 0;
  }
  normalise(targets_.data(), count);
  return found;
}

void OutcomeSampling::follow(Lane& here, int move, double change) const {
  here.targeted *= change;
  if (here.targeted <= 0) return;
  std::uint32_t next = histories_.node(here.history).child;
  while (histories_.node(next).move != move) next = histories_.node(next).sibling;
  here.history = next;
  // After the end of the known history, targeted games are drawn like all others.
  if (histories_.node(next).child == ConsistentHistories::kNone) here.targeted = 0;
}

int OutcomeSampling::choose(int lane, int role, const int* moves, int count) {
  Lane& here = lane_[lane];
  const std::uint32_t node = find_or_add(lane, role, moves, count);
  if (node == Table::kNone && here.targeted <= 0) return moves[draw_below(random_, static_cast<std::uint32_t>(count))];
  match_regrets(tables_[role], node, moves, count);
  const double even = 1.0 / count;
  const bool learns = role == here.learner;
  const double tremble = histories_.root() == ConsistentHistories::kNone || role == chance_ ? 0 : kTrembleShare;
  const double explored = learns ? kExplorationShare : tremble;
  for (int i = 0; i < count; ++i) chances_[i] = explored * even + (1 - explored) * strategy_[i];
  const bool has_targets = here.targeted > 0 && find_targets(here, role, moves, count);
  if (!has_targets) here.targeted = 0;
  // p contains the share of uniform choices of the other roles.
  if (!learns) std::copy_n(chances_.begin(), count, strategy_.begin());
  if (has_targets)
    for (int i = 0; i < count; ++i) chances_[i] = here.targeted * targets_[i] + (1 - here.targeted) * chances_[i];
  double left = uniform();
  int chosen = -1;
  for (int i = 0; i < count && left >= 0; ++i) {
    if (chances_[i] <= 0) continue;
    chosen = i;
    left -= chances_[i];
  }
  const double drawn = chances_[chosen];
  if (node != Table::kNone || has_targets)
    here.path.push_back({role, node, places_[chosen], moves[chosen], strategy_[chosen], drawn, here.reach});
  here.reach *= (learns ? 1 : strategy_[chosen]) / drawn;
  if (has_targets) follow(here, moves[chosen], targets_[chosen] / drawn);
  return moves[chosen];
}

double OutcomeSampling::learn(const Lane& here, Step step, double value) {
  if (step.node == Table::kNone) return kMiddle + step.strategy / step.drawn * (value - kMiddle);
  Table& table = tables_[step.role];
  Table::Node& node = table.node(step.node);
  RegretEdge* edges = table.edges(node);
  while (edges[step.edge].move != step.move) ++step.edge;  // other moves were added before it
  RegretEdge& edge = edges[step.edge];
  const bool own = step.role == here.learner, two = learners_.size() == 2;
  const auto baseline = [&](const RegretEdge& each) { return own ? each.value : two ? 1.0 - each.value : kMiddle; };
  for (std::uint32_t i = 0; i < node.count; ++i) strategy_[i] = std::max(0.0, edges[i].regret);
  normalise(strategy_.data(), node.count);
  const double correction = (value - baseline(edge)) / step.drawn;
  double mean = strategy_[step.edge] * correction;
  for (std::uint32_t i = 0; i < node.count; ++i) mean += strategy_[i] * baseline(edges[i]);
  if (!own) {
    for (std::uint32_t i = 0; i < node.count; ++i) edges[i].strategy += step.reach * strategy_[i];
    return mean;
  }
  for (std::uint32_t i = 0; i < node.count; ++i)
    edges[i].regret += step.reach * (baseline(edges[i]) + (i == step.edge ? correction : 0) - mean);
  ++edge.visits;
  edge.weight += static_cast<float>(step.reach);
  if (edge.weight > 0) edge.value += static_cast<float>((value - edge.value) * step.reach) / edge.weight;
  return mean;
}

bool OutcomeSampling::learn(Simulator& simulator, int lane) {
  const Lane& here = lane_[lane];
  double value = goal_share(simulator, lane, here.learner);
  for (std::size_t number = here.path.size(); number-- > 0;) value = learn(here, here.path[number], value);
  return true;
}

HiddenResult OutcomeSampling::run(Belief& belief, const HiddenLimits& limits) {
  Watch watch(*this, limits);
  HiddenResult result;
  for (const auto& [move, legal] : belief.moves()) result.moves.push_back({move, 0, 0, legal, 0});
  if (result.moves.empty()) return result;
  if (std::any_of(tables_.begin(), tables_.end(), [this](const Table& table) { return is_full(table); }))
    for (Table& each : tables_) each.clear();
  simulate(belief.game(), watch, result, [&](int lane) {
    start(lane);
    return belief.game().simulator().initial();
  });
  result.seconds = watch.seconds();
  report(result);
  return result;
}

void OutcomeSampling::report(HiddenResult& result) const {
  const Table& table = tables_[role_];
  const std::uint32_t number = table.find(root_key_);
  const bool alone = learners_.size() == 1;
  HiddenMove* best = nullptr;
  double total = 0;
  for (HiddenMove& each : result.moves) {
    if (number == Table::kNone) break;
    const RegretEdge* const begin = table.edges(table.node(number));
    const RegretEdge* const end = begin + table.node(number).count;
    const RegretEdge* const edge = std::find_if(begin, end, [&](const RegretEdge& one) { return one.move == each.move; });
    if (edge == end) continue;
    each.visits = edge->visits;
    each.value = 100.0 * std::clamp(edge->value, 0.0f, 1.0f);
    each.probability = alone ? 0 : each.legal * edge->strategy;
    total += each.probability;
    if (alone && each.visits > 0 && (best == nullptr || each.legal * each.value > best->legal * best->value)) best = &each;
  }
  if (best != nullptr) total = best->probability = 1;
  if (total <= 0)
    for (HiddenMove& each : result.moves) total += each.probability = each.legal;
  for (HiddenMove& each : result.moves) each.probability /= total;
}

bool OutcomeSampling::probabilities(int role, std::uint64_t key, const int* moves, int count, double* out) const {
  const Table& table = tables_[role];
  const std::uint32_t number = table.find(key);
  if (number == Table::kNone) return false;
  const Table::Node& node = table.node(number);
  const RegretEdge* edges = table.edges(node);
  double total = 0;
  for (std::uint32_t i = 0; i < node.count; ++i) total += edges[i].strategy;
  if (total <= 0) return false;
  std::uint32_t place = 0;
  for (int i = 0; i < count; ++i) {
    while (place < node.count && edges[place].move < moves[i]) ++place;
    out[i] = place < node.count && edges[place].move == moves[i] ? edges[place].strategy : 0;
  }
  normalise(out, count);
  return true;
}

}  // namespace ggp

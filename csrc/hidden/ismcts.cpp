#include "hidden/ismcts.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "base/random.hpp"

namespace ggp {
namespace {

constexpr double kExploration = 0.7;
constexpr double kGamma = 0.2;
// The number of visits, for each move of a node, with which the correction of its regrets has half of its size.
constexpr float kHalfCorrected = 1000;
// The most nodes of a tree; trees are cleared before a run if one is fuller than half.
constexpr std::size_t kMostNodes = std::size_t{1} << 22;
// The share of the time for exact values.
constexpr double kSolveShare = 0.5;
// The share of the time in which states for other roles are searched, the most games for this, and the most states.
constexpr double kOtherStatesShare = 0.1;
constexpr std::size_t kMostGames = std::size_t{1} << 16, kMostOtherStates = std::size_t{1} << 14;
// Other roles learn from every kOtherStatesEvery-th simulation.
constexpr std::uint64_t kOtherStatesEvery = 2;
// Moves below this part of the probability of the most probable one are not played: they are left from exploration.
constexpr double kLeastPart = 0.1;

}  // namespace

Ismcts::Ismcts(const HiddenGame& game, int role, std::uint64_t seed)
    : SamplingSearch(game, role, seed + 2),
      alone_(game.players() == 1),
      trees_(game.roles(), InformationTree(kMostNodes)),
      lane_(game.lanes()),
      chances_(widest_) {
  for (int each = 0; each < roles_; ++each) others_.push_back({Particles(game.words(), game.roles()), {}});
}

void Ismcts::observe(Belief& belief, const Observation& seen) {
  if (seen.move < 0) {  // the own information state is not known any more
    root_key_ = draw(random_);
    return;
  }
  std::uint64_t hash = 0;
  for (const std::uint32_t percept : seen.percepts) hash ^= Percepts::percept_hash(percept);
  root_key_ = next_key(root_key_, belief.moves().size() == 1 ? kForced : seen.move, hash);
}

const std::uint64_t* Ismcts::start(int lane, const Particles& particles, ParticleDraws& draws) {
  Lane& here = lane_[lane];
  here.path.clear();
  here.in_tree = here.learns = all_players();
  const std::uint32_t particle = draws.next();
  std::copy_n(particles.keys(particle), roles_, keys(lane));
  keys(lane)[role_] = root_key_;
  const std::uint64_t* state = particles.state(particle);
  const std::uint64_t turn = started_++;
  for (int role = 0; role < roles_; ++role) {
    if (role == role_ || role == chance_) continue;
    const OtherStates& others = others_[role];
    const auto found = others.of_key.find(particles.keys(particle)[role]);
    if (found == others.of_key.end()) continue;
    here.learns &= ~(std::uint32_t{1} << role);
    if (turn % (kOtherStatesEvery * (roles_ - 1)) != static_cast<std::uint64_t>(role)) continue;
    const std::vector<std::uint32_t>& which = found->second;
    const std::uint32_t other = which[draw_below(random_, static_cast<std::uint32_t>(which.size()))];
    std::copy_n(others.particles.keys(other), roles_, keys(lane));
    here.learns = all_players();
    return others.particles.state(other);
  }
  return state;
}

int Ismcts::choose(int lane, int role, const int* moves, int count) {
  Lane& here = lane_[lane];
  const std::uint32_t bit = std::uint32_t{1} << role;
  if ((here.in_tree & bit) == 0) return moves[draw_below(random_, static_cast<std::uint32_t>(count))];
  InformationTree& tree = trees_[role];
  const std::uint64_t key = keys(lane)[role];
  std::uint32_t node = tree.find(key);
  if (node == InformationTree::kNone) {
    here.in_tree &= ~bit;
    if (!tree.is_full()) tree.add(key);
    return moves[draw_below(random_, static_cast<std::uint32_t>(count))];
  }
  if (!tree.has_edges(node)) here.in_tree &= ~bit;
  tree.complete(node, moves, count);
  float probability = 1;
  const std::uint32_t edge = alone_ ? by_bound(tree, node, moves, count) : by_regret(tree, node, moves, count, probability);
  InformationEdge& chosen = tree.edges(tree.node(node))[edge];
  ++chosen.started;
  here.path.push_back({role, node, edge, chosen.move, probability});
  return chosen.move;
}

std::uint32_t Ismcts::by_bound(InformationTree& tree, std::uint32_t number, const int* moves, int count) {
  const InformationTree::Node& node = tree.node(number);
  const InformationEdge* edges = tree.edges(node);
  double total = 0;
  std::uint32_t best = 0, place = 0, untried = 0;
  for (int i = 0; i < count; ++i) {
    while (edges[place].move != moves[i]) ++place;
    total += edges[place].started;
    // A random move of the untried moves.
    if (edges[place].started == 0 && draw_below(random_, ++untried) == 0) best = place;
  }
  if (untried > 0) return best;
  const double logarithm = std::log(total);
  double highest = -1;
  place = 0;
  for (int i = 0; i < count; ++i) {
    while (edges[place].move != moves[i]) ++place;
    const double bound = edges[place].mean_or(node.mean) + kExploration * std::sqrt(logarithm / edges[place].started);
    if (bound > highest) {
      highest = bound;
      best = place;
    }
  }
  return best;
}

std::uint32_t Ismcts::by_regret(InformationTree& tree, std::uint32_t number, const int* moves, int count,
                                float& probability) {
  InformationEdge* edges = tree.edges(tree.node(number));
  const auto weight = static_cast<float>(tree.node(number).visits + 1);
  double sum = 0;
  std::uint32_t place = 0;
  for (int i = 0; i < count; ++i) {
    while (edges[place].move != moves[i]) ++place;
    sum += edges[place].regret;
  }
  double left = uniform();
  std::uint32_t chosen = 0;
  place = 0;
  bool is_chosen = false;
  for (int i = 0; i < count; ++i) {
    while (edges[place].move != moves[i]) ++place;
    const double strategy = sum > 0 ? edges[place].regret / sum : 1.0 / count;
    edges[place].strategy += static_cast<float>(strategy) * weight;
    const double drawn = (1 - kGamma) * strategy + kGamma / count;
    if (!is_chosen) {
      chosen = place;
      probability = static_cast<float>(drawn);
      is_chosen = left < drawn;
      left -= drawn;
    }
  }
  return chosen;
}

bool Ismcts::learn(Simulator& simulator, int lane) {
  const Lane& here = lane_[lane];
  for (Step step : here.path) {
    if ((here.learns >> step.role & 1) == 0) continue;
    InformationTree& tree = trees_[step.role];
    InformationTree::Node& node = tree.node(step.node);
    while (tree.edges(node)[step.edge].move != step.move) ++step.edge;  // other moves were added before it
    InformationEdge& edge = tree.edges(node)[step.edge];
    const auto reward = static_cast<float>(goal_share(simulator, lane, step.role));
    if (!alone_) learn_regret(tree, step, reward);
    node.add(reward);
    edge.add(reward);
  }
  return !here.path.empty();
}

void Ismcts::learn_regret(InformationTree& tree, const Step& step, float reward) {
  const InformationTree::Node& node = tree.node(step.node);
  InformationEdge* edges = tree.edges(node);
  float sum = 0, value = 0;
  for (std::uint32_t i = 0; i < node.count; ++i) sum += edges[i].regret;
  const float even = 1.0f / static_cast<float>(node.count);
  for (std::uint32_t i = 0; i < node.count; ++i)
    value += (sum > 0 ? edges[i].regret / sum : even) * edges[i].mean_or(node.mean);
  const auto visits = static_cast<float>(node.visits);
  float correction = (reward - edges[step.edge].mean_or(node.mean)) / step.probability;
  correction *= visits / (visits + kHalfCorrected * static_cast<float>(node.count));
  value += (sum > 0 ? edges[step.edge].regret / sum : even) * correction;
  for (std::uint32_t i = 0; i < node.count; ++i) {
    const float here = edges[i].mean_or(node.mean) + (i == step.edge ? correction : 0);
    edges[i].regret = std::max(0.0f, edges[i].regret + here - value);
  }
}

bool Ismcts::solve(Belief& belief, Watch& watch, HiddenResult& result) {
  if (!alone_ || !belief.is_complete()) return false;
  if (solver_ == nullptr) solver_ = std::make_unique<OneRoleSolver>(belief.game(), role_);
  std::vector<std::pair<int, double>> values;
  const auto ended = [&] { return watch.share() >= kSolveShare || watch.ended(0); };
  if (!solver_->solve(belief.particles(), ended, values) || values.size() != result.moves.size()) return false;
  HiddenMove* best = &result.moves[0];
  for (std::size_t i = 0; i < values.size(); ++i) {
    result.moves[i].value = values[i].second;
    if (values[i].second > best->value) best = &result.moves[i];
  }
  best->probability = 1;
  result.exact = true;
  result.seconds = watch.seconds();
  return true;
}

void Ismcts::find_other_states(Belief& belief, const Watch& watch) {
  for (OtherStates& each : others_) {
    each.particles.clear();
    each.of_key.clear();
  }
  if (alone_) return;
  HiddenGame& game = belief.game();
  const Particles& particles = belief.particles();
  std::vector<std::unordered_set<std::uint64_t>> wanted(roles_);
  for (std::size_t each = 0; each < particles.size(); ++each)
    for (int role = 0; role < roles_; ++role)
      if (role != role_ && role != chance_) wanted[role].insert(particles.keys(each)[role]);
  TurnPlayer player(game, role_, draw(random_));
  // Each call below plays one batch, which is never cut.
  const Deadline now_or_never = std::chrono::steady_clock::now();
  std::size_t kept = 0;
  const Observation anything;
  for (std::size_t games = 0; games < kMostGames && kept < kMostOtherStates; games += lanes_) {
    Particles now(game.words(), roles_);
    const std::vector<std::uint64_t> keys(roles_, kFirstKey);
    std::copy_n(game.simulator().initial(), game.words(), now.add(keys.data(), 0));
    std::vector<std::uint32_t> which(lanes_, 0);
    for (std::size_t turn = 0; turn < belief.turns() && !now.empty(); ++turn) {
      Particles next(game.words(), roles_);
      player.sample(now, which, anything, 0, next, now_or_never, false);
      now = std::move(next);
      which.resize(now.size());
      for (std::uint32_t each = 0; each < which.size(); ++each) which[each] = each;
    }
    if (games > 0 && watch.share() > kOtherStatesShare) break;
    for (std::size_t each = 0; each < now.size(); ++each)
      for (int role = 0; role < roles_; ++role) {
        if (wanted[role].count(now.keys(each)[role]) == 0) continue;
        OtherStates& of = others_[role];
        of.of_key[now.keys(each)[role]].push_back(static_cast<std::uint32_t>(of.particles.size()));
        of.particles.add(now, each, 0);
        ++kept;
      }
  }
}

HiddenResult Ismcts::run(Belief& belief, const HiddenLimits& limits) {
  Watch watch(*this, limits);
  HiddenResult result;
  for (const auto& [move, legal] : belief.moves()) result.moves.push_back({move, 0, 0, legal, 0});
  if (result.moves.empty()) return result;
  if (result.moves.size() == 1) {
    result.moves[0].probability = 1;
    // A policy of the other roles is learned also while the role itself waits.
    if (!belief.has_policy()) return result;
  }
  for (InformationTree& tree : trees_)
    if (2 * tree.size() > kMostNodes) {
      for (InformationTree& each : trees_) each.clear();
      break;
    }
  if (solve(belief, watch, result)) return result;
  find_other_states(belief, watch);
  const Particles& particles = belief.particles();
  ParticleDraws draws(particles, draw(random_));
  simulate(belief.game(), watch, result, [&](int lane) { return start(lane, particles, draws); });
  result.seconds = watch.seconds();
  report(result);
  return result;
}

void Ismcts::report(HiddenResult& result) const {
  const InformationTree& tree = trees_[role_];
  const std::uint32_t number = tree.find(root_key_);
  double highest = 0, total = 0;
  if (number != InformationTree::kNone) {
    const InformationTree::Node& node = tree.node(number);
    const InformationEdge* edges = tree.edges(node);
    for (HiddenMove& each : result.moves)
      for (std::uint32_t i = 0; i < node.count; ++i) {
        if (edges[i].move != each.move) continue;
        each.visits = edges[i].visits;
        each.value = 100 * edges[i].mean_or(0.5f);
        each.probability = each.legal * (alone_ ? edges[i].visits : edges[i].strategy);
        highest = std::max(highest, each.probability);
      }
  }
  bool found = false;
  for (HiddenMove& each : result.moves) {
    const bool best = each.probability >= highest;
    if (number == InformationTree::kNone || highest <= 0)
      each.probability = each.legal;
    else if (alone_)
      each.probability = best && !found;
    else if (each.probability < kLeastPart * highest)
      each.probability = 0;
    found = found || best;
    total += each.probability;
  }
  for (HiddenMove& each : result.moves) each.probability /= total;
}

bool Ismcts::probabilities(int role, std::uint64_t key, const int* moves, int count, double* out) const {
  constexpr double kPrior = 10;  // simulations with a uniform strategy
  const InformationTree& tree = trees_[role];
  const std::uint32_t number = tree.find(key);
  if (number == InformationTree::kNone || !tree.has_edges(number)) return false;
  const InformationTree::Node& node = tree.node(number);
  const InformationEdge* edges = tree.edges(node);
  double total = 0;
  std::uint32_t place = 0;
  for (int i = 0; i < count; ++i) {
    while (place < node.count && edges[place].move < moves[i]) ++place;
    out[i] = kPrior * kPrior / count;
    if (place < node.count && edges[place].move == moves[i]) out[i] += edges[place].strategy;
    total += out[i];
  }
  for (int i = 0; i < count; ++i) out[i] /= total;
  return true;
}

}  // namespace ggp

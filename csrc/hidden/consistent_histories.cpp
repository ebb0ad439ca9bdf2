#include "hidden/consistent_histories.hpp"

#include <algorithm>
#include <numeric>

#include "base/random.hpp"
#include "simulation/load_played.hpp"

namespace ggp {

ConsistentHistories::ConsistentHistories(const HiddenGame& game, int role, std::uint64_t seed)
    : role_(role),
      roles_(game.roles()),
      words_(game.words()),
      random_(mix64(seed)),
      nodes_(1, Node{1, -1, kNone, kNone, 1}),
      leaves_(1, 0),
      states_(game.simulator().initial(), game.simulator().initial() + game.words()),
      mask_(game.simulator().groups()),
      lane_states_(game.lanes()),
      targets_(game.lanes()),
      stored_(std::size_t(game.lanes()) * game.words()) {
  for (int lane = 0; lane < game.lanes(); ++lane) targets_[lane] = &stored_[std::size_t(lane) * words_];
}

void ConsistentHistories::observe(HiddenGame& game, const Observation& seen) {
  const auto deadline = std::chrono::steady_clock::now() + kMostTime;
  const std::size_t count = seen.move < 0 ? 0 : leaves_.size();
  const std::size_t most = kMostJointMoves / std::max<std::size_t>(1, count);
  std::vector<Options> options(game.lanes(), Options(roles_));
  std::vector<int> list(1);
  for (int role = 0; role < roles_; ++role) list.resize(std::max<std::size_t>(list.size(), game.simulator().moves(role)));
  std::vector<std::size_t> which;
  for (std::size_t begin = 0; begin < count; begin += game.lanes()) {
    if (std::chrono::steady_clock::now() > deadline) break;
    const int here = static_cast<int>(std::min<std::size_t>(game.lanes(), count - begin));
    which.resize(here);
    std::iota(which.begin(), which.end(), begin);
    load(game, which.data(), here);
    game.keep_legal(role_, seen.move, mask_);
    LaneMask possible = mask_;
    if (seen.refused >= 0) {
      game.keep_legal(role_, seen.refused, mask_);
      for (std::size_t group = 0; group < mask_.size(); ++group) possible[group] &= ~mask_[group];
    }
    for (int lane = 0; lane < here; ++lane)
      for (int role = 0; role < roles_; ++role) {
        const int legal = has_lane(possible, lane) ? game.simulator().legal(lane, role, list.data()) : 0;
        options[lane][role].assign(list.begin(), list.begin() + legal);
        if (legal == 0) remove_lane(possible, lane);
      }
    for (int lane = 0; lane < here; ++lane)
      if (has_lane(possible, lane)) add_joint_moves(game, begin + lane, options[lane], most, seen);
  }
  play(game, seen);
  finish();
}

void ConsistentHistories::add_joint_moves(HiddenGame& game, std::size_t leaf, const Options& options,
                                          std::size_t most, const Observation& seen) {
  const std::vector<int>& own = options[role_];
  const auto own_place = static_cast<std::size_t>(std::lower_bound(own.begin(), own.end(), seen.move) - own.begin());
  double all = 1;
  for (int role = 0; role < roles_; ++role) all *= role == role_ ? 1 : static_cast<double>(options[role].size());
  std::vector<std::size_t> places(roles_, 0);
  places[role_] = own_place;
  if (all > static_cast<double>(most)) {
    for (std::size_t drawn = 0; drawn < std::max<std::size_t>(1, most); ++drawn) {
      for (int role = 0; role < roles_; ++role)
        if (role != role_) places[role] = draw_below(random_, static_cast<std::uint32_t>(options[role].size()));
      add_joint_move(leaf, options, places);
      if (static_cast<int>(sources_.size()) == game.lanes()) play(game, seen);
    }
    return;
  }
  for (int role = 0; role < roles_;) {
    add_joint_move(leaf, options, places);
    if (static_cast<int>(sources_.size()) == game.lanes()) play(game, seen);
    for (role = 0; role < roles_; ++role) {
      if (role == role_) continue;
      if (++places[role] < options[role].size()) break;
      places[role] = 0;
    }
  }
}

void ConsistentHistories::add_joint_move(std::size_t leaf, const Options& options,
                                         const std::vector<std::size_t>& places) {
  sources_.push_back(leaf);
  for (int role = 0; role < roles_; ++role) {
    const std::vector<int>& moves = options[role];
    joint_.push_back(moves[places[role]]);
    divisors_.push_back(moves.size() == 1 ? 0 : role == role_ ? 1 : static_cast<std::uint32_t>(moves.size()));
  }
}

void ConsistentHistories::load(HiddenGame& game, const std::size_t* which, int count) {
  remove_lanes(mask_);
  for (int lane = 0; lane < count; ++lane) {
    add_lane(mask_, lane);
    lane_states_[lane] = &states_[which[lane] * words_];
  }
  load_played(game.simulator(), mask_.data(), lane_states_.data());
  game.simulator().evaluate();
  for (std::size_t group = 0; group < mask_.size(); ++group) mask_[group] &= ~game.simulator().terminal()[group];
}

void ConsistentHistories::play(HiddenGame& game, const Observation& seen) {
  const int count = static_cast<int>(sources_.size());
  if (count == 0) return;
  load(game, sources_.data(), count);
  Simulator& simulator = game.simulator();
  for (int lane = 0; lane < count; ++lane)
    for (int role = 0; role < roles_; ++role) simulator.choose(lane, role, joint_[std::size_t(lane) * roles_ + role]);
  game.perceive();
  game.keep_perceiving(role_, seen.percepts, mask_);
  simulator.step();
  simulator.evaluate();
  for (std::size_t group = 0; group < mask_.size(); ++group) {
    const std::uint64_t over = simulator.terminal()[group];
    mask_[group] &= seen.terminal ? over : ~over;
  }
  if (any_lane(mask_)) simulator.store(mask_.data(), targets_.data());
  for (std::size_t group = 0; group < mask_.size(); ++group)
    for_each_lane(static_cast<int>(group), mask_[group], [&](int lane) {
      std::uint32_t node = leaves_[sources_[lane]];
      bool is_new = false, has_choice = false;
      for (int role = 0; role < roles_; ++role) {
        const std::size_t place = std::size_t(lane) * roles_ + role;
        if (divisors_[place] == 0) continue;
        has_choice = true;
        node = child(node, joint_[place], divisors_[place], is_new);
      }
      if (has_choice && !is_new) return;  // drawn twice
      next_leaves_.push_back(node);
      next_states_.insert(next_states_.end(), targets_[lane], targets_[lane] + words_);
    });
  sources_.clear();
  joint_.clear();
  divisors_.clear();
}

std::uint32_t ConsistentHistories::child(std::uint32_t parent, int move, std::uint32_t divisor, bool& is_new) {
  nodes_[parent].divisor = divisor;
  for (std::uint32_t each = nodes_[parent].child; each != kNone; each = nodes_[each].sibling)
    if (nodes_[each].move == move) return each;
  is_new = true;
  const auto number = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({0, move, kNone, nodes_[parent].child, 1});
  nodes_[parent].child = number;
  return number;
}

void ConsistentHistories::finish() {
  const std::size_t count = next_leaves_.size();
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  if (count > kMostLeaves) {
    shuffle(order, random_);
    order.resize(kMostLeaves);
  }
  leaves_.clear();
  states_.clear();
  for (Node& each : nodes_) each.mass = 0;
  for (const std::uint32_t each : order) {
    leaves_.push_back(next_leaves_[each]);
    nodes_[leaves_.back()].mass = 1;
    const std::uint64_t* const state = &next_states_[std::size_t(each) * words_];
    states_.insert(states_.end(), state, state + words_);
  }
  next_leaves_.clear();
  next_states_.clear();
  // Children follow their parents.
  for (std::size_t each = nodes_.size(); each-- > 0;) {
    double sum = 0;
    for (std::uint32_t next = nodes_[each].child; next != kNone; next = nodes_[next].sibling) sum += nodes_[next].mass;
    if (nodes_[each].child != kNone) nodes_[each].mass = sum / nodes_[each].divisor;
  }
  std::vector<std::uint32_t> moved(nodes_.size(), kNone);
  std::size_t kept = 0;
  for (std::size_t each = 0; each < nodes_.size(); ++each)
    if (each == 0 || nodes_[each].mass > 0) moved[each] = static_cast<std::uint32_t>(kept++);
  const auto next_kept = [&](std::uint32_t each) {
    while (each != kNone && moved[each] == kNone) each = nodes_[each].sibling;
    return each;
  };
  // Links change first, because they use the old places. An old place of a node is never below its new place.
  for (Node& each : nodes_) {
    each.child = next_kept(each.child);
    each.sibling = next_kept(each.sibling);
  }
  for (std::size_t each = 0; each < nodes_.size(); ++each) {
    if (moved[each] == kNone) continue;
    Node node = nodes_[each];
    if (node.child != kNone) node.child = moved[node.child];
    if (node.sibling != kNone) node.sibling = moved[node.sibling];
    nodes_[moved[each]] = node;
  }
  nodes_.resize(kept);
  for (std::uint32_t& leaf : leaves_) leaf = moved[leaf];
}

}  // namespace ggp

#include "search/playout/rank_playout.hpp"

#include <algorithm>
#include <cstring>

namespace ggp {

namespace {

int lanes_in(const std::uint64_t* mask, int groups) {
  int count = 0;
  for (int group = 0; group < groups; ++group) count += __builtin_popcountll(mask[group]);
  return count;
}

}  // namespace

RankPlayout::RankPlayout(const Config& config, const Simulator& simulator, ChoiceByRank& choice)
    : MoveLearner(simulator.lanes()),
      choice_(choice),
      groups_(simulator.groups()),
      moves_(moves_by_role(simulator)),
      order_(config, moves_),
      begun_(groups_),
      learning_(groups_),
      waiting_(groups_),
      classes_(moves_.size()) {
  for (std::size_t role = 0; role < moves_.size(); ++role) {
    occurred_.push_back(aligned_words(static_cast<std::size_t>(moves_[role]) * groups_));
    occurred_of_.push_back(occurred_[role].get());
    classes_[role].lanes.resize(static_cast<std::size_t>(kClasses) * groups_);
  }
  counts_.resize(static_cast<std::size_t>(widest_role(simulator)) * kClasses);
}

void RankPlayout::reset() {
  give_up();
  order_.reset();
}

void RankPlayout::played(const std::vector<RoleMove>&) { order_.played(); }

// ---- a simulation

// Called twice when a play-out begins, for the policy and for the learner.
void RankPlayout::begin(int lane, std::uint64_t seed) {
  MoveLearner::begin(lane, seed);
  add_lane(begun_, lane);
}

void RankPlayout::choose(Lanes&, const std::uint64_t* mask) {
  if (order_.due()) {
    count_waiting();
    order_.sort();
  } else if (2 * lanes_in(waiting_.data(), groups_) >= lanes_in(mask, groups_)) {
    count_waiting();
  }
  for (int group = 0; group < groups_; ++group) {
    learning_[group] |= begun_[group] & mask[group] & ~waiting_[group];
    begun_[group] &= ~mask[group];
  }
  choice_.choose_by_rank(mask, {order_.draw(), order_.orders(), occurred_of_.data(), learning_.data()});
}

void RankPlayout::learn(int lane, const double* rewards) {
  order_.complete();
  // A simulation that has ended in the tree is learned at once.
  const bool played_out = !has_lane(begun_, lane);
  remove_lane(begun_, lane);
  if (played_out && !has_lane(learning_, lane)) return;
  for (const Chosen& choice : choices(lane)) {
    order_.averages().learn(choice.role, static_cast<int>(choice.move), rewards[choice.role]);
  }
  if (!played_out) return;
  remove_lane(learning_, lane);
  if (!fits(rewards)) count_waiting();
  add_lane(waiting_, lane);
  for (std::size_t role = 0; role < classes_.size(); ++role) {
    Classes& classes = classes_[role];
    double* const end = classes.rewards + classes.count;
    double* const found = std::find(classes.rewards, end, rewards[role]);
    if (found == end) classes.rewards[classes.count++] = rewards[role];
    classes.lanes[static_cast<std::size_t>(found - classes.rewards) * groups_ + (lane >> 6)] |= lane_bit(lane);
  }
}

// Whether there are classes for the rewards.
bool RankPlayout::fits(const double* rewards) const {
  for (std::size_t role = 0; role < classes_.size(); ++role) {
    const Classes& classes = classes_[role];
    const double* const end = classes.rewards + classes.count;
    if (classes.count == kClasses && std::find(classes.rewards, end, rewards[role]) == end) return false;
  }
  return true;
}

// Learns from all waiting lanes; afterwards no lane waits.
void RankPlayout::count_waiting() {
  if (!any_lane(waiting_)) return;
  for (std::size_t role = 0; role < classes_.size(); ++role) {
    Classes& classes = classes_[role];
    choice_.count_occurred({static_cast<std::uint32_t>(moves_[role]), occurred_of_[role], waiting_.data(), classes.count,
                            classes.lanes.data(), counts_.data()});
    const std::uint32_t* counts = counts_.data();
    for (int move = 0; move < moves_[role]; ++move, counts += classes.count) {
      double times = 0, rewards = 0;
      for (int k = 0; k < classes.count; ++k) {
        times += counts[k];
        rewards += counts[k] * classes.rewards[k];
      }
      if (times > 0) order_.averages().learn_many(static_cast<int>(role), move, rewards, times);
    }
    std::fill(classes.lanes.begin(), classes.lanes.end(), 0);
    classes.count = 0;
  }
  remove_lanes(waiting_);
}

// Learns from play-outs that have ended, and drops the others.
void RankPlayout::give_up() {
  count_waiting();
  for (std::size_t role = 0; role < moves_.size(); ++role) {
    std::memset(occurred_of_[role], 0, static_cast<std::size_t>(moves_[role]) * groups_ * 8);
  }
  remove_lanes(begun_);
  remove_lanes(learning_);
}

// ---- by lists

RankListPlayout::RankListPlayout(const Config& config, const Simulator& simulator)
    : RecordedPlayout(simulator), order_(config, moves_by_role(simulator)), ranks_(widest_role(simulator)) {}

void RankListPlayout::learn(int lane, const double* rewards) {
  order_.complete();
  for (const Chosen& choice : choices(lane)) {
    order_.averages().learn(choice.role, static_cast<int>(choice.move), rewards[choice.role]);
  }
}

void RankListPlayout::pick(const Choices& choices, int role, bool) {
  if (order_.due()) order_.sort();
  const std::uint32_t* rank_of = order_.ranks(role);
  choices.for_each_lane(role, [&](int lane) {
    std::uint32_t count = 0;
    for (int block = 0; block < choices.blocks; ++block) {
      for (std::uint64_t word = choices.word(lane, block); word != 0; word &= word - 1) {
        ranks_[count++] = rank_of[64 * block + __builtin_ctzll(word)];
      }
    }
    const auto place = ranks_.begin() + draw_rank(order_.draw(), random()[lane], count);
    std::nth_element(ranks_.begin(), place, ranks_.begin() + count);
    choices.moves[lane] = order_.orders()[role][*place];
  });
}

}  // namespace ggp

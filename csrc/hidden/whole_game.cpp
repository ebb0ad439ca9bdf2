#include "hidden/whole_game.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

#include "simulation/load_played.hpp"

namespace ggp {
namespace {

// The histories of a turn, after merging.
struct Histories {
  std::vector<std::uint64_t> states;
  std::vector<std::array<std::uint64_t, 2>> keys;
  std::vector<std::array<std::uint32_t, 2>> sequences;
  std::vector<double> chances, counts;

  std::size_t size() const { return chances.size(); }
};

class Builder {
 public:
  Builder(HiddenGame& game, const WholeGameLimits& limits)
      : game_(game), limits_(limits), lanes_(game.lanes()), words_(game.words()), mask_(game.simulator().groups()),
        lane_states_(lanes_), targets_(lanes_), options_(lanes_), keys_(std::size_t(lanes_) * game.roles()),
        moves_(std::size_t(lanes_) * game.roles()), stored_(std::size_t(lanes_) * words_), list_(game.widest()) {
    int player = 0;
    for (int role = 0; role < game.roles(); ++role)
      if (role != game.chance()) players_[player++] = role;
    for (std::vector<std::vector<int>>& each : options_) each.resize(game.roles());
    for (int lane = 0; lane < lanes_; ++lane) targets_[lane] = &stored_[std::size_t(lane) * words_];
  }

  WholeGame run() {
    Histories now;
    now.states.assign(game_.simulator().initial(), game_.simulator().initial() + words_);
    now.keys.push_back({kFirstKey, kFirstKey});
    now.sequences.push_back({0, 0});
    now.chances.push_back(1);
    now.counts.push_back(1);
    while (now.size() > 0 && result_.problem == WholeGameProblem::kNone) {
      next_ = Histories();
      slots_.assign(1024, kEmpty);
      for (std::size_t begin = 0; begin < now.size() && good(); begin += lanes_)
        expand(now, begin, static_cast<int>(std::min<std::size_t>(lanes_, now.size() - begin)));
      if (good()) play(now);
      now = std::move(next_);
    }
    if (good()) result_.form = std::make_unique<SequenceForm>(std::move(trees_), std::move(ends_), result_.sums[0]);
    return std::move(result_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint32_t kEmpty = 0xFFFFFFFF;

  struct Job {  // a joint move
    std::size_t history;
    double chance;
    std::array<std::uint32_t, 2> sequences;
  };

  bool good() const { return result_.problem == WholeGameProblem::kNone; }

  void fail(WholeGameProblem problem, int role = -1) {
    if (!good()) return;
    result_.problem = problem;
    result_.role = role;
  }

  bool is_stopped() {
    constexpr std::chrono::milliseconds kBetweenQuestions(100);
    const Clock::time_point now = Clock::now();
    if (std::chrono::duration<double>(now - start_).count() >= limits_.seconds) return true;
    if (limits_.interrupted == nullptr || now < next_question_) return false;
    next_question_ = now + kBetweenQuestions;
    return limits_.interrupted(limits_.context, result_.played);
  }

  // Finds the moves and ends of some histories, and plays joint moves as soon as there is one for every lane.
  void expand(const Histories& now, std::size_t begin, int count) {
    load(now, count, [&](int lane) { return begin + lane; });
    Simulator& simulator = game_.simulator();
    const LaneMask over(simulator.terminal(), simulator.terminal() + mask_.size());
    for (int lane = 0; lane < count && good(); ++lane) {
      if (has_lane(over, lane)) {
        add_end(now, begin + lane, lane);
        continue;
      }
      for (int role = 0; role < game_.roles(); ++role) {
        const int legal = simulator.legal(lane, role, list_.data());
        if (legal == 0) return fail(WholeGameProblem::kNoMove, role);
        options_[lane][role].assign(list_.begin(), list_.begin() + legal);
      }
    }
    for (int lane = 0; lane < count && good(); ++lane)
      if (!has_lane(over, lane)) add_joint_moves(now, begin + lane, options_[lane]);
  }

  void add_end(const Histories& now, std::size_t history, int lane) {
    int goals[2];
    for (int player = 0; player < 2; ++player) {
      goals[player] = game_.simulator().goal(lane, players_[player]);
      if (goals[player] < 0) return fail(WholeGameProblem::kNoGoal, players_[player]);
    }
    const int sum = goals[0] + goals[1];
    if (result_.sums[0] < 0) result_.sums[0] = sum;
    if (sum != result_.sums[0]) {
      result_.sums[1] = sum;
      return fail(WholeGameProblem::kUnequalSums);
    }
    ends_.push_back({now.sequences[history], goals[0] * now.chances[history], now.chances[history]});
  }

  // The first sequence of a player's moves in an information state; the sequence before if it has no choice.
  std::uint32_t sequence_of(int player, std::uint64_t key, std::uint32_t before, const std::vector<int>& legal) {
    DecisionTree& tree = trees_[player];
    if (legal.size() == 1) {
      const bool same = tree.forced.emplace(key, legal[0]).first->second == legal[0] && tree.at.count(key) == 0;
      if (!same) fail(WholeGameProblem::kUnknownMoves, players_[player]);
      return before;
    }
    const auto number = static_cast<std::uint32_t>(tree.points.size());
    const auto [found, is_new] = tree.at.emplace(key, number);
    if (is_new) {
      tree.points.push_back({key, before, tree.sequences(), static_cast<std::uint32_t>(legal.size())});
      tree.moves.insert(tree.moves.end(), legal.begin(), legal.end());
      if (tree.forced.count(key) != 0) fail(WholeGameProblem::kUnknownMoves, players_[player]);
    }
    const DecisionPoint& point = tree.points[found->second];
    if (point.count != legal.size() || !std::equal(legal.begin(), legal.end(), tree.moves.begin() + point.first))
      fail(WholeGameProblem::kUnknownMoves, players_[player]);
    return point.first;
  }

  void add_joint_moves(const Histories& now, std::size_t history, const std::vector<std::vector<int>>& options) {
    std::array<std::uint32_t, 2> first;
    std::size_t joint_moves = 1;
    for (int player = 0; player < 2; ++player) {
      const std::vector<int>& legal = options[players_[player]];
      first[player] = sequence_of(player, now.keys[history][player], now.sequences[history][player], legal);
    }
    for (const std::vector<int>& legal : options) joint_moves *= legal.size();
    result_.at_once = result_.at_once || (options[players_[0]].size() > 1 && options[players_[1]].size() > 1);
    if (joint_moves > limits_.histories || result_.played + joint_moves > limits_.histories)
      fail(WholeGameProblem::kTooLarge);
    if (!good()) return;
    result_.played += joint_moves;
    result_.histories += now.counts[history] * static_cast<double>(joint_moves);
    const double chance =
        now.chances[history] / (game_.chance() < 0 ? 1 : static_cast<double>(options[game_.chance()].size()));
    place_.assign(game_.roles(), 0);
    for (int role = 0; role < game_.roles();) {
      Job job{history, chance, now.sequences[history]};
      for (int player = 0; player < 2; ++player)
        if (options[players_[player]].size() > 1)
          job.sequences[player] = first[player] + static_cast<std::uint32_t>(place_[players_[player]]);
      jobs_.push_back(job);
      for (int each = 0; each < game_.roles(); ++each) {
        const int move = options[each][place_[each]];
        joint_.push_back(options[each].size() == 1 ? -(move + 1) : move);  // negative: forced
      }
      if (static_cast<int>(jobs_.size()) == lanes_) play(now);
      if (!good()) return;
      for (role = 0; role < game_.roles() && ++place_[role] == options[role].size(); ++role) place_[role] = 0;
    }
  }

  template <class Which>
  void load(const Histories& now, int count, Which which) {
    remove_lanes(mask_);
    for (int lane = 0; lane < count; ++lane) {
      add_lane(mask_, lane);
      lane_states_[lane] = &now.states[which(lane) * words_];
    }
    load_played(game_.simulator(), mask_.data(), lane_states_.data());
    game_.simulator().evaluate();
  }

  // Plays the joint moves that were collected.
  void play(const Histories& now) {
    if (jobs_.empty()) return;
    const int count = static_cast<int>(jobs_.size()), roles = game_.roles();
    load(now, count, [&](int lane) { return jobs_[lane].history; });
    for (int lane = 0; lane < count; ++lane)
      for (int role = 0; role < roles; ++role) {
        const int move = joint_[std::size_t(lane) * roles + role];
        game_.simulator().choose(lane, role, move >= 0 ? move : -(move + 1));
        moves_[std::size_t(role) * lanes_ + lane] = move >= 0 ? move : kForced;
      }
    for (int lane = 0; lane < count; ++lane)
      for (int player = 0; player < 2; ++player)
        keys_[std::size_t(lane) * roles + players_[player]] = now.keys[jobs_[lane].history][player];
    game_.perceive();
    game_.advance_keys(mask_, moves_.data(), keys_.data());
    game_.simulator().step();
    game_.simulator().store(mask_.data(), targets_.data());
    for (int lane = 0; lane < count; ++lane) {
      std::array<std::uint64_t, 2> keys;
      for (int player = 0; player < 2; ++player) {
        keys[player] = keys_[std::size_t(lane) * roles + players_[player]];
        if (limits_.sees_moves) keys[player] = key_with_moves(keys[player], moves_of_others(lane, players_[player]));
      }
      add(targets_[lane], keys, jobs_[lane], now.counts[jobs_[lane].history]);
    }
    jobs_.clear();
    joint_.clear();
    if (is_stopped()) fail(WholeGameProblem::kStopped);
  }

  std::uint64_t moves_of_others(int lane, int role) const {
    std::uint64_t hash = 0;
    for (int other = 0; other < game_.roles(); ++other) {
      const int move = joint_[std::size_t(lane) * game_.roles() + other];
      if (other != role) hash = hash_with_move(hash, move >= 0 ? move : -(move + 1));
    }
    return hash;
  }

  // Adds a history of the next turn, or merges it.
  void add(const std::uint64_t* state, const std::array<std::uint64_t, 2>& keys, const Job& job, double count) {
    std::uint64_t hash = keys[0] ^ mix64(keys[1]);
    for (int word = 0; word < words_; ++word) hash = mix64(hash + state[word]);
    std::size_t slot = hash & (slots_.size() - 1);
    for (; slots_[slot] != kEmpty; slot = (slot + 1) & (slots_.size() - 1)) {
      const std::uint32_t other = slots_[slot];
      if (hashes_[other] != hash || next_.keys[other] != keys) continue;
      if (!std::equal(state, state + words_, &next_.states[std::size_t(other) * words_])) continue;
      next_.chances[other] += job.chance;
      next_.counts[other] += count;
      return;
    }
    slots_[slot] = static_cast<std::uint32_t>(next_.size());
    hashes_.resize(next_.size());
    hashes_.push_back(hash);
    next_.states.insert(next_.states.end(), state, state + words_);
    next_.keys.push_back(keys);
    next_.sequences.push_back(job.sequences);
    next_.chances.push_back(job.chance);
    next_.counts.push_back(count);
    if (2 * next_.size() > slots_.size()) grow();
  }

  void grow() {
    slots_.assign(2 * slots_.size(), kEmpty);
    for (std::uint32_t each = 0; each < next_.size(); ++each) {
      std::size_t slot = hashes_[each] & (slots_.size() - 1);
      while (slots_[slot] != kEmpty) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = each;
    }
  }

  HiddenGame& game_;
  const WholeGameLimits& limits_;
  const int lanes_, words_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point next_question_ = start_;
  int players_[2];
  WholeGame result_;
  std::array<DecisionTree, 2> trees_;
  std::vector<SequenceForm::End> ends_;
  Histories next_;
  std::vector<std::uint32_t> slots_;  // open addressing: numbers of next_
  std::vector<std::uint64_t> hashes_;  // of next_
  std::vector<Job> jobs_;
  std::vector<std::int32_t> joint_;  // [jobs][roles]
  LaneMask mask_;
  std::vector<const std::uint64_t*> lane_states_;
  std::vector<std::uint64_t*> targets_;
  std::vector<std::vector<std::vector<int>>> options_;  // legal moves: [lanes][roles]
  std::vector<std::uint64_t> keys_;                     // [lanes][roles]
  std::vector<std::int32_t> moves_;                     // [roles][lanes]
  std::vector<std::uint64_t> stored_;
  std::vector<int> list_;
  std::vector<std::size_t> place_;
};

}  // namespace

WholeGame play_whole_game(HiddenGame& game, const WholeGameLimits& limits) {
  if (game.players() != 2) throw std::invalid_argument("the whole tree is played for two roles besides chance");
  return Builder(game, limits).run();
}

}  // namespace ggp

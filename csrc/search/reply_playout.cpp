#include "search/reply_playout.hpp"

#include <algorithm>
#include <cmath>

#include "random.hpp"
#include "search/draw_moves.hpp"
#include "search/sampling.hpp"

namespace ggp {

using Context = ReplyForest::Context;

ReplyPlayout::ReplyPlayout(const ReplyForestConfig& config, const Simulator& simulator)
    : RecordedPlayout(simulator),
      config_(config),
      epsilon_(static_cast<std::uint64_t>(config.epsilon * 0x1p32)),
      tells_(simulator.tells_moves()),
      forest_(config.memory_bytes, config.longest),
      tree_choices_(simulator.lanes(), kAll),
      by_default_(simulator.groups()),
      contexts_(config.longest + 1),
      told_(tells_ ? simulator.lanes() : 0) {
  std::uint32_t all = 0, widest = 0;
  for (const int count : moves_by_role(simulator)) {
    first_of_.push_back(all);
    all += static_cast<std::uint32_t>(count);
    widest = std::max(widest, static_cast<std::uint32_t>(count));
  }
  first_of_.push_back(all);
  moves_.resize(widest);
  weights_.resize(widest);
  roots_.resize(widest);
  taken_.resize((widest + 63) / 64);
  if (tells_) {
    legal_.resize(taken_.size());
    list_.resize(widest);
  }
}

void ReplyPlayout::reset() {
  forest_.clear();
  past_.clear();
}

void ReplyPlayout::played(const std::vector<RoleMove>& choices) {
  forest_.make_room();
  if (choices.empty()) return;
  std::uint64_t ply = 0;
  for (const RoleMove& choice : choices) ply += key(choice);
  if (past_.size() == config_.longest) past_.erase(past_.begin());
  past_.push_back(ply);
}

// ---- learning

void ReplyPlayout::begin(int lane, std::uint64_t seed) {
  RecordedPlayout::begin(lane, seed);
  tree_choices_[lane] = kAll;
}

void ReplyPlayout::learn(int lane, const double* rewards) {
  leave_tree(lane);
  const std::vector<Chosen>& choices = this->choices(lane);
  plies_.clear();
  for (std::size_t i = 0; i < tree_choices_[lane]; ++i) {
    if (!choices[i].same_ply) plies_.push_back(0);
    plies_.back() += key({choices[i].role, static_cast<int>(choices[i].move)});
  }
  std::size_t before = plies_.size();  // plies before the choice looked at, and its own
  for (std::size_t i = tree_choices_[lane]; i-- > 0;) {
    const Chosen& choice = choices[i];
    const auto outcome = static_cast<float>((rewards[choice.role] + 1) / 2);
    forest_.learn(plies_.data(), before - 1, reply(choice.role, static_cast<int>(choice.move)), outcome);
    before -= !choice.same_ply;
  }
}

// ---- playing

bool ReplyPlayout::asks_forest(int lane) { return explores(draw(random()[lane]), epsilon_); }

// Finds the contexts that match what has been played in a lane, without the ply under way where some of its choices are
// there already (`same_ply`); writes them by length, and returns the longest length.
std::size_t ReplyPlayout::match(int lane, bool same_ply) {
  const std::vector<Chosen>& choices = this->choices(lane);
  std::size_t left = choices.size(), before = past_.size(), length = 0;
  if (same_ply) {
    while (choices[--left].same_ply) {
    }
  }
  for (Context context = ReplyForest::kEmpty; length < config_.longest; ++length) {
    std::uint64_t ply = 0;
    if (left > 0) {
      do {
        --left;
        ply += key({choices[left].role, static_cast<int>(choices[left].move)});
      } while (choices[left].same_ply);
    } else if (before > 0) {
      ply = past_[--before];
    } else {
      break;
    }
    context = forest_.longer(context, ply);
    if (context == ReplyForest::kNone) break;
    contexts_[length] = context;
  }
  return length;
}

// Draws a legal reply by Eq. 1, and tells its move, or -1 where there is none or it is not to be played.
template <class IsLegal>
int ReplyPlayout::draw_reply(int lane, bool same_ply, int role, IsLegal is_legal) {
  std::size_t length = match(lane, same_ply);
  const bool each = config_.context == ReplyForestConfig::Context::kEach;
  const std::uint32_t first = first_of_[role], count = first_of_[role + 1] - first;
  const auto bias = static_cast<float>(config_.bias);
  std::uint32_t found = 0;  // replies so far
  float sum = 0;
  for (; length > 0 && (found == 0 || each); --length) {
    const std::uint32_t before = found;
    std::uint64_t visits = 0;
    for (const ReplyForest::Reply& reply : forest_.replies(contexts_[length - 1])) {
      const std::uint32_t move = reply.number - first;
      if (move >= count || !is_legal(move)) continue;
      visits += reply.visits;
      if (taken_[move / 64] >> (move % 64) & 1) continue;
      taken_[move / 64] |= std::uint64_t{1} << (move % 64);
      moves_[found] = move;
      weights_[found] = reply.mean;
      roots_[found++] = reply.inverse_root;
    }
    const float width = bias * std::sqrt(std::log(static_cast<float>(visits)));
    for (std::uint32_t i = before; i < found; ++i) {
      weights_[i] = std::max(weights_[i] + width * roots_[i], 0.0f);
      sum += weights_[i];
    }
  }
  for (std::uint32_t i = 0; i < found; ++i) taken_[moves_[i] / 64] = 0;
  if (found == 0) return -1;
  const std::uint64_t random = draw(this->random()[lane]);
  float left = sum * (static_cast<float>(random >> 40) * 0x1p-24f);
  std::uint32_t place = 0;
  while (place + 1 < found && left >= weights_[place]) left -= weights_[place++];
  const bool plays = static_cast<float>(random & 0xFFFFFF) * 0x1p-24f < weights_[place];
  return plays ? static_cast<int>(moves_[place]) : -1;
}

// Legal moves are looked up one by one, or listed as soon as one is asked for.
int ReplyPlayout::draw_legal_reply(Simulator& simulator, int lane, int role) {
  if (simulator.looks_up_legality()) {
    const bool by_policy = config_.fallback == ReplyForestConfig::Fallback::kGame;
    return draw_reply(lane, false, role, [&](std::uint32_t move) {
      return simulator.is_legal(lane, static_cast<int>(move), by_policy);
    });
  }
  int count = -1;
  const int found = draw_reply(lane, false, role, [&](std::uint32_t move) {
    if (count < 0) {
      count = simulator.legal(lane, role, list_.data());
      for (int i = 0; i < count; ++i) legal_[list_[i] / 64] |= std::uint64_t{1} << (list_[i] % 64);
    }
    return legal_[move / 64] >> (move % 64) & 1;
  });
  for (int i = 0; i < count; ++i) legal_[list_[i] / 64] = 0;
  return found;
}

void ReplyPlayout::choose(Lanes& lanes, const std::uint64_t* mask) {
  if (tells_)
    choose_by_simulator(lanes, mask);
  else
    RecordedPlayout::choose(lanes, mask);
}

// Of the lanes where the forest is not asked or does not answer the simulator takes care, and says what it has played.
void ReplyPlayout::choose_by_simulator(Lanes& lanes, const std::uint64_t* mask) {
  Simulator& simulator = lanes.simulator();
  for (int group = 0; group < simulator.groups(); ++group) {
    by_default_[group] = mask[group];
    for_each_lane(group, mask[group], [&](int lane) {
      leave_tree(lane);
      if (!asks_forest(lane)) return;
      const int role = simulator.mover(lane);
      const int move = draw_legal_reply(simulator, lane, role);
      if (move < 0) return;
      simulator.choose(lane, role, move);
      add(lane, {role, move}, false);
      remove_lane(by_default_, lane);
    });
  }
  simulator.choose_and_tell(by_default_.data(), config_.fallback == ReplyForestConfig::Fallback::kGame, told_.data());
  for (int group = 0; group < simulator.groups(); ++group) {
    for_each_lane(group, by_default_[group], [&](int lane) {
      if (told_[lane].role >= 0) add(lane, {told_[lane].role, told_[lane].move}, false);
    });
  }
}

void ReplyPlayout::pick(const Choices& choices, int role, bool same_ply) {
  draw_moves(choices, role, 1, random(), choices.moves);
  choices.for_each_lane(role, [&](int lane) {
    leave_tree(lane);
    if (!asks_forest(lane)) return;
    const int move = draw_reply(lane, same_ply, role, [&](std::uint32_t each) {
      return choices.word(lane, static_cast<int>(each / 64)) >> (each % 64) & 1;
    });
    if (move >= 0) choices.moves[lane] = static_cast<std::uint32_t>(move);
  });
}

}  // namespace ggp

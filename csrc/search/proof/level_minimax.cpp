#include "search/proof/level_minimax.hpp"

#include <algorithm>

#include "simulation/load_played.hpp"

namespace ggp {

namespace {

int score(Bounds bounds) { return bounds.pessimistic > 50 ? 1 : bounds.optimistic < 50 ? -1 : 0; }

}  // namespace

LevelMinimax::LevelMinimax(const Simulator& simulator)
    : simulator_(simulator.clone()),
      words_(simulator_->state_words()),
      mask_(simulator_->groups()),
      from_(simulator_->lanes()),
      to_(simulator_->lanes()),
      moves_(std::max(simulator_->moves(0), simulator_->moves(1))) {}

bool LevelMinimax::run(const std::uint64_t* state, int plies, Extent extent, const std::vector<int>& only,
                       std::uint64_t most_states, const std::function<bool()>& give_up) {
  give_up_ = &give_up;
  given_up_ = false;
  most_states_ = most_states > UINT64_MAX - states_ ? UINT64_MAX : states_ + most_states;
  if (static_cast<int>(plies_.size()) < plies) plies_.resize(plies);
  do {
    believed_ = constant_sum_;
    mover_ = -1;
    verdicts_.clear();
    for (Ply& ply : plies_) ply.refutation = -1;
    expand(state, plies_[0], true);
    if (plies_[0].mover < 0 || plies_[0].stuck) return true;
    levels(plies, extent, only);
  } while (constant_sum_ != believed_);
  return !given_up_;
}

// Searches the levels; the root has been expanded.
void LevelMinimax::levels(int plies, Extent extent, const std::vector<int>& only) {
  Ply& root = plies_[0];
  for (std::size_t i = 0; i < root.moves.size(); ++i) {
    const Bounds bounds = root.ended[i] ? root.bounds[i] : kUnknown;
    verdicts_.push_back({root.moves[i], bounds, root.ended[i] && score(bounds) != 0 ? 1 : 0});
  }
  for (int level = 2; level <= plies; ++level) {
    // The null window that decides whether a move wins (odd levels) or loses (even levels).
    const int alpha = level % 2 == 0 ? -1 : 0, beta = alpha + 1;
    for (std::size_t i = 0; i < verdicts_.size(); ++i) {
      Verdict& verdict = verdicts_[i];
      if (extent == Extent::kDecision) {
        const auto open = [](const Verdict& each) { return score(each.bounds) != -1; };
        const auto won = [](const Verdict& each) { return score(each.bounds) == 1; };
        if (std::any_of(verdicts_.begin(), verdicts_.end(), won)) return;
        const bool forced = std::count_if(verdicts_.begin(), verdicts_.end(), open) <= 1;
        if (only.empty() && verdicts_.size() > 1 && forced) return;
      }
      if (root.ended[i] || verdict.plies > 0) continue;
      if (!only.empty() && std::find(only.begin(), only.end(), verdict.move) == only.end()) continue;
      const Bounds found = search(&root.states[i * words_], 1, level - 1, alpha, beta);
      if (is_over()) return;
      verdict.bounds.pessimistic = std::max(verdict.bounds.pessimistic, found.pessimistic);
      verdict.bounds.optimistic = std::min(verdict.bounds.optimistic, found.optimistic);
      if (score(found) != 0) verdict.plies = level;
    }
  }
}

// The bounds of a non-terminal state within `left` plies. The score is exact if it lies between alpha and beta; else it
// is a bound beyond the window.
Bounds LevelMinimax::search(const std::uint64_t* state, int ply, int left, int alpha, int beta) {
  if (left == 0 || is_over()) return kUnknown;
  Ply& at = plies_[ply];
  expand(state, at, left > 1);
  if (at.stuck) return at.end;
  if (at.mover < 0) return kUnknown;
  put_first(at, ply);
  return at.mover == mover_ ? search_mover(at, ply, left, alpha, beta) : search_other(at, ply, left, alpha, beta);
}

Bounds LevelMinimax::search_mover(Ply& at, int ply, int left, int alpha, int beta) {
  Bounds all{0, 0};
  // Moves that end the game come first, because they have no further cost.
  for (const bool ends : {true, false}) {
    for (std::size_t i = 0; i < at.moves.size(); ++i) {
      if ((at.ended[i] != 0) != ends) continue;
      const Bounds found = ends ? at.bounds[i] : behind(at, ply, i, left, alpha, beta);
      all.pessimistic = std::max(all.pessimistic, found.pessimistic);
      all.optimistic = std::max(all.optimistic, found.optimistic);
      if (score(found) >= beta || score(found) == 1) {
        at.refutation = at.moves[i];
        return {all.pessimistic, 100};
      }
      alpha = std::max(alpha, score(found));
    }
  }
  return all;
}

Bounds LevelMinimax::search_other(Ply& at, int ply, int left, int alpha, int beta) {
  Bounds least{100, 100}, most{0, 0};
  bool not_won = false, not_lost = false;
  for (const bool ends : {true, false}) {
    for (std::size_t i = 0; i < at.moves.size(); ++i) {
      if ((at.ended[i] != 0) != ends) continue;
      const Bounds found = ends ? at.bounds[i] : behind(at, ply, i, left, alpha, beta);
      least.pessimistic = std::min(least.pessimistic, found.pessimistic);
      least.optimistic = std::min(least.optimistic, found.optimistic);
      most.optimistic = std::max(most.optimistic, found.optimistic);
      not_won |= score(found) != 1;
      not_lost |= score(found) != -1;
      const bool decided = believed_ ? score(found) == -1 || (not_won && alpha >= 0)
                                    : not_won && (not_lost || alpha >= 0);
      if (decided) {
        if (believed_) at.refutation = at.moves[i];
        return {0, believed_ ? least.optimistic : std::uint8_t{100}};
      }
      if (not_won) beta = std::min(beta, 0);
    }
  }
  return {least.pessimistic, believed_ ? least.optimistic : most.optimistic};
}

Bounds LevelMinimax::behind(Ply& at, int ply, std::size_t i, int left, int alpha, int beta) {
  if (left == 1) return kUnknown;
  return search(&at.states[i * words_], ply + 1, left - 1, alpha, beta);
}

// Moves the most promising moves to the front.
void LevelMinimax::put_first(Ply& at, int ply) const {
  const auto swap = [&](std::size_t one, std::size_t other) {
    std::swap(at.moves[one], at.moves[other]);
    std::swap(at.ended[one], at.ended[other]);
    std::swap(at.bounds[one], at.bounds[other]);
    if (!at.kept) return;
    for (int word = 0; word < words_; ++word)
      std::swap(at.states[one * words_ + word], at.states[other * words_ + word]);
  };
  std::size_t front = 0;
  const int below = ply + 1 < static_cast<int>(plies_.size()) ? plies_[ply + 1].refutation : -1;
  for (const int move : {at.refutation, below}) {
    const auto found = std::find(at.moves.begin() + static_cast<std::ptrdiff_t>(front), at.moves.end(), move);
    if (found != at.moves.end()) swap(front++, static_cast<std::size_t>(found - at.moves.begin()));
  }
}

bool LevelMinimax::is_over() {
  if (!given_up_ && (states_ >= most_states_ || (*give_up_)())) given_up_ = true;
  return given_up_ || constant_sum_ != believed_;
}

// Computes the successors of a state, and stores their states if they are needed later.
void LevelMinimax::expand(const std::uint64_t* state, Ply& to, bool keep) {
  const int lanes = simulator_->lanes();
  to.kept = keep;
  if (in_turn_) step();  // after an error
  std::fill(from_.begin(), from_.end(), state);
  const int first_width = std::min(lanes, static_cast<int>(moves_.size()));
  std::size_t done = 0;
  do {
    const int width = done == 0 ? first_width : std::min(lanes, static_cast<int>(to.moves.size() - done));
    remove_lanes(mask_);
    for (int lane = 0; lane < width; ++lane) add_lane(mask_, lane);
    load_played(*simulator_, mask_.data(), from_.data());
    evaluate();
    if (done == 0 && !find_mover(to)) return step();
    const int chooser = to.mover < 0 ? 0 : to.mover;
    const int count = std::min(width, static_cast<int>(to.moves.size() - done));
    remove_lanes(mask_);
    for (int lane = 0; lane < count; ++lane) {
      simulator_->choose(lane, chooser, to.moves[done + lane]);
      simulator_->choose(lane, 1 - chooser, only_move_[1 - chooser]);
      add_lane(mask_, lane);
    }
    step();
    evaluate();
    read(to, done, count);
    step();
    done += static_cast<std::size_t>(count);
  } while (done < to.moves.size());
}

// Lists the moves of the role with a choice in lane 0; returns false if no successors are to be computed.
bool LevelMinimax::find_mover(Ply& to) {
  int counts[2];
  to.moves.clear();
  to.stuck = false;
  to.mover = mover_ < 0 ? 0 : mover_;
  for (int role = 0; role < 2; ++role) {
    counts[role] = simulator_->legal(0, role, moves_.data());
    if (counts[role] == 0) {
      to.stuck = true;
      to.end = mover_ < 0 ? kUnknown : goals_of(0);
      return false;
    }
    only_move_[role] = moves_[0];
    if (counts[role] == 1) continue;
    to.mover = role;
    to.moves.assign(moves_.begin(), moves_.begin() + counts[role]);
  }
  if (counts[0] > 1 && counts[1] > 1) {
    to.mover = -1;
    return false;
  }
  if (counts[0] == 1 && counts[1] == 1) to.moves.assign(1, only_move_[to.mover]);
  if (mover_ < 0) mover_ = to.mover;  // the root
  to.ended.assign(to.moves.size(), 0);
  to.bounds.assign(to.moves.size(), kUnknown);
  to.states.resize(to.moves.size() * static_cast<std::size_t>(words_));
  return true;
}

// Reads the successors in lanes 0 .. count - 1, the lanes of mask_.
void LevelMinimax::read(Ply& to, std::size_t first, int count) {
  const std::uint64_t* terminal = simulator_->terminal();
  states_ += static_cast<std::uint64_t>(count);
  for (int lane = 0; lane < count; ++lane) {
    if ((terminal[lane >> 6] & lane_bit(lane)) == 0) {
      to_[lane] = &to.states[(first + lane) * words_];
      continue;
    }
    mask_[lane >> 6] &= ~lane_bit(lane);
    to.ended[first + lane] = 1;
    to.bounds[first + lane] = goals_of(lane);
  }
  if (to.kept && any_lane(mask_)) simulator_->store(mask_.data(), to_.data());
}

// The goal of the root's mover in a lane whose game is over.
Bounds LevelMinimax::goals_of(int lane) {
  int goals[2];
  for (int role = 0; role < 2; ++role) goals[role] = std::max(0, simulator_->goal(lane, role));
  if (constant_sum_ && goals[0] + goals[1] != 100) {
    constant_sum_ = false;
    std::copy(goals, goals + 2, odd_goals_);
  }
  const auto goal = static_cast<std::uint8_t>(goals[mover_]);
  return {goal, goal};
}

void LevelMinimax::archive(Archive& archive) {
  std::vector<int> refutations;
  for (const Ply& ply : plies_) refutations.push_back(ply.refutation);
  archive(refutations, constant_sum_, odd_goals_, states_);
  if (!archive.reads()) return;
  plies_.resize(refutations.size());
  for (std::size_t ply = 0; ply < plies_.size(); ++ply) plies_[ply].refutation = refutations[ply];
}

}  // namespace ggp

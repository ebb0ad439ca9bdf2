#include "search/driver/sudden_death.hpp"

#include <algorithm>
#include <cmath>

#include "base/thread_clock.hpp"
#include "search/driver/statistics.hpp"

namespace ggp {

using Strategy = SuddenDeathConfig::Strategy;

SuddenDeath::SuddenDeath(const Config& config, const Simulator& simulator, const Tree& tree)
    : config_(config.sudden_death), final_move_(config.final_move), tree_(tree), minimax_(simulator) {
  begin_run();
}

void SuddenDeath::reset() {
  triggered_ = done_ = false;
  marks_.clear();
  states_before_ = minimax_.states();
  cpu_seconds_ = 0;
  begin_run();
}

void SuddenDeath::finish(const FinishedSimulation& simulation) {
  const Path& path = simulation.path;
  const int* goals = simulation.goals;
  const std::uint32_t plies = path.depth() + simulation.playout_plies;
  if (goals == nullptr || plies > config_.plies || path.depth() == 0) return;
  triggered_ = true;
  const std::uint32_t* step = path.step(0);
  const Node& root = tree_.node(step[0]);
  if (root.mover == kSimultaneous) return;
  const int own = goals[root.mover], other = goals[1 - root.mover];
  if (own == other) return;
  if (marks_.size() <= step[1]) marks_.resize(root.choices()[0].count);
  marks_[step[1]] |= own > other ? kWin : kDeath;
}

bool SuddenDeath::is_due(std::uint64_t simulations) const {
  switch (config_.strategy) {
    case Strategy::kAlways:
      return !done_;
    case Strategy::kTriggered:
      return triggered_ && !done_;
    case Strategy::kMidway:
      return triggered_ && simulations >= next_;
    default:
      return false;
  }
}

bool SuddenDeath::look(const Root& root, const std::function<bool()>& give_up) {
  if (root.tree.node(root.tree.root()).mover == kSimultaneous) return false;
  if (config_.strategy == Strategy::kFinal) {
    if (!root.at_end || !triggered_) return false;
    const bool found = examine_best(root, give_up);
    return examine_marked(root, kWin, give_up) || found;
  }
  if (config_.strategy == Strategy::kMidway) {
    if (!triggered_ || (!root.at_end && !is_due(root.simulations))) return false;
    while (next_ <= root.simulations) next_ += config_.every;
    bool found = examine_marked(root, kDeath | kWin, give_up);
    if (root.at_end) found |= examine_best(root, give_up);
    return found;
  }
  if (!is_due(root.simulations)) return false;
  done_ = true;
  return examine(root, LevelMinimax::Extent::kDecision, {}, give_up);
}

bool SuddenDeath::is_marked(std::uint32_t place, std::uint8_t marks) const {
  return place < marks_.size() && (marks_[place] & marks) != 0 && (marks_[place] & kDone) == 0;
}

// Examines the promising moves with one of these marks.
bool SuddenDeath::examine_marked(const Root& root, std::uint8_t marks, const std::function<bool()>& give_up) {
  const Node& node = root.tree.node(root.tree.root());
  const Choice& choice = node.choices()[0];
  const Actions actions = root.tree.actions(choice);
  by_average_.clear();
  for (std::uint32_t place = 0; place < choice.tried; ++place)
    if (actions[place].visits > 0) by_average_.push_back(place);
  std::stable_sort(by_average_.begin(), by_average_.end(), [actions](std::uint32_t one, std::uint32_t other) {
    return actions[one].mean > actions[other].mean;
  });
  const auto among = [this](double percent) {
    return static_cast<std::size_t>(std::ceil(percent / 100 * static_cast<double>(by_average_.size())));
  };
  const std::size_t deaths = among(config_.death_percent), wins = among(config_.win_percent);
  moves_.clear();
  for (std::size_t rank = 0; rank < by_average_.size(); ++rank) {
    const std::uint32_t place = by_average_[rank];
    const bool wanted = ((marks & kDeath) != 0 && rank < deaths && is_marked(place, kDeath)) ||
                        ((marks & kWin) != 0 && rank < wins && is_marked(place, kWin));
    if (!wanted) continue;
    marks_[place] |= kDone;
    if (!actions[place].bounds.settled()) moves_.push_back(static_cast<int>(root.tree.move(choice, place)));
  }
  return !moves_.empty() && examine(root, LevelMinimax::Extent::kDecision, moves_, give_up);
}

// Examines the best move while this move has a mark of death; a losing move is replaced by the next best move.
bool SuddenDeath::examine_best(const Root& root, const std::function<bool()>& give_up) {
  const int mover = root.tree.node(root.tree.root()).mover;
  bool found = false;
  for (;;) {
    const int best = read_statistics(root.tree, root.tree.root(), final_move_).roles[mover].moves.front().move;
    const Choice& choice = root.tree.node(root.tree.root()).choices()[0];
    const std::uint32_t place = root.tree.place_of(choice, static_cast<std::uint32_t>(best));
    if (place == choice.tried || !is_marked(place, kDeath)) return found;
    if (root.tree.actions(choice)[place].bounds.settled()) return found;
    marks_[place] |= kDone;
    if (!examine(root, LevelMinimax::Extent::kEveryMove, {best}, give_up)) return found;
    found = true;
  }
}

bool SuddenDeath::examine(const Root& root, LevelMinimax::Extent extent, const std::vector<int>& only,
                          const std::function<bool()>& give_up) {
  const double before = thread_cpu_seconds();
  minimax_.run(root.state, static_cast<int>(config_.plies), extent, only, config_.states, give_up);
  cpu_seconds_ += thread_cpu_seconds() - before;
  if (minimax_.odd_goals() != nullptr) root.solver.see_end(minimax_.odd_goals());
  return apply(root);
}

// Sets the bounds of the root's actions, and adds actions that do not exist yet.
bool SuddenDeath::apply(const Root& root) {
  Tree& tree = root.tree;
  Choice& choice = tree.node(tree.root()).choices()[0];
  const int mover = tree.node(tree.root()).mover;
  bool changed = false;
  std::vector<std::uint32_t> room;
  if (minimax_.mover() != mover) return false;
  for (const LevelMinimax::Verdict& verdict : minimax_.verdicts()) {
    if (verdict.bounds == kUnknown) continue;
    const std::uint32_t place = tree.place_of(choice, static_cast<std::uint32_t>(verdict.move));
    if (place == choice.tried) {
      const std::uint32_t* untried = tree.list_moves(choice, room);
      std::uint32_t which = 0;
      while (static_cast<int>(untried[which]) != verdict.move) ++which;
      if (tree.add_untried(tree.root(), mover, which) < 0) continue;
    }
    changed |= root.solver.bound_root_action(place, verdict.bounds);
    const Index child = tree.actions(choice)[place].child;
    // The plies of a known child: among lost moves the search plays the longest.
    if (child != kNone && is_node(child) && verdict.plies > 0 && tree.node(child).plies == 0)
      tree.node(child).plies = static_cast<std::uint16_t>(verdict.plies - 1);
  }
  return changed;
}

}  // namespace ggp

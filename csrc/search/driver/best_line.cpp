#include "search/driver/best_line.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "interfaces/winning_moves.hpp"

namespace ggp {

namespace {

using Clock = std::chrono::steady_clock;

// Limit in seconds of a replay when the root moves.
constexpr double kReplaySeconds = 0.05;

// More seconds mean no limit, because they would overflow the clock.
constexpr double kNoLimitSeconds = 1e6;

struct OutOfTime {};

}  // namespace

// Replays one play-out in lane 0 of idle lanes.
class BestLine::Replay : private MoveChooser {
 public:
  // run() throws OutOfTime when the time is up.
  Replay(const Ending& ending, bool decisive, Lanes& lanes, Clock::time_point until)
      : ending_(ending),
        until_(until),
        lanes_(lanes),
        simulator_(lanes.simulator()),
        winning_moves_(simulator_.optional_interface<WinningMoves>()),
        first_lane_(simulator_.groups()),
        legal_(simulator_.moves(0)),
        after_(simulator_.state_words()),
        tried_(std::size_t(simulator_.lanes()) * simulator_.state_words()) {
    add_lane(first_lane_, 0);
    lanes_.close_turn();
    look_ahead(decisive);
  }
  ~Replay() { look_ahead(false); }
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  // Returns the moves to the end of the game; empty if the end is not reached.
  std::vector<int> run(const std::uint64_t* root) {
    std::vector<int> moves;
    state_.assign(root, root + simulator_.state_words());
    for (int move : ending_.path) {
      if (!begin() || !is_legal(move)) return {};
      simulator_.choose(0, 0, move);
      finish();
      moves.push_back(move);
    }
    if (ending_.played_out) simulator_.seed(0, ending_.seed);
    while (begin()) {
      if (!ending_.played_out) return {};
      const int count = simulator_.legal(0, 0, legal_.data());
      if (count == 0 || !draw()) return {};
      before_ = state_;
      finish();
      const int move = count == 1 ? legal_[0] : move_between(count);
      if (move < 0) return {};
      moves.push_back(move);
    }
    if (simulator_.goal(0, 0) != ending_.goal) return {};
    return moves;
  }

 private:
  void look_ahead(bool ahead) {
    if (winning_moves_ != nullptr) winning_moves_->look_ahead(first_lane_.data(), ahead);
  }
  // Evaluates the current state; returns false if the game is over.
  bool begin() {
    if (Clock::now() >= until_) throw OutOfTime();
    lanes_.close_turn();
    lanes_.ask_load(0, state_.data());
    lanes_.load();
    lanes_.evaluate();
    return (simulator_.terminal()[0] & 1) == 0;
  }
  bool is_legal(int move) {
    const int* end = legal_.data() + simulator_.legal(0, 0, legal_.data());
    return std::find<const int*>(legal_.data(), end, move) != end;
  }
  // Chooses the move of the play-out; returns false if this move is not known.
  bool draw() {
    if (ending_.record == PlayoutRecord::kStream) {
      simulator_.choose_at_random(first_lane_.data());
      return true;
    }
    if (ending_.record != PlayoutRecord::kChoices) return false;
    simulator_.choose_with(first_lane_.data(), *this);
    return known_;
  }
  void choose(const Choices& choices) override {
    choices.for_each_lane(0, [&](int lane) {
      known_ = next_ < ending_.choices.size() && is_legal(static_cast<int>(ending_.choices[next_]));
      choices.moves[lane] = known_ ? ending_.choices[next_++] : static_cast<std::uint32_t>(legal_[0]);
    });
  }
  // Plays the chosen move.
  void finish() {
    lanes_.step();
    lanes_.ask_store(0, state_.data());
    lanes_.store();
  }
  // Returns the first legal move that leads from the previous state to the current state; -1 if there is none.
  int move_between(int count) {
    const int words = simulator_.state_words();
    after_ = state_;
    for (int first = 0; first < count; first += simulator_.lanes()) {
      if (Clock::now() >= until_) throw OutOfTime();
      const int lanes = std::min(count - first, simulator_.lanes());
      for (int lane = 0; lane < lanes; ++lane) lanes_.ask_load(lane, before_.data());
      lanes_.load();
      lanes_.evaluate();
      for (int lane = 0; lane < lanes; ++lane) simulator_.choose(lane, 0, legal_[first + lane]);
      lanes_.step();
      for (int lane = 0; lane < lanes; ++lane) lanes_.ask_store(lane, &tried_[std::size_t(lane) * words]);
      lanes_.store();
      for (int lane = 0; lane < lanes; ++lane) {
        const auto made = tried_.begin() + std::size_t(lane) * words;
        if (std::equal(after_.begin(), after_.end(), made)) return legal_[first + lane];
      }
    }
    return -1;
  }

  const Ending& ending_;
  const Clock::time_point until_;
  Lanes& lanes_;
  Simulator& simulator_;
  WinningMoves* const winning_moves_;  // null if the simulator does not have the interface
  LaneMask first_lane_;
  std::vector<int> legal_;
  std::vector<std::uint64_t> state_, before_, after_, tried_;
  std::size_t next_ = 0;  // index of the next choice
  bool known_ = true;     // whether the latest choice is known
};

void BestLine::reset() {
  goal_ = -1;
  noted_ = false;
  ending_ = Ending();
  moves_.clear();
}

void BestLine::note(const FinishedSimulation& simulation) {
  const Path& path = simulation.path;
  Ending ending;
  ending.goal = simulation.goals[0];
  ending.played_out = simulation.played_out;
  std::size_t choices = 0;
  for (std::size_t step = 0; step < path.words.size();) {
    int move;
    choices += tree_.node(path.words[step]).choices()[0].count > 1;
    step = traversal_.joint_move(path, step, &move);
    ending.path.push_back(move);
  }
  if (ending.played_out) {
    ending.record = playout_.record();
    ending.seed = simulation.seed;
    if (ending.record == PlayoutRecord::kNone) return;
    if (ending.record == PlayoutRecord::kChoices) {
      const std::vector<Chosen>& made = playout_.learner()->choices(simulation.lane);
      if (made.size() == MoveLearner::kLongest) return;
      for (std::size_t i = choices; i < made.size(); ++i) ending.choices.push_back(made[i].move);
    }
  }
  goal_ = ending.goal;
  ending_ = std::move(ending);
  noted_ = true;
}

const std::vector<int>& BestLine::moves(const std::uint64_t* root, double seconds) {
  if (!noted_) return moves_;
  moves_.clear();
  auto until = Clock::time_point::max();
  if (seconds < kNoLimitSeconds) {
    until = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }
  try {
    moves_ = Replay(ending_, decisive_, scout_, until).run(root);
  } catch (const OutOfTime&) {
    return moves_;
  } catch (const std::runtime_error&) {
    // The reasoner may have reached a limit; the search continues without the line.
  }
  noted_ = false;
  ending_ = Ending();
  if (moves_.empty()) goal_ = -1;
  return moves_;
}

void BestLine::advance(const RootMove& played) {
  moves(played.before, kReplaySeconds);
  if (!noted_ && moves_.size() > 1 && moves_.front() == played.moves[0]) {
    moves_.erase(moves_.begin());
  } else {
    reset();
  }
}

}  // namespace ggp

// The driver: one tree, and a block of lanes of one simulator as its workers.
//
// A worker is idle, walking from the deepest stored state of its path to the edge of the tree, or
// playing out at random; the three sets and that of workers arriving at the edge are lane masks. A round:
//   1. evaluate(); the states at the edge that may become nodes are stored; what has ended, in play-out or on
//      arrival, is backed up, in ascending lane order, and then the play-outs that an evaluation ends;
//   2. in ascending lane order, arriving lanes expand the tree and go on down it or start their
//      play-out, and idle ones begin a new simulation: a descent in memory. Those that end in the tree
//      are backed up on the spot;
//   3. walking lanes take the next move of their path, play-outs choose theirs in one call; step(); lanes with
//      a new simulation are loaded.
// Lanes never wait for one another. The searcher's own parts of a round are ask(), read(), choose() and
// reload(); what is between them is done for all searchers on the same lanes at once (lanes.hpp).
//
// Nodes are made on the second visit of an edge; the first is played out straight away.
//
// Same seed, configuration and number of simulations make the same tree, whatever the number of lanes:
// simulation i plays with the random stream seeded by (seed, i), and the order of events depends on
// in_flight alone. (Left open, in_flight depends on the lanes there are, and on speed in runs limited by time.)
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "interfaces/evaluations.hpp"
#include "interfaces/quality.hpp"
#include "interfaces/winning_moves.hpp"
#include "lane_mask.hpp"
#include "search/amaf.hpp"
#include "search/archive.hpp"
#include "search/best_line.hpp"
#include "search/config.hpp"
#include "search/heuristic.hpp"
#include "search/in_flight.hpp"
#include "search/lanes.hpp"
#include "search/playout.hpp"
#include "search/recycler.hpp"
#include "search/reward.hpp"
#include "search/selection.hpp"
#include "search/solver.hpp"
#include "search/statistics.hpp"
#include "search/sudden_death.hpp"
#include "search/traversal.hpp"
#include "search/tree.hpp"
#include "simulator.hpp"

namespace ggp {

class Searcher {
 public:
  // Starts at the initial state. The simulator is used by this searcher alone as long as it lives.
  // Throws std::invalid_argument where the configuration is wrong.
  Searcher(Simulator& simulator, const Config& config);
  // Starts at the initial state, to be run in parts in some of the lanes, which are shared. Single states are
  // looked into in lane 0 of the scout: other lanes of the same game, at rest between calls.
  Searcher(Lanes& lanes, Lanes& scout, const Config& config);

  // Forgets the tree and starts over at a packed state.
  void set_root(const std::uint64_t* state);
  // Plays a joint move at the root, one move per role, and keeps what the tree knows behind it. Takes constant time: the
  // rest of the tree is freed in the rounds of the next runs. Throws std::invalid_argument where the state is terminal or
  // a move is not legal; the root stays.
  void advance(const std::vector<int>& moves);

  // Searches up to a limit, or until the goals of all roles that have a choice at the root are proven. Returns
  // at once where the root is terminal or no role has a choice there. Simulations under way when the run ends
  // are given up without trace in the counts; a limit of simulations is met exactly.
  Statistics run(const Limits& limits);
  // Ends the run under way, if any, within a round. May be called from any thread.
  void stop() { stop_.store(true, std::memory_order_relaxed); }
  // The best line from the root that simulations have come upon, in games of one role: its goal, -1 where there is none,
  // and its moves to the end of the game. Kept while moves of it are played. None also where it is not found within so many
  // seconds. Throws std::logic_error during a run.
  struct Line {
    int goal;
    std::vector<int> moves;
  };
  Line best_line(double seconds = std::numeric_limits<double>::infinity());
  // The latest published view, at most a tenth of a second old. May be called from any thread.
  Statistics statistics() const;
  // What advance() by these legal joint moves, which lead to that state, would publish; the tree stays as it is.
  Statistics statistics_behind(const std::vector<std::vector<int>>& path, const std::uint64_t* state);

  // A run in parts, for who drives several searchers on the same lanes: begin(); rounds until done();
  // end(), at any time between rounds. The limits of time are the driver's to keep. The run has the lanes
  // first_lane .. first_lane + most_in_flight() - 1 to itself; throws std::invalid_argument where there are none.
  void begin(const Limits& limits, int first_lane);
  bool done() const { return completed_ >= limit_ || settled_ || stop_.load(std::memory_order_relaxed); }
  Statistics end();
  // Gives the run up, whatever state the round is in; nothing is published.
  void abandon();
  // The parts of a round; see lanes.hpp for what is between them.
  void ask();
  void read();
  void choose();
  void reload();

  // Writes or reads all that later runs depend on: the tree, random numbers, and what was learned. The searcher that reads
  // was made for the same game with the same configuration; it starts at the initial state if reading fails. Throws
  // ArchiveError, and std::logic_error during a run.
  void archive(Archive& archive);

  // The packed state of the root.
  const std::vector<std::uint64_t>& root_state() const { return root_state_; }
  // Tree::hash(). Throws std::logic_error while a run goes on, as all but stop() and statistics() do.
  std::uint64_t tree_hash() const;
  const Tree& tree() const { return tree_; }
  const Config& config() const { return config_; }
  // Simulations under way at the same time, at most and in the latest run.
  int most_in_flight() const { return static_cast<int>(workers_.size()); }
  int in_flight() const { return in_flight_; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Worker {
    Path path;
    std::size_t walked = 0;         // where the step that the lane takes next begins
    bool expand = false;            // at the edge: make a node rather than play out
    std::uint64_t playout_from = 0; // round
    std::uint64_t seed = 0;         // of the simulation
  };

  // Marks the searcher as in use by one call.
  class Use;

  Searcher(std::unique_ptr<Lanes> own, Lanes* shared, Lanes* scout, const Config& config);
  Worker& worker(int lane) { return workers_[lane - first_lane_]; }
  std::uint64_t* state_at_edge(int lane) {
    return &at_edge_[std::size_t(lane - first_lane_) * simulator_.state_words()];
  }
  void probe(const std::uint64_t* state);
  Tree fresh_tree() const;
  Index make_root(Tree& tree, const std::vector<std::uint64_t>& state);
  void make_full_root(Tree& tree, const Tree& from, Index won, const std::vector<std::uint64_t>& state);
  void archive_all(Archive& archive);
  void begin_at(std::vector<std::uint64_t> state);
  bool read_legal(Simulator& simulator, int lane);
  double quality(int lane) {
    return quality_ != nullptr ? quality_->quality(lane) : std::numeric_limits<double>::quiet_NaN();
  }
  void keep_win(int lane);
  void read_goals(Simulator& simulator, int lane);
  bool has_choice() const;

  void search(const Limits& limits);
  int first_in_flight(const Limits& limits) const;
  void widen();
  void round();
  void collect_ended();
  void learn_end(const Path& path);
  void see_end(int lane, const int* goals) {
    if (best_line_ != nullptr && best_line_->beats(goals[0])) note_best(lane, goals[0]);
  }
  void note_best(int lane, int goal);
  void learn(const Path& path);
  void cut_long_playouts();
  void evaluate_states();
  bool may_end_early(std::uint64_t plies) const;
  void end_early();
  bool end_early(int lane);
  bool is_stuck(int lane);
  void start_and_arrive();
  void arrive(int lane);
  void start(int lane);
  Edge descend(Path& path, Index node);
  void settle(int lane, Edge edge);
  void play_out(int lane);
  void tell_learner(int lane);
  Index expand(int lane);
  void finish(int lane, const int* goals, std::uint32_t playout_plies,
              double quality = std::numeric_limits<double>::quiet_NaN());
  void back_up(int lane);
  bool is_settled(int role) const;
  void look_for_sudden_death(bool at_end);
  bool must_hurry(double until);
  double share_of_time(Clock::time_point now) const;
  void give_up();
  void publish();
  void consider_sharing();

  const std::unique_ptr<Lanes> own_;  // null where the lanes are shared
  Lanes& lanes_;
  Lanes& scout_;
  Simulator& simulator_;  // of lanes_
  const Config config_;
  const int roles_;
  // Interfaces of the simulator, null where it does not have them.
  Evaluations* const evaluations_;
  Quality* const quality_;
  WinningMoves* const winning_moves_;
  const int evaluation_;  // number of the evaluation that the search uses, or -1
  std::unique_ptr<Selection> selection_;
  std::unique_ptr<PlayoutPolicy> playout_;
  MoveLearner* const learner_;  // of the play-out policy, or null
  std::unique_ptr<Reward> reward_;
  Tree tree_;
  std::unique_ptr<Amaf> amaf_;  // null where the selection does without; else the play-out policy records
  std::unique_ptr<Heuristic> heuristic_;  // null where the tree does without evaluations
  std::unique_ptr<SuddenDeath> sudden_death_;  // null where no minimax is asked for
  std::unique_ptr<BestLine> best_line_;  // null where there are several roles
  Traversal traversal_;
  Solver solver_;
  Recycler recycler_;
  std::vector<std::uint64_t> root_state_;
  std::size_t consider_at_ = 0;  // nodes with which the tree looks whether shared nodes pay; 0 is never
  std::uint64_t numbered_ = 0;  // simulations since set_root, given up ones included

  // The run.
  int first_lane_ = 0;
  int first_group_ = 0, end_group_ = 0;  // of lanes, those that have some of ours
  std::vector<Worker> workers_;  // in_flight_ of them work
  int in_flight_;
  double speed_ = 0;  // simulations per second of limited time, in the latest run that tells
  LaneMask idle_, loading_, walking_, arriving_, playing_;  // disjoint; together the workers
  Limits limits_;
  Clock::time_point start_;
  double cpu_start_ = 0;
  Clock::time_point ask_at_;  // when the minimax asks next whether the run is interrupted
  std::uint64_t round_ = 0;
  std::uint64_t started_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t limit_ = 0;
  double expected_ = 0;    // simulations, for lack of a better limit
  double time_share_ = 0;  // of the limits of time, used up; always 0 in searches side by side
  std::uint32_t max_depth_ = 0;
  int ended_in_tree_ = 0;  // in this round
  std::vector<std::uint64_t> at_edge_;  // the state of each worker that may make a node in this round
  bool settled_ = false;  // all that can be chosen at the root is proven

  // Scratch.
  LegalMoves legal_;
  std::vector<int> moves_;
  std::vector<int> goals_;
  std::vector<double> rewards_;
  LaneMask to_evaluate_;
  std::vector<float> values_;  // of the states evaluated in this round, by lane and role

  std::atomic<bool> stop_{false};
  mutable std::atomic<bool> used_{false};
  mutable std::mutex mutex_;
  Statistics published_;
};

}  // namespace ggp

// The driver: one tree, and a block of lanes of one simulator as its workers.
//
// A worker is idle, walking from the deepest stored state of its path to the edge of the tree, or playing out. These
// three sets and the set of workers that arrive at the edge are lane masks. A round:
//   1. evaluate(); states at the edge that may become nodes are stored; simulations that have ended, in play-out or on
//      arrival, are backed up in ascending lane order, then play-outs that an evaluation ends;
//   2. in ascending lane order, arriving lanes expand the tree and continue the descent or start their
//      play-out, and idle lanes begin a new simulation: a descent in memory. Simulations that end in the tree
//      are backed up at once;
//   3. walking lanes take the next move of their path, play-outs choose their moves in one call; step(); lanes with
//      a new simulation are loaded.
// Lanes never wait for one another. The searcher's own parts of a round are ask(), read(), choose() and reload(); the
// steps between them are done for all searchers on the same lanes at once (lanes.hpp).
//
// Nodes are created on the second visit of an edge; the first visit is played out at once.
//
// Same seed, configuration and number of simulations make the same tree, for any number of lanes: simulation i uses the
// random stream seeded by (seed, i), and the order of events depends only on in_flight. (If it is not configured,
// in_flight depends on the number of lanes, and on speed in runs limited by time.)
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "base/lane_mask.hpp"
#include "interfaces/evaluations.hpp"
#include "interfaces/quality.hpp"
#include "interfaces/winning_moves.hpp"
#include "search/config/config.hpp"
#include "search/driver/best_line.hpp"
#include "search/driver/in_flight.hpp"
#include "search/driver/learning_observer.hpp"
#include "search/driver/statistics.hpp"
#include "search/driver/sudden_death.hpp"
#include "search/driver/traversal.hpp"
#include "search/playout/lanes.hpp"
#include "search/playout/playout.hpp"
#include "search/playout/reward.hpp"
#include "search/proof/solver.hpp"
#include "search/selection/amaf.hpp"
#include "search/selection/heuristic.hpp"
#include "search/selection/move_knowledge.hpp"
#include "search/selection/selection.hpp"
#include "search/tree/archive.hpp"
#include "search/tree/recycler.hpp"
#include "search/tree/tree.hpp"
#include "simulator.hpp"

namespace ggp {

class Searcher {
 public:
  // Starts at the initial state. Only this searcher uses the simulator during its life. Throws std::invalid_argument if
  // the configuration is invalid.
  Searcher(Simulator& simulator, const Config& config);
  // Starts at the initial state, to be run in parts in some of the lanes, which are shared. Single states are evaluated
  // in lane 0 of the scout: other lanes of the same game, idle between calls.
  Searcher(Lanes& lanes, Lanes& scout, const Config& config);

  // Drops the tree and starts again at a packed state.
  void set_root(const std::uint64_t* state);
  // Plays a joint move at the root, one move per role, and keeps the part of the tree below it. Takes constant time:
  // the rest of the tree is freed in the rounds of the next runs. Throws std::invalid_argument if the state is terminal
  // or a move is not legal; then the root stays.
  void advance(const std::vector<int>& moves);

  // Searches up to a limit, or until the goals of all roles with a choice at the root are proven. Returns at once if
  // the root is terminal or no role has a choice there. Simulations in flight at the end of the run are withdrawn and
  // do not count; a limit of simulations is met exactly.
  Statistics run(const Limits& limits);
  // Ends the current run, if any, within a round. May be called from any thread.
  void stop() { stop_.store(true, std::memory_order_relaxed); }
  // The best line from the root that simulations have found, in games of one role: its goal, -1 if there is none, and
  // its moves to the end of the game. It is kept while its moves are played. There is also no line if its replay takes
  // more than `seconds`. Throws std::logic_error during a run.
  struct Line {
    int goal;
    std::vector<int> moves;
  };
  Line best_line(double seconds = std::numeric_limits<double>::infinity());
  // The latest published view, at most a tenth of a second old. May be called from any thread.
  Statistics statistics() const;
  // The statistics after advance() by these legal joint moves, which lead to that state; the tree does not change.
  Statistics statistics_behind(const std::vector<std::vector<int>>& path, const std::uint64_t* state);

  // A run in parts, for callers that drive several searchers on the same lanes: begin(); rounds until done(); end(), at
  // any time between rounds. The caller checks the limits of time. The run owns the lanes
  // first_lane .. first_lane + most_in_flight() - 1; throws std::invalid_argument if these do not exist.
  void begin(const Limits& limits, int first_lane);
  bool done() const { return completed_ >= limit_ || settled_ || stop_.load(std::memory_order_relaxed); }
  Statistics end();
  // Drops the run in any state of the round; nothing is published.
  void abandon();
  // The parts of a round; see lanes.hpp for the steps between them.
  void ask();
  void read();
  void choose();
  void reload();

  // Writes or reads all that later runs depend on: the tree, random numbers, and what was learned. The searcher that reads
  // was made for the same game with the same configuration; it starts at the initial state if reading fails. Throws
  // ArchiveError, and std::logic_error during a run.
  void archive(Archive& archive);

  // The number of probabilities of PUCT in the root, 0 if it has none; and mixes other numbers into them with a weight,
  // for noise in self-play. Both throw std::logic_error during a run.
  std::size_t root_probabilities() const;
  void mix_root_probabilities(const std::vector<float>& others, float weight);

  // The packed state of the root.
  const std::vector<std::uint64_t>& root_state() const { return root_state_; }
  // Tree::hash(). Throws std::logic_error during a run, as all functions except stop() and statistics() do.
  std::uint64_t tree_hash() const;
  const Tree& tree() const { return tree_; }
  const Config& config() const { return config_; }
  // Simulations in flight: the maximum, and the number in the latest run.
  int most_in_flight() const { return static_cast<int>(workers_.size()); }
  int in_flight() const { return in_flight_; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Worker {
    Path path;
    std::size_t walked = 0;         // start of the next step of the lane in the path
    bool expand = false;            // at the edge: create a node instead of playing out
    std::uint64_t playout_from = 0; // round in which the play-out started
    std::uint64_t seed = 0;         // seed of the simulation
    bool waits = false;             // for turns of another phase, with the state in which it begins
    int phase = 0;                  // phase of that state
    std::uint32_t tag = 0;          // Tree::tag_behind() of the state at the edge, if nodes are shared
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
  void start_tree(const std::vector<std::uint64_t>& state);
  void archive_all(Archive& archive);
  void begin_at(std::vector<std::uint64_t> state);
  bool read_legal(Simulator& simulator, int lane);
  double quality(int lane) {
    return quality_ != nullptr ? quality_->quality(lane) : std::numeric_limits<double>::quiet_NaN();
  }
  void keep_win(int lane);
  void read_goals(Simulator& simulator, int lane);
  bool has_choice() const { return has_choice(tree_.root()); }
  bool has_choice(Index node) const;
  int role_at_root() const;

  void search(const Limits& limits);
  int first_in_flight(const Limits& limits) const;
  void widen();
  void round();
  void tag_stored_states();
  void expect_known_nodes();
  void collect_ended();
  void learn_end(const Path& path);
  void learn(const Path& path);
  void cut_long_playouts();
  void ask_values();
  bool may_end_early(std::uint64_t plies) const;
  void end_early();
  bool end_early(int lane);
  bool is_stuck(int lane);
  void start_and_arrive();
  void arrive(int lane);
  bool ends_at_new_node(Index index, const Path& path) const;
  void start(int lane);
  Edge descend(Path& path, Index node);
  void settle(int lane, Edge edge);
  void play_out(int lane);
  Index expand(int lane);
  void finish(int lane, const int* goals, bool over, std::uint32_t playout_plies = 0,
              double quality = std::numeric_limits<double>::quiet_NaN());
  void back_up(int lane, const int* goals, bool over, std::uint32_t playout_plies);
  // Reports an event to all observers.
  template <class Event, class... Arguments>
  void notify(Event event, const Arguments&... arguments) {
    for (SimulationObserver* observer : observers_) (observer->*event)(arguments...);
  }
  bool is_settled(int role) const;
  void look_for_sudden_death(bool at_end);
  bool must_hurry(double until);
  double share_of_time(Clock::time_point now) const;
  void give_up();
  void publish();
  void consider_sharing();

  const std::unique_ptr<Lanes> own_;  // null if the lanes are shared
  Lanes& lanes_;
  Lanes& scout_;
  Simulator& simulator_;  // simulator of lanes_
  const Config config_;
  const int roles_;
  // Interfaces of the simulator, null if it does not have them.
  Evaluations* const evaluations_;
  Quality* const quality_;  // null also if no reward uses it
  WinningMoves* const winning_moves_;
  const int evaluation_;  // number of the evaluation that the search uses, or -1
  const bool puct_;       // whether nodes are created at their first visit, with learned probabilities
  std::unique_ptr<Selection> selection_;
  std::unique_ptr<PlayoutPolicy> playout_;
  MoveLearner* const learner_;  // learner of the play-out policy, or null
  std::unique_ptr<Reward> reward_;
  const bool learns_goals_;  // although rewards may differ
  Tree tree_;
  std::unique_ptr<Amaf> amaf_;  // null if the selection does not use it; else the play-out policy records
  std::unique_ptr<Heuristic> heuristic_;  // null if the tree has no evaluations
  // Of states in the lanes and in the scout; null if the configuration needs none.
  std::unique_ptr<MoveKnowledge> knowledge_, scout_knowledge_;
  std::unique_ptr<SuddenDeath> sudden_death_;  // null without minimax
  Traversal traversal_;
  std::unique_ptr<LearningObserver> learning_;  // null without a learner
  std::unique_ptr<BestLine> best_line_;  // null in games of several roles
  // Heuristic, learning, sudden death and best line in this order, as far as they exist.
  std::vector<SimulationObserver*> observers_;
  Solver solver_;
  Recycler recycler_;
  std::vector<std::uint64_t> root_state_;
  std::size_t consider_at_ = 0;  // number of nodes at which sharing is considered; 0: never
  std::uint64_t numbered_ = 0;  // simulations since set_root, including withdrawn ones

  // The current run.
  int first_lane_ = 0;
  int first_group_ = 0, end_group_ = 0;  // the groups of lanes that contain lanes of this run
  std::vector<Worker> workers_;  // the first in_flight_ are used
  int in_flight_;
  double speed_ = 0;  // simulations per second in the latest run limited by time
  LaneMask may_expand_;  // arriving lanes whose states were stored in this round
  LaneMask idle_, loading_, walking_, arriving_, playing_;  // disjoint; together all workers
  Limits limits_;
  Clock::time_point start_;
  double cpu_start_ = 0;
  Clock::time_point ask_at_;  // time of the next check for interruption by the minimax
  std::uint64_t round_ = 0;
  std::uint64_t started_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t earlier_ = 0;  // simulations completed at this root by earlier runs
  std::uint64_t limit_ = 0;
  double expected_ = 0;    // expected simulations, if there is no better limit
  double time_share_ = 0;  // used part of the limits of time; always 0 in searches side by side
  std::uint32_t max_depth_ = 0;
  int ended_in_tree_ = 0;  // simulations ended in the tree in this round
  std::vector<std::uint64_t> at_edge_;  // the state of each worker that may make a node in this round
  bool settled_ = false;  // the goals of all roles with a choice at the root are proven

  // Scratch.
  LegalMoves legal_;
  std::vector<int> moves_;
  std::vector<int> goals_;
  std::vector<double> rewards_, learned_;
  LaneMask to_evaluate_;

  std::atomic<bool> stop_{false};
  mutable std::atomic<bool> used_{false};
  mutable std::mutex mutex_;
  Statistics published_;
};

}  // namespace ggp

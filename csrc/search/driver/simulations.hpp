// The simulations in flight of a search, and the lanes that are their workers.
//
// A worker is idle, walking from the deepest stored state of its path to the edge of the tree, or playing out. These
// three sets, the set of workers that arrive at the edge, and the set of workers whose state is loaded next are lane
// masks. A round:
//   1. evaluate(); states at the edge that may become nodes are stored; simulations that have ended, in play-out or on
//      arrival, are backed up in ascending lane order, then play-outs that an evaluation ends;
//   2. in ascending lane order, arriving lanes expand the tree and continue the descent or start their
//      play-out, and idle lanes begin a new simulation: a descent in memory. Simulations that end in the tree
//      are backed up at once;
//   3. walking lanes take the next move of their path, play-outs choose their moves in one call; step(); lanes with
//      a new simulation are loaded.
// A lane waits only for a turn of the phase of its state (phases.hpp).
//
// Nodes are created on the second visit of an edge; the first visit is played out at once.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/lane_mask.hpp"
#include "interfaces/quality.hpp"
#include "search/driver/search_components.hpp"
#include "search/driver/state_reader.hpp"
#include "search/driver/statistics.hpp"

namespace ggp {

class Simulations {
 public:
  // Throws std::invalid_argument if the game does not have what the configuration needs.
  explicit Simulations(SearchComponents& components);

  // Another root, with a new sequence of random streams if a match begins.
  void change_root(bool match_begins);
  // Starts a run in the lanes first_lane .. first_lane + most_in_flight() - 1, which exist. `expected` is the expected
  // number of simulations; `role` chooses at the root.
  void begin(int first_lane, const Limits& limits, double expected, int role);
  // Uses more lanes if the run, after this share of its time, turns out to be longer than expected.
  void widen(double time_share);
  // Records the seconds of a run limited by time.
  void set_duration(double seconds) { speed_ = static_cast<double>(completed_) / seconds; }
  // Withdraws the simulations in flight.
  void give_up();
  bool done() const { return completed_ >= limit_ || settled_; }

  // The parts of a round; see lanes.hpp for the steps between them. Other components may prove something between
  // collect_ended() and go_on(), and call find_settled() then.
  void ask();
  void collect_ended();
  void find_settled() { settled_ = solver_.root_is_settled(); }
  void go_on();
  void choose();
  void reload();

  void archive(Archive& archive);

  // From now on, sums over the simulations of each run are kept.
  void keep_samples();
  const Samples& samples() const { return samples_; }

  // Whether the goals of all roles with a choice at the root are proven.
  bool settled() const { return settled_; }
  std::uint64_t completed() const { return completed_; }
  std::uint64_t limit() const { return limit_; }
  std::uint32_t max_depth() const { return max_depth_; }
  // The maximum, and the number in the latest run.
  int most_in_flight() const { return static_cast<int>(workers_.size()); }
  int in_flight() const { return in_flight_; }

 private:
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

  Worker& worker(int lane) { return workers_[lane - first_lane_]; }
  std::uint64_t* state_at_edge(int lane) {
    return &at_edge_[std::size_t(lane - first_lane_) * simulator_.state_words()];
  }
  static constexpr double kNoQuality = std::numeric_limits<double>::quiet_NaN();
  double quality(int lane, const int* goals);
  bool has_choice(Index node) const;
  int first_in_flight(const Limits& limits, double expected) const;
  void consider_sharing();
  void tag_stored_states();
  void expect_known_nodes();
  void learn_end(const Path& path, const int* goals);
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
              double quality = kNoQuality);
  void back_up(int lane, const int* goals, bool over, std::uint32_t playout_plies);

  SearchComponents& components_;
  Lanes& lanes_;
  Simulator& simulator_;
  const Config& config_;
  const int roles_;
  const bool evaluates_quality_;  // whether the evaluation is the quality
  Quality* quality_;        // null if the simulator does not have the interface, or nothing uses it
  const bool puct_;         // whether nodes are created at their first visit, with learned probabilities
  const bool learns_goals_;  // although rewards may differ
  PlayoutPolicy& playout_;
  Tree& tree_;
  Traversal& traversal_;
  Solver& solver_;
  StateReader states_;
  std::size_t consider_at_ = 0;  // number of nodes at which sharing is considered; 0: never
  std::uint64_t numbered_ = 0;   // simulations since the match began, including withdrawn ones

  // The current run.
  int first_lane_ = 0;
  int first_group_ = 0, end_group_ = 0;  // the groups of lanes that contain lanes of this run
  std::vector<Worker> workers_;  // the first in_flight_ are used
  int in_flight_;
  double speed_ = 0;  // simulations per second in the latest run limited by time
  LaneMask may_expand_;  // arriving lanes whose states were stored in this round
  LaneMask idle_, loading_, walking_, arriving_, playing_;  // disjoint; together all workers
  std::uint64_t round_ = 0;
  std::uint64_t started_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t limit_ = 0;
  std::uint32_t max_depth_ = 0;
  int ended_in_tree_ = 0;  // simulations ended in the tree in this round
  std::vector<std::uint64_t> at_edge_;  // the state of each worker that may make a node in this round
  bool settled_ = false;
  bool keeps_samples_ = false;
  int role_ = 0;
  Samples samples_;

  // Scratch.
  std::vector<int> moves_;
  std::vector<double> rewards_, learned_;
  LaneMask to_evaluate_;
};

}  // namespace ggp

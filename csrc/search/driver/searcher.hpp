// The driver: one tree, its root, and runs with limits. simulations.hpp has the rounds of a run. The searcher's own parts
// of a round are ask(), read(), choose() and reload(); the steps between them are done for all searchers on the same
// lanes at once (lanes.hpp).
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
#include <stdexcept>
#include <vector>

#include "search/driver/search_components.hpp"
#include "search/driver/simulations.hpp"
#include "search/driver/state_reader.hpp"
#include "search/driver/statistics.hpp"

namespace ggp {

class Searcher {
 public:
  // Starts at the initial state. Only this searcher uses the simulator during its life. Throws std::invalid_argument if
  // the configuration is invalid.
  Searcher(Simulator& simulator, const Config& config);
  // Starts at the initial state. Runs in parts use some of the shared lanes. Lane 0 of the scout evaluates single
  // states: the scout is other lanes of the same game, idle between calls.
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
  // In games of one role, the best line from the root that simulations have found: its goal, and its moves to the end
  // of the game. The line stays while its moves are played. The goal is -1 if no line is known, or if the replay takes
  // more than `seconds`. Throws std::logic_error during a run.
  struct Line {
    int goal;
    std::vector<int> moves;
  };
  Line best_line(double seconds = std::numeric_limits<double>::infinity());
  // From now on, published views have no replies and no principal variation.
  void leave_out_lines() { publishes_lines_ = false; }
  // From now on, sums over the simulations of each run are kept, see Samples.
  void keep_samples() { simulations_.keep_samples(); }
  // The sums of the latest run.
  const Samples& samples() const { return simulations_.samples(); }
  // The processor time of the latest run side by side with others, which reports its parts.
  double shared_seconds() const { return shared_seconds_; }
  void take_time(double seconds) { shared_seconds_ += seconds; }
  // The latest published view, at most a tenth of a second old. May be called from any thread.
  Statistics statistics() const;
  // The statistics after advance() by these legal joint moves, which lead to that state; the tree does not change.
  Statistics statistics_behind(const std::vector<std::vector<int>>& path, const std::uint64_t* state);

  // A run in parts, for callers that drive several searchers on the same lanes: begin(); rounds until done(); end(), at
  // any time between rounds. The caller checks the limits of time. The run owns the lanes
  // first_lane .. first_lane + most_in_flight() - 1; throws std::invalid_argument if these do not exist.
  void begin(const Limits& limits, int first_lane);
  bool done() const { return simulations_.done() || stop_.load(std::memory_order_relaxed); }
  void end();
  // Drops the run in any state of the round; nothing is published.
  void abandon();
  // The parts of a round; see lanes.hpp for the steps between them.
  void ask() { simulations_.ask(); }
  void read();
  void choose() { simulations_.choose(); }
  void reload() { simulations_.reload(); }

  // Writes or reads all data on which later runs depend: the tree, random numbers, and learned statistics. The reading
  // searcher has the same game and configuration; it starts at the initial state if reading fails. Throws ArchiveError,
  // and std::logic_error during a run.
  void archive(Archive& archive);

  // Returns the number of PUCT probabilities of the root, 0 without probabilities; and mixes other numbers into the
  // probabilities with a weight, for noise in self-play. Both throw std::logic_error during a run.
  std::size_t root_probabilities() const;
  void mix_root_probabilities(const std::vector<float>& others, float weight);

  // The packed state of the root.
  const std::vector<std::uint64_t>& root_state() const { return root_state_; }
  // Tree::hash(). Throws std::logic_error during a run, as all functions except stop() and statistics() do.
  std::uint64_t tree_hash() const;
  const Tree& tree() const { return components_.tree; }
  const Config& config() const { return components_.config; }
  // Simulations in flight: the maximum, and the number in the latest run.
  int most_in_flight() const { return simulations_.most_in_flight(); }
  int in_flight() const { return simulations_.in_flight(); }

 private:
  using Clock = std::chrono::steady_clock;

  static constexpr const char* kInUse = "the search is running: stop it first";

  // Rejects a second call while one is running.
  class Use {
   public:
    explicit Use(std::atomic<bool>& used) : used_(used) {
      if (used_.exchange(true)) throw std::logic_error(kInUse);
    }
    Use(std::atomic<bool>& used, std::adopt_lock_t) : used_(used) {}
    ~Use() { used_.store(false); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    std::atomic<bool>& used_;
  };

  Searcher(std::unique_ptr<Lanes> own, Lanes* shared, Lanes* scout, const Config& config);
  void probe(const std::uint64_t* state);
  Index make_root(Tree& tree, const std::vector<std::uint64_t>& state);
  void make_full_root(Tree& tree, const Tree& from, Index won, const std::vector<std::uint64_t>& state);
  void start_tree(const std::vector<std::uint64_t>& state);
  std::vector<std::uint64_t> state_behind(const std::vector<int>& moves);
  void archive_all(Archive& archive);
  void begin_at(std::vector<std::uint64_t> state, bool match_begins);
  void publish_root();
  int role_at_root() const;
  void search(const Limits& limits);
  void round();
  bool is_settled(int role) const;
  void look_for_sudden_death(bool at_end);
  bool must_hurry(double until);
  double share_of_time(Clock::time_point now) const;
  void publish();

  const std::unique_ptr<Lanes> own_;  // null if the lanes are shared
  SearchComponents components_;
  Lanes& scout_;
  const int roles_;
  Tree& tree_;
  StateReader scout_states_;
  Simulations simulations_;
  std::vector<std::uint64_t> root_state_;
  std::uint64_t earlier_ = 0;  // simulations completed at this root by earlier runs

  // The current run.
  Limits limits_;
  Clock::time_point start_;
  double cpu_start_ = 0;
  double shared_seconds_ = 0;
  Clock::time_point ask_at_;  // time of the next check for interruption by the minimax
  double expected_ = 0;    // expected simulations, if there is no better limit
  double time_share_ = 0;  // used part of the limits of time; always 0 in searches side by side

  bool publishes_lines_ = true;
  std::atomic<bool> stop_{false};
  mutable std::atomic<bool> used_{false};
  mutable std::mutex mutex_;
  Statistics published_;
};

}  // namespace ggp

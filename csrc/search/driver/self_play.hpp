// Games of a search against itself, many at once, and their positions to learn from.
//
// Every game has a tree of its own, and all trees share the lanes of one simulator (side_by_side.hpp). A game begins, with
// probability opening_share, with 1 .. opening_plies moves that are drawn uniformly. Then every move is searched:
//
//   - with probability full_share with full_simulations and noise at the root; the visits are a target for the policy;
//   - else with fast_simulations, without noise and without such a target (playout cap randomisation: Wu, "Accelerating
//     Self-Play Learning in Go", 2019).
//
// Visits of a kept tree count. The noise is a Dirichlet distribution with noise_total / n for each of n moves, mixed into
// the probabilities of the root with the weight noise_share (AlphaZero, Science 2018). A role draws its move by
// visits^(1 / T), where the temperature T is halved every half_life plies down to least_temperature. Chance draws
// uniformly.
//
// A game ends when the goals of its root are proven, except for the share play_on_share of the games, which are played to
// their end; and after most_plies, with the values that the search has found. Targets of proven roots are the proven
// moves and values. In other roots, visits of moves that are proven to lose do not count, neither as a target nor for the
// move that is drawn: if all moves but one lose at once, most visits are those before the proofs. Nothing is resigned.
//
// After set_start(), a share of the games begins in a given state, for example in the state of a match. If no role has a
// choice after that state, the game begins in the initial state.
//
// Equal seeds, options and networks give equal games. The network may be replaced between two calls of play(): games
// under way continue with it, and their trees keep earlier values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "search/config/config.hpp"
#include "search/driver/side_by_side.hpp"
#include "simulator.hpp"

namespace ggp {

struct SelfPlayOptions {
  int games = 64;  // games at once, at least 1; each needs Config::in_flight lanes
  std::uint64_t full_simulations = 48, fast_simulations = 12;  // at least 1
  double full_share = 0.33, noise_share = 0.25, noise_total = 10, opening_share = 0.5, half_life = 12,
         least_temperature = 0.25, play_on_share = 0.2;
  int opening_plies = 4, most_plies = 1000, chance = -1;
  std::uint64_t seed = 1;
};

// Positions as arrays, see learning/samples.hpp.
struct PlayedPositions {
  std::vector<std::uint64_t> states;
  std::vector<std::int32_t> movers;
  std::vector<float> results, searched;  // by role
  std::vector<std::uint32_t> group_ends;
  std::vector<std::int32_t> group_roles;
  std::vector<std::uint32_t> move_ends;
  std::vector<std::int32_t> move_numbers;
  std::vector<float> probabilities;
  // Facts about the finished games.
  std::uint64_t games = 0, plies = 0, simulations = 0, proven = 0;
  std::vector<double> rewards;  // sums by role

  std::size_t size() const { return movers.size(); }
  void append(const PlayedPositions& game);
};

class SelfPlay {
 public:
  // Two simulators of one game, which nothing else uses. Throws std::invalid_argument if the configuration does not fit,
  // or if no role has a choice before the game ends.
  SelfPlay(Simulator& lanes, Simulator& scout, const Config& config, const SelfPlayOptions& options);
  ~SelfPlay();

  // Games that begin from now on begin in this state with the probability `share`; state_words() words.
  void set_start(const std::uint64_t* state, double share);

  // Plays until finished games have at least this number of positions, or until `interrupted`, called every 5 ms,
  // returns true; the games can be continued by the next call. Returns the positions of the finished games.
  PlayedPositions play(std::size_t positions, bool (*interrupted)(void* context), void* context);

 private:
  struct Game;

  void begin(Game& game);
  void start_search(Game& game);
  void play_on(Game& game);
  bool play_random_move(Game& game);
  void record(Game& game);
  void record_group(Game& game, int role, const RoleStatistics& found);
  bool is_too_long(const Game& game) const;
  bool ends(Game& game);
  void finish(Game& game, bool proven);
  int draw_move(Game& game, int role, const RoleStatistics& found) const;
  void move(Game& game, const std::vector<int>& moves);
  void add_noise(Game& game);

  const SelfPlayOptions options_;
  const int roles_;
  SideBySide searches_;
  std::vector<std::unique_ptr<Game>> games_;
  std::unordered_map<const Searcher*, Game*> game_of_;
  std::vector<std::uint64_t> start_;  // empty without one
  double start_share_ = 0;
  std::uint64_t begun_ = 0;
  PlayedPositions finished_;
};

}  // namespace ggp

#include "search/driver/self_play.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "base/random.hpp"
#include "search/driver/searcher.hpp"
#include "search/playout/reward.hpp"

namespace ggp {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kAskSelfPlayEvery = std::chrono::milliseconds(5);

double uniform(std::uint64_t& random) { return static_cast<double>(draw(random) >> 11) * 0x1p-53; }

// A gamma distributed number (Marsaglia and Tsang, ACM TOMS 2000).
double draw_gamma(std::uint64_t& random, double shape) {
  constexpr double kTurn = 6.283185307179586;
  if (shape < 1) return draw_gamma(random, shape + 1) * std::pow(1 - uniform(random), 1 / shape);
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = std::sqrt(-2 * std::log(1 - uniform(random))) * std::cos(kTurn * uniform(random));
    const double cube = 1 + c * x;
    if (cube <= 0) continue;
    const double v = cube * cube * cube;
    if (std::log(1 - uniform(random)) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

const SelfPlayOptions& checked(const SelfPlayOptions& options) {
  if (options.games < 1 || options.full_simulations < 1 || options.fast_simulations < 1 || options.most_plies < 1)
    throw std::invalid_argument("self-play has at least one game, simulation and ply");
  return options;
}

// The reward that a role is sure of.
double proven_reward(Bounds bounds) { return reward_of_goal(bounds.pessimistic); }

// Whether a move is proven to lose. Its visits are older than the proof, so they say nothing about the move.
bool is_lost(const MoveStatistics& move) { return move.bounds.optimistic == 0; }

bool is_proven(const Statistics& found) {
  return std::all_of(found.roles.begin(), found.roles.end(),
                     [](const RoleStatistics& role) { return role.bounds.settled(); });
}

}  // namespace

struct SelfPlay::Game {
  Game(SideBySide& searches, const Config& config, int lane)
      : searcher(searches.lanes(), searches.scout(), config), lane(lane) {
    searcher.leave_out_lines();
  }

  Searcher searcher;
  const int lane;
  PlayedPositions positions;  // without results
  std::uint64_t random = 0;
  int ply = 0;
  int opening = 0;         // random moves at the beginning
  bool full = false;       // the search of this move
  bool plays_on = false;   // to its end, though proven
  Statistics found;        // at the root; read after each move and each search
};

void PlayedPositions::append(const PlayedPositions& game) {
  const auto groups = static_cast<std::uint32_t>(group_roles.size());
  const auto moves = static_cast<std::uint32_t>(move_numbers.size());
  const auto add = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  add(states, game.states);
  add(movers, game.movers);
  add(results, game.results);
  add(searched, game.searched);
  for (const std::uint32_t end : game.group_ends) group_ends.push_back(groups + end);
  add(group_roles, game.group_roles);
  for (const std::uint32_t end : game.move_ends) move_ends.push_back(moves + end);
  add(move_numbers, game.move_numbers);
  add(probabilities, game.probabilities);
}

SelfPlay::SelfPlay(Simulator& lanes, Simulator& scout, const Config& config, const SelfPlayOptions& options)
    : options_(checked(options)), roles_(lanes.roles()), searches_(lanes, scout) {
  const int each = std::max(1, config.in_flight);
  if (options_.games * each > lanes.lanes())
    throw std::invalid_argument("the simulator has too few lanes for the games of self-play");
  for (int number = 0; number < options_.games; ++number) {
    games_.push_back(std::make_unique<Game>(searches_, config, number * each));
    game_of_[&games_.back()->searcher] = games_.back().get();
    begin(*games_.back());
  }
}

SelfPlay::~SelfPlay() { searches_.stop(); }

// Begins a game up to its first search.
void SelfPlay::begin(Game& game) {
  constexpr int kMostAttempts = 2'000, kMostFromStart = 4;
  int attempts = 0;
  do {
    if (++attempts > kMostAttempts) throw std::invalid_argument("the game ends before a role has a choice");
    game.random = stream_seed(options_.seed, begun_++);
    game.positions = PlayedPositions();
    game.ply = 0;
    game.opening = 0;
    if (options_.opening_plies > 0 && uniform(game.random) < options_.opening_share)
      game.opening = 1 + static_cast<int>(draw_below(game.random, static_cast<std::uint32_t>(options_.opening_plies)));
    game.plays_on = uniform(game.random) < options_.play_on_share;
    const bool from_start = !start_.empty() && attempts <= kMostFromStart && uniform(game.random) < start_share_;
    game.searcher.set_root(from_start ? start_.data() : searches_.lanes().simulator().initial());
    game.found = game.searcher.statistics();
    play_on(game);
  } while (game.found.terminal || is_too_long(game));
  start_search(game);
}

// Plays forced moves and the moves of the opening, until a search is needed, or the game is over or too long.
void SelfPlay::play_on(Game& game) {
  while (!game.found.terminal && !is_too_long(game) && play_random_move(game)) {
  }
}

// Plays a uniform move if the opening lasts or no role but chance has a choice; returns whether it did.
bool SelfPlay::play_random_move(Game& game) {
  const std::vector<RoleStatistics>& roles = game.found.roles;
  bool choice = false;
  for (int role = 0; role < roles_; ++role) choice |= role != options_.chance && roles[role].moves.size() > 1;
  if (choice && game.ply >= game.opening) return false;
  std::vector<int> moves(roles_);
  for (int role = 0; role < roles_; ++role) {
    const std::vector<MoveStatistics>& legal = roles[role].moves;
    moves[role] = legal[draw_below(game.random, static_cast<std::uint32_t>(legal.size()))].move;
  }
  move(game, moves);
  return true;
}

void SelfPlay::move(Game& game, const std::vector<int>& moves) {
  game.searcher.advance(moves);
  game.found = game.searcher.statistics();
  ++game.ply;
}

void SelfPlay::start_search(Game& game) {
  game.full = uniform(game.random) < options_.full_share;
  if (game.full && options_.noise_share > 0) add_noise(game);
  const std::uint64_t budget = game.full ? options_.full_simulations : options_.fast_simulations;
  const std::uint64_t known = game.found.visits;
  searches_.start(game.searcher, game.lane, budget > known ? budget - known : 1);
}

void SelfPlay::add_noise(Game& game) {
  std::vector<float> noise(game.searcher.root_probabilities());
  if (noise.empty()) return;
  double total = 1e-30;
  for (float& part : noise) {
    part = static_cast<float>(draw_gamma(game.random, options_.noise_total / static_cast<double>(noise.size())));
    total += part;
  }
  for (float& part : noise) part = static_cast<float>(part / total);
  game.searcher.mix_root_probabilities(noise, static_cast<float>(options_.noise_share));
}

void SelfPlay::set_start(const std::uint64_t* state, double share) {
  start_.assign(state, state + searches_.lanes().simulator().state_words());
  start_share_ = share;
}

PlayedPositions SelfPlay::play(std::size_t positions, bool (*interrupted)(void*), void* context) {
  finished_ = PlayedPositions();
  finished_.rewards.assign(roles_, 0);
  Clock::time_point asked = Clock::now();
  for (bool stops = false; !stops && finished_.size() < positions;) {
    const std::vector<Searcher*> done = searches_.run(interrupted, context);
    if (done.empty()) break;
    if (interrupted != nullptr && Clock::now() - asked >= kAskSelfPlayEvery) {
      stops = interrupted(context);
      asked = Clock::now();
    }
    for (Searcher* searcher : done) {
      Game& game = *game_of_[searcher];
      game.found = searcher->statistics();
      finished_.simulations += game.found.simulations;
      record(game);
      if (ends(game)) {
        begin(game);
        continue;
      }
      std::vector<int> moves(roles_);
      for (int role = 0; role < roles_; ++role) moves[role] = draw_move(game, role, game.found.roles[role]);
      move(game, moves);
      play_on(game);
      if (game.found.terminal || is_too_long(game)) {
        finish(game, false);
        begin(game);
      } else {
        start_search(game);
      }
    }
  }
  return std::move(finished_);
}

// Adds the position at the root to the positions of the game.
void SelfPlay::record(Game& game) {
  const Statistics& found = game.found;
  PlayedPositions& to = game.positions;
  const std::vector<std::uint64_t>& state = game.searcher.root_state();
  to.states.insert(to.states.end(), state.begin(), state.end());
  int choosing = 0, mover = -1;
  for (int role = 0; role < roles_; ++role) {
    const RoleStatistics& of = found.roles[role];
    to.searched.push_back(static_cast<float>(
        std::clamp(of.bounds.settled() ? proven_reward(of.bounds) : of.mean, -1.0, 1.0)));
    if (role == options_.chance || of.moves.size() <= 1) continue;
    mover = ++choosing == 1 ? role : -1;
  }
  to.movers.push_back(mover);
  for (int role = 0; role < roles_; ++role)
    if (role != options_.chance && found.roles[role].moves.size() > 1) record_group(game, role, found.roles[role]);
  to.group_ends.push_back(static_cast<std::uint32_t>(to.group_roles.size()));
}

// Adds the visits of a role as a target, if they are one. A lost root says nothing about the moves.
void SelfPlay::record_group(Game& game, int role, const RoleStatistics& found) {
  const bool proven = found.bounds.settled();
  if (proven ? found.bounds.pessimistic == 0 : !game.full) return;
  const auto weight = [&](const MoveStatistics& move) {
    if (!proven) return is_lost(move) ? 0.0 : static_cast<double>(move.visits);
    return move.bounds.settled() && move.bounds.pessimistic == found.bounds.pessimistic ? 1.0 : 0.0;
  };
  double total = 0;
  for (const MoveStatistics& move : found.moves) total += weight(move);
  if (total <= 0) return;
  PlayedPositions& to = game.positions;
  for (const MoveStatistics& move : found.moves) {
    to.move_numbers.push_back(move.move);
    to.probabilities.push_back(static_cast<float>(weight(move) / total));
  }
  to.group_roles.push_back(role);
  to.move_ends.push_back(static_cast<std::uint32_t>(to.move_numbers.size()));
}

bool SelfPlay::is_too_long(const Game& game) const { return game.ply >= options_.most_plies; }

// Ends a game whose goals are proven, or that is too long; returns whether it has ended.
bool SelfPlay::ends(Game& game) {
  const bool proven = is_proven(game.found);
  if (!(proven && !game.plays_on) && !is_too_long(game)) return false;
  finish(game, proven);
  return true;
}

// Gives all positions of a game its result, and passes them on.
void SelfPlay::finish(Game& game, bool proven) {
  const Statistics& last = game.found;
  std::vector<float> result;
  for (int role = 0; role < roles_; ++role) {
    const RoleStatistics& of = last.roles[role];
    result.push_back(static_cast<float>(
        std::clamp(!last.terminal && proven ? proven_reward(of.bounds) : of.mean, -1.0, 1.0)));
  }
  PlayedPositions& played = game.positions;
  for (std::size_t position = 0; position < played.size(); ++position)
    played.results.insert(played.results.end(), result.begin(), result.end());
  finished_.append(played);
  ++finished_.games;
  finished_.plies += static_cast<std::uint64_t>(game.ply);
  finished_.proven += proven;
  finished_.rewards.resize(roles_);
  for (int role = 0; role < roles_; ++role) finished_.rewards[role] += result[role];
}

// Draws a move by its visits; uniformly for chance, and where there are no visits.
int SelfPlay::draw_move(Game& game, int role, const RoleStatistics& found) const {
  const std::vector<MoveStatistics>& moves = found.moves;
  if (moves.size() == 1) return moves[0].move;
  const double heat = std::max(options_.least_temperature, std::pow(0.5, game.ply / options_.half_life));
  std::uint64_t most = 0;
  for (const MoveStatistics& move : moves) most = std::max(most, move.visits);
  if (most == 0 || role == options_.chance)
    return moves[draw_below(game.random, static_cast<std::uint32_t>(moves.size()))].move;
  // At a proven root only its best moves are played, otherwise all moves but the lost ones.
  const bool proven = found.bounds.settled();
  const auto open = [&](const MoveStatistics& move) {
    return proven ? move.bounds.pessimistic == found.bounds.pessimistic : !is_lost(move);
  };
  std::vector<double> weights;
  for (const MoveStatistics& move : moves) {
    const double share = static_cast<double>(move.visits) / static_cast<double>(most);
    weights.push_back(open(move) && move.visits > 0 ? std::pow(share, 1 / heat) : 0);
  }
  double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (total == 0) {  // a short search may have visited lost moves only
    std::transform(moves.begin(), moves.end(), weights.begin(), open);
    total = std::accumulate(weights.begin(), weights.end(), 0.0);
  }
  double drawn = uniform(game.random) * total;
  for (std::size_t i = 0; i < moves.size(); ++i)
    if ((drawn -= weights[i]) < 0) return moves[i].move;
  return moves[0].move;
}

}  // namespace ggp

#include "hidden/turn_player.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "simulation/load_played.hpp"

namespace ggp {

namespace {

double uniform(std::uint64_t& random) { return static_cast<double>(draw(random) >> 11) * 0x1p-53; }

}  // namespace

// Gives the observing role its own move, and draws the moves of the others.
class TurnPlayer::Chooser final : public MoveChooser {
 public:
  Chooser(TurnPlayer& player, const Observation& seen) : player_(player), seen_(seen) {}

  void choose(const Choices& choices) override {
    for (int role = 0; role < player_.game_.roles(); ++role)
      choices.for_each_lane(role, [&](int lane) {
        const int move = role == player_.own_ && seen_.move >= 0 ? seen_.move : drawn(choices, role, lane);
        choices.moves[lane] = static_cast<std::uint32_t>(move);
        player_.moves_[std::size_t(role) * player_.game_.lanes() + lane] = move;
      });
  }

 private:
  int drawn(const Choices& choices, int role, int lane) {
    const bool by_policy = player_.policy_ != nullptr && role != player_.game_.chance() && role != player_.own_;
    if (by_policy) return by_probability(choices, role, lane);
    std::uint32_t count = 0;
    for (int block = 0; block < choices.blocks; ++block) count += __builtin_popcountll(choices.word(lane, block));
    std::uint32_t place = draw_below(player_.random_, count);
    for (int block = 0;; ++block) {
      std::uint64_t word = choices.word(lane, block);
      const auto here = static_cast<std::uint32_t>(__builtin_popcountll(word));
      if (place >= here) {
        place -= here;
        continue;
      }
      for (; place > 0; --place) word &= word - 1;
      return 64 * block + __builtin_ctzll(word);
    }
  }

  int by_probability(const Choices& choices, int role, int lane) {
    std::vector<int>& moves = player_.list_;
    int count = 0;
    for (int block = 0; block < choices.blocks; ++block)
      for (std::uint64_t word = choices.word(lane, block); word != 0; word &= word - 1)
        moves[count++] = 64 * block + __builtin_ctzll(word);
    const std::uint64_t key = player_.keys_[std::size_t(lane) * player_.game_.roles() + role];
    player_.probabilities(role, key, moves.data(), count, player_.chances_.data());
    double left = uniform(player_.random_);
    int place = 0;
    while (place + 1 < count && left >= player_.chances_[place]) left -= player_.chances_[place++];
    return moves[place];
  }

  TurnPlayer& player_;
  const Observation& seen_;
};

TurnPlayer::TurnPlayer(HiddenGame& game, int own, std::uint64_t seed)
    : game_(game),
      own_(own),
      random_(mix64(seed)),
      mask_(game.simulator().groups()),
      states_(game.lanes()),
      targets_(game.lanes()),
      keys_(std::size_t(game.lanes()) * game.roles()),
      moves_(std::size_t(game.lanes()) * game.roles()),
      spare_(game.words()),
      lane_weights_(game.lanes()),
      chances_(game.widest()),
      list_(game.widest()) {}

void TurnPlayer::probabilities(int role, std::uint64_t key, const int* moves, int count, double* out) const {
  const bool known = policy_ != nullptr && role != game_.chance() && role != own_ &&
                     policy_->probabilities(role, key, moves, count, out);
  for (int i = 0; i < count; ++i) out[i] = known ? (1 - kUniformShare) * out[i] + kUniformShare / count : 1.0 / count;
}

void TurnPlayer::load(const Particles& from, const std::uint32_t* which, int count, const Observation& seen) {
  remove_lanes(mask_);
  for (int lane = 0; lane < count; ++lane) {
    add_lane(mask_, lane);
    states_[lane] = from.state(which[lane]);
    std::copy_n(from.keys(which[lane]), game_.roles(), &keys_[std::size_t(lane) * game_.roles()]);
  }
  std::fill(moves_.begin(), moves_.end(), kForced);
  Simulator& simulator = game_.simulator();
  load_played(simulator, mask_.data(), states_.data());
  simulator.evaluate();
  for (std::size_t group = 0; group < mask_.size(); ++group) mask_[group] &= ~simulator.terminal()[group];
  if (seen.move >= 0) game_.keep_legal(own_, seen.move, mask_);
  if (seen.refused >= 0) {
    LaneMask legal = mask_;
    game_.keep_legal(own_, seen.refused, legal);
    for (std::size_t group = 0; group < mask_.size(); ++group) mask_[group] &= ~legal[group];
  }
}

void TurnPlayer::finish(const Observation& seen, const double* log_weights, bool percepts, Particles& out) {
  Simulator& simulator = game_.simulator();
  game_.perceive();
  if (percepts) game_.keep_perceiving(own_, seen.percepts, mask_);
  // The own move is the same in all particles, so it is in the key even where it was forced: equal keys can be merged.
  if (seen.move >= 0)
    std::fill_n(&moves_[std::size_t(own_) * game_.lanes()], game_.lanes(), static_cast<std::int32_t>(seen.move));
  if (any_lane(mask_)) game_.advance_keys(mask_, moves_.data(), keys_.data());
  simulator.step();
  simulator.evaluate();
  for (std::size_t group = 0; group < mask_.size(); ++group) {
    const std::uint64_t over = simulator.terminal()[group];
    mask_[group] &= seen.terminal ? over : ~over;
  }
  std::size_t survivors = 0;
  for (const std::uint64_t word : mask_) survivors += __builtin_popcountll(word);
  // Memory is reserved first: the addresses of added states must not change.
  if (survivors > 0) out.reserve_more(survivors);
  for (std::size_t group = 0; group < mask_.size(); ++group)
    for_each_lane(static_cast<int>(group), mask_[group], [&](int lane) {
      targets_[lane] = out.add(&keys_[std::size_t(lane) * game_.roles()], log_weights[lane]);
    });
  if (survivors > 0) simulator.store(mask_.data(), targets_.data());
}

std::size_t TurnPlayer::sample(const Particles& from, const std::vector<std::uint32_t>& which, const Observation& seen,
                               double log_weight, Particles& out, Deadline deadline, bool percepts) {
  std::fill(lane_weights_.begin(), lane_weights_.end(), log_weight);
  for (std::size_t begin = 0; begin < which.size(); begin += game_.lanes()) {
    if (begin > 0 && std::chrono::steady_clock::now() > deadline) return begin;
    const int count = static_cast<int>(std::min<std::size_t>(game_.lanes(), which.size() - begin));
    load(from, &which[begin], count, seen);
    if (!any_lane(mask_)) continue;
    Chooser chooser(*this, seen);
    game_.simulator().choose_with(mask_.data(), chooser);
    finish(seen, lane_weights_.data(), percepts, out);
  }
  return which.size();
}

void TurnPlayer::find_options(int lane, const std::uint64_t* keys, const Observation& seen,
                              std::vector<Options>& options) {
  for (int role = 0; role < game_.roles(); ++role) {
    Options& found = options[role];
    if (role == own_ && seen.move >= 0) {
      found.moves.assign(1, seen.move);
      found.log_probabilities.assign(1, 0.0);
      continue;
    }
    const int count = game_.simulator().legal(lane, role, list_.data());
    found.moves.assign(list_.begin(), list_.begin() + count);
    probabilities(role, keys[role], list_.data(), count, chances_.data());
    found.log_probabilities.resize(count);
    for (int i = 0; i < count; ++i) found.log_probabilities[i] = std::log(chances_[i]);
  }
}

bool TurnPlayer::expand(const Particles& from, const std::vector<std::uint32_t>& which,
                        const std::vector<double>& log_weights, const Observation& seen, Particles& out,
                        Deadline deadline) {
  const int lanes = game_.lanes(), roles = game_.roles();
  std::vector<std::vector<Options>> options(lanes, std::vector<Options>(roles));
  std::vector<std::uint32_t> sources;
  std::vector<std::int32_t> joint;  // [jobs][roles]
  std::vector<double> weights;
  const auto play = [&] {
    if (sources.empty()) return;
    load(from, sources.data(), static_cast<int>(sources.size()), seen);
    for (std::size_t lane = 0; lane < sources.size(); ++lane)
      for (int role = 0; role < roles; ++role) {
        const int move = joint[lane * roles + role];
        game_.simulator().choose(static_cast<int>(lane), role, move >= 0 ? move : -(move + 1));
        moves_[std::size_t(role) * lanes + lane] = move >= 0 ? move : kForced;
      }
    finish(seen, weights.data(), true, out);
    sources.clear();
    joint.clear();
    weights.clear();
  };
  for (std::size_t begin = 0; begin < which.size(); begin += lanes) {
    const int count = static_cast<int>(std::min<std::size_t>(lanes, which.size() - begin));
    load(from, &which[begin], count, seen);
    const LaneMask possible = mask_;
    for (int lane = 0; lane < count; ++lane)
      if (has_lane(possible, lane)) find_options(lane, from.keys(which[begin + lane]), seen, options[lane]);
    std::vector<std::size_t> place(roles);
    for (int lane = 0; lane < count; ++lane) {
      if (!has_lane(possible, lane)) continue;
      const std::vector<Options>& here = options[lane];
      if (std::any_of(here.begin(), here.end(), [](const Options& each) { return each.moves.empty(); })) continue;
      std::fill(place.begin(), place.end(), 0);
      for (int role = 0; role < roles;) {
        double weight = log_weights[begin + lane];
        for (int each = 0; each < roles; ++each) {
          const int move = here[each].moves[place[each]];
          joint.push_back(here[each].moves.size() == 1 ? -(move + 1) : move);  // negative: forced
          weight += here[each].log_probabilities[place[each]];
        }
        sources.push_back(which[begin + lane]);
        weights.push_back(weight);
        if (static_cast<int>(sources.size()) == lanes) {
          play();
          if (std::chrono::steady_clock::now() > deadline) return false;
        }
        for (role = 0; role < roles && ++place[role] == here[role].moves.size(); ++role) place[role] = 0;
      }
    }
  }
  play();
  return true;
}

double TurnPlayer::joint_moves(const Particles& from, const std::vector<std::uint32_t>& which, const Observation& seen) {
  double total = 0;
  for (std::size_t begin = 0; begin < which.size(); begin += game_.lanes()) {
    const int count = static_cast<int>(std::min<std::size_t>(game_.lanes(), which.size() - begin));
    load(from, &which[begin], count, seen);
    for (int lane = 0; lane < count; ++lane) {
      if (!has_lane(mask_, lane)) continue;
      double joint = 1;
      for (int role = 0; role < game_.roles(); ++role)
        if (role != own_ || seen.move < 0) joint *= game_.simulator().legal_count(lane, role);
      total += joint;
    }
  }
  return total;
}

}  // namespace ggp

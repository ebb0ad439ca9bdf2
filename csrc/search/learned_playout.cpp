#include "search/learned_playout.hpp"

#include <algorithm>

#include "random.hpp"
#include "search/recorded_playout.hpp"
#include "search/sampling.hpp"

namespace ggp {

namespace {

using Policy = PlayoutConfig::Policy;
using Sampling = PlayoutConfig::Sampling;

// A table of N-grams takes that part of the memory of the tree, besides.
constexpr std::size_t kShareOfMemory = 64;

}  // namespace

std::unique_ptr<PlayoutPolicy> make_playout_policy(const Config& config, const Simulator& simulator) {
  if (config.playout.policy == Policy::kUniform) {
    if (config.selection.grave.enabled) return std::make_unique<RecordedPlayout>(simulator);
    return std::make_unique<UniformPlayout>();
  }
  return std::make_unique<LearnedPlayout>(config.playout, simulator, config.memory_bytes / kShareOfMemory);
}

LearnedPlayout::LearnedPlayout(const PlayoutConfig& config, const Simulator& simulator, std::size_t table_bytes)
    : config_(config),
      roles_(simulator.roles()),
      epsilon_(static_cast<std::uint64_t>(config.epsilon * 0x1p32)),
      averages_(moves_by_role(simulator), config.unknown),
      decisive_(moves_by_role(simulator)),
      lanes_(simulator.lanes()) {
  std::size_t total = 0;
  int widest = 1;
  for (int count : moves_by_role(simulator)) {
    total += static_cast<std::size_t>(count);
    widest = std::max(widest, count);
  }
  const int length = config.policy == Policy::kNst ? config.ngram : 1;
  for (int n = 2; n <= length; ++n) ngrams_.emplace_back(ngram_slots(n, total, table_bytes), std::max(widest, PlayoutConfig::kMostCandidates));
  const auto looked_at = static_cast<std::size_t>(std::max(widest, PlayoutConfig::kMostCandidates));
  moves_.resize(looked_at);
  values_.resize(looked_at);
  keys_.resize(looked_at);
  of_pairs_.resize(looked_at);
  of_triples_.resize(looked_at);
}

void LearnedPlayout::reset() {
  averages_.clear();
  decisive_.clear();
  for (Ngrams& ngrams : ngrams_) ngrams.clear();
  root_ = {};
}

void LearnedPlayout::played(const std::vector<RoleMove>& choices) {
  if (config_.decay < 1) {
    averages_.decay(config_.decay);
    decisive_.decay(config_.decay);
    for (Ngrams& ngrams : ngrams_) ngrams.decay(config_.decay);
  }
  for (const RoleMove& choice : choices) root_.add(choice.role, choice.move);
  root_.turn();
}

// ---- a simulation

void LearnedPlayout::begin(int lane, std::uint64_t seed) {
  lanes_[lane].random = seed;
  lanes_[lane].plies = root_;
  lanes_[lane].choices.clear();
}

void LearnedPlayout::add(int lane, RoleMove choice, bool same_ply) { record(lanes_[lane], choice, same_ply); }

void LearnedPlayout::record(Lane& lane, RoleMove choice, bool same_ply) {
  if (!same_ply) lane.plies.turn();
  lane.plies.add(choice.role, choice.move);
  if (lane.choices.size() == kLongest) return;
  lane.choices.push_back({static_cast<std::uint32_t>(choice.move), static_cast<std::uint16_t>(choice.role), same_ply});
}

void LearnedPlayout::choose(Lanes& lanes, const std::uint64_t* mask) {
  same_ply_ = false;
  lanes.ask_chooser(mask, *this);
}

void LearnedPlayout::choose(const Choices& choices) {
  for (int role = 0; role < roles_; ++role) {
    const std::uint64_t* lanes = choices.of_role(role);
    for (int group = 0; group < choices.groups; ++group) {
      for (std::uint64_t left = lanes[group]; left != 0; left &= left - 1) {
        const int number = 64 * group + __builtin_ctzll(left);
        Lane& lane = lanes_[number];
        if (!same_ply_) lane.plies.turn();
        const std::uint32_t move = pick(lane, role, choices, number);
        choices.moves[number] = move;
        record(lane, {role, static_cast<int>(move)}, same_ply_);
      }
    }
  }
  same_ply_ = true;
}

std::uint32_t LearnedPlayout::pick(Lane& lane, int role, const Choices& choices, int number) {
  std::uint32_t move;
  if (decisive_.any(role) && pick_decisive(role, choices, number, move)) return move;
  if (config_.sampling == Sampling::kTournament) return pick_candidate(lane, role, choices, number);
  const std::uint64_t random = draw(lane.random);
  if (config_.sampling == Sampling::kGreedy && explores(random, epsilon_)) return any_move(choices, number, random);
  std::uint32_t count = 0;
  for (int block = 0; block < choices.blocks; ++block) {
    for (std::uint64_t word = choices.word(number, block); word != 0; word &= word - 1) {
      moves_[count++] = static_cast<std::uint32_t>(64 * block + __builtin_ctzll(word));
    }
  }
  weigh(lane.plies, role, count);
  if (config_.sampling == Sampling::kGibbs) {
    return moves_[gibbs_place(values_.data(), count, static_cast<float>(config_.temperature), random)];
  }
  for (std::uint32_t i = 0; i < count; ++i) keys_[i] = order_key(values_[i]);
  return moves_[best_place(keys_.data(), count, random)];
}

bool LearnedPlayout::pick_decisive(int role, const Choices& choices, int number, std::uint32_t& move) const {
  const int blocks = std::min(choices.blocks, decisive_.words(role));
  for (int block = 0; block < blocks; ++block) {
    const std::uint64_t word = choices.word(number, block) & decisive_.word(role, block);
    if (word == 0) continue;
    move = static_cast<std::uint32_t>(64 * block + __builtin_ctzll(word));
    return true;
  }
  return false;
}

std::uint32_t LearnedPlayout::pick_candidate(Lane& lane, int role, const Choices& choices, int number) {
  const std::uint32_t legal = count_moves(choices, number);
  const auto candidates = static_cast<std::uint32_t>(config_.candidates);
  for (std::uint32_t i = 0; i < candidates; ++i) {
    moves_[i] = move_at(choices, number, even_place(draw(lane.random), legal));
  }
  weigh(lane.plies, role, candidates);
  return moves_[std::max_element(values_.begin(), values_.begin() + candidates) - values_.begin()];
}

// Writes the values of the first `count` of moves_.
void LearnedPlayout::weigh(const Plies& plies, int role, std::uint32_t count) {
  const float* means = averages_.means(role);
  for (std::uint32_t i = 0; i < count; ++i) values_[i] = means[moves_[i]];
  if (ngrams_.empty() || plies.last == 0) return;
  const auto threshold = static_cast<std::uint32_t>(config_.threshold);
  ngrams_[0].find(Ngrams::context2(plies, role), threshold, moves_.data(), count, of_pairs_);
  if (ngrams_.size() == 1 || plies.before_last == 0) {
    for (std::uint32_t i = 0; i < count; ++i) {
      values_[i] += of_pairs_.known[i] * 0.5f * (of_pairs_.means[i] - values_[i]);
    }
    return;
  }
  ngrams_[1].find(Ngrams::context3(plies, role), threshold, moves_.data(), count, of_triples_);
  for (std::uint32_t i = 0; i < count; ++i) {
    const float two = of_pairs_.known[i], three = of_triples_.known[i];
    const float sum = values_[i] + two * of_pairs_.means[i] + three * of_triples_.means[i];
    values_[i] = sum * (1.0f - 0.5f * (two + three) + (1.0f / 3) * two * three);
  }
}

void LearnedPlayout::learn(int number, const double* rewards) {
  const std::vector<Chosen>& choices = lanes_[number].choices;
  for (const Chosen& choice : choices) {
    averages_.learn(choice.role, static_cast<int>(choice.move), rewards[choice.role]);
  }
  if (config_.decisive) learn_decisive(choices, rewards);
  if (ngrams_.empty()) return;

  // Contexts first, so that the table is on its way into the cache while they are made.
  const std::size_t lengths = ngrams_.size();
  contexts_.clear();
  Plies plies = root_;
  for (const Chosen& choice : choices) {
    const int move = static_cast<int>(choice.move);
    if (!choice.same_ply) plies.turn();
    for (std::size_t n = 0; n < lengths; ++n) {
      const std::uint64_t context = n == 0 ? Ngrams::context2(plies, choice.role) : Ngrams::context3(plies, choice.role);
      const bool complete = (n == 0 ? plies.last : plies.before_last) != 0;
      contexts_.push_back(complete ? context : 0);
      if (complete) ngrams_[n].prefetch(context, move);
    }
    plies.add(choice.role, move);
  }
  const std::uint64_t* context = contexts_.data();
  for (const Chosen& choice : choices) {
    const auto reward = static_cast<float>(rewards[choice.role]);
    for (std::size_t n = 0; n < lengths; ++n, ++context) {
      if (*context != 0) ngrams_[n].learn(*context, static_cast<int>(choice.move), reward);
    }
  }
}

void LearnedPlayout::learn_decisive(const std::vector<Chosen>& choices, const double* rewards) {
  if (choices.empty() || choices.size() == kLongest) return;
  const Chosen& last = choices.back();
  if (!last.same_ply && rewards[last.role] > kWin) decisive_.won(last.role, static_cast<int>(last.move));
  for (const Chosen& choice : choices) {
    const int move = static_cast<int>(choice.move);
    if (&choice != &last && !decisive_.contains(choice.role, move)) continue;
    decisive_.judge(choice.role, move, averages_.visits(choice.role, move));
  }
}

// ---- the tree

std::uint32_t LearnedPlayout::first_to_try(int role, const std::uint32_t* moves, std::uint32_t count,
                                           std::uint64_t random) const {
  if (decisive_.any(role)) {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (decisive_.contains(role, static_cast<int>(moves[i]))) return i;
    }
  }
  return averages_.best_of(role, moves, count, random);
}

}  // namespace ggp

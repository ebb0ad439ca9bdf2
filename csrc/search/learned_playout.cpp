#include "search/learned_playout.hpp"

#include <algorithm>

#include "random.hpp"
#include "search/sampling.hpp"

namespace ggp {

namespace {

using Policy = PlayoutConfig::Policy;
using Sampling = PlayoutConfig::Sampling;

constexpr std::size_t kUsualLength = 256;

std::vector<int> moves_by_role(const Simulator& simulator) {
  std::vector<int> moves;
  for (int role = 0; role < simulator.roles(); ++role) moves.push_back(simulator.moves(role));
  return moves;
}

}  // namespace

std::unique_ptr<PlayoutPolicy> make_playout_policy(const Config& config, const Simulator& simulator) {
  if (config.playout.policy == Policy::kUniform) return std::make_unique<UniformPlayout>();
  return std::make_unique<LearnedPlayout>(config.playout, simulator);
}

LearnedPlayout::LearnedPlayout(const PlayoutConfig& config, const Simulator& simulator)
    : config_(config),
      roles_(simulator.roles()),
      epsilon_(static_cast<std::uint64_t>(config.epsilon * 0x1p32)),
      averages_(moves_by_role(simulator), config.unknown),
      lanes_(simulator.lanes()) {
  std::size_t total = 0;
  int widest = 1;
  for (int count : moves_by_role(simulator)) {
    total += static_cast<std::size_t>(count);
    widest = std::max(widest, count);
  }
  const int length = config.policy == Policy::kNst ? config.ngram : 1;
  for (int n = 2; n <= length; ++n) ngrams_.emplace_back(ngram_slots(n, total), widest);
  for (Lane& lane : lanes_) lane.choices.reserve(kUsualLength);
  contexts_.reserve(2 * kUsualLength);
  moves_.resize(static_cast<std::size_t>(widest));
  values_.resize(static_cast<std::size_t>(widest));
}

void LearnedPlayout::reset() {
  averages_.clear();
  for (Ngrams& ngrams : ngrams_) ngrams.clear();
  root_ = {};
}

void LearnedPlayout::played(const std::vector<RoleMove>& choices) {
  if (config_.decay < 1) {
    averages_.decay(config_.decay);
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

void LearnedPlayout::choose(Simulator& simulator, const std::uint64_t* mask) {
  same_ply_ = false;
  simulator.choose_with(mask, *this);
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
  std::uint32_t count = 0;
  for (int block = 0; block < choices.blocks; ++block) {
    for (std::uint64_t word = choices.word(number, block); word != 0; word &= word - 1) {
      moves_[count++] = static_cast<std::uint32_t>(64 * block + __builtin_ctzll(word));
    }
  }
  const std::uint64_t random = draw(lane.random);
  if (config_.sampling == Sampling::kGibbs) {
    weigh(lane.plies, role, count);
    return moves_[gibbs_place(values_.data(), count, static_cast<float>(config_.temperature), random)];
  }
  if (explores(random, epsilon_)) return moves_[even_place(random, count)];
  weigh(lane.plies, role, count);
  return moves_[best_place(values_.data(), count, random)];
}

// Writes the values of the first `count` of moves_.
void LearnedPlayout::weigh(const Plies& plies, int role, std::uint32_t count) {
  const float* means = averages_.means(role);
  for (std::uint32_t i = 0; i < count; ++i) values_[i] = means[moves_[i]];
  if (ngrams_.empty() || plies.last == 0) return;

  constexpr float kShare[] = {1.0f, 1.0f / 2, 1.0f / 3};
  const bool triples = ngrams_.size() > 1 && plies.before_last != 0;
  const std::uint64_t two = Ngrams::context2(plies, role);
  const std::uint64_t three = triples ? Ngrams::context3(plies, role) : two;
  const Ngrams::Entry* pairs = ngrams_[0].row(two);
  const Ngrams::Entry* longer = triples ? ngrams_[1].row(three) : pairs;
  const std::uint16_t tag2 = Ngrams::tag(two), tag3 = Ngrams::tag(three);
  const int threshold = config_.threshold;
  const auto known = [threshold](const Ngrams::Entry& entry, std::uint16_t tag) {
    return (entry.tag == tag) & (entry.visits >= threshold);
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    const Ngrams::Entry& pair = pairs[moves_[i]];
    const bool has_pair = known(pair, tag2);
    float sum = values_[i] + (has_pair ? pair.mean : 0.0f);
    unsigned more = has_pair;
    if (triples) {
      const Ngrams::Entry& triple = longer[moves_[i]];
      const bool has_triple = known(triple, tag3);
      sum += has_triple ? triple.mean : 0.0f;
      more += has_triple;
    }
    values_[i] = sum * kShare[more];
  }
}

void LearnedPlayout::learn(int number, const double* rewards) {
  const std::vector<Choice>& choices = lanes_[number].choices;
  for (const Choice& choice : choices) {
    averages_.learn(choice.role, static_cast<int>(choice.move), rewards[choice.role]);
  }
  if (ngrams_.empty()) return;

  // Contexts first, so that the table is on its way into the cache while they are made.
  const std::size_t lengths = ngrams_.size();
  contexts_.clear();
  Plies plies = root_;
  for (const Choice& choice : choices) {
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
  for (const Choice& choice : choices) {
    const auto reward = static_cast<float>(rewards[choice.role]);
    for (std::size_t n = 0; n < lengths; ++n, ++context) {
      if (*context != 0) ngrams_[n].learn(*context, static_cast<int>(choice.move), reward);
    }
  }
}

// ---- the tree

std::uint32_t LearnedPlayout::first_to_try(int role, const std::uint32_t* moves, std::uint32_t count,
                                           std::uint64_t random) const {
  const float* means = averages_.means(role);
  std::uint32_t best = 0;
  std::uint32_t alike = 1;
  for (std::uint32_t i = 1; i < count; ++i) {
    if (means[moves[i]] < means[moves[best]]) continue;
    alike = means[moves[i]] == means[moves[best]] ? alike + 1 : 1;
    // The last of n alike replaces the one drawn so far with probability 1/n.
    if (alike == 1 || draw_below(random, alike) == 0) best = i;
  }
  return best;
}

}  // namespace ggp

#include "search/playout/learned_playout.hpp"

#include "base/random.hpp"
#include "search/playout/sampling.hpp"

namespace ggp {

LearnedPlayout::LearnedPlayout(const PlayoutConfig& config, const Simulator& simulator, std::size_t table_bytes)
    : RecordedPlayout(simulator),
      config_(config),
      epsilon_(static_cast<std::uint64_t>(config.epsilon * 0x1p32)),
      averages_(moves_by_role(simulator), config.unknown),
      plies_(simulator.lanes()) {
  const int most = widest_role(simulator);
  std::size_t total = 0;
  for (int count : moves_by_role(simulator)) total += static_cast<std::size_t>(count);
  const int length = config.policy == PlayoutConfig::Policy::kNst ? config.ngram : 1;
  for (int n = 2; n <= length; ++n) ngrams_.emplace_back(ngram_slots(n, total, table_bytes), most);
  moves_.resize(most);
  values_.resize(most);
  keys_.resize(most);
  of_pairs_.resize(most);
  of_triples_.resize(most);
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
  RecordedPlayout::begin(lane, seed);
  plies_[lane] = root_;
}

void LearnedPlayout::add(int lane, RoleMove choice, bool same_ply) {
  RecordedPlayout::add(lane, choice, same_ply);
  if (ngrams_.empty()) return;
  if (!same_ply) plies_[lane].turn();
  plies_[lane].add(choice.role, choice.move);
}

void LearnedPlayout::pick(const Choices& choices, int role, bool same_ply) {
  choices.for_each_lane(role, [&](int lane) {
    if (!same_ply) plies_[lane].turn();
    choices.moves[lane] = pick_by_value(lane, role, choices);
  });
}

std::uint32_t LearnedPlayout::pick_by_value(int lane, int role, const Choices& choices) {
  const std::uint64_t random = draw(this->random()[lane]);
  if (explores(random, epsilon_)) return any_move(choices, lane, random);
  std::uint32_t count = 0;
  for (int block = 0; block < choices.blocks; ++block) {
    for (std::uint64_t word = choices.word(lane, block); word != 0; word &= word - 1) {
      moves_[count++] = static_cast<std::uint32_t>(64 * block + __builtin_ctzll(word));
    }
  }
  weigh(moves_.data(), count, plies_[lane], role);
  for (std::uint32_t i = 0; i < count; ++i) keys_[i] = order_key(values_[i]);
  return moves_[best_place(keys_.data(), count, random)];
}

// Writes the values of some moves of a role.
void LearnedPlayout::weigh(const std::uint32_t* moves, std::uint32_t count, const Plies& plies, int role) {
  const float* means = averages_.means(role);
  for (std::uint32_t i = 0; i < count; ++i) values_[i] = means[moves[i]];
  if (ngrams_.empty() || plies.last == 0) return;
  const auto threshold = static_cast<std::uint32_t>(config_.threshold);
  ngrams_[0].find(Ngrams::context2(plies, role), threshold, moves, count, of_pairs_);
  if (ngrams_.size() == 1 || plies.before_last == 0) {
    for (std::uint32_t i = 0; i < count; ++i) {
      values_[i] += of_pairs_.known[i] * 0.5f * (of_pairs_.means[i] - values_[i]);
    }
    return;
  }
  ngrams_[1].find(Ngrams::context3(plies, role), threshold, moves, count, of_triples_);
  for (std::uint32_t i = 0; i < count; ++i) {
    const float two = of_pairs_.known[i], three = of_triples_.known[i];
    const float sum = values_[i] + two * of_pairs_.means[i] + three * of_triples_.means[i];
    values_[i] = sum * (1.0f - 0.5f * (two + three) + (1.0f / 3) * two * three);
  }
}

void LearnedPlayout::learn(int lane, const double* rewards) {
  const std::vector<Chosen>& choices = this->choices(lane);
  for (const Chosen& choice : choices) {
    averages_.learn(choice.role, static_cast<int>(choice.move), rewards[choice.role]);
  }
  if (ngrams_.empty()) return;

  // Contexts first, so that the table is loaded into the cache meanwhile.
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

// ---- the tree

std::uint32_t LearnedPlayout::first_to_try(int role, const std::uint32_t* moves, std::uint32_t count,
                                           std::uint64_t random) const {
  return averages_.best_of(role, moves, count, random);
}

}  // namespace ggp

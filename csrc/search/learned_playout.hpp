// Play-outs by what the moves of earlier simulations brought: MAST (mast.hpp) alone or with N-grams (ngrams.hpp).
//
// Every role with a choice, by itself:
//     value(m) = mean of Q(m) and of the R of those 2- and 3-grams ending with m that have at least
//                `threshold` visits (7 in the paper); shorter sequences stand in for longer ones
// epsilon-greedy: with probability epsilon any legal move, evenly, else one of highest value, ties evenly;
// gibbs:          move m with probability proportional to exp(value(m) / temperature);
// tournament:     `candidates` legal moves are drawn evenly, with replacement, and the one of highest value is played,
//                 of several alike the first. Of n moves the one ranked r (1 is best) comes with probability
//                 ((n - r + 1)^k - (n - r)^k) / n^k for k candidates. (Tournament selection: Goldberg and Deb, FOGA
//                 1991.) Values of k moves alone are looked at, however many are legal.
// A simulation draws from a random stream of its own.
//
// When a simulation ends, each of its choices, from the root on, is learned with the reward of the role that
// made it. Of a very long one the first kLongest choices are learned; those behind them are played by the
// same rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/config.hpp"
#include "search/mast.hpp"
#include "search/ngrams.hpp"
#include "search/recorded_playout.hpp"

namespace ggp {

class LearnedPlayout final : public RecordedPlayout {
 public:
  // The policy of the configuration is not uniform. The N-grams of each length take `table_bytes` at most.
  LearnedPlayout(const PlayoutConfig& config, const Simulator& simulator, std::size_t table_bytes);

  const MoveAverages& averages() const { return averages_; }
  // Of length 2 or 3; the policy has them.
  const Ngrams& ngrams(int length) const { return ngrams_[static_cast<std::size_t>(length - 2)]; }

  using MoveLearner::kLongest;

 private:
  void reset() override;
  void played(const std::vector<RoleMove>& choices) override;
  void begin(int lane, std::uint64_t seed) override;
  void add(int lane, RoleMove choice, bool same_ply) override;
  void learn(int lane, const double* rewards) override;
  void archive(Archive& archive) override {
    averages_.archive(archive);
    for (Ngrams& ngrams : ngrams_) ngrams.archive(archive);
    archive(root_);
  }
  std::uint32_t first_to_try(int role, const std::uint32_t* moves, std::uint32_t count,
                             std::uint64_t random) const override;
  void pick(const Choices& choices, int role, bool same_ply) override;

  std::uint32_t pick_by_value(int lane, int role, const Choices& choices);
  std::uint32_t best_drawn(int lane, int role);
  void weigh(const std::uint32_t* moves, std::uint32_t count, const Plies& plies, int role);

  const PlayoutConfig config_;
  const std::uint64_t epsilon_;  // * 2^32
  MoveAverages averages_;
  std::vector<Ngrams> ngrams_;   // of length 2, 3
  Plies root_;                   // played before the root
  std::vector<Plies> plies_;     // of the simulation in a lane; kept for N-grams alone
  std::vector<std::uint32_t> drawn_;  // moves that the lanes of a role have drawn for a tournament
  // Scratch: the legal moves of a role and their values; contexts of the choices of a simulation.
  std::vector<std::uint32_t> moves_;
  std::vector<float> values_;
  std::vector<std::int32_t> keys_;
  Ngrams::Found of_pairs_, of_triples_;
  std::vector<std::uint64_t> contexts_;
};

}  // namespace ggp

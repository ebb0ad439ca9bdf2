// Play-outs by the rewards of moves in earlier simulations: MAST (mast.hpp) alone or with N-grams (ngrams.hpp).
//
// For every role with a choice, independently:
//     value(m) = mean of Q(m) and of R of the 2- and 3-grams ending with m that have at least
//                `threshold` visits (7 in the paper); without a longer sequence the shorter ones count
// With probability epsilon a uniform legal move is played, else a move of highest value, ties broken uniformly.
// Each simulation draws from its own random stream.
//
// When a simulation ends, each of its choices, from the root on, is learned with the reward of the role that made it.
// Of a very long simulation the first kLongest choices are learned; later choices are made by the same rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/config/config.hpp"
#include "search/playout/mast.hpp"
#include "search/playout/ngrams.hpp"
#include "search/playout/recorded_playout.hpp"

namespace ggp {

class LearnedPlayout final : public RecordedPlayout {
 public:
  // The policy of the configuration is not uniform. The N-grams of each length take at most `table_bytes`.
  LearnedPlayout(const PlayoutConfig& config, const Simulator& simulator, std::size_t table_bytes);

  const MoveAverages& averages() const { return averages_; }
  // The N-grams of length 2 or 3; the policy must have them.
  const Ngrams& ngrams(int length) const { return ngrams_[static_cast<std::size_t>(length - 2)]; }

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
  void weigh(const std::uint32_t* moves, std::uint32_t count, const Plies& plies, int role);

  const PlayoutConfig config_;
  const std::uint64_t epsilon_;  // epsilon * 2^32
  MoveAverages averages_;
  std::vector<Ngrams> ngrams_;   // of length 2, 3
  Plies root_;                   // the plies before the root
  std::vector<Plies> plies_;     // plies of the simulation in a lane; only for N-grams
  // Scratch: the legal moves of a role and their values; contexts of the choices of a simulation.
  std::vector<std::uint32_t> moves_;
  std::vector<float> values_;
  std::vector<std::int32_t> keys_;
  Ngrams::Found of_pairs_, of_triples_;
  std::vector<std::uint64_t> contexts_;
};

}  // namespace ggp

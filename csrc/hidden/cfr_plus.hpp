// Predictive CFR+ in the sequence form (Farina, Kroer and Sandholm, AAAI 2021; CFR+: Tammelin, 2014; CFR: Zinkevich and
// others, NIPS 2007).
//
// Both players repeat a game and reduce their regrets; the mean of their plans converges to an equilibrium. In iteration t
// player 0 and then player 1 compute from the present plan of the other player, for each information state I and move a:
//   u(a) = g(I a) + sum over information states J with the parent I a: v(J),     v(I) = sum over a: s'(a) u(a)
// where g are the goals of SequenceForm::goals, s is the present strategy and s'(a) = (1 - e) s(a) + e / |A| (below). Then
//   r(a) = u(a) - sum over b: s(b) u(b),   R(a) = max(0, R(a) + r(a)),   s(a) ~ max(0, R(a) + r(a)), uniform if all are 0
// The last r is the prediction of the next one; without it this is CFR+. The mean of the plans x_1, x_2, ... has the
// weights 1, 4, 9, ..., t^2.
//
// Trembles: each move has at least the probability e / |A|, e = 1e-7 (Selten, 1975; Farina, Kroer and Sandholm, ICML 2017).
// So every information state is reached, and the strategy is also good after moves that an equilibrium never makes. The
// trembles cost less than 100 e points for each choice.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hidden/sequence_form.hpp"

namespace ggp {

class CfrPlus {
 public:
  // The form must outlive this object.
  explicit CfrPlus(const SequenceForm& form);

  // Makes one iteration, without allocating memory.
  void iterate();
  std::uint64_t iterations() const { return iterations_; }
  // The mean plan of a player: uniform strategies before the first iteration.
  const std::vector<double>& mean(int player) const { return sides_[player].mean; }

 private:
  struct Side {
    std::vector<double> regrets, strategy, plan, mean;  // by sequence
  };

  void learn(int player);
  void follow(int player);

  const SequenceForm& form_;
  std::array<Side, 2> sides_;
  std::vector<double> goals_;  // scratch
  std::uint64_t iterations_ = 0;
};

}  // namespace ggp

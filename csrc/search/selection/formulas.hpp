// The formulas of selection: the bound of an action, or of an untried move. Selection takes the highest (selection.hpp).
//
// The symbols of all formulas are the fields of `Candidate`:
//
// Q        `value`: mean reward of the role over the observed visits of the action, with all other knowledge
// n        `visits`: observed and unobserved visits of the action
// N        `node_visits`: observed and unobserved visits of the node
// C        exploration constant, for rewards in -1 .. 1
//
// A formula is a value with one operator, which returns the bound of a candidate. A formula that draws random numbers
// has the stream as its second argument.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "base/random.hpp"

namespace ggp {

// The arguments of a formula.
struct Candidate {
  float value;
  std::uint32_t visits;       // at least 1
  float inverse_root;         // 1 / sqrt(visits)
  std::uint32_t node_visits;
  float root_of_log;          // sqrt(ln(node_visits))
};

// UCT (Kocsis and Szepesvari, ECML 2006): Q + C sqrt(ln N / n). UCB1 (Auer, Cesa-Bianchi and Fischer, Machine Learning
// 2002) has 2 ln instead of ln, which is the constant C sqrt(2).
struct Uct {
  float exploration;

  float operator()(const Candidate& of) const { return of.value + exploration * of.root_of_log * of.inverse_root; }
};

// UCB1-tuned (Auer, Cesa-Bianchi and Fischer, Machine Learning 2002): Q + C sqrt(ln N / n min(1, 4 V)) with
// V = p (1 - p) + sqrt(2 ln N / n) and p = (Q + 1) / 2. p (1 - p) is the largest variance of a reward in 0 .. 1 with mean
// p. The search does not store sums of squares, so this variance replaces the variance of the rewards.
struct Ucb1Tuned {
  float exploration;

  float operator()(const Candidate& of) const {
    const float ratio = of.root_of_log * of.inverse_root;
    const float p = std::clamp((of.value + 1) / 2, 0.0f, 1.0f);
    const float variance = p * (1 - p) + std::sqrt(2.0f) * ratio;
    return of.value + exploration * ratio * std::sqrt(std::min(1.0f, 4 * variance));
  }
};

// UCB-V (Audibert, Munos and Szepesvari, Theoretical Computer Science 2009): Q + sqrt(2 V E / n) + 3 c b E / n with the
// exploration E = C^2 ln(N) / 2, the range b = 2 of the rewards and c = 1 / 3. With the term r = C sqrt(ln N / n) of UCT,
// the formula is Q + r sqrt(V) + r^2. V = 1 - Q^2 is the largest variance of a reward in -1 .. 1 with mean Q. The search
// does not store sums of squares, so this variance replaces the variance of the rewards. The two variances are equal if
// every simulation ends with a win or a loss. Ties go to the action tried first.
struct UcbV {
  float exploration;

  float operator()(const Candidate& of) const {
    const float ratio = exploration * of.root_of_log * of.inverse_root;
    return of.value + ratio * std::sqrt(std::max(0.0f, 1 - of.value * of.value)) + ratio * ratio;
  }
};

// Thompson sampling with a normal posterior (Agrawal and Goyal, Further Optimal Regret Bounds for Thompson Sampling,
// AISTATS 2013): a sample from the normal distribution with mean Q and variance C^2 / n. For rewards in -1 .. 1 the paper
// has C = 2. The paper has n + 1 in place of n, because an arm without a visit has a sample, too. The method of Box and
// Muller (Annals of Mathematical Statistics 1958) gives the normal number. Ties go to the action tried first.
struct Thompson {
  float exploration;

  float operator()(const Candidate& of, std::uint64_t& random) const {
    const std::uint64_t bits = draw(random);
    // Two uniform numbers of 32 bits; the first is not 0.
    const float one = (static_cast<float>(bits >> 32) + 1) * 0x1p-32f;
    const float two = static_cast<float>(bits & 0xFFFFFFFF) * 0x1p-32f;
    const float normal = std::sqrt(-2 * std::log(std::min(one, 1.0f))) * std::cos(6.28318531f * two);
    return of.value + exploration * of.inverse_root * normal;
  }
};

// Whether a formula draws random numbers.
template <class Formula>
constexpr bool kDraws = std::is_invocable_v<const Formula&, const Candidate&, std::uint64_t&>;

}  // namespace ggp

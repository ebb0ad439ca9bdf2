// Which action of a node a simulation follows on its way down.
//
// UCT for lanes (Kocsis and Szepesvari, ECML 2006; unobserved counts: WU-UCT, Liu et al., ICLR 2020).
// Every role that has a choice maximises, independently of the others,
//
//     Q(a) + C * sqrt(ln(N + O) / (n(a) + o(a)))
//
// Q(a)     mean reward of the role over the observed visits of a
// N, n(a)  observed visits of the node and of the action
// O, o(a)  unobserved ones: simulations that passed here and are still under way. They count in the
//          exploration term alone, so that lanes spread without being mistaken for losses.
// C        exploration constant
//
// Moves without any visit, observed or not, come first, in random order. Where n(a) = 0 < o(a), Q is the
// mean of the role in the node (0 where nothing was observed yet). Ties go to the action tried first.
//
// Actions that are closed by proofs (solver.hpp) are passed over; in a node whose value is proven for the
// mover those alone count that have it.
//
// In a simultaneous node a role draws evenly among the actions whose bound is within kAlike of the best.
// Without chance two roles that count alike would also choose alike: in matching pennies one of them
// wins every single simulation.
//
// Guided by all moves as first (amaf.hpp), the value that GRAVE mixes stands for Q(a), and untried moves are
// compared with the others as if they had one visit. Untried moves of which nothing is known either come first,
// in random order. Ties go to the action tried first, then to the untried move that is listed first.
//
// Guided by evaluations (heuristic.hpp), Q_IM or what else is asked for stands for Q(a), and priors join the visits.
//
// UCB1 (Auer, Cesa-Bianchi and Fischer, Machine Learning 2002) has 2 ln in place of ln. UCB1-tuned (the same
// paper) multiplies what stands under the root by min(1, 4 V(a)) with V(a) = p (1 - p) + sqrt(2 ln(N + O) /
// (n(a) + o(a))) and p = (Q(a) + 1) / 2: the largest variance of a reward in 0..1 with that mean, since sums
// of squares are not kept.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>

#include "search/amaf.hpp"
#include "search/config.hpp"
#include "search/tree.hpp"

namespace ggp {

// What guides the choice of one role in a node by evaluations (heuristic.hpp).
struct HeuristicView {
  const float* values;   // of the actions, `stride` each: v0 for the role that chooses, then v by role
  std::uint32_t stride;
  std::uint32_t role;
  float alpha;
  ImplicitMinimaxConfig::Term term;
  std::uint32_t priors;

  // What stands for the mean of an action of so many visits.
  float value(std::uint32_t place, float mean, std::uint32_t visits) const {
    const float first = values[place * stride];
    if (std::isnan(first)) return mean;
    const auto n = static_cast<float>(visits), p = static_cast<float>(priors);
    const float own = priors > 0 ? (n * mean + p * first) / (n + p) : mean;
    if (term == ImplicitMinimaxConfig::Term::kConstant) return own + alpha * (first - own);
    const float minimax = values[place * stride + 1 + role];
    if (term == ImplicitMinimaxConfig::Term::kMinimax) return own + alpha * (minimax - own);
    return (1 - alpha) * own + alpha * minimax / (n + 1);
  }
};

class Selection {
 public:
  virtual ~Selection() = default;
  // Returns the place of an action of the choice, 0 .. tried - 1, or `tried` for a move not tried yet. Where
  // memory is short the choice says that there are no such moves; `tried` is the answer then too if all
  // actions are closed.
  // `random` is a stream of random numbers for those who need chance.
  virtual std::uint32_t select(const Node& node, const Choice& choice, const Action* actions,
                               std::uint64_t& random) const = 0;
  // The same guided by evaluations, in a node with a mover.
  virtual std::uint32_t select(const Node& node, const Choice& choice, const Action* actions,
                               const HeuristicView& heuristic, std::uint64_t& random) const = 0;
  // The same guided by all moves as first. For the i-th of the untried moves the answer is `tried` + i.
  virtual std::uint32_t select(const Node& node, const Choice& choice, const Action* actions, const AmafView& amaf,
                               std::uint64_t& random) const = 0;
};

class Uct : public Selection {
 public:
  explicit Uct(double exploration);
  std::uint32_t select(const Node& node, const Choice& choice, const Action* actions,
                       std::uint64_t& random) const override;
  std::uint32_t select(const Node& node, const Choice& choice, const Action* actions, const HeuristicView& heuristic,
                       std::uint64_t& random) const override;
  std::uint32_t select(const Node& node, const Choice& choice, const Action* actions, const AmafView& amaf,
                       std::uint64_t& random) const override;

  static constexpr float kAlike = 0.02f;

 protected:
  // Above the table ln n is that of the first twelve bits of n, at most 0.0005 too small.
  float log(std::uint32_t n) const {
    if (n < kTable) return tables_.log[n];
    const int shift = 32 - kTableBits - __builtin_clz(n);
    return tables_.log[n >> shift] + static_cast<float>(shift) * kLogOfTwo;
  }
  float inverse_root(std::uint32_t n) const {
    return n < kTable ? tables_.inverse_root[n] : 1.0f / std::sqrt(static_cast<float>(n));
  }

  template <class Term, class Value, bool narrowed>
  std::uint32_t select_by(const Node& node, const Choice& choice, const Action* actions, std::uint64_t& random,
                          Term term, Value value_of) const;
  template <class Term, class Value>
  std::uint32_t select_by(const Node& node, const Choice& choice, const Action* actions, std::uint64_t& random,
                          Term term, Value value_of) const;
  // The same guided by evaluations.
  template <class Term>
  std::uint32_t select_by(const Node& node, const Choice& choice, const Action* actions,
                          const HeuristicView& heuristic, std::uint64_t& random, Term term) const;
  // select() with exploration term(value, root of the logarithm, visits).
  template <class Term>
  std::uint32_t select_by(const Node& node, const Choice& choice, const Action* actions, std::uint64_t& random,
                          Term term) const;

  // The same guided by all moves as first.
  template <class Term, bool narrowed>
  std::uint32_t select_guided(const Node& node, const Choice& choice, const Action* actions, const AmafView& amaf,
                              std::uint64_t& random, Term term) const;
  template <class Term>
  std::uint32_t select_by(const Node& node, const Choice& choice, const Action* actions, const AmafView& amaf,
                          std::uint64_t& random, Term term) const;

  float exploration_;

 private:
  auto term() const;

  static constexpr int kTableBits = 12;
  static constexpr std::size_t kTable = std::size_t{1} << kTableBits;
  static constexpr float kLogOfTwo = 0.693147181f;

  // ln n and 1 / sqrt(n), since most nodes have few visits; the same for all searches.
  struct Tables {
    std::array<float, kTable> log;
    std::array<float, kTable> inverse_root;
    Tables();
    static const Tables& shared();
  };

  const Tables& tables_;
};

class Ucb1Tuned final : public Uct {
 public:
  using Uct::Uct;
  std::uint32_t select(const Node& node, const Choice& choice, const Action* actions,
                       std::uint64_t& random) const override;
  std::uint32_t select(const Node& node, const Choice& choice, const Action* actions, const HeuristicView& heuristic,
                       std::uint64_t& random) const override;
  std::uint32_t select(const Node& node, const Choice& choice, const Action* actions, const AmafView& amaf,
                       std::uint64_t& random) const override;

 private:
  auto term() const;
};

std::unique_ptr<Selection> make_selection(const Config& config);

}  // namespace ggp

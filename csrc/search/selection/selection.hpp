// The selection of an action of a node in the descent of a simulation.
//
// UCT for lanes (Kocsis and Szepesvari, ECML 2006; unobserved counts: WU-UCT, Liu et al., ICLR 2020).
// Every role that has a choice maximises, independently of the others,
//
//     Q(a) + C * sqrt(ln(N + O) / (n(a) + o(a)))
//
// Q(a)     mean reward of the role over the observed visits of a
// N, n(a)  observed visits of the node and of the action
// O, o(a)  unobserved visits: simulations in flight that passed here. They count in the
//          exploration term only, so that lanes spread but unobserved visits do not count as losses.
// C        exploration constant
//
// Moves without any visit, observed or not, come first, in random order. If n(a) = 0 < o(a), Q is the mean of the role
// in the node (0 without an observed visit). Ties go to the action tried first.
//
// Actions that are closed by proofs (solver.hpp) are skipped. In a node whose value is proven for the mover only the
// actions with this value count.
//
// In a simultaneous node a role draws uniformly among the actions whose bound is within kAlike of the best. Without
// chance two roles with the same statistics would also choose the same: in matching pennies one of them would win every
// simulation.
//
// With all moves as first (amaf.hpp), the value of GRAVE replaces Q(a), and untried moves are compared with the others
// as if they had one visit. Untried moves without any data come first, in random order. Ties go to the action tried
// first, then to the untried move that is listed first.
//
// With evaluations (heuristic.hpp), Q_IM or another configured value replaces Q(a).
//
// With priors (move_knowledge.hpp) all moves are compared, tried or not, by the mean and the visits that include the prior; n(a)
// is at least 1 there. Moves without a prior, a visit and data of all moves as first come first, in random order. Ties
// go to the action tried first; among untried moves with the same bound each has the same probability.
//
// UCB1 (Auer, Cesa-Bianchi and Fischer, Machine Learning 2002) has 2 ln instead of ln. UCB1-tuned (the same paper)
// multiplies the term under the root by min(1, 4 V(a)) with V(a) = p (1 - p) + sqrt(2 ln(N + O) / (n(a) + o(a))) and
// p = (Q(a) + 1) / 2: the largest variance of a reward in 0..1 with that mean, because sums of squares are not stored.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>

#include "search/config/config.hpp"
#include "search/selection/amaf.hpp"
#include "search/selection/uct_vectors.hpp"
#include "search/tree/tree.hpp"

namespace ggp {

// The evaluations for the choice of one role in a node (heuristic.hpp).
struct HeuristicView {
  const float* values;   // Tree::values(): `stride` for each move, v0 for the role that chooses, then v by role; or null
  std::uint32_t stride;
  std::uint32_t count;   // number of legal moves
  std::uint32_t role;
  float alpha;
  ImplicitMinimaxConfig::Term term;

  // The value used as the mean of an action, or of an untried move, with this mean (with its prior) and `visits` visits;
  // untried moves follow the tried actions.
  float value(std::uint32_t place, std::uint32_t tried, float mean, std::uint32_t visits) const {
    if (values == nullptr) return mean;
    const float* of_move = values + stride * (place < tried ? count - 1 - place : place - tried);
    const float first = of_move[0], minimax = of_move[1 + role];
    if (std::isnan(minimax)) return mean;
    if (term == ImplicitMinimaxConfig::Term::kConstant) return std::isnan(first) ? mean : mean + alpha * (first - mean);
    if (term == ImplicitMinimaxConfig::Term::kMinimax) return mean + alpha * (minimax - mean);
    return (1 - alpha) * mean + alpha * minimax / (static_cast<float>(visits) + 1);
  }
};

// What selection uses in a node with priors: its table (Tree::priors()), and what the other components add, or null.
struct PriorView {
  const Prior* table;
  std::uint32_t count;  // number of legal moves
  const AmafView* amaf = nullptr;
  const HeuristicView* heuristic = nullptr;

  // The sum of the visits.
  std::uint32_t visits() const { return table[0].visits; }
  // The prior of an action, or of an untried move; untried moves follow the tried actions.
  const Prior& of(std::uint32_t place, std::uint32_t tried) const {
    return table[1 + (place < tried ? count - 1 - place : place - tried)];
  }
};

class Selection {
 public:
  virtual ~Selection() = default;
  // Returns the index of an action of the choice, 0 .. tried - 1, or `tried` for a move that was not tried yet. If
  // memory is short, the choice contains no such moves; then the result is `tried` also if all actions are closed.
  // `random` is a stream of random numbers. Eight actions from any of the actions on are readable memory.
  virtual std::uint32_t select(const Node& node, const Choice& choice, const Action* actions,
                               std::uint64_t& random) const = 0;
  // The same with evaluations, in a node with a mover.
  virtual std::uint32_t select(const Node& node, const Choice& choice, const Action* actions,
                               const HeuristicView& heuristic, std::uint64_t& random) const = 0;
  // The same with all moves as first. The result for the i-th untried move is `tried` + i.
  virtual std::uint32_t select(const Node& node, const Choice& choice, const Action* actions, const AmafView& amaf,
                               std::uint64_t& random) const = 0;
  // The same with priors, in a node with a mover.
  virtual std::uint32_t select(const Node& node, const Choice& choice, const Action* actions, const PriorView& priors,
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
  std::uint32_t select(const Node& node, const Choice& choice, const Action* actions, const PriorView& priors,
                       std::uint64_t& random) const override;

  // select() for a choice that is complete, or whose bounds are settled, in a node with a mover.
  std::uint32_t select_tried(const Node& node, const Choice& choice, const Action* actions,
                             std::uint64_t& random) const {
    const std::uint32_t visits = node.visits + node.unobserved;
    if (choice.count == 1) return 0;
    if (with_vectors_ == nullptr || visits >= kMostInVectors)
      return select_one_by_one(node, choice, actions, random);
    return with_vectors_(node, choice, actions, exploration_ * std::sqrt(log(visits)));
  }

  static constexpr float kAlike = 0.02f;

 protected:
  // Beyond the table ln n is computed from the first twelve bits of n, at most 0.0005 too small.
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
  // The same with evaluations.
  template <class Term>
  std::uint32_t select_by(const Node& node, const Choice& choice, const Action* actions,
                          const HeuristicView& heuristic, std::uint64_t& random, Term term) const;
  // select() with exploration term(value, root of the logarithm, visits).
  template <class Term>
  std::uint32_t select_by(const Node& node, const Choice& choice, const Action* actions, std::uint64_t& random,
                          Term term) const;

  // The same with a guide, which knows something about untried moves: all moves as first, or priors.
  template <class Term, class Guide, bool narrowed>
  std::uint32_t select_guided(const Node& node, const Choice& choice, const Action* actions, std::uint64_t& random,
                              Term term, const Guide& guide) const;
  template <class Term, class Guide>
  std::uint32_t select_guided(const Node& node, const Choice& choice, const Action* actions, std::uint64_t& random,
                              Term term, const Guide& guide) const;

  float exploration_;

 private:
  auto term() const;
  std::uint32_t select_one_by_one(const Node& node, const Choice& choice, const Action* actions,
                                  std::uint64_t& random) const;

  static constexpr int kTableBits = 12;
  static constexpr std::size_t kTable = std::size_t{1} << kTableBits;
  static constexpr std::uint32_t kMostInVectors = std::uint32_t{1} << 31;
  static constexpr float kLogOfTwo = 0.693147181f;

  // ln n and 1 / sqrt(n) for small n, because most nodes have few visits; shared by all searches.
  struct Tables {
    std::array<float, kTable> log;
    std::array<float, kTable> inverse_root;
    Tables();
    static const Tables& shared();
  };

  const Tables& tables_;
  const SelectWithVectors with_vectors_;  // null if the processor cannot
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
  std::uint32_t select(const Node& node, const Choice& choice, const Action* actions, const PriorView& priors,
                       std::uint64_t& random) const override;

 private:
  auto term() const;
};

std::unique_ptr<Selection> make_selection(const Config& config);

}  // namespace ggp

// The selection of an action of a node in the descent of a simulation.
//
// Every role that has a choice takes the action with the highest bound, independently of the other roles. A formula gives
// the bound (formulas.hpp); for UCT, the default, the bound of an action a is
//
//     Q(a) + C * sqrt(ln(N + O) / (n(a) + o(a)))
//
// Q(a)     mean reward of the role over the observed visits of a
// N, n(a)  observed visits of the node and of the action
// O, o(a)  unobserved visits: simulations in flight that passed the node, or took the action. They
//          count in the exploration term only: lanes spread, but unobserved visits are no losses
//          (WU-UCT, Liu et al., ICLR 2020).
// C        exploration constant
//
// Moves without any visit, observed or not, come first, in random order. If n(a) = 0 < o(a), Q is the mean of the role
// in the node (0 without an observed visit). Ties go to the action tried first.
//
// Actions that are closed by proofs (solver.hpp) are skipped. In a node whose value is proven for the mover only the
// actions with this value count.
//
// In a simultaneous node a role draws uniformly among the actions whose bound is within kAlike of the best. Without
// random draws, two roles with equal statistics choose equal moves, and one role wins every simulation of matching
// pennies. A formula that draws random numbers needs no further draw.
//
// With all moves as first (amaf.hpp), the value of GRAVE replaces Q(a), and untried moves are compared with tried moves
// as if they had one visit. Untried moves without any data come first, in random order. Ties go to the action tried
// first, then to the untried move that is listed first.
//
// With evaluations (heuristic.hpp), Q_IM or another configured value replaces Q(a).
//
// With priors (move_knowledge.hpp) tried and untried moves are compared by the mean and the visits that include the
// prior; n(a) is at least 1. Moves without a prior, a visit and data of all moves as first come first, in random order.
// Ties go to the action tried first. Untried moves with equal bounds have equal probabilities.
//
// With probabilities PUCT selects (puct.hpp).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>

#include "search/config/config.hpp"
#include "search/selection/amaf.hpp"
#include "search/selection/formulas.hpp"
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

  // The value that replaces this mean (with its prior) of an action with `visits` visits, or of an untried move;
  // untried moves follow the tried actions.
  float value(std::uint32_t place, std::uint32_t tried, float mean, std::uint32_t visits) const {
    const float* of_move = values + stride * (place < tried ? count - 1 - place : place - tried);
    const float first = of_move[0], minimax = of_move[1 + role];
    if (std::isnan(minimax)) return mean;
    if (term == ImplicitMinimaxConfig::Term::kConstant) return std::isnan(first) ? mean : mean + alpha * (first - mean);
    if (term == ImplicitMinimaxConfig::Term::kMinimax) return mean + alpha * (minimax - mean);
    return (1 - alpha) * mean + alpha * minimax / (static_cast<float>(visits) + 1);
  }
};

// The priors of a node (move_knowledge.hpp).
struct PriorView {
  const Prior* table;   // Tree::priors()
  std::uint32_t count;  // number of legal moves

  // The sum of the visits.
  std::uint32_t visits() const { return table[0].visits; }
  // The prior of an action, or of an untried move; untried moves follow the tried actions.
  const Prior& of(std::uint32_t place, std::uint32_t tried) const {
    return table[1 + (place < tried ? count - 1 - place : place - tried)];
  }
};

// The knowledge about the moves of one role in a node in addition to their visits. Unknown parts are null.
struct KnownMoves {
  AmafView amaf{};
  HeuristicView heuristic{};                     // only in a node with a mover
  PriorView priors{};                            // only in a node with a mover
  const Probabilities* probabilities = nullptr;  // only in a node with a mover
  bool at_root = false;                          // whether the node is the root of the search

  bool compares_untried() const {
    return amaf.by_move != nullptr || priors.table != nullptr || probabilities != nullptr;
  }
};

class Selection {
 public:
  virtual ~Selection() = default;
  // Returns the index of an action of the choice, 0 .. tried - 1, or `tried` for an untried move. If untried moves are
  // compared, the i-th untried move has the index `tried` + i. If memory is short, the choice contains no untried
  // moves; then `tried` means that all actions are closed. `random` is a stream of random numbers. Eight actions from
  // any action on are readable memory.
  virtual std::uint32_t select(const Node& node, const Choice& choice, const Action* actions, const KnownMoves& known,
                               std::uint64_t& random) const = 0;

  static constexpr float kAlike = 0.02f;
};

// ln n and 1 / sqrt(n) for small n, because most nodes have few visits.
class RootTables {
 public:
  RootTables();

  // Beyond the table ln n is computed from the first twelve bits of n, at most 0.0005 too small.
  float log(std::uint32_t n) const {
    if (n < kSize) return log_[n];
    const int shift = 32 - kBits - __builtin_clz(n);
    return log_[n >> shift] + static_cast<float>(shift) * kLogOfTwo;
  }
  float inverse_root(std::uint32_t n) const {
    return n < kSize ? inverse_root_[n] : 1.0f / std::sqrt(static_cast<float>(n));
  }

  static const RootTables shared;

 private:
  static constexpr int kBits = 12;
  static constexpr std::size_t kSize = std::size_t{1} << kBits;
  static constexpr float kLogOfTwo = 0.693147181f;

  std::array<float, kSize> log_{}, inverse_root_{};
};

// UCT, with vectors in nodes without other knowledge.
class UctSelection final : public Selection {
 public:
  explicit UctSelection(double exploration);
  std::uint32_t select(const Node& node, const Choice& choice, const Action* actions, const KnownMoves& known,
                       std::uint64_t& random) const override;

  // select() for a choice that is complete, or whose bounds are settled, in a node with a mover without other knowledge.
  std::uint32_t select_tried(const Node& node, const Choice& choice, const Action* actions,
                             std::uint64_t& random) const {
    const std::uint32_t visits = node.visits + node.unobserved;
    if (choice.count == 1) return 0;
    if (with_vectors_ == nullptr || visits >= kMostInVectors) return select_one_by_one(node, choice, actions, random);
    return with_vectors_(node, choice, actions, uct_.exploration * std::sqrt(RootTables::shared.log(visits)));
  }

 private:
  std::uint32_t select_one_by_one(const Node& node, const Choice& choice, const Action* actions,
                                  std::uint64_t& random) const;

  static constexpr std::uint32_t kMostInVectors = std::uint32_t{1} << 31;

  const Uct uct_;
  const SelectWithVectors with_vectors_;  // null if the processor cannot
};

std::unique_ptr<Selection> make_selection(const SelectionConfig& config);

}  // namespace ggp

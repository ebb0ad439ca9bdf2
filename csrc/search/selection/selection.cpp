#include "search/selection/selection.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "search/playout/sampling.hpp"
#include "search/selection/puct.hpp"

namespace ggp {

RootTables::RootTables() {
  for (std::size_t n = 1; n < kSize; ++n) {
    log_[n] = std::log(static_cast<float>(n));
    inverse_root_[n] = 1.0f / std::sqrt(static_cast<float>(n));
  }
}

const RootTables RootTables::shared;

namespace {

// The parts of KnownMoves that a node may have: template arguments, so that missing parts have no cost.
template <bool heuristic, bool amaf, bool priors>
struct Parts {
  static constexpr bool kHeuristic = heuristic, kAmaf = amaf, kPriors = priors, kUntried = amaf || priors;
};

// The value of an action or untried move with all knowledge, and its visits for the exploration term.
struct Estimate {
  float value;
  std::uint32_t visits;
};

template <class Parts, bool untried>
inline Estimate estimate(const Choice& choice, const Action* actions, const KnownMoves& known, std::uint32_t place) {
  const Action& action = untried ? kNewAction : actions[place];
  const std::uint32_t observed = action.visits;
  float value = untried || observed > 0 ? action.mean : choice.mean;
  Prior prior{0, 0};
  if constexpr (Parts::kPriors) {
    prior = known.priors.of(place, choice.tried);
    const auto n = static_cast<float>(observed), p = static_cast<float>(prior.visits);
    if (prior.visits > 0) value = (n * value + p * prior.value) / (n + p);
  }
  if (Parts::kAmaf && (!Parts::kPriors || known.amaf.by_move != nullptr)) {
    AmafSum sum = known.amaf.sum(place, choice.tried);
    if constexpr (Parts::kPriors) {
      sum.reward += static_cast<float>(prior.visits) * prior.value;
      sum.count += prior.visits;
    }
    value = grave_value(value, observed + prior.visits, sum, known.amaf.bias);
  }
  if (Parts::kHeuristic && (!Parts::kPriors || known.heuristic.values != nullptr))
    value = known.heuristic.value(place, choice.tried, value, observed);
  const std::uint32_t visits = observed + action.unobserved + prior.visits;
  return {value, Parts::kUntried ? std::max(1u, visits) : visits};
}

// Whether something is known about an untried move.
template <class Parts>
inline bool knows(const Choice& choice, const KnownMoves& known, std::uint32_t place) {
  if (Parts::kPriors && known.priors.of(place, choice.tried).visits > 0) return true;
  return (!Parts::kPriors || known.amaf.by_move != nullptr) && known.amaf.sum(place, choice.tried).count > 0;
}

// `narrowed` is the field of the node: a template argument, so that loops of nodes without proofs have no code for them.
template <class Parts, bool narrowed, class Formula>
std::uint32_t select_by(const Formula& formula, const Node& node, const Choice& choice, const Action* actions,
                        const KnownMoves& known, std::uint64_t& random) {
  const std::uint32_t tried = choice.tried;
  const bool settled = narrowed && choice.bounds.settled();
  if (!Parts::kUntried && !choice.is_complete() && !settled) return tried;
  if (choice.count == 1) return 0;
  std::uint32_t node_visits = node.visits + node.unobserved;
  if constexpr (Parts::kPriors) node_visits += known.priors.visits();
  const float root_of_log = std::sqrt(RootTables::shared.log(node_visits));
  // Calls of the lambdas in the loops cost up to 8 % of the speed of a search.
  const auto bound = [&](std::uint32_t place, auto untried) __attribute__((always_inline)) {
    const Estimate of = estimate<Parts, untried.value>(choice, actions, known, place);
    const float inverse_root = RootTables::shared.inverse_root(of.visits);
    const Candidate candidate{of.value, of.visits, inverse_root, node_visits, root_of_log};
    if constexpr (kDraws<Formula>) {
      return formula(candidate, random);
    } else {
      return formula(candidate);
    }
  };
  const auto bound_of_tried = [&](std::uint32_t place) __attribute__((always_inline)) {
    return bound(place, std::false_type{});
  };
  const auto bound_of_untried = [&](std::uint32_t place) __attribute__((always_inline)) {
    return bound(place, std::true_type{});
  };
  const auto is_passed_over = [&](std::uint32_t place) { return narrowed && is_closed(node, choice, actions[place]); };

  std::uint64_t best = 0;  // a maximum of ranks needs no branch
  for (std::uint32_t i = 0; i < tried; ++i) {
    if (is_passed_over(i)) continue;
    // After a withdrawn simulation the action has no visit, and comes first.
    if (!Parts::kUntried && actions[i].visits + actions[i].unobserved == 0) return i;
    best = std::max(best, rank(bound_of_tried(i), i));
  }
  const std::uint32_t places = settled || !Parts::kUntried ? tried : choice.count;
  std::uint32_t drawn = tried;
  if constexpr (Parts::kUntried) {
    std::uint32_t unknown = 0, alike = 0, best_place = 0;
    float best_bound = 0;
    for (std::uint32_t i = tried; i < places; ++i) {
      if (!knows<Parts>(choice, known, i)) {
        if (draw_below(random, ++unknown) == 0) drawn = i;
        continue;
      }
      const float bound = bound_of_untried(i);
      if (!Parts::kPriors) {
        best = std::max(best, rank(bound, i));
      } else if (alike == 0 || bound >= best_bound) {
        if (bound > best_bound) alike = 0;
        best_bound = bound;
        if (draw_below(random, ++alike) == 0) best_place = i;
      }
    }
    if (unknown > 0) return drawn;
    if (alike > 0) best = std::max(best, rank(best_bound, best_place));
  }
  if (best == 0) return drawn;
  const std::uint32_t place = place_of_rank(best);
  if (node.mover != kSimultaneous || kDraws<Formula>) return place;

  // The i-th of equal actions replaces the present one with probability 1/i, so all have the same probability.
  const float enough = (place < tried ? bound_of_tried(place) : bound_of_untried(place)) - Selection::kAlike;
  std::uint32_t alike = 0;
  for (std::uint32_t i = 0; i < places; ++i) {
    const bool closed = i < tried && is_passed_over(i);
    if (closed || (i < tried ? bound_of_tried(i) : bound_of_untried(i)) < enough) continue;
    if (draw_below(random, ++alike) == 0) drawn = i;
  }
  return drawn;
}

template <class Formula>
std::uint32_t select_by(const Formula& formula, const Node& node, const Choice& choice, const Action* actions,
                        const KnownMoves& known, std::uint64_t& random) {
  const auto select = [&](auto parts) {
    return node.narrowed ? select_by<decltype(parts), true>(formula, node, choice, actions, known, random)
                         : select_by<decltype(parts), false>(formula, node, choice, actions, known, random);
  };
  if (known.priors.table != nullptr) return select(Parts<true, true, true>{});
  if (known.amaf.by_move != nullptr) return select(Parts<false, true, false>{});
  if (known.heuristic.values != nullptr) return select(Parts<true, false, false>{});
  return select(Parts<false, false, false>{});
}

template <class Formula>
class SelectionBy final : public Selection {
 public:
  explicit SelectionBy(const Formula& formula) : formula_(formula) {}
  std::uint32_t select(const Node& node, const Choice& choice, const Action* actions, const KnownMoves& known,
                       std::uint64_t& random) const override {
    return select_by(formula_, node, choice, actions, known, random);
  }

 private:
  const Formula formula_;
};

template <class Formula>
std::unique_ptr<Selection> by(const Formula& formula) {
  return std::make_unique<SelectionBy<Formula>>(formula);
}

}  // namespace

UctSelection::UctSelection(double exploration)
    : uct_{static_cast<float>(exploration)}, with_vectors_(select_with_vectors()) {}

std::uint32_t UctSelection::select(const Node& node, const Choice& choice, const Action* actions,
                                   const KnownMoves& known, std::uint64_t& random) const {
  const bool knows_more = known.compares_untried() || known.heuristic.values != nullptr;
  const bool compares_tried = choice.is_complete() || (node.narrowed && choice.bounds.settled());
  if (!knows_more && compares_tried && node.mover != kSimultaneous)
    return select_tried(node, choice, actions, random);
  return select_by(uct_, node, choice, actions, known, random);
}

std::uint32_t UctSelection::select_one_by_one(const Node& node, const Choice& choice, const Action* actions,
                                              std::uint64_t& random) const {
  return select_by(uct_, node, choice, actions, {}, random);
}

std::unique_ptr<Selection> make_selection(const SelectionConfig& config) {
  const auto exploration = static_cast<float>(config.exploration);
  switch (config.formula) {
    case SelectionConfig::Formula::kUct:
      break;
    case SelectionConfig::Formula::kUcb1:
      return std::make_unique<UctSelection>(config.exploration * std::sqrt(2.0));
    case SelectionConfig::Formula::kUcb1Tuned:
      return by(Ucb1Tuned{exploration});
    case SelectionConfig::Formula::kPuct:
      return std::make_unique<Puct>(config);
    case SelectionConfig::Formula::kUcbV:
      return by(UcbV{exploration});
    case SelectionConfig::Formula::kThompson:
      return by(Thompson{exploration});
  }
  return std::make_unique<UctSelection>(config.exploration);
}

}  // namespace ggp

#include "search/selection/selection.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "search/playout/sampling.hpp"
#include "search/selection/puct.hpp"

namespace ggp {

Uct::Tables::Tables() : log{}, inverse_root{} {
  for (std::size_t n = 1; n < kTable; ++n) {
    log[n] = std::log(static_cast<float>(n));
    inverse_root[n] = 1.0f / std::sqrt(static_cast<float>(n));
  }
}

const Uct::Tables& Uct::Tables::shared() {
  static const Tables tables;
  return tables;
}

Uct::Uct(double exploration)
    : exploration_(static_cast<float>(exploration)),
      tables_(Tables::shared()),
      with_vectors_(select_with_vectors()) {}

// The value used as the mean of an action: known to the compiler, so unused parts have no cost.
struct MeanAlone {
  float operator()(std::uint32_t, float mean, std::uint32_t) const { return mean; }
};

struct Mixed {
  const HeuristicView& heuristic;
  std::uint32_t tried;
  float operator()(std::uint32_t place, float mean, std::uint32_t visits) const {
    return heuristic.value(place, tried, mean, visits);
  }
};

// `narrowed` is the field of the node: a template argument, so that the loop has no code for proofs if there are none.
template <class Term, class Value, bool narrowed>
std::uint32_t Uct::select_by(const Node& node, const Choice& choice, const Action* actions, std::uint64_t& random,
                             Term term, Value value_of) const {
  if (!choice.is_complete() && !(narrowed && choice.bounds.settled())) return choice.tried;
  if (choice.count == 1) return 0;
  const float root_of_log = std::sqrt(log(node.visits + node.unobserved));
  auto bound_of = [&](std::uint32_t place, std::uint32_t visits) {
    const Action& action = actions[place];
    const float value = value_of(place, action.visits > 0 ? action.mean : choice.mean, action.visits);
    return value + term(value, root_of_log, visits);
  };
  std::uint64_t best = 0;  // a maximum of ranks needs no branch
  for (std::uint32_t i = 0; i < choice.tried; ++i) {
    const Action& action = actions[i];
    if (narrowed && is_closed(node, choice, action)) continue;
    const std::uint32_t visits = action.visits + action.unobserved;
    // Left by a withdrawn simulation: it comes first.
    if (visits == 0) return i;
    best = std::max(best, rank(bound_of(i, visits), i));
  }
  if (narrowed && best == 0) return choice.tried;
  const std::uint32_t place = place_of_rank(best);
  if (node.mover != kSimultaneous) return place;

  const float enough = bound_of(place, actions[place].visits + actions[place].unobserved) - kAlike;
  std::uint32_t alike = 0;
  std::uint32_t drawn = place;
  for (std::uint32_t i = 0; i < choice.tried; ++i) {
    if (narrowed && is_closed(node, choice, actions[i])) continue;
    if (bound_of(i, actions[i].visits + actions[i].unobserved) < enough) continue;
    // The i-th of equal actions replaces the present one with probability 1/i, so all have the same probability.
    if (draw_below(random, ++alike) == 0) drawn = i;
  }
  return drawn;
}

template <class Term, class Value>
std::uint32_t Uct::select_by(const Node& node, const Choice& choice, const Action* actions, std::uint64_t& random,
                             Term term, Value value_of) const {
  return node.narrowed ? select_by<Term, Value, true>(node, choice, actions, random, term, value_of)
                       : select_by<Term, Value, false>(node, choice, actions, random, term, value_of);
}

template <class Term>
std::uint32_t Uct::select_by(const Node& node, const Choice& choice, const Action* actions, std::uint64_t& random,
                             Term term) const {
  return select_by(node, choice, actions, random, term, MeanAlone{});
}

template <class Term>
std::uint32_t Uct::select_by(const Node& node, const Choice& choice, const Action* actions,
                             const HeuristicView& heuristic, std::uint64_t& random, Term term) const {
  return select_by(node, choice, actions, random, term, Mixed{heuristic, choice.tried});
}

// Guides: what is known about a move, for select_guided(). The value of a move includes what the guide adds; its visits
// are for the exploration term.
struct Estimate {
  float value;
  std::uint32_t visits;
};

struct AllAsFirst {
  static constexpr bool kDrawsTies = false;
  const AmafView& amaf;

  // The number that is added to the visits of the node.
  std::uint32_t visits() const { return 0; }
  bool knows(std::uint32_t place, const Choice& choice) const { return amaf.sum(place, choice.tried).count > 0; }
  Estimate untried(std::uint32_t place, const Choice& choice) const {
    return {grave_value(0, 0, amaf.sum(place, choice.tried), amaf.bias), 1};
  }
  Estimate tried(std::uint32_t place, const Choice& choice, const Action& action) const {
    const float mean = action.visits > 0 ? action.mean : choice.mean;
    return {grave_value(mean, action.visits, amaf.sum(place, choice.tried), amaf.bias),
            std::max(1u, action.visits + action.unobserved)};
  }
};

struct WithPriors {
  static constexpr bool kDrawsTies = true;
  const PriorView& priors;

  std::uint32_t visits() const { return priors.visits(); }
  bool knows(std::uint32_t place, const Choice& choice) const {
    return priors.of(place, choice.tried).visits > 0 ||
           (priors.amaf != nullptr && priors.amaf->sum(place, choice.tried).count > 0);
  }
  Estimate untried(std::uint32_t place, const Choice& choice) const { return estimate(place, choice, 0, 0, 0); }
  Estimate tried(std::uint32_t place, const Choice& choice, const Action& action) const {
    const float mean = action.visits > 0 ? action.mean : choice.mean;
    return estimate(place, choice, mean, action.visits, action.unobserved);
  }

 private:
  Estimate estimate(std::uint32_t place, const Choice& choice, float mean, std::uint32_t observed,
                    std::uint32_t unobserved) const {
    const Prior& prior = priors.of(place, choice.tried);
    const auto n = static_cast<float>(observed), p = static_cast<float>(prior.visits);
    float value = prior.visits > 0 ? (n * mean + p * prior.value) / (n + p) : mean;
    if (priors.amaf != nullptr) {
      AmafSum sum = priors.amaf->sum(place, choice.tried);
      sum.reward += p * prior.value;
      sum.count += prior.visits;
      value = grave_value(value, observed + prior.visits, sum, priors.amaf->bias);
    }
    if (priors.heuristic != nullptr) value = priors.heuristic->value(place, choice.tried, value, observed);
    return {value, std::max(1u, observed + unobserved + prior.visits)};
  }
};

template <class Term, class Guide, bool narrowed>
std::uint32_t Uct::select_guided(const Node& node, const Choice& choice, const Action* actions, std::uint64_t& random,
                                 Term term, const Guide& guide) const {
  if (choice.count == 1) return 0;
  const float root_of_log = std::sqrt(log(node.visits + node.unobserved + guide.visits()));
  const std::uint32_t places = narrowed && choice.bounds.settled() ? choice.tried : choice.count;
  const auto is_passed_over = [&](std::uint32_t place) {
    return narrowed && place < choice.tried && is_closed(node, choice, actions[place]);
  };
  const auto bound_of = [&](std::uint32_t place) {
    const Estimate known =
        place < choice.tried ? guide.tried(place, choice, actions[place]) : guide.untried(place, choice);
    return known.value + term(known.value, root_of_log, known.visits);
  };
  std::uint64_t best = 0;
  std::uint32_t unknown = 0, alike_untried = 0;
  std::uint32_t drawn = choice.tried;
  float best_untried = 0;
  std::uint32_t drawn_untried = 0;
  for (std::uint32_t i = 0; i < places; ++i) {
    if (is_passed_over(i)) continue;
    if (i >= choice.tried && !guide.knows(i, choice)) {
      if (draw_below(random, ++unknown) == 0) drawn = i;
    } else if (Guide::kDrawsTies && i >= choice.tried) {
      const float bound = bound_of(i);
      if (alike_untried > 0 && bound < best_untried) continue;
      if (bound > best_untried) alike_untried = 0;
      best_untried = bound;
      if (draw_below(random, ++alike_untried) == 0) drawn_untried = i;
    } else {
      best = std::max(best, rank(bound_of(i), i));
    }
  }
  if (alike_untried > 0) best = std::max(best, rank(best_untried, drawn_untried));
  if (unknown > 0 || best == 0) return drawn;
  const std::uint32_t place = place_of_rank(best);
  if (node.mover != kSimultaneous) return place;

  const float enough = bound_of(place) - kAlike;
  std::uint32_t alike = 0;
  for (std::uint32_t i = 0; i < places; ++i) {
    if (!is_passed_over(i) && bound_of(i) >= enough && draw_below(random, ++alike) == 0) drawn = i;
  }
  return drawn;
}

template <class Term, class Guide>
std::uint32_t Uct::select_guided(const Node& node, const Choice& choice, const Action* actions, std::uint64_t& random,
                                 Term term, const Guide& guide) const {
  return node.narrowed ? select_guided<Term, Guide, true>(node, choice, actions, random, term, guide)
                       : select_guided<Term, Guide, false>(node, choice, actions, random, term, guide);
}

auto Uct::term() const {
  return [this](float, float root_of_log, std::uint32_t visits) {
    return exploration_ * root_of_log * inverse_root(visits);
  };
}

std::uint32_t Uct::select(const Node& node, const Choice& choice, const Action* actions,
                          std::uint64_t& random) const {
  if (node.mover == kSimultaneous) return select_by(node, choice, actions, random, term());
  if (!choice.is_complete() && !(node.narrowed && choice.bounds.settled())) return choice.tried;
  return select_tried(node, choice, actions, random);
}

std::uint32_t Uct::select_one_by_one(const Node& node, const Choice& choice, const Action* actions,
                                     std::uint64_t& random) const {
  return select_by(node, choice, actions, random, term());
}

std::uint32_t Uct::select(const Node& node, const Choice& choice, const Action* actions, const AmafView& amaf,
                          std::uint64_t& random) const {
  return select_guided(node, choice, actions, random, term(), AllAsFirst{amaf});
}

std::uint32_t Uct::select(const Node& node, const Choice& choice, const Action* actions, const PriorView& priors,
                          std::uint64_t& random) const {
  return select_guided(node, choice, actions, random, term(), WithPriors{priors});
}

std::uint32_t Uct::select(const Node& node, const Choice& choice, const Action* actions,
                          const HeuristicView& heuristic, std::uint64_t& random) const {
  return select_by(node, choice, actions, heuristic, random, term());
}

auto Ucb1Tuned::term() const {
  return [this](float value, float root_of_log, std::uint32_t visits) {
    const float ratio = root_of_log * inverse_root(visits);
    const float p = std::clamp((value + 1) / 2, 0.0f, 1.0f);
    const float variance = p * (1 - p) + std::sqrt(2.0f) * ratio;
    return exploration_ * ratio * std::sqrt(std::min(1.0f, 4 * variance));
  };
}

std::uint32_t Ucb1Tuned::select(const Node& node, const Choice& choice, const Action* actions,
                                std::uint64_t& random) const {
  return select_by(node, choice, actions, random, term());
}

std::uint32_t Ucb1Tuned::select(const Node& node, const Choice& choice, const Action* actions, const AmafView& amaf,
                                std::uint64_t& random) const {
  return select_guided(node, choice, actions, random, term(), AllAsFirst{amaf});
}

std::uint32_t Ucb1Tuned::select(const Node& node, const Choice& choice, const Action* actions, const PriorView& priors,
                                std::uint64_t& random) const {
  return select_guided(node, choice, actions, random, term(), WithPriors{priors});
}

std::uint32_t Ucb1Tuned::select(const Node& node, const Choice& choice, const Action* actions,
                                const HeuristicView& heuristic, std::uint64_t& random) const {
  return select_by(node, choice, actions, heuristic, random, term());
}

std::unique_ptr<Selection> make_selection(const Config& config) {
  const SelectionConfig& selection = config.selection;
  switch (selection.formula) {
    case SelectionConfig::Formula::kUcb1Tuned:
      return std::make_unique<Ucb1Tuned>(selection.exploration);
    case SelectionConfig::Formula::kUcb1:
      return std::make_unique<Uct>(selection.exploration * std::sqrt(2.0));
    case SelectionConfig::Formula::kPuct:
      return std::make_unique<Puct>(selection);
    case SelectionConfig::Formula::kUct:
      break;
  }
  return std::make_unique<Uct>(selection.exploration);
}

}  // namespace ggp

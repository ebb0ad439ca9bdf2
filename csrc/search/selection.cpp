#include "search/selection.hpp"

#include <algorithm>

#include "random.hpp"
#include "search/sampling.hpp"

namespace ggp {

namespace {

// A number that is greater for a greater bound, and for equal bounds greater for the lower index; never 0.
std::uint64_t rank(float bound, std::uint32_t place) {
  const std::uint32_t key = static_cast<std::uint32_t>(order_key(bound)) ^ 0x80000000u;
  return std::uint64_t{key} << 32 | static_cast<std::uint32_t>(~place);
}

std::uint32_t place_of(std::uint64_t rank) { return ~static_cast<std::uint32_t>(rank); }

}  // namespace

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

Uct::Uct(double exploration) : exploration_(static_cast<float>(exploration)), tables_(Tables::shared()) {}

// The value used as the mean of an action, and the visits that priors add: known to the compiler, so unused parts have
// no cost.
struct MeanAlone {
  static constexpr std::uint32_t priors = 0;
  float operator()(std::uint32_t, float mean, std::uint32_t) const { return mean; }
};

struct Mixed {
  const HeuristicView& heuristic;
  std::uint32_t priors;
  float operator()(std::uint32_t place, float mean, std::uint32_t visits) const {
    return heuristic.value(place, mean, visits);
  }
};

// `narrowed` is the field of the node: a template argument, so that the loop has no code for proofs if there are none.
template <class Term, class Value, bool narrowed>
std::uint32_t Uct::select_by(const Node& node, const Choice& choice, const Action* actions, std::uint64_t& random,
                             Term term, Value value_of) const {
  if (!choice.is_complete() && !(narrowed && choice.bounds.settled())) return choice.tried;
  if (choice.count == 1) return 0;
  const float root_of_log = std::sqrt(log(node.visits + node.unobserved + value_of.priors * choice.tried));
  auto bound_of = [&](std::uint32_t place, std::uint32_t visits) {
    const Action& action = actions[place];
    const float value = value_of(place, action.visits > 0 ? action.mean : choice.mean, action.visits);
    return value + term(value, root_of_log, visits + value_of.priors);
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
  const std::uint32_t place = place_of(best);
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
  return select_by(node, choice, actions, random, term, Mixed{heuristic, heuristic.priors});
}

template <class Term, bool narrowed>
std::uint32_t Uct::select_guided(const Node& node, const Choice& choice, const Action* actions, const AmafView& amaf,
                                 std::uint64_t& random, Term term) const {
  if (choice.count == 1) return 0;
  const float root_of_log = std::sqrt(log(node.visits + node.unobserved));
  const std::uint32_t places = narrowed && choice.bounds.settled() ? choice.tried : choice.count;
  const auto is_passed_over = [&](std::uint32_t place) {
    return narrowed && place < choice.tried && is_closed(node, choice, actions[place]);
  };
  const auto bound_of = [&](std::uint32_t place) {
    if (place >= choice.tried) {
      const float value = grave_value(0, 0, amaf.sum(place, choice.tried), amaf.bias);
      return value + term(value, root_of_log, 1);
    }
    const Action& action = actions[place];
    const float mean = action.visits > 0 ? action.mean : choice.mean;
    const float value = grave_value(mean, action.visits, amaf.sum(place, choice.tried), amaf.bias);
    return value + term(value, root_of_log, std::max(1u, action.visits + action.unobserved));
  };
  std::uint64_t best = 0;
  std::uint32_t unknown = 0;
  std::uint32_t drawn = choice.tried;
  for (std::uint32_t i = 0; i < places; ++i) {
    if (is_passed_over(i)) continue;
    if (i < choice.tried || amaf.sum(i, choice.tried).count > 0) {
      best = std::max(best, rank(bound_of(i), i));
    } else if (draw_below(random, ++unknown) == 0) {
      drawn = i;
    }
  }
  if (unknown > 0 || best == 0) return drawn;
  const std::uint32_t place = place_of(best);
  if (node.mover != kSimultaneous) return place;

  const float enough = bound_of(place) - kAlike;
  std::uint32_t alike = 0;
  for (std::uint32_t i = 0; i < places; ++i) {
    if (!is_passed_over(i) && bound_of(i) >= enough && draw_below(random, ++alike) == 0) drawn = i;
  }
  return drawn;
}

template <class Term>
std::uint32_t Uct::select_by(const Node& node, const Choice& choice, const Action* actions, const AmafView& amaf,
                             std::uint64_t& random, Term term) const {
  return node.narrowed ? select_guided<Term, true>(node, choice, actions, amaf, random, term)
                       : select_guided<Term, false>(node, choice, actions, amaf, random, term);
}

auto Uct::term() const {
  return [this](float, float root_of_log, std::uint32_t visits) {
    return exploration_ * root_of_log * inverse_root(visits);
  };
}

std::uint32_t Uct::select(const Node& node, const Choice& choice, const Action* actions,
                          std::uint64_t& random) const {
  return select_by(node, choice, actions, random, term());
}

std::uint32_t Uct::select(const Node& node, const Choice& choice, const Action* actions, const AmafView& amaf,
                          std::uint64_t& random) const {
  return select_by(node, choice, actions, amaf, random, term());
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
  return select_by(node, choice, actions, amaf, random, term());
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
    case SelectionConfig::Formula::kUct:
      break;
  }
  return std::make_unique<Uct>(selection.exploration);
}

}  // namespace ggp

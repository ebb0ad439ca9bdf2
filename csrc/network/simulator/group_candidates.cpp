// Candidates for groups of fluents.
//
// A fluent (f a b) has the places f, a and b. For every set of places, fluents that agree in all other places form a
// candidate. A candidate is excluded if two of its members hold together in the initial state or in a state of random
// play.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/random.hpp"
#include "network/circuit/invariants.hpp"
#include "network/simulator/network_simulator.hpp"

namespace ggp {
namespace {

constexpr int kLanes = 256;
constexpr std::size_t kMaxPlaces = 6;  // with more places, only single places and the set of all places are tried

// The words of "(f a (g b))" are f, a, (g b). A symbol without arguments is one word.
std::vector<std::string> words_of(const std::string& name) {
  if (name.empty() || name.front() != '(') return {name};
  std::vector<std::string> words;
  int depth = 0;
  for (const char c : name) {
    if (c == '(' && depth++ == 0) {
      words.emplace_back();
    } else if (c == ')' && --depth == 0) {
      break;
    } else if (c == ' ' && depth == 1) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

std::vector<std::uint32_t> place_sets(std::size_t places) {
  std::vector<std::uint32_t> sets;
  if (places <= kMaxPlaces)
    for (std::uint32_t set = 1; set < 1u << places; ++set) sets.push_back(set);
  else if (places < 32)
    for (std::uint32_t place = 0; place < places; ++place) sets.push_back(1u << place);
  return sets;
}

bool is_subset(std::uint32_t small, std::uint32_t large) { return (small & ~large) == 0; }

}  // namespace

GroupCandidates::GroupCandidates(const Network& network) {
  collect(network);
  if (!candidates_.empty()) play(network);
}

void GroupCandidates::collect(const Network& network) {
  using Key = std::pair<std::uint32_t, std::vector<std::uint32_t>>;  // places, then the shared words
  std::map<std::string, std::uint32_t> number_of_word;
  std::map<Key, std::vector<std::uint32_t>> members;
  for (std::uint32_t fluent = 0; fluent < network.fluents.size(); ++fluent) {
    std::vector<std::uint32_t> words;
    for (const auto& word : words_of(network.fluents[fluent].name))
      words.push_back(number_of_word.emplace(word, number_of_word.size() + 1).first->second);
    for (const std::uint32_t places : place_sets(words.size())) {
      Key key{places, words};
      for (std::size_t place = 0; place < words.size(); ++place)
        if ((places >> place) & 1) key.second[place] = 0;
      members[key].push_back(fluent);
    }
  }
  of_fluent_.resize(network.fluents.size());
  for (auto& [key, fluents] : members) {
    if (fluents.size() < 2) continue;
    const auto holding = std::count_if(fluents.begin(), fluents.end(),
                                       [&](std::uint32_t fluent) { return network.fluents[fluent].initially; });
    if (holding > 1) continue;
    for (const std::uint32_t fluent : fluents)
      of_fluent_[fluent].push_back(static_cast<std::uint32_t>(candidates_.size()));
    candidates_.push_back({{std::move(fluents), holding == 1}, key.first, true});
  }
}

// Plays kLanes games side by side. Excludes candidates by the values of their members in all lanes.
void GroupCandidates::play(const Network& network) {
  const auto program = std::make_shared<const LaneProgram>(compile(network));
  NetworkSimulator simulator(program, *find_kernel(best_isa(), kLanes));
  constexpr int kGroups = kLanes / 64;
  const std::vector<std::uint64_t> all(kGroups, ~std::uint64_t{0});
  std::vector<std::uint64_t> ended(kGroups), playing(kGroups);
  const std::vector<const std::uint64_t*> initial(kLanes, simulator.initial());
  for (int lane = 0; lane < kLanes; ++lane) simulator.seed(lane, mix64(static_cast<std::uint64_t>(lane)));
  simulator.load(all.data(), initial.data());

  // Some millions of operations, within bounds.
  const std::size_t turns = std::clamp<std::size_t>(20'000'000 / (program->operands.size() + 1), 30, 300);
  for (std::size_t turn = 0; turn < turns; ++turn) {
    for (auto& candidate : candidates_) {
      if (!candidate.possible) continue;
      std::uint64_t two = 0, none = 0;
      for (int group = 0; group < kGroups; ++group) {
        std::uint64_t one = 0;
        for (const std::uint32_t fluent : candidate.group.fluents) {
          const std::uint64_t lanes = simulator.fluent(fluent)[group];
          two |= one & lanes;
          one |= lanes;
        }
        none |= ~one;
      }
      if (two != 0) candidate.possible = false;
      if (none != 0) candidate.group.exactly_one = false;
    }
    simulator.evaluate();
    for (int group = 0; group < kGroups; ++group) {
      ended[group] = simulator.terminal()[group];
      playing[group] = ~ended[group];
    }
    simulator.choose_at_random(playing.data());
    simulator.step();
    simulator.load(ended.data(), initial.data());
  }
}

std::vector<FluentGroup> GroupCandidates::largest() const {
  std::vector<FluentGroup> found;
  for (const auto& candidate : candidates_) {
    if (!candidate.possible) continue;
    // A candidate that differs in more places and contains the first member contains all members.
    const auto& others = of_fluent_[candidate.group.fluents.front()];
    const bool contained = std::any_of(others.begin(), others.end(), [&](std::uint32_t other) {
      return candidates_[other].possible && candidates_[other].places != candidate.places &&
             is_subset(candidate.places, candidates_[other].places);
    });
    if (!contained) found.push_back(candidate.group);
  }
  return found;
}

std::vector<FluentGroup> GroupCandidates::parts(const FluentGroup& whole) const {
  std::uint32_t places = ~std::uint32_t{0};  // the places in which the members differ
  for (const std::uint32_t number : of_fluent_[whole.fluents.front()])
    if (candidates_[number].group.fluents == whole.fluents) places &= candidates_[number].places;
  std::vector<std::uint32_t> numbers;
  for (const std::uint32_t fluent : whole.fluents)
    for (const std::uint32_t number : of_fluent_[fluent]) {
      const std::uint32_t dropped = places & ~candidates_[number].places;
      if (is_subset(candidates_[number].places, places) && dropped != 0 && is_subset(dropped, dropped & -dropped))
        numbers.push_back(number);
    }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::vector<FluentGroup> found;
  for (const std::uint32_t number : numbers) found.push_back(candidates_[number].group);
  return found;
}

}  // namespace ggp

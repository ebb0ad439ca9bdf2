// Literals that occur together in several conjunctions become separate gates.
//
// Greedy extraction of common cubes, two literals at a time (Rajski and Vasudevamurthi, The testability-preserving
// concurrent decomposition and factorization of Boolean expressions, 1992; Brayton and McMullen, The decomposition and
// factorization of Boolean expressions, 1982): a pair that n gates share saves n - 2 operands. Rounds of counting and
// replacing, the most common pairs first, each together with all other literals that its gates share.
//
// Wide gates have too many pairs to count. In a wide gate, each literal is paired with a few neighbours in the order of
// the least hash of the gates of a literal: literals of nearly the same gates are close. Two literals have equal least
// hashes with the probability that a gate of either contains both (Broder, On the resemblance and containment of
// documents, 1997). Each round uses new hashes. The limit of the effort is proportional to the network.
#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "base/random.hpp"
#include "network/circuit/network.hpp"

namespace ggp {
namespace {

using Kind = GateGraph::Kind;

constexpr std::size_t kLeastGates = 4;   // least number of gates that share a pair
constexpr std::size_t kNeighbours = 6;    // number of neighbours with which a literal is paired in a gate
// A round must save at least one operand in this number: more gates and shorter runs have a cost, too.
constexpr std::size_t kLeastGain = 12;
constexpr int kMaxRounds = 24;
constexpr std::size_t kSharingPerEdge = 60;
constexpr std::size_t kSharingAtMost = 40'000'000;

class Sharing {
 public:
  explicit Sharing(const Network& old) : old_(old), inputs_(old.gates.size()) {
    const std::vector<bool> live = live_gates(old);
    for (std::uint32_t number = 0; number < old.gates.size(); ++number) {
      const auto& gate = old.gates[number];
      if (!live[number]) continue;
      inputs_[number].assign(old.gates.inputs(gate), old.gates.inputs(gate) + gate.count);
      edges_ += gate.count;
    }
  }

  Network run() {
    const PassTimer timer("shared");
    effort_ = std::min(kSharingPerEdge * edges_, kSharingAtMost);
    std::size_t saved = 0;
    for (int round = 0; round < kMaxRounds && effort_ > 0; ++round) {
      const std::size_t now = share_round(round);
      saved += now;
      if (now * 200 < edges_) break;
    }
    if (saved * kLeastGain < edges_)
      fresh_ = old_;
    else
      rebuild();
    fresh_.passes.push_back(timer.report(count_gates(fresh_)));
    return std::move(fresh_);
  }

 private:
  struct Pair {
    Literal first, second;
    std::uint32_t count;
  };

  // Returns the number of operands saved.
  std::size_t share_round(int round) {
    users_.assign(2 * inputs_.size(), {});
    for (std::uint32_t number = 0; number < inputs_.size(); ++number)
      for (const Literal literal : inputs_[number]) users_[literal].push_back(number);
    likeness_.resize(users_.size());
    for (std::size_t literal = 0; literal < users_.size(); ++literal) {
      likeness_[literal] = ~std::uint64_t{0};
      for (const std::uint32_t user : users_[literal])
        likeness_[literal] = std::min(likeness_[literal], mix64((std::uint64_t(round) << 32) + user));
    }
    std::size_t saved = 0;
    for (const Pair& pair : common_pairs()) {
      if (effort_ == 0) break;
      saved += extract(pair.first, pair.second);
    }
    return saved;
  }

  std::vector<Pair> common_pairs() {
    // Most pairs are rare. Counts of hashes, which are never too small, identify them.
    std::size_t size = 1024;
    while (size < 2 * edges_ && size < (std::size_t{1} << 22)) size *= 2;
    std::vector<std::uint8_t> rough(size, 0);
    const auto slot = [&](std::uint64_t pair) { return mix64(pair) & (size - 1); };
    for_each_pair([&](std::uint64_t pair) {
      auto& count = rough[slot(pair)];
      if (count < kLeastGates) ++count;
    });
    std::unordered_map<std::uint64_t, std::uint32_t> count;
    for_each_pair([&](std::uint64_t pair) {
      if (rough[slot(pair)] >= kLeastGates) ++count[pair];
    });
    std::vector<Pair> pairs;
    for (const auto& [pair, gates] : count)
      if (gates >= kLeastGates) pairs.push_back({static_cast<Literal>(pair >> 32), static_cast<Literal>(pair), gates});
    std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
      if (a.count != b.count) return a.count > b.count;
      return a.first != b.first ? a.first < b.first : a.second < b.second;
    });
    return pairs;
  }

  template <class Visit>
  void for_each_pair(Visit visit) {
    std::vector<Literal> shared;
    for (const auto& inputs : inputs_) {
      shared.clear();
      for (const Literal literal : inputs)
        if (users_[literal].size() >= kLeastGates) shared.push_back(literal);
      if (shared.size() > kNeighbours)
        std::sort(shared.begin(), shared.end(), [&](Literal a, Literal b) {
          return likeness_[a] != likeness_[b] ? likeness_[a] < likeness_[b] : a < b;
        });
      for (std::size_t i = 0; i < shared.size(); ++i) {
        const std::size_t end = std::min(shared.size(), i + 1 + kNeighbours);
        for (std::size_t k = i + 1; k < end; ++k) {
          const auto [first, second] = std::minmax(shared[i], shared[k]);
          visit((std::uint64_t{first} << 32) | second);
        }
        effort_ -= std::min(effort_, end - i);
      }
    }
  }

  std::size_t extract(Literal first, Literal second) {
    const auto& some = users_[first].size() < users_[second].size() ? users_[first] : users_[second];
    effort_ -= std::min(effort_, some.size());
    std::vector<std::uint32_t> with_both;
    for (const std::uint32_t number : some)
      if (has(number, first) && has(number, second)) with_both.push_back(number);
    if (with_both.size() < kLeastGates) return 0;
    // All literals that these gates share are extracted with the pair.
    std::vector<Literal> common = inputs_[with_both.front()], still;
    for (const std::uint32_t number : with_both) {
      if (common.size() == 2) break;
      still.clear();
      std::set_intersection(common.begin(), common.end(), inputs_[number].begin(), inputs_[number].end(),
                            std::back_inserter(still));
      common.swap(still);
      effort_ -= std::min(effort_, inputs_[number].size() / 4);
    }
    const auto fresh = static_cast<std::uint32_t>(inputs_.size());
    const std::size_t saved = with_both.size() * (common.size() - 1) - common.size();
    for (const std::uint32_t number : with_both) {
      auto& inputs = inputs_[number];
      effort_ -= std::min(effort_, 4 + inputs.size() / 32);
      still.clear();
      std::set_difference(inputs.begin(), inputs.end(), common.begin(), common.end(), std::back_inserter(still));
      still.push_back(2 * fresh);  // the greatest
      inputs.swap(still);
    }
    inputs_.push_back(std::move(common));
    users_.resize(users_.size() + 2);
    return saved;
  }

  bool has(std::uint32_t number, Literal literal) const {
    return std::binary_search(inputs_[number].begin(), inputs_[number].end(), literal);
  }

  // Restores topological order: each gate after its inputs.
  void rebuild() {
    map_.assign(inputs_.size(), kUnknown);
    map_[0] = kFalse;
    fresh_.roles = old_.roles;
    fresh_.always = old_.always;
    fresh_.passes = old_.passes;
    for (std::uint32_t i = 0; i < old_.fluents.size(); ++i) {
      const auto& fluent = old_.fluents[i];
      fresh_.fluents.push_back({fluent.name, input(fluent.input, Kind::kFluent, i), kFalse, fluent.initially});
    }
    for (std::uint32_t i = 0; i < old_.moves.size(); ++i) {
      const auto& move = old_.moves[i];
      fresh_.moves.push_back({move.role, move.name, input(move.input, Kind::kMove, i), kFalse});
    }
    for (std::uint32_t i = 0; i < old_.loops.size(); ++i) {
      const auto& loop = old_.loops[i];
      fresh_.loops.push_back({input(loop.variable, Kind::kFeedback, i), kFalse, loop.group});
    }
    for (std::size_t i = 0; i < old_.fluents.size(); ++i) fresh_.fluents[i].next = image(old_.fluents[i].next);
    for (std::size_t i = 0; i < old_.moves.size(); ++i) fresh_.moves[i].legal = image(old_.moves[i].legal);
    for (std::size_t i = 0; i < old_.loops.size(); ++i) fresh_.loops[i].definition = image(old_.loops[i].definition);
    for (const auto& goal : old_.goals) fresh_.goals.push_back({goal.role, goal.value, image(goal.holds)});
    for (const auto& percept : old_.percepts)
      fresh_.percepts.push_back({percept.role, percept.name, image(percept.holds)});
    fresh_.terminal = image(old_.terminal);
  }

  Literal input(Literal old, Kind kind, std::uint32_t index) {
    return map_[gate_of(old)] = fresh_.gates.input(kind, index);
  }

  Literal image(Literal literal) {
    std::vector<std::uint32_t> open{gate_of(literal)};
    while (!open.empty()) {
      const std::uint32_t number = open.back();
      const std::size_t before = open.size();
      if (map_[number] == kUnknown)
        for (const Literal input : inputs_[number])
          if (map_[gate_of(input)] == kUnknown) open.push_back(gate_of(input));
      if (open.size() != before) continue;
      open.pop_back();
      if (map_[number] != kUnknown) continue;
      std::vector<Literal> inputs;
      for (const Literal input : inputs_[number]) inputs.push_back(map_[gate_of(input)] ^ (input & 1u));
      map_[number] = fresh_.gates.conjunction(inputs);
    }
    return map_[gate_of(literal)] ^ (literal & 1u);
  }

  static constexpr Literal kUnknown = 0xFFFFFFFFu;

  const Network& old_;
  Network fresh_;
  std::vector<std::vector<Literal>> inputs_;        // by gate, ascending; pairs come after the gates of the network
  std::vector<std::vector<std::uint32_t>> users_;   // by literal: the gates that had it when the round began
  std::vector<std::uint64_t> likeness_;             // by literal: the least hash of the gates that use it
  std::vector<Literal> map_;                        // gate -> literal of the fresh network
  std::size_t edges_ = 0, effort_ = 0;
};

}  // namespace

Network share_pairs(const Network& network) { return Sharing(network).run(); }

}  // namespace ggp

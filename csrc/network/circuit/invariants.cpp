// Proof of fluent groups by induction.
//
// A claim says that at most one member, or at least one member, of a group holds. All claims are assumed together for a
// state; each claim must follow for the next state. A claim that does not follow is dropped, and with it every proof
// that used it. The remaining claims are proved from one another: they are the greatest inductive set, as far as the
// proof procedure can decide. (Van Eijk, Sequential equivalence checking based on structural similarities, 2000, for
// circuits; Helmert, Concise finite-domain representations for PDDL planning tasks, 2009, for planning.)
//
// A claim is refuted by a search in the manner of Davis, Putnam, Logemann and Loveland (1962) among partial assignments
// to the gates that it depends on. Propagated are: gates, forwards and backwards; claims about the state; one move for
// each role; a move that is made is legal; fluents that end the game do not hold. If the search cannot refute an
// assignment within its budget, the assignment counts as possible, so that giving up is always sound. Nothing depends
// on time: equal networks give equal groups.
#include "network/circuit/invariants.hpp"

#include <algorithm>
#include <deque>
#include <numeric>

namespace ggp {
namespace {

using Kind = GateGraph::Kind;

// Effort in visited edges: for all proofs together, plus a part for each edge of the network; for one claim in the
// first round; and the factor from round to round. Claims with late proofs are of little use: with 30 times this
// effort, all 69 groups of a chess sheet save no more gates than the counter and the role to move.
constexpr std::size_t kEffortAtLeast = 1'000'000;
constexpr std::size_t kEffortPerEdge = 10;
constexpr std::size_t kEffortAtMost = 4'000'000;
constexpr std::size_t kFirstEffort = 4'000;
constexpr std::size_t kMoreEffort = 10;

constexpr std::uint32_t kNoMove = 0xFFFFFFFFu;

enum Value : std::uint8_t { kUnknown, kHolds, kFails };

class Prover {
 public:
  Prover(const Network& network, std::vector<FluentGroup> candidates, const GroupCandidates* refinements)
      : network_(network), gates_(network.gates), refinements_(refinements) {
    index_users();
    index_moves();
    groups_of_.resize(network.fluents.size());
    const auto gates = gates_.size();
    value_.assign(gates, kUnknown);
    held_.assign(gates, 0);
    failed_.assign(gates, 0);
    in_cone_.assign(gates, 0);
    splits_.assign(gates, 0);
    failed_moves_.assign(network.roles.size(), 0);
    not_terminal_ = needed_fluents(network, complement(network.terminal));
    effort_left_ = std::min(kEffortAtLeast + kEffortPerEdge * users_.size(), kEffortAtMost);
    std::sort(candidates.begin(), candidates.end(), [](const FluentGroup& a, const FluentGroup& b) {
      if (a.exactly_one != b.exactly_one) return a.exactly_one;
      return a.fluents.size() != b.fluents.size() ? a.fluents.size() < b.fluents.size() : a.fluents < b.fluents;
    });
    for (auto& candidate : candidates) add(std::move(candidate));
  }

  std::vector<FluentGroup> run() {
    // Easy claims first; harder claims are assumed until they are examined.
    for (effort_of_claim_ = kFirstEffort; !open_.empty() && effort_left_ > 0; effort_of_claim_ *= kMoreEffort) {
      std::vector<std::uint32_t> postponed;
      while (!open_.empty() && effort_left_ > 0) {
        const std::uint32_t claim = open_.front();
        open_.pop_front();
        if (claims_[claim].state != Claim::kOpen) continue;
        const bool proved = prove(claim);
        used_claims_.swap(claims_[claim].used);
        if (proved)
          claims_[claim].state = Claim::kProved;
        else if (effort_ <= 0 && effort_left_ > 0)
          postponed.push_back(claim);
        else
          drop(claim);
      }
      if (effort_left_ == 0) drop_open();
      open_.assign(postponed.begin(), postponed.end());
    }
    std::vector<FluentGroup> found;
    for (std::uint32_t group = 0; group < groups_.size(); ++group)
      if (claims_[2 * group].state == Claim::kProved)
        found.push_back({groups_[group].fluents, claims_[2 * group + 1].state == Claim::kProved});
    return found;
  }

 private:
  // Claim 2 g: at most one of group g holds; claim 2 g + 1: at least one.
  struct Claim {
    enum State { kOpen, kProved, kDropped } state;
    std::vector<std::uint32_t> used;  // claims used in its proof
  };

  static bool is_at_least(std::uint32_t claim) { return (claim & 1) != 0; }
  const std::vector<std::uint32_t>& members(std::uint32_t claim) const { return groups_[claim / 2].fluents; }

  void add(FluentGroup candidate) {
    const auto group = static_cast<std::uint32_t>(groups_.size());
    for (const std::uint32_t fluent : candidate.fluents) groups_of_[fluent].push_back(group);
    claims_.push_back({Claim::kOpen, {}});
    claims_.push_back({candidate.exactly_one ? Claim::kOpen : Claim::kDropped, {}});
    open_.push_back(2 * group);
    if (candidate.exactly_one) open_.push_back(2 * group + 1);
    groups_.push_back(std::move(candidate));
    failed_members_.push_back(0);
  }

  // Drops all claims that are not proved, and claims proved from them.
  void drop_open() {
    for (bool changed = true; changed;) {
      changed = false;
      for (auto& claim : claims_) {
        if (claim.state == Claim::kDropped) continue;
        const bool holds = claim.state == Claim::kProved &&
                           std::none_of(claim.used.begin(), claim.used.end(),
                                        [&](std::uint32_t used) { return claims_[used].state != Claim::kProved; });
        if (holds) continue;
        claim.state = Claim::kDropped;
        changed = true;
      }
    }
  }

  void drop(std::uint32_t claim) {
    std::vector<std::uint32_t> dropped{claim};
    claims_[claim].state = Claim::kDropped;
    if (!is_at_least(claim)) {
      if (claims_[claim + 1].state != Claim::kDropped) dropped.push_back(claim + 1);
      claims_[claim + 1].state = Claim::kDropped;
      if (refinements_ != nullptr && effort_left_ > 0)
        for (auto& part : refinements_->parts(groups_[claim / 2])) {
          const auto& others = groups_of_[part.fluents.front()];
          const bool known = std::any_of(others.begin(), others.end(), [&](std::uint32_t group) {
            return (claims_[2 * group].state != Claim::kDropped || groups_[group].fluents == part.fluents) &&
                   std::includes(groups_[group].fluents.begin(), groups_[group].fluents.end(), part.fluents.begin(),
                                 part.fluents.end());
          });
          if (!known) add(std::move(part));
        }
    }
    for (std::uint32_t other = 0; other < claims_.size(); ++other) {
      const auto& used = claims_[other].used;
      if (claims_[other].state == Claim::kProved &&
          std::find_first_of(used.begin(), used.end(), dropped.begin(), dropped.end()) != used.end()) {
        claims_[other].state = Claim::kOpen;
        open_.push_back(other);
      }
    }
  }

  // ---- the network, prepared

  void index_users() {
    first_user_.assign(gates_.size() + 1, 0);
    const auto for_each_edge = [&](auto visit) {
      for (std::uint32_t number = 0; number < gates_.size(); ++number) {
        const auto& gate = gates_[number];
        if (gate.kind != Kind::kAnd) continue;
        for (std::uint32_t i = 0; i < gate.count; ++i) visit(number, gates_.inputs(gate)[i]);
      }
    };
    for_each_edge([&](std::uint32_t, Literal input) { ++first_user_[gate_of(input) + 1]; });
    std::partial_sum(first_user_.begin(), first_user_.end(), first_user_.begin());
    users_.resize(first_user_.back());
    std::vector<std::uint32_t> slot(first_user_.begin(), first_user_.end() - 1);
    for_each_edge([&](std::uint32_t user, Literal input) {
      users_[slot[gate_of(input)]++] = 2 * user + (is_complemented(input) ? 1 : 0);
    });
  }

  void index_moves() {
    first_move_.assign(network_.roles.size() + 1, 0);
    for (const auto& move : network_.moves) ++first_move_[move.role + 1];
    std::partial_sum(first_move_.begin(), first_move_.end(), first_move_.begin());
    for (std::uint32_t move = 0; move < network_.moves.size(); ++move)
      if (const std::uint32_t gate = gate_of(network_.moves[move].legal); gate != 0) allows_.push_back({gate, move});
    std::sort(allows_.begin(), allows_.end());
    find_forced_moves();
  }

  // If all moves of a role except m need a fluent (or its absence), m is made if the fluent fails (holds).
  void find_forced_moves() {
    forced_.resize(2 * gates_.size(), kNoMove);
    std::vector<std::uint32_t> needing(2 * gates_.size(), 0);
    for (std::size_t role = 0; role < network_.roles.size(); ++role) {
      std::vector<std::vector<Literal>> needed;
      std::vector<Literal> all;
      for (std::uint32_t move = first_move_[role]; move < first_move_[role + 1]; ++move) {
        needed.push_back(needed_fluents(network_, network_.moves[move].legal));
        for (const Literal literal : needed.back())
          if (needing[literal]++ == 0) all.push_back(literal);
      }
      for (const Literal literal : all) {
        if (needing[literal] + 1 == needed.size()) {
          const auto free = std::find_if(needed.begin(), needed.end(), [&](const auto& of_move) {
            return std::find(of_move.begin(), of_move.end(), literal) == of_move.end();
          });
          forced_[complement(literal)] = first_move_[role] + static_cast<std::uint32_t>(free - needed.begin());
        }
        needing[literal] = 0;
      }
    }
  }

  // ---- one claim

  bool prove(std::uint32_t claim) {
    begin(claim);
    const bool proved = is_at_least(claim) ? prove_at_least_one(claim) : prove_at_most_one(claim);
    undo_to(0);
    const auto spent = static_cast<std::size_t>(effort_given_ - effort_);
    effort_left_ -= std::min(effort_left_, spent);
    return proved;
  }

  void begin(std::uint32_t claim) {
    // The gates that the claim depends on: gates of the next state, and of the legality of moves in them.
    ++cone_;
    std::vector<std::uint32_t> cone;
    moves_in_cone_.clear();
    const auto visit = [&](std::uint32_t gate) {
      if (in_cone_[gate] == cone_) return;
      in_cone_[gate] = cone_;
      cone.push_back(gate);
    };
    std::size_t size = 0, visited = 0;
    const auto close = [&] {
      for (; visited < cone.size() && size < effort_left_; ++visited) {
        const auto& gate = gates_[cone[visited]];
        if (gate.kind == Kind::kMove) moves_in_cone_.push_back(gate.first);
        if (gate.kind != Kind::kAnd) continue;
        for (std::uint32_t k = 0; k < gate.count; ++k) visit(gate_of(gates_.inputs(gate)[k]));
        size += 1 + gate.count;
      }
    };
    for (const std::uint32_t fluent : members(claim)) visit(gate_of(network_.fluents[fluent].next));
    close();
    for (const std::uint32_t gate : cone) splits_[gate] = cone_;
    for (const std::uint32_t move : moves_in_cone_) visit(gate_of(network_.moves[move].legal));
    close();
    effort_given_ = static_cast<std::ptrdiff_t>(std::min(effort_left_, size + effort_of_claim_));
    effort_ = effort_given_ - static_cast<std::ptrdiff_t>(size);
    std::sort(moves_in_cone_.begin(), moves_in_cone_.end());
    used_claims_.clear();
    last_use_.resize(claims_.size(), 0);
  }

  bool prove_at_most_one(std::uint32_t claim) {
    std::vector<std::uint32_t> others = members(claim);
    while (others.size() > 1) {
      const std::uint32_t fluent = others.back();
      others.pop_back();
      const bool refuted = !go_on() || !assume(network_.fluents[fluent].next) || refute_each(others);
      undo_to(0);
      if (!refuted) return false;
    }
    return true;
  }

  // For each member that may hold now, some member holds next.
  bool prove_at_least_one(std::uint32_t claim) {
    use(claim);
    for (const std::uint32_t now : members(claim)) {
      bool consistent = go_on() && assume(network_.fluents[now].input);
      for (const std::uint32_t fluent : members(claim))
        consistent = consistent && assume(complement(network_.fluents[fluent].next));
      const bool refuted = !consistent || refute();
      undo_to(0);
      if (!refuted) return false;
    }
    return true;
  }

  // Assumes that the state is not terminal, as far as single fluents decide this.
  bool go_on() {
    return std::all_of(not_terminal_.begin(), not_terminal_.end(), [&](Literal literal) { return assume(literal); });
  }

  // Whether none of the fluents can hold next under the assumptions. May leave assignments.
  bool refute_each(std::vector<std::uint32_t> fluents) {
    for (;;) {
      std::vector<std::uint32_t> left;
      for (const std::uint32_t fluent : fluents) {
        const Literal next = network_.fluents[fluent].next;
        if (at(next) == kFails) continue;
        const std::size_t mark = trail_.size();
        const bool consistent = assume(next);
        undo_to(mark);
        if (consistent)
          left.push_back(fluent);
        else if (!assume(complement(next)))
          return true;
      }
      if (left.empty()) return true;
      if (effort_ <= 0) return false;
      const Literal decision = open_input();
      if (decision == kFalse) {
        // All assumptions are explained; now each remaining fluent must be refuted separately.
        for (const std::uint32_t fluent : left) {
          const std::size_t mark = trail_.size();
          const bool refuted = !assume(network_.fluents[fluent].next) || refute();
          undo_to(mark);
          if (!refuted) return false;
        }
        return true;
      }
      const std::size_t mark = trail_.size();
      const bool refuted = !assume(complement(decision)) || refute_each(left);
      undo_to(mark);
      if (!refuted) return false;
      if (!assume(decision)) return true;
      fluents.swap(left);
    }
  }

  // Whether the assumptions are impossible. May leave assignments.
  bool refute() {
    for (;;) {
      if (effort_ <= 0) return false;
      const Literal decision = open_input();
      if (decision == kFalse) return false;
      const std::size_t mark = trail_.size();
      const bool refuted = !assume(complement(decision)) || refute();
      undo_to(mark);
      if (!refuted) return false;
      if (!assume(decision)) return true;
    }
  }

  // Finds the first gate of the next state that fails without an input that fails, and returns one of its inputs: an
  // assumption must explain it. kFalse if there is no such gate. The causes of legal moves are not examined.
  Literal open_input() {
    for (std::size_t i = 0; i < trail_.size(); ++i) {
      const std::uint32_t number = trail_[i];
      const auto& gate = gates_[number];
      if (gate.kind != Kind::kAnd || value_[number] != kFails || failed_[number] != 0 || splits_[number] != cone_)
        continue;
      effort_ -= static_cast<std::ptrdiff_t>(1 + i / 8);
      const Literal* inputs = gates_.inputs(gate);
      while (at(*inputs) != kUnknown) ++inputs;
      return *inputs;
    }
    return kFalse;
  }

  // ---- assignments

  Value at(Literal literal) const {
    if (gate_of(literal) == 0) return literal == kTrue ? kHolds : kFails;
    const Value value = value_[gate_of(literal)];
    return value == kUnknown || !is_complemented(literal) ? value : value == kHolds ? kFails : kHolds;
  }

  // Assigns true to a literal; returns false if it contradicts.
  bool set(Literal literal) {
    const Value known = at(literal);
    if (known != kUnknown) return known == kHolds;
    value_[gate_of(literal)] = is_complemented(literal) ? kFails : kHolds;
    trail_.push_back(gate_of(literal));
    return true;
  }

  // As set(), with all consequences.
  bool assume(Literal literal) {
    bool consistent = set(literal);
    while (consistent && counted_ < trail_.size()) consistent = propagate(trail_[counted_++]);
    return consistent;
  }

  bool propagate(std::uint32_t number) {
    const bool holds = value_[number] == kHolds;
    bool consistent = true;
    effort_ -= first_user_[number + 1] - first_user_[number];
    for (std::uint32_t k = first_user_[number]; k < first_user_[number + 1]; ++k) {
      const std::uint32_t user = users_[k] >> 1;
      if (in_cone_[user] != cone_) continue;
      ++(holds != ((users_[k] & 1) != 0) ? held_ : failed_)[user];
      if (consistent) consistent = settle(user);
    }
    const auto& gate = gates_[number];
    switch (gate.kind) {
      case Kind::kAnd:
        if (!holds) {
          consistent = consistent && settle(number);
          break;
        }
        effort_ -= gate.count;
        for (std::uint32_t i = 0; i < gate.count && consistent; ++i) consistent = set(gates_.inputs(gate)[i]);
        break;
      case Kind::kFluent: consistent = propagate_fluent(gate.first, holds, consistent); break;
      case Kind::kMove: consistent = propagate_move(gate.first, holds, consistent); break;
      default: break;
    }
    const std::uint32_t forced = forced_[2 * number + (holds ? 0 : 1)];
    if (consistent && forced != kNoMove) consistent = set(network_.moves[forced].input);
    // A move that is not legal is not made.
    for (auto allowed = std::lower_bound(allows_.begin(), allows_.end(), std::make_pair(number, 0u));
         consistent && allowed != allows_.end() && allowed->first == number; ++allowed) {
      const auto& move = network_.moves[allowed->second];
      if (in_cone_[gate_of(move.input)] == cone_ && at(move.legal) == kFails) consistent = set(complement(move.input));
    }
    return consistent;
  }

  // Propagates from the inputs of a gate to the gate, and from the gate to its last open input.
  bool settle(std::uint32_t number) {
    const auto& gate = gates_[number];
    if (failed_[number] != 0) return set(2 * number + 1);
    if (held_[number] == gate.count) return set(2 * number);
    if (value_[number] != kFails || held_[number] + 1 != gate.count) return true;
    effort_ -= gate.count;
    const Literal* inputs = gates_.inputs(gate);
    for (std::uint32_t i = 0; i < gate.count; ++i)
      if (at(inputs[i]) == kUnknown) return set(complement(inputs[i]));
    return true;
  }

  // Counters are updated even after a contradiction, so that undo_to() can undo everything.
  bool propagate_fluent(std::uint32_t fluent, bool holds, bool consistent) {
    for (const std::uint32_t group : groups_of_[fluent]) {
      const auto& fluents = groups_[group].fluents;
      if (!holds) ++failed_members_[group];
      if (!consistent) continue;
      if (holds && claims_[2 * group].state != Claim::kDropped) {
        effort_ -= static_cast<std::ptrdiff_t>(fluents.size());
        for (const std::uint32_t other : fluents) {
          const std::uint32_t input = gate_of(network_.fluents[other].input);
          if (other == fluent || in_cone_[input] != cone_) continue;
          if (at(2 * input) != kFails) use(2 * group);
          if (!set(2 * input + 1)) consistent = false;
        }
      } else if (!holds && claims_[2 * group + 1].state != Claim::kDropped &&
                 failed_members_[group] + 1 >= fluents.size()) {
        use(2 * group + 1);
        if (failed_members_[group] == fluents.size()) consistent = false;
        for (const std::uint32_t other : fluents)
          if (consistent && at(network_.fluents[other].input) == kUnknown) consistent = set(network_.fluents[other].input);
      }
    }
    return consistent;
  }

  bool propagate_move(std::uint32_t number, bool holds, bool consistent) {
    const auto& move = network_.moves[number];
    const std::uint32_t first = first_move_[move.role], end = first_move_[move.role + 1];
    if (!holds) {
      ++failed_moves_[move.role];
      if (!consistent || failed_moves_[move.role] + 1 < end - first) return consistent;
      if (failed_moves_[move.role] == end - first) return false;
      for (std::uint32_t other = first; other < end; ++other)
        if (at(network_.moves[other].input) == kUnknown) return set(network_.moves[other].input);
      return true;
    }
    const auto begin = std::lower_bound(moves_in_cone_.begin(), moves_in_cone_.end(), first);
    for (auto other = begin; consistent && other != moves_in_cone_.end() && *other < end; ++other) {
      --effort_;
      if (*other != number) consistent = set(complement(network_.moves[*other].input));
    }
    return consistent && set(move.legal);
  }

  void use(std::uint32_t claim) {
    if (last_use_[claim] == cone_) return;
    last_use_[claim] = cone_;
    used_claims_.push_back(claim);
  }

  void undo_to(std::size_t mark) {
    while (trail_.size() > mark) {
      const std::uint32_t number = trail_.back();
      trail_.pop_back();
      if (trail_.size() < counted_) {
        const bool holds = value_[number] == kHolds;
        for (std::uint32_t k = first_user_[number]; k < first_user_[number + 1]; ++k)
          if (in_cone_[users_[k] >> 1] == cone_)
            --(holds != ((users_[k] & 1) != 0) ? held_ : failed_)[users_[k] >> 1];
        const auto& gate = gates_[number];
        if (gate.kind == Kind::kFluent && !holds)
          for (const std::uint32_t group : groups_of_[gate.first]) --failed_members_[group];
        if (gate.kind == Kind::kMove && !holds) --failed_moves_[network_.moves[gate.first].role];
      }
      value_[number] = kUnknown;
    }
    counted_ = std::min(counted_, mark);
  }

  const Network& network_;
  const GateGraph& gates_;
  const GroupCandidates* refinements_;
  std::vector<FluentGroup> groups_;
  std::vector<Claim> claims_;
  std::deque<std::uint32_t> open_;                                   // claims
  std::vector<std::vector<std::uint32_t>> groups_of_;                // by fluent
  std::vector<std::uint32_t> first_user_, users_;                    // 2 * gate + 1 if it reads the complement
  std::vector<std::uint32_t> first_move_;                            // by role
  std::vector<std::pair<std::uint32_t, std::uint32_t>> allows_;      // gate of legality and move, sorted

  std::vector<Literal> not_terminal_;
  std::vector<std::uint32_t> forced_;                                // by literal of a fluent: the move that it forces

  std::size_t effort_left_ = 0;                                      // effort left for all claims
  std::size_t effort_of_claim_ = 0;
  std::ptrdiff_t effort_ = 0, effort_given_ = 0;                     // of this claim
  std::uint32_t cone_ = 0;                                           // number of the current proof
  std::vector<std::uint32_t> in_cone_;                               // last proof in which a gate takes part
  std::vector<std::uint32_t> splits_;                                // last proof that may distinguish cases of a gate
  std::vector<std::uint32_t> moves_in_cone_;
  std::vector<std::uint32_t> used_claims_, last_use_;

  std::vector<Value> value_;                                         // by gate
  std::vector<std::uint32_t> trail_;                                 // gates in the order of their assignment
  std::size_t counted_ = 0;                                          // counters are up to date for this length of the trail
  std::vector<std::uint32_t> held_, failed_;                         // number of inputs of a gate that hold, that fail
  std::vector<std::uint32_t> failed_members_, failed_moves_;         // by group, by role
};

}  // namespace

std::vector<FluentGroup> prove_groups(const Network& network, const GroupCandidates& candidates) {
  return Prover(network, candidates.largest(), &candidates).run();
}

std::vector<FluentGroup> prove_groups(const Network& network, std::vector<FluentGroup> candidates) {
  return Prover(network, std::move(candidates), nullptr).run();
}

}  // namespace ggp

// Look-ahead for play-outs, as gates: moves that win at once are played, and moves that let another role win at once
// are avoided if there are others ("decisive" and "anti-decisive" moves: Teytaud and Teytaud, On the huge benefit of
// decisive moves in Monte-Carlo tree search algorithms, CIG 2010).
//
// Let n(s, m) be the state after move m of role r, where every other role has a single legal move, and let T(s) mean
// that s is terminal with goal 100 for r. Then
//
//     wins_m(s) = legal_m(s) & T(n(s, m))
//     risks_m(s) = OR of wins_x(n(s, m)) over the moves x of the other roles
//
// are composed from existing gates. n is rebuilt once with no move of r, and the outputs of the next state are rebuilt
// once from n. For each move, only the gates that the move affects are rebuilt. States in which moves are made are not
// terminal. So conditions that would make these states terminal (a complete line elsewhere) are false, and T has little
// more than the lines that m completes. risks_m also assumes that n(s, m) is not terminal.
//
// Gates that are rarely useful in random play are left out: they would cost more than they gain. Also left out are
// roles whose T depends on positive recursion, roles that may move while another role has a choice, and moves whose
// gates would have too many inputs.
#include <algorithm>
#include <functional>
#include <memory>
#include <queue>
#include <tuple>
#include <unordered_map>

#include "base/random.hpp"
#include "network/circuit/invariants.hpp"
#include "network/circuit/network.hpp"
#include "network/simulator/network_simulator.hpp"

namespace ggp {
namespace {

using Kind = GateGraph::Kind;

// Limit of the inputs of all added gates: this number, or this part of the inputs of the network.
constexpr std::size_t kRoom = 20'000;
constexpr std::size_t kShare = 2;
constexpr std::size_t kInputsPerMove = 1'000;  // limit of inputs of the gates for one move
constexpr std::size_t kTried = 64;             // sampled moves of a role; if all exceed the limit, others are skipped
constexpr std::size_t kEffortPerInput = 100;   // limit of examined inputs, per input of the network
constexpr std::size_t kLeastEffort = 2'000'000;
constexpr std::size_t kTrialEffort = 250'000;  // examined inputs after which some gate must have been useful
constexpr std::size_t kOperands = 10'000'000;  // limit of operands evaluated to measure the use of gates
constexpr std::size_t kInputsPerUse = 16;      // gates used less than once per this number of inputs are removed

// Literals with a known value in all states in which moves are made.
class Known {
 public:
  // `never` does not hold there: if it is an OR, no part of it holds.
  Known(const GateGraph& gates, Literal never) : false_(2 * gates.size(), false) {
    std::vector<Literal> open{never};
    while (!open.empty()) {
      const Literal here = open.back();
      open.pop_back();
      if (false_[here]) continue;
      false_[here] = true;
      const auto& gate = gates[gate_of(here)];
      if (!is_complemented(here) || gate.kind != Kind::kAnd) continue;
      for (std::uint32_t k = 0; k < gate.count; ++k) open.push_back(complement(gates.inputs(gate)[k]));
    }
  }

  // The literal, or its value if known.
  Literal operator()(Literal literal) const {
    if (literal >= false_.size() || gate_of(literal) == 0) return literal;
    return false_[literal] ? kFalse : false_[complement(literal)] ? kTrue : literal;
  }

 private:
  std::vector<bool> false_;
};

// A part of the graph, rebuilt with other literals in place of its leaves, and partly rebuilt again for each move.
class Image {
 public:
  Image(GateGraph& gates, const Known& known, const std::vector<Literal>& roots)
      : gates_(gates), known_(known), place_(gates.size(), kOutside) {
    std::vector<std::uint32_t> open;
    const auto visit = [&](Literal literal) {
      const std::uint32_t number = gate_of(literal);
      if (place_[number] != kOutside) return;
      place_[number] = 0;
      open.push_back(number);
    };
    for (const Literal root : roots) visit(root);
    for (std::size_t i = 0; i < open.size(); ++i) {
      const GateGraph::Gate gate = gates_[open[i]];
      if (gate.kind != Kind::kAnd) continue;
      for (std::uint32_t k = 0; k < gate.count; ++k) visit(gates_.inputs(gate)[k]);
    }
    std::sort(open.begin(), open.end());
    cone_ = std::move(open);
    users_.resize(cone_.size());
    for (std::uint32_t place = 0; place < cone_.size(); ++place) place_[cone_[place]] = place;
    for (std::uint32_t place = 0; place < cone_.size(); ++place) {
      const GateGraph::Gate gate = gates_[cone_[place]];
      if (gate.kind != Kind::kAnd) continue;
      for (std::uint32_t k = 0; k < gate.count; ++k) {
        users_[place_[gate_of(gates_.inputs(gate)[k])]].push_back(place);
      }
    }
    for (const std::uint32_t number : cone_) now_.push_back(known_(2 * number));
    start_ = base_ = now_;
  }

  const std::vector<std::uint32_t>& cone() const { return cone_; }
  bool contains(Literal literal) const { return gate_of(literal) < place_.size() && place_[gate_of(literal)] != kOutside; }
  Literal of(Literal literal) const { return now_[place_[gate_of(literal)]] ^ (literal & 1u); }
  // The number of inputs examined so far.
  std::size_t effort() const { return effort_; }

  // Replaces a leaf by another literal.
  void put(Literal leaf, Literal image) { change(place_[gate_of(leaf)], image ^ (leaf & 1u)); }

  // Rebuilds the gates that depend on replaced leaves, and subtracts the inputs of new gates from `left`; returns false
  // if `left` is exceeded.
  bool update(std::size_t& left) {
    while (!open_.empty()) {
      const std::uint32_t place = open_.top();
      while (!open_.empty() && open_.top() == place) open_.pop();
      const GateGraph::Gate gate = gates_[cone_[place]];
      inputs_.clear();
      for (std::uint32_t k = 0; k < gate.count; ++k) inputs_.push_back(of(gates_.inputs(gate)[k]));
      effort_ += gate.count;
      const std::size_t before = gates_.size();
      const Literal result = gates_.conjunction(inputs_);
      const std::size_t made = gates_.size() != before ? gates_[gate_of(result)].count : 0;
      if (made > left) {
        open_ = {};
        return false;
      }
      left -= made;
      change(place, known_(result));
    }
    return true;
  }

  // Makes the present literals the base of later changes.
  void settle() {
    base_ = now_;
    changed_.clear();
  }
  void restore() {
    for (const std::uint32_t place : changed_) now_[place] = base_[place];
    changed_.clear();
  }
  void start_over() {
    now_ = start_;
    changed_.clear();
  }

 private:
  static constexpr std::uint32_t kOutside = 0xFFFFFFFFu;

  void change(std::uint32_t place, Literal image) {
    if (now_[place] == image) return;
    now_[place] = image;
    changed_.push_back(place);
    for (const std::uint32_t user : users_[place]) open_.push(user);
  }

  GateGraph& gates_;
  const Known& known_;
  std::vector<std::uint32_t> place_;  // gate -> index in the cone
  std::vector<std::uint32_t> cone_;   // gates, ascending
  std::vector<std::vector<std::uint32_t>> users_;
  std::vector<Literal> start_, base_, now_;  // by index in the cone
  std::vector<std::uint32_t> changed_;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> open_;
  std::vector<Literal> inputs_;
  std::size_t effort_ = 0;
};

// For each move, how often it wins at once and how often it is avoided, in random play with look-ahead.
struct Uses {
  std::vector<std::size_t> wins, left_out;
};

Uses count_uses(const Network& network) {
  constexpr int kLanes = 256, kGroups = kLanes / 64;
  const auto program = std::make_shared<const LaneProgram>(compile(network));
  NetworkSimulator simulator(program, *find_kernel(best_isa(), kLanes));
  const std::vector<std::uint64_t> all(kGroups, ~std::uint64_t{0});
  const std::vector<const std::uint64_t*> initial(kLanes, simulator.initial());
  for (int lane = 0; lane < kLanes; ++lane) simulator.seed(lane, mix64(static_cast<std::uint64_t>(lane)));
  simulator.load(all.data(), initial.data());
  simulator.look_ahead(all.data(), true);
  std::vector<std::uint32_t> first{0};  // first move of each role
  for (const auto& legal : program->legal) first.push_back(first.back() + static_cast<std::uint32_t>(legal.size()));

  Uses uses{std::vector<std::size_t>(network.moves.size(), 0), std::vector<std::size_t>(network.moves.size(), 0)};
  std::vector<std::uint64_t> ended(kGroups), playing(kGroups);
  const std::size_t turns = std::clamp<std::size_t>(kOperands / (program->operands.size() + 1), 30, 1000);
  for (std::size_t turn = 0; turn < turns; ++turn) {
    simulator.evaluate();
    for (int group = 0; group < kGroups; ++group) {
      ended[group] = simulator.terminal()[group];
      playing[group] = ~ended[group];
    }
    simulator.choose_at_random(playing.data());
    for (std::size_t role = 0; role < program->wins.size(); ++role) {
      for (const auto& win : program->wins[role]) {
        const std::uint64_t* wins = simulator.lanes_of(win.holds);
        for (int group = 0; group < kGroups; ++group)
          uses.wins[first[role] + win.move] += __builtin_popcountll(wins[group] & playing[group]);
      }
      for (std::size_t move = 0; move < program->legal[role].size(); ++move) {
        if (program->kept[role][move] == program->legal[role][move]) continue;
        const std::uint64_t* legal = simulator.lanes_of(program->legal[role][move]);
        const std::uint64_t* kept = simulator.lanes_of(program->kept[role][move]);
        for (int group = 0; group < kGroups; ++group)
          uses.left_out[first[role] + move] += __builtin_popcountll(legal[group] & ~kept[group] & playing[group]);
      }
    }
    simulator.step();
    simulator.load(ended.data(), initial.data());
  }
  return uses;
}

class LookAhead {
 public:
  LookAhead(Network& network, const std::vector<FluentGroup>& groups)
      : network_(network), gates_(network.gates), known_(gates_, network.terminal) {
    const std::vector<bool> live = live_gates(network);
    std::size_t inputs = 0;
    for (std::uint32_t number = 0; number < live.size(); ++number) inputs += live[number] ? gates_[number].count : 0;
    room_ = std::max(kRoom, kShare * inputs);
    effort_ = std::max(kLeastEffort, kEffortPerInput * inputs);
    group_of_.resize(network.fluents.size());
    for (const auto& group : groups)
      for (const std::uint32_t fluent : group.fluents) group_of_[fluent].push_back(&group);
    for (const auto& move : network.moves) needed_.push_back(implied(needed_fluents(network, move.legal)));
    find_forced_moves();
  }

  void run() {
    const int roles = static_cast<int>(network_.roles.size());
    for (int role = 0; role < roles; ++role)
      compose(role, victory(role), [&](const std::vector<Candidate>& found) { return wins_are_used(found); });
    take_wins(cheapest());
    for (int role = 0; role < roles; ++role)
      compose(role, defeat(role), [](const std::vector<Candidate>& found) { return !found.empty(); });
    keep_from_risks(cheapest());
  }

 private:
  struct Candidate {
    std::uint32_t move;
    Literal result;
    std::size_t inputs;
  };
  static constexpr std::uint32_t kNoMove = 0xFFFFFFFFu;

  // Fluents that hold, and the other fluents of their groups, which do not hold.
  std::vector<Literal> implied(std::vector<Literal> fluents) const {
    const std::size_t count = fluents.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (is_complemented(fluents[i])) continue;
      const std::uint32_t number = gates_[gate_of(fluents[i])].first;
      for (const FluentGroup* group : group_of_[number])
        for (const std::uint32_t other : group->fluents)
          if (other != number) fluents.push_back(complement(network_.fluents[other].input));
    }
    std::sort(fluents.begin(), fluents.end());
    fluents.erase(std::unique(fluents.begin(), fluents.end()), fluents.end());
    return fluents;
  }

  // If all moves of a role except m need a fluent (or its absence), m is made if the fluent fails (holds).
  void find_forced_moves() {
    forced_.resize(network_.roles.size());
    for (int role = 0; role < static_cast<int>(forced_.size()); ++role) {
      std::unordered_map<Literal, std::uint32_t> needing;
      std::uint32_t moves = 0, only = kNoMove;
      for (std::uint32_t number = 0; number < needed_.size(); ++number) {
        if (network_.moves[number].role != role) continue;
        ++moves;
        only = number;
        for (const Literal literal : needed_[number]) ++needing[literal];
      }
      if (moves == 1) forced_[role][kTrue] = only;
      for (const auto& [literal, count] : needing) {
        if (count + 1 != moves) continue;
        for (std::uint32_t number = 0; number < needed_.size(); ++number)
          if (network_.moves[number].role == role && !needs(number, literal)) forced_[role][complement(literal)] = number;
      }
    }
  }

  bool needs(std::uint32_t move, Literal literal) const {
    return std::binary_search(needed_[move].begin(), needed_[move].end(), literal);
  }

  // Finds the only legal moves of the other roles if `move` is legal; returns false if they may have a choice.
  bool find_answers(std::uint32_t move, std::vector<std::uint32_t>& answers) const {
    for (int role = 0; role < static_cast<int>(forced_.size()); ++role) {
      if (role == network_.moves[move].role) continue;
      const auto known = std::find_if(forced_[role].begin(), forced_[role].end(), [&](const auto& entry) {
        return entry.first == kTrue || needs(move, entry.first);
      });
      if (known == forced_[role].end()) return false;
      answers.push_back(known->second);
    }
    return true;
  }

  // The game is over, and the role has won.
  Literal victory(int role) {
    const auto goal = std::find_if(network_.goals.begin(), network_.goals.end(),
                                   [&](const auto& item) { return item.role == role && item.value == 100; });
    if (goal == network_.goals.end()) return kFalse;
    std::vector<Literal> both{goal->holds, network_.terminal};
    return gates_.conjunction(both);
  }

  // Another role can win at once. The OR is a tree, so that a move changes few of its gates.
  Literal defeat(int role) {
    constexpr std::size_t kWidth = 8;
    std::vector<Literal> level;
    for (const auto& move : network_.moves)
      if (move.role != role && move.wins != kFalse) level.push_back(move.wins);
    while (level.size() > 1) {
      std::vector<Literal> above;
      for (std::size_t i = 0; i < level.size(); i += kWidth) {
        std::vector<Literal> part(level.begin() + i, level.begin() + std::min(i + kWidth, level.size()));
        above.push_back(gates_.disjunction(part));
      }
      level = std::move(above);
    }
    return level.empty() ? kFalse : level[0];
  }

  // Composes, for each move of a role, whether `outcome` holds in the next state, if this is cheap. After some effort
  // useful(candidates of the role) decides whether the other moves are examined.
  template <class Useful>
  void compose(int role, Literal outcome, Useful useful) {
    if (gate_of(outcome) == 0) return;
    Image after(gates_, known_, {outcome});
    std::vector<std::uint32_t> fluents;
    std::vector<Literal> next;
    for (const std::uint32_t number : after.cone()) {
      if (gates_[number].kind == Kind::kFeedback) return;
      if (gates_[number].kind != Kind::kFluent) continue;
      fluents.push_back(gates_[number].first);
      next.push_back(network_.fluents[fluents.back()].next);
    }
    Image transition(gates_, known_, next);
    const auto carry_over = [&] {
      for (std::size_t i = 0; i < fluents.size(); ++i)
        after.put(network_.fluents[fluents[i]].input, transition.of(next[i]));
    };

    std::vector<std::uint32_t> present{kNoMove};  // answers for which the images are built
    bool room = true;
    // Builds the images for a move, if that takes few gates, and then calls found(remaining inputs).
    const auto look = [&](std::uint32_t number, auto found) {
      std::vector<std::uint32_t> answers;
      if (!find_answers(number, answers)) return;
      if (answers != present) {
        transition.start_over();
        after.start_over();
        for (const auto& other : network_.moves) put(transition, other, kFalse);
        for (const std::uint32_t answer : answers) put(transition, network_.moves[answer], kTrue);
        room = transition.update(room_);
        if (!room) return;
        carry_over();
        room = after.update(room_);
        if (!room) return;
        transition.settle();
        after.settle();
        present = answers;
      }
      std::size_t left = kInputsPerMove;
      put(transition, network_.moves[number], kTrue);
      if (transition.update(left)) {
        carry_over();
        if (after.update(left)) found(left);
      }
      transition.restore();
      after.restore();
    };

    std::vector<std::uint32_t> moves;
    for (std::uint32_t number = 0; number < network_.moves.size(); ++number)
      if (network_.moves[number].role == role && network_.moves[number].legal != kFalse) moves.push_back(number);
    // The first moves are from all parts of the list. If they take too many gates, or are not useful, the others are
    // not examined.
    const std::size_t apart = std::max<std::size_t>(1, moves.size() / kTried);
    const std::size_t before = candidates_.size();
    bool some = apart < 4, tried = false;
    const auto examine = [&](std::uint32_t number) {
      look(number, [&](std::size_t left) {
        some = true;
        if (after.of(outcome) != kFalse) candidates_.push_back({number, after.of(outcome), kInputsPerMove - left});
      });
      const std::size_t effort = transition.effort() + after.effort();
      if (!room || effort > effort_) return false;
      if (tried || effort <= kTrialEffort) return true;
      tried = true;
      return useful({candidates_.begin() + before, candidates_.end()});
    };
    for (std::size_t first = 0; first < apart; ++first) {
      for (std::size_t i = first; i < moves.size(); i += apart)
        if (!examine(moves[i])) return;
      if (!some) return;
    }
  }

  static void put(Image& transition, const Network::Move& move, Literal value) {
    if (transition.contains(move.input)) transition.put(move.input, value);
  }

  // The cheapest candidates within the limit.
  std::vector<Candidate> cheapest() {
    std::vector<Candidate> all = std::move(candidates_);
    candidates_.clear();
    std::sort(all.begin(), all.end(), [](const Candidate& one, const Candidate& other) {
      return std::tie(one.inputs, one.move) < std::tie(other.inputs, other.move);
    });
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].inputs > room_) all.resize(i);
      else room_ -= all[i].inputs;
    }
    return all;
  }

  bool wins_are_used(const std::vector<Candidate>& candidates) {
    take_wins(candidates);
    bool used = false;
    for (const Candidate& candidate : candidates) {
      Literal& wins = network_.moves[candidate.move].wins;
      used |= wins != kFalse;
      wins = kFalse;
    }
    return used;
  }

  // Sets `wins` of the candidates that are used often enough in random play.
  void take_wins(const std::vector<Candidate>& candidates) {
    for (const Candidate& candidate : candidates) {
      Network::Move& move = network_.moves[candidate.move];
      std::vector<Literal> both{move.legal, candidate.result};
      move.wins = gates_.conjunction(both);
    }
    if (candidates.empty()) return;
    const Uses uses = count_uses(network_);
    for (const Candidate& candidate : candidates)
      if (uses.wins[candidate.move] <= candidate.inputs / kInputsPerUse) network_.moves[candidate.move].wins = kFalse;
  }

  // Removes moves that let another role win at once, in lanes that look ahead, if the role has other moves.
  void keep_from_risks(const std::vector<Candidate>& candidates) {
    if (candidates.empty()) return;
    network_.looks_ahead = gates_.input(Kind::kLooksAhead, 0);
    std::vector<Literal> risks(network_.moves.size(), kFalse);
    for (const Candidate& candidate : candidates) {
      std::vector<Literal> both{candidate.result, complement(network_.moves[candidate.move].wins)};
      risks[candidate.move] = gates_.conjunction(both);
    }
    for (int role = 0; role < static_cast<int>(network_.roles.size()); ++role) {
      std::vector<Literal> safe;
      for (std::uint32_t number = 0; number < risks.size(); ++number) {
        if (network_.moves[number].role != role) continue;
        std::vector<Literal> both{network_.moves[number].legal, complement(risks[number])};
        safe.push_back(gates_.conjunction(both));
      }
      std::vector<Literal> avoids{network_.looks_ahead, gates_.disjunction(safe)};
      const Literal avoids_risks = gates_.conjunction(avoids);
      for (std::uint32_t number = 0; number < risks.size(); ++number) {
        Network::Move& move = network_.moves[number];
        if (move.role != role || risks[number] == kFalse) continue;
        std::vector<Literal> both{risks[number], avoids_risks};
        std::vector<Literal> kept{move.legal, complement(gates_.conjunction(both))};
        move.kept = gates_.conjunction(kept);
      }
    }
    const Uses uses = count_uses(network_);
    for (const Candidate& candidate : candidates)
      if (uses.left_out[candidate.move] <= candidate.inputs / kInputsPerUse)
        network_.moves[candidate.move].kept = kFalse;
  }

  Network& network_;
  GateGraph& gates_;
  const Known known_;
  std::size_t room_, effort_;
  std::vector<std::vector<const FluentGroup*>> group_of_;  // by fluent
  std::vector<std::vector<Literal>> needed_;               // by move, ascending
  std::vector<std::unordered_map<Literal, std::uint32_t>> forced_;  // by role
  std::vector<Candidate> candidates_;
};

}  // namespace

void look_ahead(Network& network, const std::vector<FluentGroup>& groups) {
  const PassTimer timer("look ahead");
  LookAhead(network, groups).run();
  network.passes.push_back(timer.report(count_gates(network)));
}

}  // namespace ggp

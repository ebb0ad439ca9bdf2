// Translates a ground program to a gate network, one to one.
//
// Each derived atom becomes the disjunction of its rules; each rule becomes the conjunction of its body. Atoms are
// processed in topological order of the dependency graph. Atoms that depend on each other positively form a component.
// A component is cut at the targets of the back edges of a depth-first search. These targets become feedback variables,
// which the evaluation iterates to their least fixpoint (Network::Loop).
#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "network/circuit/name_order.hpp"
#include "network/circuit/network.hpp"
#include "network/circuit/strongly_connected.hpp"

namespace ggp {
namespace {

using Atom = GroundProgram::Atom;

class Builder {
 public:
  explicit Builder(const GroundProgram& program)
      : program_(program), value_(program.atoms + 1, kFalse), is_input_(program.atoms + 1, false) {}

  Network build() {
    const PassTimer timer("build");
    add_inputs();
    index_rules();
    mark_relevant();
    translate_components();
    add_outputs();
    network_.passes.push_back(timer.report(count_gates(network_)));
    return std::move(network_);
  }

 private:
  void add_inputs() {
    network_.roles = program_.roles;
    const auto fluents = sorted(program_.fluents.size(), [&](int a, int b) {
      return name_less(program_.fluents[a].name, program_.fluents[b].name);
    });
    fluent_place_.resize(fluents.size());
    for (const int i : fluents) {
      const auto& fluent = program_.fluents[i];
      const auto place = static_cast<std::uint32_t>(network_.fluents.size());
      fluent_place_[i] = place;
      const Literal input = network_.gates.input(GateGraph::Kind::kFluent, place);
      network_.fluents.push_back({fluent.name, input, kFalse, false});
      value_[fluent.input] = input;
      is_input_[fluent.input] = true;
    }
    const auto moves = sorted(program_.moves.size(), [&](int a, int b) {
      const auto& x = program_.moves[a];
      const auto& y = program_.moves[b];
      return x.role != y.role ? x.role < y.role : name_less(x.name, y.name);
    });
    move_place_.resize(moves.size());
    for (const int i : moves) {
      const auto& move = program_.moves[i];
      const auto place = static_cast<std::uint32_t>(network_.moves.size());
      move_place_[i] = place;
      const Literal input = network_.gates.input(GateGraph::Kind::kMove, place);
      network_.moves.push_back({move.role, move.name, input, kFalse});
      value_[move.input] = input;
      is_input_[move.input] = true;
    }
  }

  template <class Less>
  static std::vector<int> sorted(std::size_t count, Less less) {
    std::vector<int> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), less);
    return order;
  }

  void index_rules() {
    first_rule_.assign(program_.atoms + 2, 0);
    for (const auto& rule : program_.rules) ++first_rule_[rule.head + 1];
    std::partial_sum(first_rule_.begin(), first_rule_.end(), first_rule_.begin());
    rule_order_.resize(program_.rules.size());
    std::vector<std::uint32_t> slot(first_rule_.begin(), first_rule_.end() - 1);
    for (std::uint32_t i = 0; i < program_.rules.size(); ++i) rule_order_[slot[program_.rules[i].head]++] = i;
  }

  template <class Visit>
  void for_each_rule(Atom atom, Visit visit) const {
    for (std::uint32_t k = first_rule_[atom]; k < first_rule_[atom + 1]; ++k) {
      const auto& rule = program_.rules[rule_order_[k]];
      const std::int32_t* body = program_.literals.data() + rule.first;
      // A rule whose body contains its own head derives nothing new.
      if (std::find(body, body + rule.count, static_cast<std::int32_t>(atom)) != body + rule.count) continue;
      visit(body, rule.count);
    }
  }

  static Atom atom_of(std::int32_t literal) { return static_cast<Atom>(literal < 0 ? -literal : literal); }

  void mark_relevant() {
    node_.assign(program_.atoms + 1, kNone);
    std::vector<Atom> open;
    const auto visit = [&](Atom atom) {
      if (atom == GroundProgram::kFact || is_input_[atom] || node_[atom] != kNone) return;
      node_[atom] = static_cast<std::uint32_t>(atom_.size());
      atom_.push_back(atom);
      open.push_back(atom);
    };
    for (const auto& next : program_.next) visit(next.atom);
    for (const auto& legal : program_.legal) visit(legal.atom);
    for (const auto& goal : program_.goals) visit(goal.atom);
    for (const auto& percept : program_.percepts) visit(percept.atom);
    for (const Atom atom : program_.terminal) visit(atom);
    while (!open.empty()) {
      const Atom atom = open.back();
      open.pop_back();
      for_each_rule(atom, [&](const std::int32_t* body, std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) visit(atom_of(body[i]));
      });
    }
  }

  void translate_components() {
    Digraph graph;
    for (const Atom atom : atom_) {
      graph.first.push_back(static_cast<std::uint32_t>(graph.targets.size()));
      for_each_rule(atom, [&](const std::int32_t* body, std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i)
          if (!is_input_[atom_of(body[i])]) graph.targets.push_back(node_[atom_of(body[i])]);
      });
      const auto begin = graph.targets.begin() + graph.first.back();
      std::sort(begin, graph.targets.end());
      graph.targets.erase(std::unique(begin, graph.targets.end()), graph.targets.end());
    }
    graph.first.push_back(static_cast<std::uint32_t>(graph.targets.size()));

    component_.assign(atom_.size(), kNone);
    std::uint32_t number = 0;
    for (const auto& component : strongly_connected(graph)) {
      for (const std::uint32_t node : component) component_[node] = number;
      if (component.size() == 1) {
        reject_negation_within(component);
        value_[atom_[component[0]]] = definition(atom_[component[0]]);
      } else {
        translate_recursion(component, graph);
      }
      ++number;
    }
  }

  Literal definition(Atom atom) {
    std::vector<Literal> rules, body_literals;
    for_each_rule(atom, [&](const std::int32_t* body, std::uint32_t count) {
      body_literals.clear();
      for (std::uint32_t i = 0; i < count; ++i) {
        const Literal value = value_[atom_of(body[i])];
        body_literals.push_back(body[i] > 0 ? value : complement(value));
      }
      rules.push_back(network_.gates.conjunction(body_literals));
    });
    return network_.gates.disjunction(rules);
  }

  void reject_negation_within(const std::vector<std::uint32_t>& component) const {
    for (const std::uint32_t node : component)
      for_each_rule(atom_[node], [&](const std::int32_t* body, std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) {
          const Atom atom = atom_of(body[i]);
          if (body[i] < 0 && !is_input_[atom] && component_[node_[atom]] == component_[node])
            throw NotStratified("the rules are not stratified: an atom depends on its own negation");
        }
      });
  }

  void translate_recursion(const std::vector<std::uint32_t>& component, const Digraph& graph) {
    reject_negation_within(component);
    // Depth-first search; an edge to a node still on the path closes a cycle.
    enum : char { kNew, kOnPath, kLeft };
    std::vector<char> mark(component.size(), kNew);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> by_node;
    for (std::uint32_t i = 0; i < component.size(); ++i) by_node.push_back({component[i], i});
    std::sort(by_node.begin(), by_node.end());
    const auto index_of = [&](std::uint32_t node) {
      return std::lower_bound(by_node.begin(), by_node.end(), std::make_pair(node, 0u))->second;
    };
    std::vector<std::uint32_t> post_order;
    std::vector<bool> is_cut(component.size(), false);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> path;  // index, next edge
    const std::uint32_t number = component_[component[0]];
    path.push_back({0, graph.first[component[0]]});
    mark[0] = kOnPath;
    while (!path.empty()) {
      auto& [index, edge] = path.back();
      if (edge == graph.first[component[index] + 1]) {
        mark[index] = kLeft;
        post_order.push_back(index);
        path.pop_back();
        continue;
      }
      const std::uint32_t target = graph.targets[edge++];
      if (component_[target] != number) continue;
      const std::uint32_t next = index_of(target);
      if (mark[next] == kOnPath) is_cut[next] = true;
      if (mark[next] == kNew) {
        mark[next] = kOnPath;
        path.push_back({next, graph.first[target]});
      }
    }

    const std::size_t first_loop = network_.loops.size();
    for (std::uint32_t i = 0; i < component.size(); ++i) {
      if (!is_cut[i]) continue;
      const auto variable =
          network_.gates.input(GateGraph::Kind::kFeedback, static_cast<std::uint32_t>(network_.loops.size()));
      network_.loops.push_back({variable, kFalse, groups_});
      value_[atom_[component[i]]] = variable;
    }
    std::vector<Literal> defined(component.size());
    for (const std::uint32_t i : post_order) {
      defined[i] = definition(atom_[component[i]]);
      if (!is_cut[i]) value_[atom_[component[i]]] = defined[i];
    }
    std::size_t loop = first_loop;
    for (std::uint32_t i = 0; i < component.size(); ++i)
      if (is_cut[i]) network_.loops[loop++].definition = defined[i];
    ++groups_;
  }

  Literal value_of(Atom atom) const { return atom == GroundProgram::kFact ? kTrue : value_[atom]; }

  void add_outputs() {
    for (const int i : program_.initial) network_.fluents[fluent_place_[i]].initially = true;
    for (const auto& next : program_.next) network_.fluents[fluent_place_[next.index]].next = value_of(next.atom);
    for (const auto& legal : program_.legal) network_.moves[move_place_[legal.index]].legal = value_of(legal.atom);
    std::vector<Literal> terminal;
    for (const Atom atom : program_.terminal) terminal.push_back(value_of(atom));
    network_.terminal = network_.gates.disjunction(terminal);
    // One value may have several spellings (7, 07), but is one goal.
    std::map<std::pair<int, int>, std::vector<Literal>> goals;
    for (const auto& goal : program_.goals) goals[{goal.role, goal.value}].push_back(value_of(goal.atom));
    for (auto& [goal, ways] : goals)
      network_.goals.push_back({goal.first, goal.second, network_.gates.disjunction(ways)});
    const auto percepts = sorted(program_.percepts.size(), [&](int a, int b) {
      const auto& x = program_.percepts[a];
      const auto& y = program_.percepts[b];
      return x.role != y.role ? x.role < y.role : name_less(x.name, y.name);
    });
    for (const int i : percepts) {
      const auto& percept = program_.percepts[i];
      network_.percepts.push_back({percept.role, percept.name, value_of(percept.atom)});
    }
  }

  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  const GroundProgram& program_;
  Network network_;
  std::vector<Literal> value_;       // by atom
  std::vector<bool> is_input_;       // by atom
  std::vector<std::uint32_t> fluent_place_, move_place_;
  std::vector<std::uint32_t> first_rule_, rule_order_;  // rules by head
  std::vector<std::uint32_t> node_;  // atom -> node of the dependency graph
  std::vector<Atom> atom_;           // node -> atom
  std::vector<std::uint32_t> component_;
  int groups_ = 0;
};

}  // namespace

Network build_network(const GroundProgram& program) { return Builder(program).build(); }

}  // namespace ggp

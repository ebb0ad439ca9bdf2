// Games: tic_tac_toe connect_four
//
// Groups of fluents: groups that are valid in every reachable state are found and proved, plausible other groups are
// not; and a network simplified by groups plays as before.
#include <algorithm>
#include <set>

#include "check.hpp"
#include "fixtures/ground_text.hpp"
#include "network/circuit/invariants.hpp"
#include "network/simulator/network_simulator.hpp"

namespace {

using namespace ggp;

using Names = std::vector<std::string>;

Names names_of(const Network& network, const FluentGroup& group) {
  Names names;
  for (const std::uint32_t fluent : group.fluents) names.push_back(network.fluents[fluent].name);
  return names;
}

std::vector<FluentGroup> proved(const Network& network, const std::vector<FluentGroup>& candidates) {
  return prove_groups(network, candidates);
}

std::vector<FluentGroup> groups_of(const Network& network) { return prove_groups(network, GroupCandidates(network)); }

bool holds(const Network& network, const std::vector<FluentGroup>& groups, const Names& names, bool exactly_one) {
  return std::any_of(groups.begin(), groups.end(), [&](const FluentGroup& group) {
    return names_of(network, group) == names && group.exactly_one == exactly_one;
  });
}

// A small program: fluent i is atom i + 1, the rules follow.
Network network_of(const Names& fluents, const std::string& rest) {
  std::string text = "role r\nmove 0 100 go\nmove 0 101 stop\nlegal 0 0\nlegal 1 0\n";
  for (std::size_t i = 0; i < fluents.size(); ++i)
    text += "fluent " + std::to_string(i + 1) + " " + fluents[i] + "\n";
  return build_network(ground_program(text + rest));
}

void cells_of_a_board(const GroundProgram& program, std::size_t cells) {
  const Network network = simplify(build_network(program));
  const auto groups = groups_of(network);
  CHECK(groups.size() >= cells);
  CHECK(std::any_of(groups.begin(), groups.end(), [](const FluentGroup& group) { return group.exactly_one; }));
  std::set<std::uint32_t> grouped;
  for (const auto& group : groups) grouped.insert(group.fluents.begin(), group.fluents.end());
  CHECK_EQUAL(grouped.size(), network.fluents.size());
}

// A counter that wraps around; a counter that ends, so that no fluent holds at last.
TEST(counters) {
  const Names names{"(step 0)", "(step 1)", "(step 2)"};
  const std::string steps = "initial 0\nnext 1 11\nrule 11 1\nnext 2 12\nrule 12 2\n";
  const Network round = network_of(names, steps + "next 0 13\nrule 13 3\n");
  CHECK(holds(round, groups_of(round), names, true));
  const Network running_out = network_of(names, steps);
  CHECK(holds(running_out, groups_of(running_out), names, false));
}

// Two fluents that hold together only after seven turns: the initial state and short play do not show it.
TEST(a_group_that_fails_late) {
  Names names{"(at a)", "(at b)"};  // numbered by name: before the others
  std::string rules = "initial 0\ninitial 2\nnext 0 20\nrule 20 1\n";
  for (int i = 0; i < 7; ++i) names.push_back("(late " + std::to_string(i) + ")");
  for (int i = 0; i < 6; ++i) {
    const std::string atom = std::to_string(30 + i);
    rules += "next " + std::to_string(3 + i) + " " + atom + "\nrule " + atom + " " + std::to_string(3 + i) + "\n";
  }
  const Network network = network_of(names, rules + "next 1 21\nrule 21 9\n");
  CHECK(proved(network, {FluentGroup{{0, 1}, false}}).empty());
  CHECK(proved(network, {FluentGroup{{0, 1}, true}}).empty());
}

// Each of two groups follows from the other, but one of them fails for another reason: both are dropped.
TEST(groups_that_lean_on_each_other) {
  const Names names{"a", "b", "c", "d", "e"};
  const std::string rules =
      "initial 0\ninitial 2\nnext 0 11\nrule 11 3\nnext 1 12\nrule 12 4\nnext 2 13\nrule 13 1\nnext 3 14\nrule 14 2\n";
  const Network sound = network_of(names, rules);
  CHECK_EQUAL(proved(sound, {FluentGroup{{0, 1}, true}, FluentGroup{{2, 3}, true}}).size(), std::size_t{2});
  const Network broken = network_of(names, rules + "rule 14 5\nnext 4 15\nrule 15 100\n");
  CHECK(proved(broken, {FluentGroup{{0, 1}, true}, FluentGroup{{2, 3}, true}}).empty());
}

// The induction may assume that each role makes one move, but not a particular move.
TEST(moves_decide) {
  const Names names{"a", "b"};
  const Network chosen =
      network_of(names, "initial 0\nnext 0 11\nrule 11 100\nnext 1 12\nrule 12 101\n");
  CHECK(holds(chosen, proved(chosen, {FluentGroup{{0, 1}, true}}), names, true));
  // Here the first fails as soon as move 1 is made, and no other member holds.
  const Network lost = network_of(names, "initial 0\nnext 0 11\nrule 11 1 100\nnext 1 12\nrule 12 2 100\n");
  CHECK(holds(lost, proved(lost, {FluentGroup{{0, 1}, true}}), names, false));
}

// A fluent may belong to two groups of which one holds; it is replaced by the other member of only one of them.
// Move 0 (go) exchanges all four as long as it is legal, move 1 leaves them.
TEST(fluents_of_two_groups) {
  const Names names{"(using 1 blue)", "(using 1 red)", "(using 2 blue)", "(using 2 red)"};
  const Network raw = network_of(names,
                                 "initial 1\ninitial 2\n"
                                 "next 0 11\nrule 11 1 -100\nrule 11 2 100\nnext 1 12\nrule 12 2 -100\nrule 12 1 100\n"
                                 "next 2 13\nrule 13 3 -100\nrule 13 4 100\nnext 3 14\nrule 14 4 -100\nrule 14 3 100\n");
  CHECK(groups_of(raw).size() >= 4);
  const Network small = simplify(raw);
  CHECK_EQUAL(small.fluents.size(), std::size_t{4});
  NetworkSimulator built(std::make_shared<const LaneProgram>(compile(raw)), *find_kernel("portable", 64));
  NetworkSimulator simple(std::make_shared<const LaneProgram>(compile(small)), *find_kernel("portable", 64));
  std::uint64_t expected = 0, found = 0, one = 1;
  std::uint64_t* to_expected = &expected;
  std::uint64_t* to_found = &found;
  for (int turn = 0; turn < 20; ++turn) {
    built.evaluate();
    simple.evaluate();
    const int move = turn * turn % 3 % 2;
    built.choose(0, 0, move);
    simple.choose(0, 0, move);
    built.step();
    simple.step();
    built.store(&one, &to_expected);
    simple.store(&one, &to_found);
    CHECK_EQUAL(found, expected);
  }
}

}  // namespace

TESTS(int, char** arguments) {
  cells_of_a_board(ground_program_file(arguments[1]), 10);
  cells_of_a_board(ground_program_file(arguments[2]), 43);
}

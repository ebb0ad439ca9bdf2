"""Sheets with several goal values, goals beyond the range, and unbound heads: all machines agree."""

from __future__ import annotations

import pytest

from gdl import GdlRuleError, NetworkMachine, ReasonerMachine, ReferenceMachine, StateMachine, parse_sheet
from gdl.checks import check_text
from gdl.machines.reference import OddGoals

MACHINES = (ReferenceMachine, NetworkMachine, ReasonerMachine)

# After `both` the goal values 0 and 100 hold, after `plain` 40 and after `nothing` none.
SEVERAL = """
(role p) (init start)
(<= (legal p both) (true start)) (<= (legal p plain) (true start)) (<= (legal p nothing) (true start))
(<= (next (did ?m)) (does p ?m)) (<= terminal (true (did ?m)))
(<= (goal p 100) (true (did both))) (<= (goal p 0) (true (did both))) (<= (goal p 40) (true (did plain)))
"""

# The score is at most 100, though the rules of addition allow 150.
OVER = """
(role a) (init (step 1)) (init (score 0)) (succ 1 2) (succ 2 3)
(plus 0 50) (plus 50 100) (plus 100 150)
(<= (legal a go) (true (step ?s))) (<= (legal a stay) (true (step ?s)))
(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
(<= (next (score ?y)) (true (score ?x)) (does a go) (plus ?x ?y))
(<= (next (score ?x)) (true (score ?x)) (does a stay))
(<= terminal (true (step 3))) (<= (goal a ?s) (true (score ?s)))
"""

LOOSE = """
(role x) (role o) (init s) (legal ?p go)
(<= (legal ?p (stop ?p)) (true s)) (<= (next t) (true s)) (<= terminal (true t))
(<= (goal ?p 50) (not (true s))) (<= (goal ?p 0) (true s))
"""


def after(machine: StateMachine, *joints: tuple[str, ...]) -> object:
    state = machine.initial()
    for joint in joints:
        state = machine.next(state, joint)
    return state


@pytest.mark.parametrize("kind", MACHINES)
def test_the_highest_of_several_goal_values_counts(kind: type[StateMachine]) -> None:
    machine = kind(parse_sheet(SEVERAL))
    for move, values, goal in (("both", [0, 100], 100), ("plain", [40], 40), ("nothing", [], None)):
        state = after(machine, (move,))
        assert machine.terminal(state)
        assert (machine.goals(state, "p"), machine.goal(state, "p")) == (values, goal)


@pytest.mark.parametrize("kind", MACHINES)
def test_a_goal_that_only_the_grounder_reaches_stops_nothing(kind: type[StateMachine]) -> None:
    sheet = parse_sheet(OVER)
    machine = kind(sheet)
    state = after(machine, ("go",), ("go",))
    assert machine.goal(state, "a") == 100 and OddGoals(sheet).of(machine, state) == []


@pytest.mark.parametrize("kind", MACHINES)
def test_a_goal_beyond_the_range_counts_as_its_nearest_end(kind: type[StateMachine]) -> None:
    sheet = parse_sheet("(role r) (role s) (init x) (legal r a) (legal s a) (goal r 150) (goal s -3) (goal s 0)")
    machine = kind(sheet)
    state = machine.initial()
    assert [machine.goals(state, role) for role in ("r", "s")] == [[100], [0]]
    assert [(odd.role, odd.value) for odd in OddGoals(sheet).of(machine, state)] == [("r", "150"), ("s", "-3")]


@pytest.mark.parametrize("kind", MACHINES)
@pytest.mark.parametrize("word", ["win", "33.5", "(f 1)", "-", "+50"])
def test_a_goal_that_is_not_a_whole_number_does_not_count(kind: type[StateMachine], word: str) -> None:
    sheet = parse_sheet(f"(role r) (role s) (init x) (legal r a) (legal s a) (worth {word}) (goal r 50) (goal r {word})"
                        "(<= (goal s ?n) (worth ?n))")  # fmt: skip
    machine = kind(sheet)
    state = machine.initial()
    assert [(machine.goals(state, role), machine.goal(state, role)) for role in "rs"] == [([50], 50), ([], None)]
    assert [str(odd) for odd in OddGoals(sheet).of(machine, state)] == [
        f"the goal value {word} of {role} is not a whole number and does not count" for role in "rs"
    ]


@pytest.mark.parametrize("kind", MACHINES)
def test_players_have_the_roles_of_facts(kind: type[StateMachine]) -> None:
    rules = "(role a) (extra b) (<= (role ?x) (extra ?x)) (init s) (<= (legal ?r go) (role ?r)) (<= (next s) (true s))"
    machine = kind(parse_sheet(rules))
    assert machine.roles == ("a",)
    assert machine.legal(machine.next(machine.initial(), ["go"]), "a") == ["go"]


@pytest.mark.parametrize("kind", MACHINES)
def test_a_role_that_is_a_compound_term_is_refused_with_its_position(kind: type[StateMachine]) -> None:
    with pytest.raises(GdlRuleError, match=r"^game\.kif:2:1: the role \(f a\) is a compound term"):
        kind(parse_sheet("(legal (f a) go) (init x)\n(role (f a))", source="game.kif"))


@pytest.mark.parametrize("kind", MACHINES)
def test_an_unbound_role_stands_for_every_role(kind: type[StateMachine]) -> None:
    machine = kind(parse_sheet(LOOSE))
    state = machine.initial()
    assert machine.legal(state, "o") == ["(stop o)", "go"] and machine.goals(state, "x") == [0]
    assert machine.goals(after(machine, ("go", "go")), "o") == [50]


def test_check_warns_of_an_unbound_role() -> None:
    report = check_text(LOOSE)
    assert report.verdict == "warnings"
    assert {finding.code for finding in report.findings} == {"GDL508"}


@pytest.mark.parametrize("kind", MACHINES)
@pytest.mark.parametrize(
    "rule", ["(<= (next (at ?x)) (does r go))", "(<= (legal r (go ?x)) (true x))", "(p ?x) (<= terminal (p 1))"]
)
def test_other_unbound_heads_are_refused_with_their_position(kind: type[StateMachine], rule: str) -> None:
    with pytest.raises(GdlRuleError, match=r"^game\.kif:2:\d+: the head contains \?x, which no positive literal"):
        kind(parse_sheet(f"(role r) (legal r go) (init x) (<= terminal (true (at 1)))\n{rule}", source="game.kif"))


@pytest.mark.parametrize("kind", MACHINES)
def test_unsafe_rules_on_which_nothing_depends_are_ignored(kind: type[StateMachine]) -> None:
    machine = kind(parse_sheet("(role r) (legal r go) (init x) (goal r 5) (<= (differ ?x ?y) (distinct ?x ?y))"))
    assert machine.legal(machine.initial(), "r") == ["go"]

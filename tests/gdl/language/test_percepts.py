"""Percepts that show every move: such games are played; all others are refused in one line."""

from __future__ import annotations

import pytest

from gdl import GdlRuleError, NetworkMachine, ReasonerMachine, ReferenceMachine, StateMachine, parse_sheet
from gdl.checks import check_text

# Two players and chance; `sees` rules come after it.
DICE = """(role white) (role black) (role random) (init (step 1)) (succ 1 2) (succ 2 3)
(<= (legal ?r (roll 1)) (role ?r)) (<= (legal ?r (roll 6)) (role ?r))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next (rolled ?r ?n)) (does ?r (roll ?n)))
(<= terminal (true (step 3)))
(<= (goal ?r 100) (role ?r) (true (rolled ?r 6))) (<= (goal ?r 0) (role ?r) (not (true (rolled ?r 6))))
"""

COMPLETE = [
    "(<= (sees ?r (did ?o ?m)) (role ?r) (does ?o ?m))",
    "(<= (sees ?r (did ?m (by ?o))) (does ?o ?m) (role ?r) (distinct ?r ?o))",
    "(<= (sees ?r (does ?o ?m)) (role ?r) (role ?o) (does ?o ?m) (distinct ?o ?r))",
    "(<= (sees white (did ?o ?m)) (does ?o ?m)) (<= (sees black (did ?o ?m)) (does ?o ?m))",
    "(<= (sees ?r (w ?m)) (role ?r) (does white ?m)) (<= (sees ?r (b ?m)) (role ?r) (does black ?m))"
    "(<= (sees ?r (c ?m)) (role ?r) (does random ?m))",
    "(<= (sees ?r (did ?o ?m)) (role ?r) (does ?o ?m)) (<= (sees white (step ?n)) (true (step ?n)))",
]

INCOMPLETE = {
    "nothing is seen": "(<= (sees white start) (true (step 1)))",
    "only one role sees": "(<= (sees white (did ?o ?m)) (does ?o ?m))",
    "only one role is seen": "(<= (sees ?r (did ?m)) (role ?r) (does white ?m))",
    "the own move": "(<= (sees ?r (did ?r ?m)) (role ?r) (does ?r ?m))",
    "who moved": "(<= (sees ?r (moved ?o)) (role ?r) (does ?o ?m))",
    "moves without their roles": "(<= (sees ?r ?m) (role ?r) (does ?o ?m))",
    "one kind of move": "(<= (sees ?r (did ?o ?n)) (role ?r) (does ?o (roll ?n)))",
    "one move": "(<= (sees ?r (did ?o (roll 6))) (role ?r) (does ?o (roll 6)))",
    "under a condition": "(<= (sees ?r (did ?o ?m)) (role ?r) (does ?o ?m) (true (step 1)))",
    "under a negative condition": "(<= (sees ?r (did ?o ?m)) (role ?r) (does ?o ?m) (not (true (step 1))))",
    "under a relation": "(seer white) (<= (sees ?r (did ?o ?m)) (seer ?r) (does ?o ?m))",
    "all but white": "(<= (sees ?r (did ?o ?m)) (role ?r) (does ?o ?m) (distinct ?r white))",
    "never": "(<= (sees ?r (did ?o ?m)) (role ?r) (does ?o ?m) (distinct ?r ?r) (distinct ?o ?r))",
    "all but one move": "(<= (sees ?r (did ?o ?m)) (role ?r) (does ?o ?m) (distinct ?m (roll 1)))",
    "pairs of moves": "(<= (sees ?r (did ?o ?m ?q)) (role ?r) (does ?o ?m) (does ?q ?m))",
    "chance is hidden": "(<= (sees ?r (did white ?m)) (role ?r) (does white ?m))"
    "(<= (sees ?r (did black ?m)) (role ?r) (does black ?m))",
    "percepts that may be false": "(<= (sees ?r (did ?o ?m)) (role ?r) (does ?o ?m))"
    "(<= (sees ?r (did ?o (roll 1))) (role ?r) (role ?o))",
    "a role in an unbound variable": "(<= (sees ?r (did ?o ?m)) (does ?o ?m))",
    "percepts in a condition": "(<= (sees ?r (did ?o ?m)) (role ?r) (does ?o ?m)) (<= (next x) (sees white x))",
}


@pytest.mark.parametrize("sees", COMPLETE)
@pytest.mark.parametrize("kind", [ReferenceMachine, NetworkMachine, ReasonerMachine])
def test_a_game_in_which_all_moves_are_seen_is_played(kind: type[StateMachine], sees: str) -> None:
    machine, plain = kind(parse_sheet(DICE + sees)), ReferenceMachine(parse_sheet(DICE))
    state, known = machine.initial(), plain.initial()
    for joint in (["(roll 1)", "(roll 6)", "(roll 1)"], ["(roll 6)", "(roll 6)", "(roll 1)"]):
        assert [machine.legal(state, role) for role in machine.roles] == [["(roll 1)", "(roll 6)"]] * 3
        state, known = machine.next(state, joint), plain.next(known, joint)
        assert sorted(machine.fluents(state)) == sorted(plain.fluents(known))
    assert machine.terminal(state) and [machine.goal(state, role) for role in machine.roles] == [100, 100, 0]


@pytest.mark.parametrize("sees", COMPLETE)
def test_check_warns_that_such_rules_are_ignored(sees: str) -> None:
    report = check_text(DICE + sees)
    assert report.verdict == "warnings" and {finding.code for finding in report.findings} == {"GDL701"}
    assert all("every role sees every move; this rule is ignored" in finding.message for finding in report.findings)
    assert {finding.cure for finding in report.findings} == {"none if intended"}


@pytest.mark.parametrize("why", INCOMPLETE)
@pytest.mark.parametrize("kind", [ReferenceMachine, NetworkMachine, ReasonerMachine])
def test_other_games_with_percepts_are_refused(kind: type[StateMachine], why: str) -> None:
    with pytest.raises(
        GdlRuleError, match=r"^game\.kif:8:\d+: games of imperfect information .* cannot be played yet$"
    ):
        kind(parse_sheet(f"{DICE}\n{INCOMPLETE[why]}", source="game.kif"))


def test_a_player_alone_knows_its_moves() -> None:
    text = "(role p) (init a) (legal p go) (<= (next b) (true a)) (<= terminal (true b)) (goal p 100) (sees p nothing)"
    assert ReferenceMachine(parse_sheet(text)).roles == ("p",)
    with pytest.raises(GdlRuleError, match="imperfect information"):
        ReferenceMachine(parse_sheet(f"{text} (role random) (legal random go)"))


def test_large_sheets_are_refused_quickly() -> None:
    rules = "".join(f"(<= (sees r{n} (did ?o ?m)) (does ?o ?m))" for n in range(5_000))
    with pytest.raises(GdlRuleError, match="imperfect information"):
        ReferenceMachine(parse_sheet(f"(role a) (role b) {rules}"))

"""Percepts: all machines give the same, and games in which every role sees every move hide no information."""

from __future__ import annotations

import itertools

import pytest

from gdl import NetworkMachine, ReasonerMachine, ReferenceMachine, StateMachine, parse_sheet
from gdl.checks import check_text
from gdl.language.percepts import all_moves_are_seen, hides_information

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
    "(<= (sees ?r (did ?o ?m)) (does ?o ?m))",
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
    "percepts in a condition": "(<= (sees ?r (did ?o ?m)) (role ?r) (does ?o ?m)) (<= (next x) (sees white x))",
}


# Sheets whose form proves nothing, while the gates of percepts show all moves but one.
SHOWN_BY_GATES = {
    "one kind of move",
    "one move",
    "all but one move",
    "pairs of moves",
    "percepts that may be false",
    "percepts in a condition",
}

MACHINES = [ReferenceMachine, NetworkMachine, ReasonerMachine]


@pytest.mark.parametrize("sees", COMPLETE)
@pytest.mark.parametrize("kind", MACHINES)
def test_percepts_do_not_change_the_game(kind: type[StateMachine], sees: str) -> None:
    machine, plain = kind(parse_sheet(DICE + sees)), ReferenceMachine(parse_sheet(DICE))
    state, known = machine.initial(), plain.initial()
    for joint in (["(roll 1)", "(roll 6)", "(roll 1)"], ["(roll 6)", "(roll 6)", "(roll 1)"]):
        assert [machine.legal(state, role) for role in machine.roles] == [["(roll 1)", "(roll 6)"]] * 3
        state, known = machine.next(state, joint), plain.next(known, joint)
        assert sorted(machine.fluents(state)) == sorted(plain.fluents(known))
    assert machine.terminal(state) and [machine.goal(state, role) for role in machine.roles] == [100, 100, 0]


@pytest.mark.parametrize("sees", [*COMPLETE, *INCOMPLETE.values()])
def test_all_machines_give_the_same_percepts(sees: str) -> None:
    reference, *others = (kind(parse_sheet(DICE + sees)) for kind in MACHINES)
    seen = set()
    for joint in itertools.product(["(roll 1)", "(roll 6)"], repeat=3):
        states = [machine.initial() for machine in (reference, *others)]
        for _ in range(2):
            for role in reference.roles:
                expected = reference.percepts(states[0], joint, role)
                seen.update(expected)
                for machine, state in zip(others, states[1:], strict=True):
                    assert machine.percepts(state, joint, role) == expected
            states = [machine.next(state, joint) for machine, state in zip((reference, *others), states, strict=True)]
    assert seen or sees == INCOMPLETE["never"]


def test_percepts_are_of_the_state_before_the_move() -> None:
    text = (
        DICE
        + "(<= (sees white (rolled ?n)) (true (rolled black ?n))) (<= (sees black (next (step ?n))) (next (step ?n)))"
    )
    for kind in MACHINES:
        machine = kind(parse_sheet(text))
        state, joint = machine.initial(), ["(roll 1)", "(roll 6)", "(roll 1)"]
        assert machine.percepts(state, joint, "white") == []
        assert machine.percepts(state, joint, "black") == ["(next (step 2))"]
        state = machine.next(state, joint)
        assert machine.percepts(state, joint, "white") == ["(rolled 6)"]
        assert machine.percepts(state, joint, "random") == []
        with pytest.raises(ValueError, match="no role is called red"):
            machine.percepts(state, joint, "red")
        with pytest.raises(ValueError, match="a joint move has 3 moves, not 1"):
            machine.percepts(state, joint[:1], "white")


@pytest.mark.parametrize("sees", COMPLETE)
def test_games_in_which_all_moves_are_seen_have_perfect_information(sees: str) -> None:
    sheet = parse_sheet(DICE + sees)
    assert all_moves_are_seen(sheet) and not hides_information(sheet)
    assert not NetworkMachine(sheet).hides_information
    report = check_text(DICE + sees)
    expected = ["GDL701", "GDL508"] if "role ?r" not in sees and "(sees ?r" in sees else ["GDL701"]
    assert report.verdict == "warnings" and {finding.code for finding in report.findings} == set(expected)
    assert any("every role sees every move, so all roles know the state" in each.message for each in report.findings)


@pytest.mark.parametrize("why", INCOMPLETE)
def test_other_games_hide_information_unless_gates_show_the_moves(why: str) -> None:
    sheet = parse_sheet(f"{DICE}\n{INCOMPLETE[why]}", source="game.kif")
    assert hides_information(sheet)
    assert ReasonerMachine(sheet).hides_information
    assert NetworkMachine(sheet).hides_information == (why not in SHOWN_BY_GATES)


def test_a_player_alone_knows_its_moves() -> None:
    text = "(role p) (init a) (legal p go) (<= (next b) (true a)) (<= terminal (true b)) (goal p 100) (sees p nothing)"
    assert not hides_information(parse_sheet(text))
    assert hides_information(parse_sheet(f"{text} (role random) (legal random go) (legal random stay)"))
    machine = NetworkMachine(parse_sheet(f"{text} (role random) (legal random go)"))
    assert not machine.hides_information
    assert machine.percepts(machine.initial(), ["go", "go"], "p") == ["nothing"]


def test_large_sheets_are_decided_quickly() -> None:
    rules = "".join(f"(<= (sees r{n} (did ?o ?m)) (does ?o ?m))" for n in range(5_000))
    assert hides_information(parse_sheet(f"(role a) (role b) {rules}"))

"""Sheets with arithmetic: all machines agree in both notations, and with the same sheet that defines its arithmetic."""

from __future__ import annotations

import itertools

import pytest
from quick import few

from gdl import NetworkMachine, ReasonerMachine, ReferenceMachine, StateMachine, parse_sheet
from gdl.compile.arithmetic import COMPARISONS, FUNCTIONS, with_arithmetic
from gdl.language.notation import convert_sheet

END = "(<= terminal (true (turn 4))) (goal p 50)"
TURNS = "(init (turn 0)) (<= (next (turn ?m)) (true (turn ?n)) (+ ?n 1 ?m))"
SHEETS = {
    "fight": """(role p) (init (points 7)) (goal p 100)
        (<= (legal p fight) (true (points ?n)) (> ?n 0))
        (<= (legal p rest) (true (points ?n)) (not (> ?n 3)))
        (<= (next (points ?m)) (does p fight) (- ?n 2 ?m) (true (points ?n)))
        (<= (next (points ?m)) (does p rest) (true (points ?n)) (+ ?n 1 ?m))
        (<= terminal (true (points ?n)) (or (<= ?n -1) (>= ?n 20)))""",
    "bids": f"""(role p) (role q) {TURNS} {END} (coin 1) (coin 2) (init (money p 5)) (init (money q 4))
        (<= (legal ?r (bid ?c)) (true (money ?r ?n)) (coin ?c) (<= ?c ?n))
        (<= (legal ?r pass) (role ?r))
        (<= (next (money ?r ?m)) (does ?r (bid ?c)) (true (money ?r ?n)) (- ?n ?c ?m))
        (<= (next (money ?r ?n)) (does ?r pass) (true (money ?r ?n)))
        (<= (next (ahead ?r)) (does ?r (bid ?c)) (does ?s (bid ?d)) (distinct ?r ?s) (> ?c ?d))
        (<= (goal q ?n) (true (money q ?n)))""",
    "functions": f"""(role p) {TURNS} {END} (init (v -7)) (init (v 3)) (init (v 0)) (legal p go)
        (<= (next (v ?c)) (true (v ?a)) (mod ?a 4 ?c))
        (<= (next (v ?c)) (true (v ?a)) (/ ?a 2 ?c))
        (<= (next (half ?c)) (true (v ?a)) (true (v ?b)) (/ ?a ?b ?c))
        (<= (next (high ?c)) (true (v ?a)) (true (v ?b)) (max ?a ?b ?c) (not (min ?a ?b 0)))
        (<= (next (v ?c)) (true (v ?a)) (* ?a -2 ?b) (+ ?b 1 ?c) (< ?b 9) (> ?b -9))
        (<= (next four) (true (v ?a)) (+ ?a ?a 4))""",
    "derived": f"""(role p) {TURNS} {END} (legal p go) (int 0) (int 1) (int 2) (int 3)
        (<= (near ?x ?y) (int ?x) (int ?y) (+ ?x 1 ?y)) (<= (near ?x ?y) (near ?y ?x))
        (<= (far ?x ?y) (int ?x) (int ?y) (not (near ?x ?y)) (not (= ?x ?y)))
        (<= (size 0 0) (true (turn 0))) (<= (size ?a ?b) (size ?c ?d) (+ ?c 1 ?a) (< ?a 3) (+ ?d ?a ?b))
        (<= (next (far ?x ?y)) (far ?x ?y)) (<= (next (size ?x ?y)) (size ?x ?y))
        (<= (next (sum ?z)) (near ?x ?y) (total ?x ?y ?z)) (<= (total ?x ?y ?z) (+ ?x ?y ?z) (near ?x ?y))""",
}


def defined(text: str, limit: int = 30) -> str:
    """Return a sheet with all facts about the integers from -limit to limit."""
    numbers = range(-limit, limit + 1)
    facts = []
    for name in FUNCTIONS.keys() & set(text.replace("(", " ").split()):
        for a, b in itertools.product(numbers, numbers):
            c = FUNCTIONS[name][0](a, b)
            if c is not None and abs(c) <= limit:
                facts.append(f"({name} {a} {b} {c})")
    text = text.replace("(<= ?c ?n)", "(leq ?c ?n)").replace("(<= ?n -1)", "(leq ?n -1)")
    for name in COMPARISONS.keys() & set(text.replace("(", " ").split()) - {"<="}:
        facts += [f"({name} {a} {b})" for a, b in itertools.product(numbers, numbers) if COMPARISONS[name](a, b)]
    return " ".join([text, *facts])


def positions(machine: StateMachine, turns: int) -> list[object]:
    """Return what a machine says about all positions of the first turns."""
    found: list[object] = []
    states = [machine.initial()]
    for _ in range(turns):
        after = {}
        for state in states:
            terminal = machine.terminal(state)
            legal = [sorted(machine.legal(state, role)) for role in machine.roles]
            goals = [machine.goals(state, role) for role in machine.roles]
            found.append((machine.fluents(state), terminal, legal if not terminal else [], goals))
            for joint in [] if terminal else itertools.product(*legal):
                successor = machine.next(state, joint)
                after[tuple(machine.fluents(successor))] = successor
        states = [after[fluents] for fluents in sorted(after)]
    return found


@pytest.mark.parametrize(("name", "notation"), few(itertools.product(SHEETS, ["kif", "infix"]), 3))
def test_all_machines_agree(name: str, notation: str) -> None:
    text = convert_sheet(SHEETS[name], "infix") if notation == "infix" else SHEETS[name]
    sheet = parse_sheet(text)
    expected = positions(ReferenceMachine(parse_sheet(defined(SHEETS[name]))), 4)
    assert len(expected) > 3
    for machine in (ReferenceMachine(sheet), ReasonerMachine(sheet), NetworkMachine(sheet)):
        assert positions(machine, 4) == expected, machine.kind


def test_a_sheet_keeps_its_own_arithmetic() -> None:
    sheet = parse_sheet(f"(role p) (legal p go) {TURNS} {END} (+ 0 1 5) (+ 5 1 4)")
    assert with_arithmetic(sheet) is sheet
    for machine in (ReferenceMachine(sheet), ReasonerMachine(sheet), NetworkMachine(sheet)):
        after = machine.next(machine.initial(), ["go"])
        assert machine.fluents(after) == ["(turn 5)"]
        assert machine.fluents(machine.next(after, ["go"])) == ["(turn 4)"]


def test_results_beyond_the_range_do_not_hold() -> None:
    sheet = parse_sheet("(role p) (legal p go) (init (n 900)) (<= (next (n ?m)) (true (n ?n)) (+ ?n 99 ?m)) (goal p 0)")
    for machine in (ReferenceMachine(sheet), ReasonerMachine(sheet), NetworkMachine(sheet)):
        state = machine.next(machine.initial(), ["go"])
        assert machine.fluents(state) == ["(n 999)"]
        assert machine.fluents(machine.next(state, ["go"])) == []

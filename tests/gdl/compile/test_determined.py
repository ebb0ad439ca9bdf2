"""Clauses split where the state determines values: equal in play, and small."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import pytest

from gdl import NetworkMachine, ReferenceMachine, RuleSheet, choose_machine, parse_sheet
from gdl._network import Network
from gdl.compile.cache import Cache
from gdl.compile.clauses import Auxiliaries, clauses
from gdl.compile.compiler_process import CompilerLimits
from gdl.compile.determined import (
    Dependencies,
    dependencies_of_facts,
    dependencies_of_fluents,
    take_apart,
    to_asp_determined,
)
from gdl.compile.ground import AspProgram
from gdl.compile.structure import structure_of
from gdl.machines.choose import to_asp_without_goals
from gdl.machines.network import compile_network

CELLS = "abcde"
VALUES = range(3)

# Cells are filled one after the other, each with one of three values.
BOARD = "(role r) " + " ".join([*(f"(place {cell})" for cell in CELLS), *(f"(value {n})" for n in VALUES)])
FILL = "(<= (legal r (put ?c ?n)) (place ?c) (value ?n) (not (full ?c))) (<= (full ?c) (true (cell ?c ?n)))"
# Here a cell may get several values.
HEAP = "(<= (legal r (put ?c ?n)) (place ?c) (value ?n))"
STEPS = """
    (<= (next (cell ?c ?n)) (does r (put ?c ?n))) (<= (next (cell ?c ?n)) (true (cell ?c ?n)))
    (init (step 0)) (<= (next (step ?m)) (true (step ?n)) (after ?n ?m)) (after 0 1) (after 1 2) (after 2 3) (after 3 4)
    (after 4 5) (<= terminal (true (step 5))) (<= (goal r 100) good) (<= (goal r 0) (not good))
"""


def random_sheet(random: Random) -> str:
    """Write a sheet whose goal depends on one rule over the values of all cells, and on a relation of all cells."""
    names = [f"?v{cell}" for cell in CELLS]

    def condition() -> str:
        one, other = random.sample(names, 2)
        text = random.choice([f"(near {one} {other})", f"(value {one})", f"(low {one})", f"(far ?x {one} {other})"])
        negated = random.random() < 0.3 and "?x" not in text
        return f"(not {text})" if negated else random.choice([text, text, f"(distinct {one} {other})"])

    def body(least: int, most: int) -> str:
        return " ".join(condition() for _ in range(random.randint(least, most)))

    facts = [f"(near {n} {m})" for n in VALUES for m in VALUES if random.random() < 0.6] + ["(near 7 7)"]
    facts += [f"(low {n})" for n in VALUES if random.random() < 0.5] + ["(low 8)"]
    facts += [f"(far {x} {n} {m})" for x in "xy" for n in VALUES for m in VALUES if random.random() < 0.4]
    bound = " ".join(f"(value {name})" for name in names)
    views = [f"(<= (view {' '.join(names)}) {bound} {body(0, 2)})" for _ in range(random.randint(1, 3))]
    cells = [f"(true (cell {cell} {name}))" for cell, name in zip(CELLS, names, strict=True)]
    random.shuffle(cells)
    shuffled = " ".join(random.sample(names, len(names)))
    rules = [f"(<= good {' '.join(cells)} {body(0, 2)} (view {shuffled}))" for _ in range(random.randint(1, 2))]
    board = HEAP if random.random() < 0.25 else FILL
    return "\n".join([BOARD, board, STEPS, *facts, "(far z 9 9)", *views, *rules])


def compiled(sheet: RuleSheet, translate: Callable[[RuleSheet], AspProgram]) -> Network:
    compilation = compile_network(sheet, structure_of(sheet), translate, CompilerLimits())
    return Network(compilation.network)


def known_of(sheet: RuleSheet) -> Dependencies:
    """Return the dependencies of fluents from the network without goals."""
    network = compiled(sheet, to_asp_without_goals)
    return dependencies_of_fluents(network.fluents, network.always, network.groups)


@pytest.mark.parametrize("seed", range(12))
def test_in_play_the_answers_agree_with_the_rules(seed: int) -> None:
    random = Random(seed)
    sheet = parse_sheet(random_sheet(random))
    known = known_of(sheet)
    network = compiled(sheet, partial(to_asp_determined, known))
    machine = NetworkMachine.from_compiled(sheet, structure_of(sheet), network)
    oracle = ReferenceMachine(sheet)
    auxiliaries = Auxiliaries()
    plain = clauses(structure_of(sheet).sheet, auxiliaries)
    assert (take_apart(plain, known, auxiliaries) != plain) == any(place.fluent and place.arity == 2 for place in known)
    for _ in range(30):
        state, expected = machine.initial(), oracle.initial()
        while not oracle.terminal(expected):
            assert not machine.terminal(state) and machine.goals(state, "r") == oracle.goals(expected, "r")
            legal = sorted(oracle.legal(expected, "r"))
            assert sorted(machine.legal(state, "r")) == legal
            move = random.choice(legal)
            state, expected = machine.next(state, [move]), oracle.next(expected, [move])
        assert machine.terminal(state) and machine.goals(state, "r") == oracle.goals(expected, "r")


def test_dependencies_agree_with_groups() -> None:
    fluents = ["(cell a 1)", "(cell a 2)", "(cell a 3)", "(cell b 1)", "lamp", "(step 1)", "(step 2)"]

    def places(groups: list[list[int]], always: list[str]) -> set[tuple[str, int]]:
        return {(place.name, place.position) for place in dependencies_of_fluents(fluents, always, groups)}

    assert places([[0, 1, 2], [5, 6]], []) == {("cell", 1), ("step", 0)}
    assert places([[0, 1], [1, 2], [0, 2]], []) == set()  # only groups that contain all of them count
    assert places([[0, 1, 2], [0, 3], [5, 6]], ["(step 7)"]) == {("cell", 0), ("cell", 1)}


def test_dependencies_of_facts_hold_in_all_rows() -> None:
    rules = clauses(
        parse_sheet(
            "(role r) (after 0 1) (after 1 2) (pair 0 1) (pair 0 2) (<= (likes ?x ?y) (pair ?x ?y)) (likes 1 2)"
        ),
        Auxiliaries(),
    )
    found = {(place.name, place.position) for place in dependencies_of_facts(rules)}
    assert found == {("role", 0), ("after", 0), ("after", 1), ("pair", 0)}


# Six cells, each of six values must be in one of them: 6 ** 7 instances of `once`.
WIDE = """
    (role r) (value 1) (value 2) (value 3) (value 4) (value 5) (value 6)
    (<= (legal r (put ?c ?n)) (value ?c) (value ?n) (not (full ?c))) (<= (full ?c) (true (cell ?c ?n)))
    (<= (next (cell ?c ?n)) (does r (put ?c ?n))) (<= (next (cell ?c ?n)) (true (cell ?c ?n)))
    (<= open (value ?c) (not (full ?c))) (<= terminal (not open))
    (<= (goal r 100) good) (<= (goal r 0) (not good))
    (<= good (true (cell 1 ?a)) (true (cell 2 ?b)) (true (cell 3 ?c)) (true (cell 4 ?d)) (true (cell 5 ?e))
        (true (cell 6 ?f)) (once 1 ?a ?b ?c ?d ?e ?f) (once 2 ?a ?b ?c ?d ?e ?f) (once 3 ?a ?b ?c ?d ?e ?f)
        (once 4 ?a ?b ?c ?d ?e ?f) (once 5 ?a ?b ?c ?d ?e ?f) (once 6 ?a ?b ?c ?d ?e ?f))
    (<= (first ?n ?a ?b ?c ?d ?e ?f) (same ?n ?a) (value ?b) (value ?c) (value ?d) (value ?e) (value ?f)
        (not (same ?n ?b)) (not (same ?n ?c)) (not (same ?n ?d)) (not (same ?n ?e)) (not (same ?n ?f)))
    (<= (once ?n ?a ?b ?c ?d ?e ?f) (first ?n ?a ?b ?c ?d ?e ?f))
    (<= (once ?n ?a ?b ?c ?d ?e ?f) (first ?n ?b ?a ?c ?d ?e ?f))
    (<= (once ?n ?a ?b ?c ?d ?e ?f) (first ?n ?c ?a ?b ?d ?e ?f))
    (<= (once ?n ?a ?b ?c ?d ?e ?f) (first ?n ?d ?a ?b ?c ?e ?f))
    (<= (once ?n ?a ?b ?c ?d ?e ?f) (first ?n ?e ?a ?b ?c ?d ?f))
    (<= (once ?n ?a ?b ?c ?d ?e ?f) (first ?n ?f ?a ?b ?c ?d ?e))
    (same 1 1) (same 2 2) (same 3 3) (same 4 4) (same 5 5) (same 6 6)
"""


def test_goals_too_wide_for_other_strategies_get_into_the_network() -> None:
    sheet = parse_sheet(WIDE)
    choice = choose_machine(sheet, limits=CompilerLimits(max_rules=20_000), cache=Cache(None))
    assert choice.strategy == "determined values" and choice.machine.kind == "network"
    assert [attempt.strategy for attempt in choice.attempts] == [
        "split",
        "magic",
        "goals on demand",
        "determined values",
    ]
    machine = choice.machine
    for values, goal in (("635124", 100), ("635123", 0)):
        state = machine.initial()
        for cell, value in enumerate(values, 1):
            assert machine.goals(state, "r") == [0]
            state = machine.next(state, [f"(put {cell} {value})"])
        assert machine.terminal(state) and machine.goals(state, "r") == [goal]


def test_cached_networks_are_the_same(tmp_path: Path) -> None:
    sheet, limits = parse_sheet(WIDE), CompilerLimits(max_rules=20_000)
    first = choose_machine(sheet, limits=limits, cache=Cache(tmp_path))
    again = choose_machine(sheet, limits=limits, cache=Cache(tmp_path))
    assert again.cached and again.strategy == first.strategy and again.attempts == first.attempts
    assert isinstance(again.machine, NetworkMachine) and again.machine.goals(again.machine.initial(), "r") == [0]

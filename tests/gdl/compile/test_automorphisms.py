"""Symmetries of games: in random play, a state and its image have the same legal moves, successors, ends and goals."""

from __future__ import annotations

import random

import pytest

from gdl import NetworkMachine, RuleSheet, parse_sheet
from gdl.compile.automorphisms import Automorphism, automorphisms
from gdl.compile.ground import ground_plain
from kif_games import rules

# The squares of a line are numbered from one side, and the first moves first; nothing can be exchanged.
LOPSIDED = """
(role left) (role right) (init (at 1)) (init (control left))
(<= (legal ?r (go ?n)) (true (control ?r)) (step ?r ?n))
(<= (legal ?r noop) (role ?r) (not (true (control ?r))))
(step left 1) (step left 2) (step left 3) (step right 1) (step right 2)
(<= (next (at ?m)) (true (at ?n)) (does ?r (go ?d)) (plus ?n ?d ?m))
(plus 1 1 2) (plus 2 1 3) (plus 3 1 4) (plus 1 2 3) (plus 2 2 4) (plus 1 3 4) (plus 3 2 4) (plus 2 3 4) (plus 3 3 4)
(<= (next (control left)) (true (control right))) (<= (next (control right)) (true (control left)))
(<= terminal (true (at 4)))
(<= (goal left 100) (true (control right))) (<= (goal left 20) (true (control left)))
(<= (goal right 90) (true (control left))) (<= (goal right 0) (true (control right)))
"""


def found_in(sheet: RuleSheet) -> list[Automorphism]:
    return automorphisms(ground_plain(sheet))


def check(machine: NetworkMachine, mapping: Automorphism, draw: random.Random) -> int:
    """Play at random, and compare each state with its image; return the number of states."""
    roles = machine.roles

    def image(state: bytes) -> bytes:
        return machine.state([mapping.fluents[str(fluent)] for fluent in machine.fluents(state)])

    state, count = machine.initial(), 0
    while not machine.terminal(state) and count < 40:
        mapped = image(state)
        assert not machine.terminal(mapped)
        joint: list[str] = []
        joint_of_image = [""] * len(roles)
        for number, role in enumerate(roles):
            to = mapping.roles[number]
            legal = {str(move) for move in machine.legal(state, role)}
            assert {mapping.moves[number][move] for move in legal} == {
                str(move) for move in machine.legal(mapped, roles[to])
            }
            joint.append(draw.choice(sorted(legal)))
            joint_of_image[to] = mapping.moves[number][joint[-1]]
        state = machine.next(state, joint)
        assert image(state) == machine.next(mapped, joint_of_image)
        count += 1
    mapped = image(state)
    assert machine.terminal(mapped) == machine.terminal(state)
    if machine.terminal(state):
        for number, role in enumerate(roles):
            assert machine.goals(state, role) == machine.goals(mapped, roles[mapping.roles[number]])
    return count


@pytest.mark.parametrize(
    ("name", "count"), [("tic_tac_toe", 15), ("connect_four", 3), ("breakthrough_6x6", 3), ("three_hunters", 1)]
)
def test_symmetries_are_confirmed_by_play(name: str, count: int) -> None:
    sheet = parse_sheet(rules(name))
    machine = NetworkMachine(sheet)
    found = found_in(sheet)
    assert len(found) >= count
    identity = tuple(range(len(machine.roles)))
    assert any(each.roles != identity for each in found)
    draw = random.Random(44)
    for mapping in found[:8]:
        assert check(machine, mapping, draw) > 0
        assert sorted(mapping.fluents.values()) == sorted(mapping.fluents)


def test_symmetries_form_a_group() -> None:
    found = found_in(parse_sheet(rules("tic_tac_toe")))
    known = {tuple(sorted(each.fluents.items())) for each in found}
    assert len(known) == 15
    identity = tuple(sorted((name, name) for name in found[0].fluents))
    for one in found:
        for other in found:
            product = tuple(sorted((name, other.fluents[image]) for name, image in one.fluents.items()))
            assert product in known | {identity}


def test_a_game_without_symmetry_has_none() -> None:
    assert found_in(parse_sheet(LOPSIDED)) == []


def test_the_number_is_limited() -> None:
    program = ground_plain(parse_sheet(rules("tic_tac_toe")))
    assert len(automorphisms(program, limit=5)) == 5
    assert automorphisms(program, max_seconds=0.0) == []

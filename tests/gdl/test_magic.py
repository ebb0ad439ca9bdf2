"""Magic sets: relations grounded only where they are asked for, with the same answers."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_sheets import random_sheet

import gdl.ground
from gdl import NetworkMachine, ReferenceMachine, RuleSheet, StateMachine, parse_sheet
from gdl.asp import AspProgram, asp_program, relevant
from gdl.clauses import Auxiliaries, clauses
from gdl.magic import magic
from gdl.playable import require_playable
from gdl.split import split
from kif_games import catalogue, rules

CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus"
needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the corpus of recorded games is not at {CORPUS}")

# The first reference machine raises the limit of recursion; hypothesis would warn were it to happen within a test.
ReferenceMachine(parse_sheet("(role r)"))


def guarded(sheet: RuleSheet) -> AspProgram:
    """Translate a sheet as `gdl.ground.to_asp` does, with guards."""
    require_playable(sheet)
    auxiliaries = Auxiliaries()
    return asp_program(relevant(magic(split(clauses(sheet, auxiliaries), auxiliaries), auxiliaries)))


@pytest.fixture
def by_magic(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let networks be built from guarded clauses."""
    monkeypatch.setattr(gdl.ground, "to_asp", guarded)


def magic_machine(sheet: RuleSheet) -> NetworkMachine:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gdl.ground, "to_asp", guarded)
        return NetworkMachine(sheet)


def answers(machine: StateMachine, state: object) -> dict[str, object]:
    """Ask a machine everything about a state."""
    return {
        "fluents": machine.fluents(state),
        "legal": [sorted(machine.legal(state, role)) for role in machine.roles],
        "terminal": machine.terminal(state),
        "goals": [machine.goals(state, role) for role in machine.roles],
    }


def check_walk(sheet: RuleSheet, random: Random, steps: int) -> None:
    """Compare the machine with guards and the reference along a random walk."""
    reference, network = ReferenceMachine(sheet), magic_machine(sheet)
    known, found = reference.initial(), network.initial()
    for _ in range(steps):
        assert answers(network, found) == answers(reference, known)
        choices = [network.legal(found, role) for role in network.roles]
        if network.terminal(found) or not all(choices):
            break
        moves = [random.choice(moves) for moves in choices]
        known, found = reference.next(known, moves), network.next(found, moves)


def check_states(sheet: RuleSheet, random: Random, count: int) -> None:
    """Compare the machine with guards and the one without in states that need not be reachable."""
    plain, network = NetworkMachine(sheet), magic_machine(sheet)
    assert network.fluent_names == plain.fluent_names
    assert network.constant_fluents == plain.constant_fluents
    assert [network.move_names(role) for role in range(len(network.roles))] == [
        plain.move_names(role) for role in range(len(plain.roles))
    ]
    for _ in range(count):
        fluents = [name for name in plain.fluent_names if random.random() < 0.5] + list(plain.constant_fluents)
        one, other = plain.state(fluents), network.state(fluents)
        assert answers(network, other) == answers(plain, one)
        moves = [plain.move_names(role) for role in range(len(plain.roles))]
        if all(moves):
            joint = [random.choice(names) for names in moves]
            assert network.fluents(network.next(other, joint)) == plain.fluents(plain.next(one, joint))


# ---- the same answers


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.integers(0, 2**32))
def test_random_sheets_have_the_same_answers(seed: int) -> None:
    random = Random(seed)
    sheet = parse_sheet(random_sheet(random))
    check_walk(sheet, random, 10)
    check_states(sheet, random, 10)


@pytest.mark.parametrize("name", sorted(catalogue()))
def test_catalogue_games_have_the_same_answers(name: str) -> None:
    check_states(parse_sheet(rules(name)), Random(name), 3)

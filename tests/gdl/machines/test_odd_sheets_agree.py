"""Random games with odd goals, unbound roles and compound constants: all machines agree in all states."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import HealthCheck, given
from odd_sheets import odd_sheets
from quick import examples

from gdl import CompiledMachine, NetworkMachine, ReasonerMachine, ReferenceMachine, parse_sheet

# Number of compared states of a game.
_STATES = 12


@pytest.fixture(autouse=True, scope="module")
def deep_recursion() -> None:
    """Raise the recursion limit before hypothesis reads it."""
    ReferenceMachine(parse_sheet("(role r)"))


@examples(25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(text=odd_sheets())
def test_all_machines_agree(text: str) -> None:
    sheet = parse_sheet(text)
    reference = ReferenceMachine(sheet)
    machines: list[CompiledMachine] = [NetworkMachine(sheet), ReasonerMachine(sheet)]
    waiting, met = [reference.initial()], set()
    while waiting and len(met) < _STATES:
        state = waiting.pop(0)
        if state in met:
            continue
        met.add(state)
        fluents = reference.fluents(state)
        terminal = reference.terminal(state)
        legal = [reference.legal(state, role) for role in reference.roles]
        joints = [] if terminal else list(itertools.product(*legal))
        followers = [reference.next(state, joint) for joint in joints]
        for machine in machines:
            same = machine.state(fluents)
            assert (machine.roles, machine.terminal(same)) == (reference.roles, terminal), text
            for number, role in enumerate(reference.roles):
                goals = reference.goals(state, role)
                assert machine.goals(same, role) == goals, text
                assert machine.goal(same, role) == reference.goal(state, role) == max(goals, default=None), text
                if not terminal:
                    assert sorted(machine.legal(same, role)) == legal[number], text
            for joint, after in zip(joints, followers, strict=True):
                assert machine.fluents(machine.next(same, joint)) == reference.fluents(after), text
        waiting += followers

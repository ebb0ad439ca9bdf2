"""Networks of rule sheets; those of catalogue games are compiled once for all tests of a run."""

from __future__ import annotations

from functools import cache

from gdl import MachineState, NetworkMachine, StateMachine, load_machine, parse_sheet
from kif_games import rules


@cache
def catalogue_network(name: str) -> NetworkMachine:
    """Return the network of a game of the catalogue, from the cache of the tests if another process has compiled it."""
    machine = load_machine(parse_sheet(rules(name), source=name))
    assert isinstance(machine, NetworkMachine)
    return machine


def answers(machine: StateMachine, state: MachineState) -> dict[str, object]:
    """Return all results of a machine for a state."""
    return {
        "fluents": machine.fluents(state),
        "legal": [sorted(machine.legal(state, role)) for role in machine.roles],
        "terminal": machine.terminal(state),
        "goals": [machine.goals(state, role) for role in machine.roles],
    }


def network_of(text: str) -> NetworkMachine:
    """Return the network of a rule sheet."""
    return NetworkMachine(parse_sheet(text))

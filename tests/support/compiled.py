"""Networks of rule sheets; those of catalogue games are compiled once for all tests of a run."""

from __future__ import annotations

from functools import cache

from gdl import NetworkMachine, load_machine, parse_sheet
from kif_games import rules


@cache
def catalogue_network(name: str) -> NetworkMachine:
    """Return the network of a game of the catalogue, from the cache of the tests if another process has compiled it."""
    machine = load_machine(parse_sheet(rules(name), source=name))
    assert isinstance(machine, NetworkMachine)
    return machine


def network_of(text: str) -> NetworkMachine:
    """Return the network of a rule sheet."""
    return NetworkMachine(parse_sheet(text))

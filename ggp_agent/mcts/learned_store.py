"""The networks that were learned for games of this user, stored beside the compiled games."""

from __future__ import annotations

from gdl import CompiledMachine, LaneSimulator, NetworkMachine
from gdl.compile.beside import Beside
from gdl.compile.cache import Cache, default_cache
from gdl.compile.structure import structure_of

from .. import _learning
from ..common.errors import UserError
from .core_keys import LEARNED
from .learned_network import LearnedNetwork, game_digest

# Increase this number when the meaning of a stored network changes: older ones are then ignored.
VERSION = 1

_NETWORKS = Beside("network", f"learned{VERSION}", LearnedNetwork.from_bytes, LearnedNetwork.to_bytes)


class LearnedStore:
    """The learned networks of this user. Copies of a game with other names share one network."""

    def __init__(self, cache: Cache | None = None) -> None:
        self._cache = cache or default_cache()

    def read(self, machine: CompiledMachine) -> LearnedNetwork | None:
        """Return the network of a game; None if there is none."""
        if not isinstance(machine, NetworkMachine):
            return None
        network = _NETWORKS.read(self._cache, structure_of(machine.sheet).key)
        return network if network is not None and network.game == game_digest(machine) else None

    def write(self, machine: NetworkMachine, network: LearnedNetwork) -> None:
        """Store a network in place of an earlier one."""
        network.require_game(machine, "the network cannot be stored")
        try:
            LearnedNetwork.from_bytes(network.to_bytes())
        except ValueError as error:
            raise UserError(f"the network cannot be stored: {error}") from None
        if obstacle := _NETWORKS.write(self._cache, structure_of(machine.sheet).key, network):
            raise UserError(f"the network cannot be stored: {obstacle}")


def load_learned(machine: CompiledMachine, store: LearnedStore | None = None) -> None:
    """Add the network that was learned for its game to a machine that lacks it."""
    if LEARNED in machine.evaluations:
        return
    if not isinstance(machine, NetworkMachine):
        raise UserError(f"evaluation.name is {LEARNED}, but only games that are played as networks can be learned")
    network = (store or LearnedStore()).read(machine)
    if network is None:
        raise UserError(f"evaluation.name is {LEARNED}, but this game has none: run ggp-agent learn GAME first")
    add_learned(machine, network)


def add_learned(machine: NetworkMachine, network: LearnedNetwork, name: str = LEARNED) -> None:
    """Add a network to all simulators of a machine that are made from now on."""
    game = network.in_core()

    def with_network(simulator: LaneSimulator) -> LaneSimulator:
        return _learning.LearnedSimulator(simulator, game, name)

    machine.add_layer(name, with_network)

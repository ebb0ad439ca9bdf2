"""Values and move probabilities of many states by a learned network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from gdl import NetworkMachine

from .. import _learning
from ..common.errors import UserError
from .core_keys import LEARNED
from .learned_network import LearnedNetwork

_Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]


@dataclass(frozen=True, slots=True, eq=False)
class NetworkValues:
    """What a network says about n states.

    Attributes:
        values: the expected reward of each role, -1 .. 1, and in terminal states the reward of the goal; float32,
            [n, roles].
        probabilities: the probability of each move by role, 0 for moves that are not legal and in terminal states;
            float32, [n, moves].
    """

    values: _Floats
    probabilities: tuple[_Floats, ...]


def evaluate(network: LearnedNetwork, machine: NetworkMachine, states: Sequence[bytes]) -> NetworkValues:
    """Evaluate packed states of a machine by a network.

    Args:
        network: the network.
        machine: the machine of the game of the network.
        states: packed states.

    Raises:
        UserError: the network belongs to another game.
        ValueError: a state has another size.
    """
    if not isinstance(machine, NetworkMachine):
        raise UserError("only games that are played as networks have learned networks")
    network.require_game(machine, "the network")
    size = len(machine.initial())
    if any(len(state) != size for state in states):
        raise ValueError(f"a packed state of this game has {size} bytes")
    packed = np.frombuffer(b"".join(states), np.uint64).reshape(len(states), size // 8).copy()
    values = np.zeros((len(states), len(machine.roles)), np.float32)
    probabilities = [
        np.zeros((len(states), len(machine.move_names(role))), np.float32) for role in range(len(machine.roles))
    ]
    if len(states):
        simulator = _learning.LearnedSimulator(machine.simulator(), network.in_core(), LEARNED)
        simulator.evaluate_states(packed, values, probabilities)
    return NetworkValues(values, tuple(probabilities))

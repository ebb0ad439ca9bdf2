"""What the roles of many states perceive, as arrays.

>>> from ggp_agent.game.lanes import Lanes
>>> lanes = Lanes("monty_hall", 100, seed=1)
>>> lanes.step_random()  # the car is hidden, and the candidate chooses a door
>>> lanes.step_random()  # another door is opened
>>> lanes.percepts.names("candidate")
('(open 1)', '(open 2)', '(open 3)', '(car 1)', '(car 2)', '(car 3)')
>>> lanes.percepts.of("candidate").sum(axis=1).tolist()[3:], int(lanes.percepts.of("candidate").sum())
([0, 0, 0], 100)
"""

from __future__ import annotations

import numpy as np

from gdl import NumberedMachine
from gdl._simulator import LaneArrays

from .lane_arrays import Bytes


class LanePercepts:
    """The percepts of each role in the latest step of lanes."""

    def __init__(self, machine: NumberedMachine, core: LaneArrays) -> None:
        self._machine = machine
        self._core = core
        if any(machine.percept_names(role) for role in range(len(machine.roles))):
            core.record_percepts()

    def names(self, role: str) -> tuple[str, ...]:
        """Return the percepts of a role as KIF; the index of a percept is its number in all states."""
        return self._machine.percept_names(self._machine.roles.index(role))

    def of(self, role: str) -> Bytes:
        """Return what a role perceived in the latest step: a new array, uint8, 0 or 1, [percepts, n].

        All 0 in lanes that did not play in this step. Copies of lanes begin without percepts.
        """
        perceived = np.zeros((len(self.names(role)), self._core.lanes), np.uint8)
        self._core.perceived(self._machine.roles.index(role), perceived)
        return perceived

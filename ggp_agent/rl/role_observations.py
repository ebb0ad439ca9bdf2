"""What each role observes in a game with hidden information, as arrays: its latest choice and its percepts since then.

A row has an entry for each move of the role, 1 for the move that it chose last, and then an entry for each of its
percepts, 1 if the role has perceived it since it made this choice. Forced moves are no choices. A learner that needs
more of the past must remember it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..game.lane_arrays import Bytes, Moves
from ..game.lanes import Lanes

Bools = npt.NDArray[np.bool_]


class RoleObservations:
    """Step lanes, and collect what some roles observe."""

    def __init__(self, lanes: Lanes, roles: Sequence[str]) -> None:
        self._lanes = lanes
        self._rows = {role: np.zeros((len(self.names(role)), lanes.n), np.uint8) for role in roles}

    def names(self, role: str) -> tuple[str, ...]:
        """Return the names of the parts of an observation: moves as `(does ROLE MOVE)`, percepts as KIF."""
        moves = (f"(does {role} {move})" for move in self._lanes.move_names(role))
        return (*moves, *self._lanes.percepts.names(role))

    def observe(self, role: str) -> Bytes:
        """Return the observations of a role: a new array, uint8, 0 or 1, [n, parts]."""
        return self._rows[role].T.copy()

    def clear(self, lanes: Bools | None = None) -> None:
        """Forget everything, in lanes of a mask, bool, [n], or in all lanes."""
        for row in self._rows.values():
            row[:, slice(None) if lanes is None else lanes] = 0

    def step(self, moves: Moves, held: Bools | None = None, fresh: Bools | None = None) -> None:
        """Play a turn."""
        lanes = self._lanes
        plays = ~lanes.terminal
        for others in (held, fresh):
            if others is not None:
                plays &= ~others
        chose = {role: np.flatnonzero(lanes.has_choice(role) & plays) for role in self._rows}
        lanes.step(moves, held=held, fresh=fresh)
        for role, row in self._rows.items():
            row[:, chose[role]] = 0
            row[moves[lanes.roles.index(role), chose[role]], chose[role]] = 1
            row[len(lanes.move_names(role)) :] |= lanes.percepts.of(role)


class RoleObserver:
    """Observe what one role observes, as `Observer` observes states."""

    def __init__(self, observations: RoleObservations, role: str) -> None:
        self._observations = observations
        self._role = role
        self.names = observations.names(role)  # the names of the parts of an observation
        self.shape: tuple[int, ...] = (len(self.names),)  # the shape of the observation of one game

    def observe(self) -> Bytes:
        """Return the observations: a new array, uint8, [n, parts]."""
        return self._observations.observe(self._role)

    def observe_first(self) -> Bytes:
        """Return the observation of the first lane: a new array, uint8, [parts]."""
        first: Bytes = self.observe()[0]
        return first

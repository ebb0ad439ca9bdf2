"""Observations for a learner: the fluents, or planes of the board.

`fluents` is a row of 0 and 1, with an entry for each fluent that may be true or false. `planes` is for games whose
board is a grid: a plane for each possible content of a cell, [planes, rows, columns], and one for each role, which is
full of 1 if the role has a choice. Rows are counted from below. Fluents that describe no cell, such as turn counters,
are not included.

`percepts` is for games with hidden information: the latest choice of a role, and its percepts since then. A row has an
entry for each move of the role, 1 for the move that it chose last, and then an entry for each of its percepts, 1 if the
role has perceived it since it made this choice. Forced moves are no choices. A learner that needs more of the past must
remember it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from ..common.errors import UserError
from ..game.drawing.grid_board import Grid
from ..game.lanes import Bytes, Lanes, Moves

Array = npt.NDArray[Any]
Bools = npt.NDArray[np.bool_]

KINDS = ("fluents", "planes")
PERCEPTS = "percepts"


def observation_kind(lanes: Lanes, kind: str | None) -> str:
    """Return the kind of observation; by default `percepts` if the game hides information, else `fluents`."""
    if not lanes.machine.hides_information:
        if kind == PERCEPTS:
            raise UserError(f"{lanes.game.word} does not hide information, so there are no {PERCEPTS!r} to observe")
        return KINDS[0] if kind is None else kind
    if kind not in (None, PERCEPTS):
        raise UserError(f"{lanes.game.word} hides information, so players observe {PERCEPTS!r}, not {kind!r}")
    return PERCEPTS


class Observer:
    """Observe the states of lanes."""

    def __init__(self, lanes: Lanes, kind: str = "fluents") -> None:
        if kind not in KINDS:
            raise UserError(f"no observation is called {kind!r}; kinds: {' and '.join(KINDS)}")
        self._lanes = lanes
        self._planes: npt.NDArray[np.intp] | None = None
        if kind == "planes":
            self._planes, self.names = _planes(lanes)
            self.shape: tuple[int, ...] = (len(self.names), *self._planes.shape[1:])
        else:
            self.names = lanes.fluent_names
            self.shape = (len(self.names),)

    def observe_first(self) -> Array:
        """Return the observation of the first lane: a new array, uint8, [*shape]."""
        seen: Array = self.observe()[0]
        return seen

    def observe(self) -> Array:
        """Return the observations: a new array, uint8, [n, *shape]."""
        if self._planes is None:
            # A copy in the memory order of the lanes is much faster than a copy in the order of the result.
            return self._lanes.fluents.copy().T
        lanes = self._lanes
        rows = np.concatenate([lanes.fluents, np.zeros((1, lanes.n), np.uint8), np.ones((1, lanes.n), np.uint8)])
        board = rows[self._planes]
        to_move = np.stack([lanes.has_choice(role) for role in lanes.roles])[:, None, None, :]
        full = np.broadcast_to(to_move, (len(lanes.roles), *board.shape[1:])).astype(np.uint8)
        return np.moveaxis(np.concatenate([board, full]), -1, 0)


class RoleObserver(Observer):
    """Observe what one role observes in a game with hidden information."""

    def __init__(self, lanes: Lanes, role: str) -> None:
        self.lanes, self.role = lanes, role
        moves = (f"(does {role} {move})" for move in lanes.move_names(role))
        self.names = (*moves, *lanes.percepts.names(role))
        self.shape = (len(self.names),)
        self._rows = np.zeros((len(self.names), lanes.n), np.uint8)

    def observe(self) -> Bytes:
        """Return the observations: a new array, uint8, 0 or 1, [n, parts]."""
        return self._rows.T.copy()

    def clear(self, lanes: Bools | None = None) -> None:
        """Forget everything, in lanes of a mask, bool, [n], or in all lanes."""
        self._rows[:, slice(None) if lanes is None else lanes] = 0

    def add_turn(self, chose: npt.NDArray[np.intp], moves: Moves) -> None:
        """Store the percepts of a turn that was played, and the choices of the role in the lanes where it had one."""
        self._rows[:, chose] = 0
        self._rows[moves[self.lanes.roles.index(self.role), chose], chose] = 1
        self._rows[len(self.lanes.move_names(self.role)) :] |= self.lanes.percepts.of(self.role)


def observed_step(
    lanes: Lanes,
    observers: Sequence[RoleObserver],
    moves: Moves,
    held: Bools | None = None,
    fresh: Bools | None = None,
) -> None:
    """Play a turn, and collect what roles observe; without observers, the same as `Lanes.step`."""
    if not observers:
        lanes.step(moves, held=held, fresh=fresh)
        return
    plays = ~lanes.terminal
    for others in (held, fresh):
        if others is not None:
            plays &= ~others
    chose = [np.flatnonzero(lanes.has_choice(observer.role) & plays) for observer in observers]
    lanes.step(moves, held=held, fresh=fresh)
    for observer, chosen in zip(observers, chose, strict=True):
        observer.add_turn(chosen, moves)


def with_mask(shape: tuple[int, ...], actions: int, is_with: bool) -> spaces.Space[Any]:
    """Return the space of observations of a shape, with or without the mask of legal actions."""
    seen = spaces.Box(0, 1, shape, np.uint8)
    if not is_with:
        return seen
    return spaces.Dict({"observation": seen, "action_mask": spaces.Box(0, 1, (actions,), np.int8)})


def _planes(lanes: Lanes) -> tuple[npt.NDArray[np.intp], tuple[str, ...]]:
    """Return the fluent of each cell of each plane, [planes, rows, columns], and the names of all planes.

    A cell without a fluent has the number of fluents, a cell whose fluent is always true this number plus 1.
    """
    machine = lanes.machine
    known = [*machine.fluent_names, *machine.constant_fluents]
    grid = Grid.of(known, machine.fluents(machine.initial()))
    if grid is None:
        raise UserError(
            f"{lanes.game.word} has no board in the form of a grid, which planes need; use the observation 'fluents'"
        )
    columns, rows = len(grid.columns), len(grid.rows)
    count = len(machine.fluent_names)
    planes: dict[tuple[str, tuple[str, ...]], npt.NDArray[np.intp]] = {}
    for number, fluent in enumerate(known):
        if (found := grid.cell_of(fluent)) is not None:
            cell, content = found
            plane = planes.setdefault((fluent[1:].split()[0], content), np.full((rows, columns), count, np.intp))
            plane[cell % rows, cell // rows] = min(number, count + 1)
    names = [" ".join(dict.fromkeys((relation, *content))) for relation, content in planes]
    return np.stack(list(planes.values())), (*names, *(f"{role} has a choice" for role in lanes.roles))

"""What a learner sees of a state: the fluents that hold, or planes of the board.

`fluents` is a row of 0 and 1, one for each fluent of the game that may or may not hold. `planes` is for games whose
board is a grid: a plane for each thing that a cell may hold, [planes, rows, columns], and one for each role that is
full where the role has a choice. Rows are counted from below. Fluents that are about no cell, such as counters of
turns, are not seen there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..common.errors import UserError
from ..game.drawing.grid_board import Grid, read_fluent
from ..game.lanes import Lanes

Array = npt.NDArray[Any]

KINDS = ("fluents", "planes")


class Observer:
    """Observe the states of lanes.

    Attributes:
        names: of the parts of an observation: the fluents as KIF; or of each plane, what is on the cells where it is 1.
        shape: of the observation of one state.

    Args:
        lanes: what is observed.
        kind: `fluents` or `planes`.

    Raises:
        UserError: there is no such kind, or the board is no grid.
    """

    def __init__(self, lanes: Lanes, kind: str = "fluents") -> None:
        if kind not in KINDS:
            raise UserError(f"no observation is called {kind!r}; there are {' and '.join(KINDS)}")
        self._lanes = lanes
        self._planes: npt.NDArray[np.intp] | None = None
        if kind == "planes":
            self._planes, self.names = _planes(lanes)
            self.shape: tuple[int, ...] = (len(self.names), *self._planes.shape[1:])
        else:
            self.names = lanes.fluent_names
            self.shape = (len(self.names),)

    def observe_first(self) -> Array:
        """Return what there is to see in the first lane: a new array, uint8, [*shape]."""
        seen: Array = self.observe()[0]
        return seen

    def observe(self) -> Array:
        """Return what there is to see: a new array, uint8, [n, *shape]."""
        if self._planes is None:
            # A copy in the order of the lanes' memory, which costs far less than one in the order of the result.
            return self._lanes.fluents.copy().T
        lanes = self._lanes
        rows = np.concatenate([lanes.fluents, np.zeros((1, lanes.n), np.uint8), np.ones((1, lanes.n), np.uint8)])
        board = rows[self._planes]
        to_move = np.stack([lanes.has_choice(role) for role in lanes.roles])[:, None, None, :]
        full = np.broadcast_to(to_move, (len(lanes.roles), *board.shape[1:])).astype(np.uint8)
        return np.moveaxis(np.concatenate([board, full]), -1, 0)


def _planes(lanes: Lanes) -> tuple[npt.NDArray[np.intp], tuple[str, ...]]:
    """Return the fluent of each cell of each plane, [planes, rows, columns]; and the names of all planes.

    Where there is no fluent it is the one after the last; where it always holds, the one after that.
    """
    machine = lanes.machine
    known = [*machine.fluent_names, *machine.constant_fluents]
    grid = Grid.of(known, machine.fluents(machine.initial()))
    if grid is None:
        raise UserError(f"{lanes.game.word} has no board that is a grid, which planes need; observe its fluents")
    columns = {name: place for place, name in enumerate(grid.columns)}
    rows = {name: place for place, name in enumerate(grid.rows)}
    count = len(machine.fluent_names)
    planes: dict[tuple[str, tuple[str, ...]], npt.NDArray[np.intp]] = {}
    for number, fluent in enumerate(known):
        found, read = grid.cell_of(fluent), read_fluent(fluent)
        if found is None or read is None:
            continue
        (column, row), content = found
        plane = planes.setdefault((read[0], content), np.full((len(rows), len(columns)), count, np.intp))
        plane[rows[row], columns[column]] = min(number, count + 1)
    names = [" ".join(dict.fromkeys((relation, *content))) for relation, content in planes]
    return np.stack(list(planes.values())), (*names, *(f"{role} has a choice" for role in lanes.roles))

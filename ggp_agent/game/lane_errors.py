"""Errors about the moves that lanes get."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..common.errors import IllegalMoveError
from .game import listed

if TYPE_CHECKING:
    from .lanes import Lanes


class SimultaneousMovesError(IllegalMoveError):
    """Only the mover has a move, but another role has a choice, too.

    Attributes:
        roles: the two roles.
    """

    def __init__(self, message: str, roles: tuple[str, str]) -> None:
        super().__init__(message)
        self.roles = roles


def wrong_move_error(lanes: Lanes, lane: int, role: int, move: int, at_once: bool) -> IllegalMoveError:
    """Return the error for a move that is illegal, or `at_once` for a second role with a choice."""
    if at_once:
        both = lanes.roles[lanes.mover[lane]], lanes.roles[role]
        shape = f"({len(lanes.roles)}, {lanes.n})"
        message = f"{' and '.join(both)} move at once in lane {lane}: give moves of shape {shape}"
        return SimultaneousMovesError(message, both)
    names = lanes.machine.move_names(role)
    legal = [f"{number} {names[number]}" for number in np.flatnonzero(lanes.legal(lanes.roles[role])[:, lane])]
    what = f"{move} {names[move]}" if 0 <= move < len(names) else f"{move}, which is not the number of a move"
    return IllegalMoveError(f"lane {lane}: {lanes.roles[role]} cannot play {what}; legal moves: {listed(legal)}")
